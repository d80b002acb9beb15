import { actorId } from '../../lib/context.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { LiveTopic } from '../../lib/live-topic.ts'
import type { ModuleParts } from '../../lib/module.ts'
import { ownedTasks } from './task-owner.repo.ts'
import type { TaskHandler } from './tasks.handlers.ts'
import { tasksRoutes } from './tasks.routes.ts'
import { createTaskRunner, type TaskRunner, type TaskRunnerOptions } from './tasks.runner.ts'
import { createTasksService, type TasksService } from './tasks.service.ts'

export interface TasksModule extends ModuleParts {
  service: TasksService
  routes: BoundRoute[]
  /** Says how tasks of a kind (`noun.verb`) are done; at wiring time, before the runner starts. */
  register(kind: string, handler: TaskHandler): void
  /** What has been registered. */
  kinds(): string[]
  /** Started in processes with the worker role. */
  runner: Pick<TaskRunner, 'start' | 'stop' | 'sweep' | 'recheck'>
}

export type TasksDeps = Omit<TaskRunnerOptions, 'handlers'>

/** Everything that takes longer than a request: run in the background, with progress, cancel and a file at the end. */
export function createTasksModule(deps: TasksDeps): TasksModule {
  const handlers = new Map<string, TaskHandler>()
  const runner = createTaskRunner({ ...deps, handlers })
  const service = createTasksService({
    database: deps.database,
    files: deps.files,
    handlers,
    onQueued: () => runner.wake(),
    onCancel: id => runner.cancel(id),
  })
  return {
    service,
    routes: tasksRoutes(service),
    runner,
    owned: [ownedTasks],
    live: [tasksTopic(service)],
    hears: { 'rights.changed': () => runner.recheck() },
    runs: [{ name: 'tasks', phase: 'work', start: () => runner.start(), stop: () => runner.stop() }],
    kinds: () => [...handlers.keys()],
    register(kind, handler) {
      if (handlers.has(kind)) throw new Error(`two ways to do tasks of the kind ${kind}`)
      handlers.set(kind, handler)
    },
  }
}

const topicOf = (starter: string) => `tasks:${starter}`

/** The tasks of whoever follows it, a program too. */
function tasksTopic(service: TasksService): LiveTopic {
  return {
    pattern: 'tasks',
    nameFor({ actor }) {
      const starter = actorId(actor)
      return starter === null ? null : topicOf(starter)
    },
    snapshot: ctx => service.open(ctx),
    hears: publish => ({
      'task.changed'({ id, ownerId, patch }) {
        if (ownerId !== null) publish(topicOf(ownerId), id, patch)
      },
    }),
  }
}
