import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { inBackground } from './background.ts'
import { connectPatiently, endOf } from './connect-patiently.ts'

export interface SilentConnectionsOptions {
  everyMs?: number
  /** Looks without a byte after which a connection that waits for an answer is asked about. */
  looks?: number
  /** Told of a connection that was ended. */
  onEnded?(backend: number): void
}

/** What the driver keeps of a client, beyond its types. */
interface Insides {
  readyForQuery: boolean
  processID: number | null
  connection: { stream: { bytesRead: number; destroy(error: Error): void } }
}

interface Watched {
  client: pg.ClientBase
  read: number
  looks: number
}

const EVERY_MS = 1_000
const LOOKS = 2
const LATE_MS = 5_000
const ON_ITS_WAY_MS = 300

/**
 * Ends connections to the database that will never answer: after a network that swallowed packets the one side waits
 * for what the other has sent long ago, and TCP alone notices after minutes. Slow is not silent: a second connection
 * asks the server whether it still works for the first, and only when it does not is that one ended, with its backend
 * and every lock that it holds.
 */
export class SilentConnections {
  private readonly watched = new Set<Watched>()
  private timer: NodeJS.Timeout | null = null
  private asking = false

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly options: SilentConnectionsOptions = {},
  ) {}

  /** Watches a client that is connected, until it ends. */
  watch(client: pg.ClientBase): void {
    const entry: Watched = { client, read: 0, looks: 0 }
    this.watched.add(entry)
    client.once('end', () => {
      this.watched.delete(entry)
      if (this.watched.size === 0) this.rest()
    })
    this.timer ??= setInterval(() => this.look(), this.options.everyMs ?? EVERY_MS).unref()
  }

  private rest(): void {
    if (this.timer) clearInterval(this.timer)
    this.timer = null
  }

  private look(): void {
    for (const entry of this.watched) {
      const { readyForQuery, connection } = insidesOf(entry)
      if (readyForQuery || connection.stream.bytesRead !== entry.read) {
        entry.read = connection.stream.bytesRead
        entry.looks = 0
      } else entry.looks++
    }
    const silent = [...this.watched].filter(({ looks }) => looks >= (this.options.looks ?? LOOKS))
    if (silent.length === 0 || this.asking) return
    this.asking = true
    inBackground(
      'asking the database about connections that are silent',
      this.ask(silent).finally(() => {
        this.asking = false
      }),
    )
  }

  private async ask(silent: readonly Watched[]): Promise<void> {
    let probe: pg.Client
    try {
      probe = await connectPatiently(this.config)
    } catch {
      return
    }
    const late = setTimeout(() => endOf(probe), LATE_MS)
    try {
      const { rows } = await probe.query<{ me: number; busy: number[] }>(
        `select pg_backend_pid() as me,
           array(select pid from pg_stat_activity where pid = any($1) and state in ('active', 'fastpath function call')) as busy`,
        [silent.map(pidOf)],
      )
      const { me, busy } = rows[0]!
      // Behind a pooler the numbers are not the server's: then nothing is known.
      if (me !== (probe as unknown as Insides).processID) return
      const idle = silent.filter(entry => !busy.includes(pidOf(entry)))
      if (idle.length === 0) return
      // An answer may have been on its way while we asked.
      await delay(ON_ITS_WAY_MS)
      for (const entry of idle.filter(isSilentStill)) {
        this.watched.delete(entry)
        await probe.query('select pg_terminate_backend($1)', [pidOf(entry)])
        insidesOf(entry).connection.stream.destroy(new Error('the database does not answer'))
        this.options.onEnded?.(pidOf(entry))
      }
    } finally {
      clearTimeout(late)
      probe.end().catch(() => undefined)
    }
  }
}

function insidesOf({ client }: Watched): Insides {
  return client as unknown as Insides
}

function pidOf(entry: Watched): number {
  return insidesOf(entry).processID ?? 0
}

function isSilentStill(entry: Watched): boolean {
  const { readyForQuery, connection } = insidesOf(entry)
  return !readyForQuery && connection.stream.bytesRead === entry.read
}
