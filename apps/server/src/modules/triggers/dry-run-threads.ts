import { availableParallelism } from 'node:os'
import { AppError } from '../../lib/errors.ts'
import { startThread } from '../../lib/thread.ts'
import type { DryRunTask, Judged, SeriesPart } from './dry-run-judge.ts'

export interface DryRunLimits {
  /** Threads at one time. */
  threads?: number
  /** Runs that may wait for one. */
  waiting?: number
  /** Recorded rows of one run. */
  rows?: number
  /** From the first row that is read to the answer, ms. */
  ms?: number
}

/** Gives a run its rows, part by part. @throws AppError trigger.dry_run_rows, trigger.dry_run_long */
export type Hand = (part: SeriesPart) => void

const THREADS = Math.max(1, Math.min(2, availableParallelism() - 1))
const WAITING = 8
const ROWS = 3_000_000
const LONGEST_MS = 60_000
const MEMORY_MB = 768

/**
 * Threads that judge dry runs over the past, so that none of them holds up the process however much was recorded. A run
 * that takes too long, has too many rows, or that its caller no longer waits for ends with its thread.
 */
export class DryRunThreads {
  private busy = 0
  private readonly turns: (() => void)[] = []
  private readonly limits: Required<DryRunLimits>

  constructor(limits: DryRunLimits = {}) {
    this.limits = { threads: THREADS, waiting: WAITING, rows: ROWS, ms: LONGEST_MS, ...limits }
  }

  /** @throws AppError trigger.dry_run_busy, trigger.dry_run_rows, trigger.dry_run_long */
  async run(task: DryRunTask, read: (hand: Hand) => Promise<void>, gone?: AbortSignal): Promise<Judged> {
    await this.turn(gone)
    try {
      return await this.work(task, read, gone)
    } finally {
      const next = this.turns.shift()
      // The run that waited longest is next.
      if (next) next()
      else this.busy--
    }
  }

  private async turn(gone?: AbortSignal): Promise<void> {
    if (this.busy < this.limits.threads) {
      this.busy++
      return
    }
    if (this.turns.length >= this.limits.waiting) throw new AppError('trigger.dry_run_busy')
    await new Promise<void>((resolve, reject) => {
      const turn = () => {
        gone?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        this.turns.splice(this.turns.indexOf(turn), 1)
        reject(new AppError('trigger.dry_run_busy'))
      }
      this.turns.push(turn)
      gone?.addEventListener('abort', leave, { once: true })
    })
  }

  private async work(task: DryRunTask, read: (hand: Hand) => Promise<void>, gone?: AbortSignal): Promise<Judged> {
    const { rows: most, ms } = this.limits
    const thread = startThread(
      import.meta.url,
      { built: 'dry-run-worker', source: 'dry-run.worker.ts' },
      { workerData: task, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } },
    )
    const late = new AppError('trigger.dry_run_long', { params: { seconds: Math.round(ms / 1_000) } })
    let end: AppError | null = null
    let timer: NodeJS.Timeout | undefined
    let leave: (() => void) | undefined
    const judged = new Promise<Judged>((resolve, reject) => {
      const stop = (error: AppError) => {
        end ??= error
        reject(end)
      }
      timer = setTimeout(() => stop(late), ms)
      leave = () => stop(late)
      if (gone?.aborted) leave()
      else gone?.addEventListener('abort', leave, { once: true })
      thread.once('message', resolve)
      thread.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? stop(new AppError('trigger.dry_run_rows', { params: { rows: most } }))
          : reject(error),
      )
    })
    let rows = 0
    try {
      // The first of the two to fail is the answer; the failure of the other is handled too.
      const handed = read(part => {
        if (end) throw end
        rows += part.ts.length
        if (rows > most) throw new AppError('trigger.dry_run_rows', { params: { rows: most } })
        thread.postMessage(part)
      }).then(() => thread.postMessage(null))
      const [answer] = await Promise.all([judged, handed])
      return answer
    } finally {
      clearTimeout(timer)
      if (leave) gone?.removeEventListener('abort', leave)
      end ??= late
      await thread.terminate()
    }
  }
}
