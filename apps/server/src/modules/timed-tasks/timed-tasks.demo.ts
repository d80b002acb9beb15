import type { ScheduleInput, TimedAction, TimedTaskInput } from '@thingwright/contracts/timed-tasks.contract'
import type { Ctx } from '../../lib/context.ts'
import type { ScenesService } from './scenes.service.ts'
import type { TimedTasksService } from './timed-tasks.service.ts'

/** A step as the demo words it: a write to devices by their numbers, a delay, or a scene by its name. */
export interface DemoStep {
  devices?: string[]
  params?: Record<string, unknown>
  /** Seconds. */
  delay?: number
  scene?: string
}

export interface DemoTimedTasks {
  scenes: { name: string; description: string; actions: DemoStep[] }[]
  tasks: (Omit<TimedTaskInput, 'schedule' | 'actions' | 'offActions'> & {
    schedule: ScheduleInput
    actions: DemoStep[]
    offActions: DemoStep[]
  })[]
}

/**
 * Scenes and timed tasks of the demo company, by their names: what somebody changed since stays, what is there is not made
 * again. A step whose devices are gone is left out with its task.
 * @param deviceIds by the number of the device
 */
export async function seedDemoTimedTasks(
  ctx: Ctx,
  { service, scenes }: { service: TimedTasksService; scenes: ScenesService },
  wanted: DemoTimedTasks,
  deviceIds: ReadonlyMap<string, string>,
): Promise<void> {
  const madeScenes = new Map((await scenes.list(ctx, { limit: 100 })).items.map(({ name, id }) => [name, id]))

  /** Undefined: something that it needs is not there. */
  function stepsOf(steps: readonly DemoStep[]): TimedAction[] | undefined {
    const made = steps.map(({ devices = [], params = {}, delay, scene }): TimedAction | undefined => {
      if (delay !== undefined) return { kind: 'delay', seconds: delay }
      if (scene !== undefined) {
        const sceneId = madeScenes.get(scene)
        return sceneId === undefined ? undefined : { kind: 'scene', sceneId }
      }
      const ids = devices.flatMap(number => deviceIds.get(number) ?? [])
      if (ids.length < devices.length) return undefined
      return { kind: 'command', scope: { deviceIds: ids }, command: { kind: 'property_set', params } }
    })
    return made.every(step => step !== undefined) ? made : undefined
  }

  for (const { name, description, actions } of wanted.scenes) {
    const steps = stepsOf(actions)
    if (madeScenes.has(name) || !steps) continue
    madeScenes.set(name, (await scenes.create(ctx, { name, description, actions: steps })).id)
  }
  const madeTasks = new Set((await service.list(ctx, { limit: 100 })).items.map(({ name }) => name))
  for (const { actions, offActions, ...task } of wanted.tasks) {
    const [steps, off] = [stepsOf(actions), stepsOf(offActions)]
    if (madeTasks.has(task.name) || !steps || !off) continue
    await service.create(ctx, { ...task, actions: steps, offActions: off })
  }
}
