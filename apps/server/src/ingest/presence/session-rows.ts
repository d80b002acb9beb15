import { inBackground } from '../../lib/background.ts'
import type { Logger } from '../../lib/log.ts'
import type { SessionRow } from './device-sessions.repo.ts'

export interface SessionRowsOptions {
  write(opened: readonly SessionRow[], closed: readonly number[]): Promise<void>
  logger: Logger
  /** How long changes are collected, ms. */
  windowMs?: number
}

const BATCH = 1_000
const RETRY_MS = 1_000

/** Writes device_sessions behind the connections: only the last state of a device counts, many devices in one statement. */
export class SessionRows {
  private wanted = new Map<number, SessionRow | null>()
  private timer: NodeJS.Timeout | null = null
  private writing: Promise<boolean> | null = null
  private stopped = false

  constructor(private readonly options: SessionRowsOptions) {}

  put(row: SessionRow): void {
    this.want(row.device, row)
  }

  remove(device: number): void {
    this.want(device, null)
  }

  /** Writes what is still open and takes no more; gives up at the first error. */
  async stop(): Promise<void> {
    this.stopped = true
    if (this.timer) clearTimeout(this.timer)
    for (;;) {
      if (!(await (this.writing ?? this.flush()))) return
      if (this.wanted.size === 0 && !this.writing) return
    }
  }

  private want(device: number, row: SessionRow | null): void {
    this.wanted.delete(device)
    this.wanted.set(device, row)
    this.later(this.options.windowMs ?? 50)
  }

  private later(ms: number): void {
    if (this.stopped || this.writing) return
    this.timer ??= setTimeout(() => {
      this.timer = null
      inBackground('writing sessions of devices', this.flush())
    }, ms)
  }

  private flush(): Promise<boolean> {
    if (this.wanted.size === 0) return Promise.resolve(true)
    const batch = new Map<number, SessionRow | null>()
    for (const [device, row] of this.wanted) {
      batch.set(device, row)
      this.wanted.delete(device)
      if (batch.size >= BATCH) break
    }
    const opened: SessionRow[] = []
    const closed: number[] = []
    for (const [device, row] of batch) {
      if (row) opened.push(row)
      else closed.push(device)
    }
    this.writing = this.options.write(opened, closed).then(
      () => this.done(true),
      error => {
        this.options.logger.warn({ err: error }, 'sessions not written; trying again')
        // A row that was put there since the batch began is newer and is kept.
        for (const [device, row] of batch) if (!this.wanted.has(device)) this.wanted.set(device, row)
        return this.done(false)
      },
    )
    return this.writing
  }

  private done(ok: boolean): boolean {
    this.writing = null
    if (this.wanted.size > 0) this.later(ok ? 0 : RETRY_MS)
    return ok
  }
}
