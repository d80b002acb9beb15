import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { inBackground } from '../background.ts'
import { connectPatiently, endOf } from './connect-patiently.ts'

export interface SilentConnectionsOptions {
  everyMs?: number
  /** Looks without a byte after which a connection that waits for an answer is asked about. */
  looks?: number
  /** Told of connections that are silent because the database works for them. */
  onBusy?(backends: readonly number[]): void
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
  /** Not connected yet. */
  connecting: boolean
  /** Not in use: it may be ended without a loss. */
  idle: boolean
}

/** An attempt to connect that heard nothing while another one got through: to be made again, at once. */
export class AttemptSwallowed extends Error {
  constructor() {
    super('the database does not answer')
    this.name = 'AttemptSwallowed'
  }
}

const EVERY_MS = 1_000
const LOOKS = 2
const LATE_MS = 5_000
const PROBE_EVERY_MS = 1_000
const ON_ITS_WAY_MS = 300

/** All of this process: what one learns of the way to a server holds for the others. */
const everybody = new Set<WeakRef<SilentConnections>>()

/**
 * Ends connections to the database that will never answer: after a network that swallowed packets the one side waits
 * for what the other has sent long ago, and TCP alone notices after minutes. Slow is not silent: a second connection
 * asks the server whether it still works for the first, and only when it does not is that one ended, with its backend
 * and every lock that it holds. Attempts to connect that hang end likewise, and idle connections of this process to the
 * same server with the first that was found: nobody would know of them before their next statement is lost.
 */
export class SilentConnections {
  private readonly watched = new Map<pg.ClientBase, Watched>()
  private timer: NodeJS.Timeout | null = null
  private asking = false

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly options: SilentConnectionsOptions = {},
  ) {
    everybody.add(new WeakRef(this))
  }

  /** Watches a client that is about to connect: what comes of it is told by `watch`, or its end. */
  watchAttempt(client: pg.ClientBase): void {
    this.add({ client, read: 0, looks: 0, connecting: true, idle: false })
  }

  /**
   * Watches a client that is connected, until it ends.
   * @param idle whether it may be ended whenever it waits for no answer; one of a pool only between its users
   */
  watch(client: pg.ClientBase, idle = true): void {
    const entry = this.watched.get(client)
    if (entry) Object.assign(entry, { looks: 0, connecting: false, idle })
    else this.add({ client, read: 0, looks: 0, connecting: false, idle })
  }

  /** A client of a pool is used from now on, or no longer. */
  use(client: pg.ClientBase, used: boolean): void {
    const entry = this.watched.get(client)
    if (entry) entry.idle = !used
  }

  private add(entry: Watched): void {
    const { client } = entry
    this.watched.set(client, entry)
    client.once('end', () => {
      this.watched.delete(client)
      if (this.watched.size === 0) this.rest()
    })
    this.timer ??= setInterval(() => this.look(), this.options.everyMs ?? EVERY_MS).unref()
  }

  /** Whether it watches connections to the server of these settings. */
  isTo({ host, port }: pg.ClientConfig): boolean {
    return this.config.host === host && this.config.port === port
  }

  private rest(): void {
    if (this.timer) clearInterval(this.timer)
    this.timer = null
  }

  private look(): void {
    for (const entry of this.watched.values()) {
      const read = bytesRead(entry)
      if ((!entry.connecting && insidesOf(entry).readyForQuery) || read !== entry.read) {
        entry.read = read
        entry.looks = 0
      } else entry.looks++
    }
    if (this.asking || this.silent.length === 0) return
    this.asking = true
    inBackground(
      'asking the database about connections that are silent',
      this.ask().finally(() => {
        this.asking = false
      }),
    )
  }

  private get silent(): Watched[] {
    return [...this.watched.values()].filter(({ looks }) => looks >= (this.options.looks ?? LOOKS))
  }

  private async ask(): Promise<void> {
    const probe = await this.probe()
    if (!probe) return
    // By now also those that fell silent while there was no way to ask.
    const { silent } = this
    const late = setTimeout(() => endOf(probe), LATE_MS)
    try {
      const { rows } = await probe.query<{ me: number; busy: number[] }>(
        `select pg_backend_pid() as me,
           array(select pid from pg_stat_activity where pid = any($1) and state in ('active', 'fastpath function call')) as busy`,
        [silent.map(pidOf)],
      )
      const { me, busy } = rows[0]!
      if (busy.length > 0) this.options.onBusy?.(busy)
      // Behind a pooler the numbers are not the server's: then nothing is known of those that were connected.
      const known = me === (probe as unknown as Insides).processID
      const dead = silent.filter(entry => entry.connecting || (known && !busy.includes(pidOf(entry))))
      if (dead.length === 0) return
      // An answer may have been on its way while we asked.
      await delay(ON_ITS_WAY_MS)
      const ended = dead.filter(entry => this.isSilentStill(entry))
      await this.end(ended, probe)
      if (ended.length > 0) for (const one of sameWay(this.config)) inBackground('ending idle connections', one.doubt())
    } finally {
      clearTimeout(late)
      probe.end().catch(() => undefined)
    }
  }

  /** Ends what nobody uses: the way on which one of them fell silent was theirs too. */
  private async doubt(): Promise<void> {
    const doubtful = [...this.watched.values()].filter(entry => isUnused(entry))
    if (doubtful.length === 0) return
    const probe = await connectPatiently(this.config)
    const late = setTimeout(() => endOf(probe), LATE_MS)
    try {
      await this.end(
        doubtful.filter(entry => this.watched.has(entry.client) && isUnused(entry)),
        probe,
      )
    } finally {
      clearTimeout(late)
      probe.end().catch(() => undefined)
    }
  }

  /** Connects as soon as there is a way, however long that takes; null when nobody waits any more. */
  private async probe(): Promise<pg.Client | null> {
    while (this.silent.length > 0) {
      const began = performance.now()
      try {
        return await connectPatiently(this.config, { everyMs: PROBE_EVERY_MS })
      } catch {
        // Swallowed for so long: again, at once. Refused: it is asked again with the next look.
        if (performance.now() - began < PROBE_EVERY_MS) return null
      }
    }
    return null
  }

  /** Our ends first, all of them: who waits there need not wait for the database's. */
  private async end(entries: readonly Watched[], probe: pg.Client): Promise<void> {
    const backends: number[] = []
    for (const entry of entries) {
      this.watched.delete(entry.client)
      const error = entry.connecting ? new AttemptSwallowed() : new Error('the database does not answer')
      insidesOf(entry).connection.stream.destroy(error)
      if (!entry.connecting) backends.push(pidOf(entry))
    }
    if (backends.length === 0) return
    for (const backend of backends) this.options.onEnded?.(backend)
    await probe.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [backends])
  }

  private isSilentStill(entry: Watched): boolean {
    if (!this.watched.has(entry.client) || bytesRead(entry) !== entry.read) return false
    return entry.connecting || !insidesOf(entry).readyForQuery
  }
}

/** Everybody in this process who watches connections to the same server. */
function* sameWay(config: pg.ClientConfig): Generator<SilentConnections> {
  for (const reference of everybody) {
    const one = reference.deref()
    if (!one) everybody.delete(reference)
    else if (one.isTo(config)) yield one
  }
}

function isUnused(entry: Watched): boolean {
  return entry.idle && !entry.connecting && insidesOf(entry).readyForQuery
}

function bytesRead(entry: Watched): number {
  return insidesOf(entry).connection.stream.bytesRead
}

function insidesOf({ client }: Watched): Insides {
  return client as unknown as Insides
}

function pidOf(entry: Watched): number {
  return insidesOf(entry).processID ?? 0
}
