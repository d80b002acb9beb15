import { randomUUID } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import { recordAudit } from '../../lib/audit.ts'
import { inBackground } from '../../lib/background.ts'
import type { Actor } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import type { TaskChange } from '../../lib/news.ts'
import { actorOf, taskContext } from './tasks.actor.ts'
import { type RunningTask, requireRights, type TaskFiles, type TaskHandlers } from './tasks.handlers.ts'
import * as queue from './tasks.queue.repo.ts'
import type { FailureRow, TaskRow } from './tasks.repo.ts'

export interface TaskRunnerOptions {
  database: Database
  files: TaskFiles
  handlers: TaskHandlers
  logger: Logger
  /** The rights of a person now; null: he may no longer act. Absent: those he had when he started the task. */
  currentActor?: (tenantId: string, actor: Actor) => Promise<Actor | null>
  now(): number
  /** Milliseconds; tests make them short. */
  timing?: Partial<TaskTiming>
}

export interface TaskTiming {
  /** A process that says nothing for this long has lost its tasks. */
  lease: number
  heartbeat: number
  /** Others' tasks are looked for this often; own ones wake the runner. */
  poll: number
  progress: number
  sweep: number
}

const TIMING: TaskTiming = { lease: 30_000, heartbeat: 5000, poll: 1000, progress: 500, sweep: 3_600_000 }
/** Tasks of one process at a time. */
const AT_ONCE = 3
/** A task that took its process with it this often is not tried again. */
const MAX_ATTEMPTS = 3
/** Failures kept of one task. */
export const KEPT_FAILURES = 1000
/** Days for which an ended task and its file are kept. */
export const KEPT_DAYS = 30

export interface TaskRunner {
  start(): void
  /** A task was put into the queue. */
  wake(): void
  /** Asks a task of this process to stop, at once. */
  cancel(id: string): void
  /** Rights changed: who runs tasks here is looked at again now, and not at the next of the regular looks. */
  recheck(): void
  /** Ends when nothing runs any more: resumable tasks go back into the queue, others have failed. */
  stop(): Promise<void>
  /** Removes what is older than it is kept. */
  sweep(): Promise<number>
}

interface Job {
  task: TaskRow
  /** Whoever started it, as he was when he was last looked at. */
  actor: Actor
  abort: AbortController
  done: Promise<void>
}

/** Takes tasks from the queue and runs them, in every process with the worker role. */
export function createTaskRunner(options: TaskRunnerOptions): TaskRunner {
  const { database, files, handlers, logger } = options
  const timing = { ...TIMING, ...options.timing }
  const worker = randomUUID()
  const jobs = new Map<string, Job>()
  const timers: NodeJS.Timeout[] = []
  let started = false
  let stopping = false
  let claiming: Promise<void> | null = null
  let again = false

  const system = <T>(work: Parameters<typeof database.withSystemScope<T>>[1]) => database.withSystemScope('tasks', work)
  const tell = (task: TaskRow, patch: Partial<TaskChange['patch']>) => {
    Object.assign(task, patch)
    const { state, done, total, failedCount, cancelRequested } = task
    database.news.tell('task.changed', {
      id: task.id,
      ownerId: task.ownerId,
      patch: { state, done, total, failedCount, cancelRequested },
    })
  }

  /** Claims until nothing waits or enough runs; one at a time, and once more when woken meanwhile. */
  function claim(): void {
    if (!started) return
    if (claiming) {
      again = true
      return
    }
    claiming = (async () => {
      do {
        again = false
        while (!stopping && jobs.size < AT_ONCE && handlers.size > 0) {
          const task = await system(scope => queue.claimTask(scope, worker, [...handlers.keys()], timing.lease))
          if (!task) break
          const abort = new AbortController()
          const job: Job = { task, actor: actorOf(task.actor), abort, done: Promise.resolve() }
          jobs.set(task.id, job)
          job.done = run(job).finally(() => {
            jobs.delete(task.id)
            claim()
          })
        }
      } while (again && !stopping)
    })()
      .catch((error: unknown) => logger.warn({ err: error }, 'tasks could not be taken from the queue'))
      .finally(() => {
        claiming = null
      })
  }

  async function run(job: Job): Promise<void> {
    const { task, abort } = job
    const handler = handlers.get(task.kind)!
    const report = reporter(job)
    // A task that was asked to stop too late to notice has done all its work.
    let heard = false
    let listening = false
    let ending: queue.Ending
    try {
      tell(task, { state: 'running' })
      await lookAtRights(job)
      const running: RunningTask = {
        ctx: taskContext(task, () => job.actor, options.now),
        input: task.input,
        doneBefore: task.attempts > 1 ? task.done : 0,
        progress: report.progress,
        failed: report.failed,
        cancelled() {
          heard ||= abort.signal.aborted
          return abort.signal.aborted
        },
        get signal() {
          listening = true
          return abort.signal
        },
        saveFile: (name, contentType, body) => saveFile(job, name, contentType, body),
      }
      const { summary, nothingDone = everyPartFailed(task) } = await handler.run(running)
      heard ||= listening && abort.signal.aborted
      ending = heard
        ? { ...stoppedBy(abort.signal), summary: summary ?? null }
        : nothingDone
          ? { ...failedWith('task.all_failed', { count: task.failedCount }), summary: summary ?? null }
          : {
              state: task.failedCount > 0 ? 'partial' : 'succeeded',
              summary: summary ?? null,
              errorCode: null,
              errorParams: null,
            }
    } catch (error) {
      heard = abort.signal.aborted
      if (heard) ending = stoppedBy(abort.signal)
      else if (isAppError(error)) ending = failedWith(error.code, error.params)
      else {
        logger.error({ err: error, task: task.id, kind: task.kind }, 'task failed')
        ending = failedWith('server.error')
      }
    }
    await report.close()
    // The process is going: the next one does the rest, or says that it did not end.
    if (heard && abort.signal.reason === STOPPING) {
      if (handler.resumable && task.attempts < MAX_ATTEMPTS) {
        await retrying(() => system(scope => queue.requeueTask(scope, task.id)))
        return
      }
      ending = failedWith('task.interrupted')
    }
    await end(task, worker, ending)
  }

  /**
   * What a task does is done with the rights of that moment.
   * @throws AppError auth.login_frozen, permission.denied, scope.whole_company: whoever started it may no longer do this
   */
  async function lookAtRights(job: Job): Promise<void> {
    const { task } = job
    if (options.currentActor) {
      const current = await options.currentActor(task.tenantId, job.actor)
      if (!current) throw new AppError('auth.login_frozen')
      job.actor = current
    }
    requireRights(handlers.get(task.kind)!, job.actor, task.input)
  }

  /** The same of all that run; who lost a right stops. */
  async function lookAgain(): Promise<void> {
    for (const job of jobs.values())
      await lookAtRights(job).catch((error: unknown) => {
        if (!isAppError(error)) throw error
        job.abort.abort(error)
      })
  }

  async function end(task: TaskRow, holder: string | null, ending: queue.Ending): Promise<void> {
    const ended = await retrying(() =>
      system(async scope => {
        if (!(await queue.endTask(scope, task.id, holder, ending))) return false
        await recordAudit(
          scope,
          taskContext(task, () => actorOf(task.actor), options.now),
          {
            action: 'task.end',
            objectType: 'task',
            objectId: task.id,
            objectName: task.titleZh,
            after: {
              kind: task.kind,
              state: ending.state,
              done: task.done,
              total: task.total,
              failed: task.failedCount,
              ...(ending.summary ? { summary: ending.summary } : {}),
              ...(ending.errorCode ? { error: ending.errorCode } : {}),
            },
            result: ending.state === 'failed' ? 'failed' : 'ok',
          },
        )
        return true
      }),
    )
    if (ended) tell(task, { state: ending.state })
  }

  /** The database may be away for a moment; the lease tells whether the task is still ours when it is back. */
  async function retrying<T>(work: () => Promise<T>): Promise<T | undefined> {
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        return await work()
      } catch (error) {
        logger.warn({ err: error }, 'the state of a task could not be written')
        await new Promise(resolve => setTimeout(resolve, 200 * 2 ** attempt))
      }
    }
    return undefined
  }

  /** Collects what a task says and writes it some times a second. */
  function reporter({ task, abort }: Job) {
    let dirty = false
    let failures: FailureRow[] = []
    let writing: Promise<void> | null = null
    const write = async () => {
      if (!dirty) return
      dirty = false
      const taken = failures
      failures = []
      const { done, total, failedCount } = task
      const progress = { done, total, failedCount }
      const held = await system(scope => queue.storeProgress(scope, { ...task, worker }, progress, taken)).catch(
        (error: unknown) => {
          logger.warn({ err: error, task: task.id }, 'progress of a task could not be written')
          failures = [...taken, ...failures]
          dirty = true
          return true
        },
      )
      if (!held) abort.abort(LOST)
      else tell(task, {})
    }
    const timer = setInterval(() => {
      writing ??= write().finally(() => {
        writing = null
      })
    }, timing.progress)
    return {
      progress(done: number, total?: number) {
        task.done = Math.max(0, Math.trunc(done))
        if (total !== undefined) task.total = Math.max(0, Math.trunc(total))
        dirty = true
      },
      failed(item: string, code: string, params: Record<string, unknown> = {}) {
        task.failedCount++
        if (task.failedCount <= KEPT_FAILURES)
          failures.push({ n: task.failedCount, item: item.slice(0, 500), code, params })
        dirty = true
      },
      async close() {
        clearInterval(timer)
        await writing
        await write()
      },
    }
  }

  async function saveFile(job: Job, name: string, contentType: string, body: Buffer | Readable): Promise<void> {
    const { task } = job
    const key = `tasks/${task.tenantId}/${task.id}-${task.attempts}`
    let size = 0
    if (Buffer.isBuffer(body)) {
      size = body.length
      await files.put(key, body, { contentType, size })
    } else {
      // Counted as it passes. A listener for `data` would let it flow before the store reads it, and what came until then
      // would not be in the file.
      const counted = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          size += chunk.length
          done(null, chunk)
        },
      })
      body.on('error', error => counted.destroy(error))
      await files.put(key, body.pipe(counted), { contentType })
    }
    const file = { key, name: name.slice(0, 200), contentType, size }
    const held = await system(scope => queue.storeFile(scope, { id: task.id, worker }, file))
    if (held) {
      if (task.fileKey && task.fileKey !== key) await files.remove(task.fileKey)
      task.fileKey = key
      return
    }
    await files.remove(key)
    job.abort.abort(LOST)
  }

  async function heartbeat(): Promise<void> {
    // Only those that run already: one that is claimed while the database answers is not in its answer.
    const asked = [...jobs.values()]
    if (asked.length > 0) {
      const held = new Map(
        (await system(scope => queue.prolongLeases(scope, worker, timing.lease))).map(each => [each.id, each]),
      )
      for (const { task, abort } of asked) {
        const mine = held.get(task.id)
        // A job that is just ending is in neither list: aborting it then changes nothing.
        if (!mine) abort.abort(LOST)
        else if (mine.cancelRequested && !abort.signal.aborted) {
          abort.abort()
          tell(task, { cancelRequested: true })
        }
      }
      await lookAgain()
    }
  }

  /** Tasks of processes that were killed. */
  async function recover(): Promise<void> {
    const failed: TaskRow[] = []
    await system(async scope => {
      for (const task of await queue.abandonedTasks(scope, worker)) {
        const handler = handlers.get(task.kind)
        if (handler?.resumable && task.attempts < MAX_ATTEMPTS && !task.cancelRequested)
          await queue.requeueTask(scope, task.id)
        else failed.push(task)
      }
    })
    for (const task of failed)
      await end(task, task.worker, task.cancelRequested ? CANCELLED : failedWith('task.interrupted'))
  }

  async function sweep(): Promise<number> {
    let removed = 0
    for (;;) {
      const old = await system(scope => queue.outdatedTasks(scope, KEPT_DAYS, 100))
      for (const { id, fileKey } of old) {
        if (fileKey) await files.remove(fileKey)
        await system(scope => queue.deleteTask(scope, id))
        removed++
      }
      if (old.length < 100) return removed
    }
  }

  /** Runs the work again and again, never twice at once. */
  function every(ms: number, work: () => Promise<unknown>): void {
    let busy = false
    timers.push(
      setInterval(() => {
        if (busy || stopping) return
        busy = true
        work()
          .catch((error: unknown) => logger.warn({ err: error }, 'upkeep of tasks failed'))
          .finally(() => {
            busy = false
          })
      }, ms),
    )
  }

  return {
    start() {
      started = true
      every(timing.heartbeat, heartbeat)
      every(timing.poll, async () => {
        await recover()
        claim()
      })
      every(timing.sweep, sweep)
      inBackground('upkeep of tasks', sweep())
      claim()
    },
    wake: claim,
    cancel(id) {
      const job = jobs.get(id)
      if (!job || job.abort.signal.aborted) return
      job.abort.abort()
      tell(job.task, { cancelRequested: true })
    },
    recheck() {
      lookAgain().catch((error: unknown) =>
        logger.warn({ err: error }, 'rights behind running tasks were not looked at'),
      )
    },
    async stop() {
      stopping = true
      for (const timer of timers) clearInterval(timer)
      await claiming
      for (const { abort } of jobs.values()) if (!abort.signal.aborted) abort.abort(STOPPING)
      // A task that does not listen is left behind; its lease runs out and the next process finds it.
      await Promise.race([
        Promise.all([...jobs.values()].map(({ done }) => done)),
        new Promise(resolve => setTimeout(resolve, STOP_WITHIN_MS).unref()),
      ])
    },
    sweep,
  }
}

/** It came to its end, and nothing was done. */
function everyPartFailed({ failedCount, total, done }: TaskRow): boolean {
  return failedCount > 0 && failedCount >= (total ?? done)
}

const STOP_WITHIN_MS = 8000
const STOPPING = new Error('the process is stopping')
const LOST = new Error('another process has the task')
const CANCELLED: queue.Ending = { state: 'cancelled', summary: null, errorCode: null, errorParams: null }

/** Why a task that stopped when it was asked to was asked to. */
function stoppedBy({ reason }: AbortSignal): queue.Ending {
  return isAppError(reason) ? failedWith(reason.code, reason.params) : CANCELLED
}

function failedWith(code: string, params?: Record<string, unknown>): queue.Ending {
  return { state: 'failed', summary: null, errorCode: code, errorParams: params ?? null }
}
