import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { isConnectionLost, isDiskFull, sqlState } from '../../lib/database/database-errors.ts'
import { inTransaction } from '../../lib/database/in-transaction.ts'
import type { Logger } from '../../lib/log.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'
import type { JournalRow, LaneBatch } from '../lanes.port.ts'
import type { Stream, StreamPosition } from '../stream.port.ts'
import type { Consumer, LaneConsumer } from './consumer.ts'

/** Rows of the feed kept in memory; beyond that the journal is read again. */
const MAX_PENDING = 20_000
const READ_PAGE = 2_000
/** A cursor that moves alone is written this often, ms. */
const CURSOR_EVERY_MS = 1_000
/** Tries before the rows are suspected; the suspected part is read again in ever smaller pages. */
const TRIES = 3
const BACKOFF_MS = [50, 100, 200, 500, 1_000, 2_000, 5_000]

/** The cursor is not where it was read: the reply to an earlier commit was lost, or another process is at work. */
class CursorMoved extends Error {}

const START = sql`insert into consumer_cursors (consumer, lane, seq) values ($1, $2, 0) on conflict (consumer, lane) do nothing`

const SAVE = sql`update consumer_cursors set seq = $3, arrived_at = to_timestamp($4::float8 / 1000), updated_at = now()
  where consumer = $1 and lane = $2 and seq = $5`.named('cursor-save')

const RELOAD = sql<{
  seq: number
  at: number | null
}>`select seq, (extract(epoch from arrived_at) * 1000)::float8 as at from consumer_cursors where consumer = $1 and lane = $2`

const SET_ASIDE = sql`insert into consumer_dead_letters (consumer, lane, seq, error) values ($1, $2, $3, $4)`

/** One consumer in one lane: its cursor, what waits for it, its retries, and the rows it gives up on. */
export class ConsumerLane {
  private readonly fold: LaneConsumer
  /** As committed. */
  private cursor: StreamPosition
  /** Everything up to here was taken. */
  private taken: StreamPosition
  /** Batches of the feed that follow `taken`, and the position behind them. */
  private pending: LaneBatch[] = []
  private pendingRows = 0
  private tail: StreamPosition
  /** Rows were missed: the journal is read until it catches up with the feed. */
  private behind = true
  /** Rows read at a time; small while the culprit of a failure is being looked for. */
  private page = READ_PAGE
  /** Failures in a row that may lie in the rows, and those that cannot. */
  private failures = 0
  private outages = 0
  private headSeen = 0
  private savedAt = 0
  private running = false
  private stopping = false
  private timer: NodeJS.Timeout | null = null
  private readonly abort = new AbortController()
  private done: Promise<void> = Promise.resolve()

  constructor(
    private readonly consumer: Consumer,
    private readonly lane: number,
    private readonly stream: Stream,
    private readonly db: pg.Pool,
    private readonly logger: Logger,
  ) {
    this.fold = consumer.open(lane)
    this.cursor = this.taken = this.tail = stream.start(lane)
  }

  /** Last row taken. */
  get seq(): number {
    return this.taken.seq
  }

  /** Reads the cursor and begins. */
  async start(): Promise<void> {
    await runOn(this.db, START, [this.consumer.name, this.lane])
    await this.reload()
    this.wake(0)
  }

  /** One flush from the gateway. What does not follow is left to the journal. */
  feed(batch: LaneBatch): void {
    if (this.stopping) return
    const follows = this.stream.follows(this.tail, batch)
    if (follows === null) return
    if (!follows || this.behind || this.pendingRows + batch.rows.length > MAX_PENDING) {
      this.behind = true
      this.wake(CURSOR_EVERY_MS)
      return
    }
    this.pending.push(batch)
    this.pendingRows += batch.rows.length
    this.tail = this.stream.at(this.lane, batch.rows.at(-1)!)
    this.wake(0)
  }

  /** Told now and then where the lane ends, so that a lost last batch is noticed; what came since the last time is on its way. */
  head(head: StreamPosition): void {
    if (this.headSeen > this.tail.seq) {
      this.behind = true
      this.wake(0)
    }
    this.headSeen = head.seq
  }

  /** Takes and writes what is here, then stops; what comes later is found in the journal by the next start. */
  async stop(): Promise<void> {
    this.stopping = true
    this.abort.abort()
    if (this.timer) clearTimeout(this.timer)
    await this.done
    if (!this.running)
      await this.finish().catch((error: unknown) => this.say(error, 'the last write of a consumer failed'))
  }

  private async finish(): Promise<void> {
    for (const batch of this.pending.splice(0)) this.take(batch.rows)
    const due = this.fold.dueInMs()
    if (this.taken.seq > this.cursor.seq && (due === null || this.fold.writesOnStop)) await this.write()
  }

  private wake(inMs: number): void {
    if (this.running || this.stopping) return
    if (this.timer) {
      if (inMs > 0) return
      clearTimeout(this.timer)
    }
    this.timer = setTimeout(() => {
      this.timer = null
      this.running = true
      this.done = this.run().finally(() => {
        this.running = false
        this.schedule()
      })
    }, inMs)
  }

  /** When there is something to be done again without anybody saying so. */
  private schedule(): void {
    const due = this.fold.dueInMs()
    if (this.pending.length > 0 || this.behind) this.wake(0)
    else if (due !== null) this.wake(Math.max(1, Math.min(due, 60_000)))
    else if (this.taken.seq > this.cursor.seq) this.wake(CURSOR_EVERY_MS)
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      try {
        if (!(await this.step())) return
      } catch (error) {
        if (this.stopping) return
        await this.recover(error)
      }
    }
  }

  /** @returns whether there may be more to do */
  private async step(): Promise<boolean> {
    if (this.mustWrite()) {
      await this.write()
      return true
    }
    const batch = this.pending.shift()
    if (batch) {
      this.pendingRows -= batch.rows.length
      this.take(batch.rows)
      return true
    }
    if (!this.behind) return false
    const rows = await this.stream.read(this.taken, this.page)
    if (rows.length < this.page) this.behind = false
    this.take(rows)
    this.tail = this.taken
    // While a culprit is looked for, every page is settled before the next.
    if (this.page < READ_PAGE && rows.length > 0) {
      await this.write()
      this.page = Math.min(READ_PAGE, this.page * 2)
    }
    return true
  }

  private mustWrite(): boolean {
    if (this.taken.seq === this.cursor.seq) return false
    const due = this.fold.dueInMs()
    return due === null ? performance.now() - this.savedAt >= CURSOR_EVERY_MS : due <= 0
  }

  private take(rows: readonly JournalRow[]): void {
    if (rows.length === 0) return
    // A batch may overlap what the journal gave.
    const from = rows[0]!.seq > this.taken.seq ? 0 : rows.findIndex(row => row.seq > this.taken.seq)
    if (from < 0) return
    const fresh = from === 0 ? rows : rows.slice(from)
    this.taken = this.stream.at(this.lane, fresh.at(-1)!)
    this.fold.take(fresh)
  }

  private async write(): Promise<void> {
    const to = this.taken
    await inTransaction(this.db, async client => {
      if (this.fold.dueInMs() !== null) await this.fold.write(client, to)
      await this.save(client, to)
    })
    this.cursor = to
    this.savedAt = performance.now()
    // Only what is settled counts as success; in a search for a culprit it is the whole page that must go well again.
    if (this.page === READ_PAGE) this.failures = 0
    this.outages = 0
    try {
      this.fold.written()
    } catch (error) {
      this.say(error, 'an effect after the commit failed')
    }
  }

  private async save(client: pg.ClientBase, to: StreamPosition): Promise<void> {
    const { rowCount } = await runOn(client, SAVE, [
      this.consumer.name,
      this.lane,
      to.seq,
      to.arrivedAt,
      this.cursor.seq,
    ])
    if (rowCount === 0) throw new CursorMoved()
  }

  /** Goes back to the cursor; rows that fail again and again are looked for and set aside. */
  private async recover(error: unknown): Promise<void> {
    const suspicious = isOfTheRows(error)
    if (suspicious) this.failures++
    this.say(error, 'a consumer goes back to its cursor and tries again')
    if (suspicious && this.failures > TRIES) {
      if (this.page === 1) await this.setAside(error)
      else this.page = Math.max(1, Math.floor(this.page / 8))
      this.failures = this.page === 1 ? 1 : TRIES
    } else await this.pause(suspicious ? 0 : this.outages++)
    for (let attempt = 0; !this.stopping; attempt++) {
      try {
        return await this.reload()
      } catch (again) {
        if (attempt % 10 === 0) this.say(again, 'a consumer has no database')
        await this.pause(attempt)
      }
    }
  }

  /** Forgets what was taken and not written and reads the cursor. */
  private async reload(): Promise<void> {
    this.fold.reset()
    this.pending = []
    this.pendingRows = 0
    this.behind = true
    const { rows } = await runOn(this.db, RELOAD, [this.consumer.name, this.lane])
    this.cursor = this.stream.at(this.lane, { seq: Number(rows[0]?.seq ?? 0), arrivedAt: rows[0]?.at ?? 0 })
    this.taken = this.tail = this.cursor
    this.savedAt = performance.now()
  }

  /** The one row that could not be handled is noted, and the cursor steps over it. */
  private async setAside(error: unknown): Promise<void> {
    const [row] = await this.stream.read(this.cursor, 1)
    if (!row) return
    const to = this.stream.at(this.lane, row)
    this.logger.error(
      { err: error, consumer: this.consumer.name, lane: this.lane, seq: row.seq },
      'a message cannot be handled and was set aside',
    )
    await inTransaction(this.db, async client => {
      await runOn(client, SET_ASIDE, [
        this.consumer.name,
        this.lane,
        row.seq,
        String((error as Error).message ?? error)
          .replaceAll('\0', '')
          .slice(0, 1_000),
      ])
      await this.save(client, to)
    })
  }

  private async pause(attempt: number): Promise<void> {
    const ms = BACKOFF_MS[Math.min(attempt, BACKOFF_MS.length - 1)]
    await delay(ms, undefined, { signal: this.abort.signal }).catch(() => undefined)
  }

  private say(error: unknown, what: string): void {
    if (error instanceof CursorMoved)
      this.logger.info({ consumer: this.consumer.name, lane: this.lane }, 'the cursor had moved')
    else this.logger.warn({ err: error, consumer: this.consumer.name, lane: this.lane }, what)
  }
}

/** Whether the failure may lie in the rows: data that cannot be stored, a refusing trigger, or an error of our own code. */
function isOfTheRows(error: unknown): boolean {
  if (error instanceof CursorMoved || isConnectionLost(error) || isDiskFull(error)) return false
  const state = sqlState(error)
  return state === undefined || /^(22|23|P0)/.test(state)
}
