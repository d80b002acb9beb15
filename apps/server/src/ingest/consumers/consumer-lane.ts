import type pg from 'pg'
import { isConnectionLost, isDiskFull } from '../../lib/database-errors.ts'
import type { Logger } from '../../lib/log.ts'
import type { JournalRow, LaneBatch } from '../lanes.port.ts'
import type { Stream, StreamPosition } from '../stream.port.ts'
import type { Consumer } from './consumer.ts'

/** Rows kept in memory for one consumer and lane; beyond that the journal is read again. */
const MAX_PENDING = 20_000
const MAX_HANDLED = 2_000
const READ_PAGE = 2_000
/** A cursor that has nothing to commit with is written this often, ms. */
const CURSOR_EVERY_MS = 1_000
/** Tries of one row before it is given up; the rows after it go on. */
const TRIES = 5
const FIRST_DELAY_MS = 50
const LONGEST_DELAY_MS = 5_000

/** The cursor is there already: the reply to an earlier commit was lost, not the commit. Nothing is applied twice. */
class AlreadyCommitted extends Error {}

/** One consumer in one lane: its cursor, what waits for it, and its retries. */
export class ConsumerLane {
  private position: StreamPosition
  private savedSeq = -1
  private pending: JournalRow[] = []
  /** Position after the last pending row. */
  private tail: StreamPosition
  /** Rows were missed: the journal is read until it catches up with the feed. */
  private behind = true
  private running = false
  private stopping = false
  private timer: NodeJS.Timeout | null = null
  private done: Promise<void> = Promise.resolve()
  private lastSavedAt = 0

  constructor(
    private readonly consumer: Consumer,
    private readonly lane: number,
    private readonly stream: Stream,
    private readonly db: pg.Pool,
    private readonly logger: Logger,
  ) {
    this.position = stream.start(lane)
    this.tail = this.position
  }

  get seq(): number {
    return this.position.seq
  }

  /** Reads the cursor and begins. */
  async start(): Promise<void> {
    const { rows } = await this.db.query<{ seq: number; at: number | null }>(
      `insert into consumer_cursors (consumer, lane, seq) values ($1, $2, 0) on conflict (consumer, lane) do update set seq = consumer_cursors.seq
       returning seq, (extract(epoch from arrived_at) * 1000)::float8 as at`,
      [this.consumer.name, this.lane],
    )
    this.position = this.stream.at(this.lane, { seq: rows[0]!.seq, arrivedAt: rows[0]!.at ?? 0 })
    this.tail = this.position
    this.savedSeq = this.position.seq
    this.wake(0)
  }

  /** One flush from the gateway. What does not follow is left to the journal. */
  feed(batch: LaneBatch): void {
    if (this.stopping) return
    const follows = this.stream.follows(this.tail, batch)
    if (follows === null) return
    if (!follows || this.behind || this.pending.length + batch.rows.length > MAX_PENDING) {
      this.behind = true
      this.wake(this.consumer.everyMs)
      return
    }
    for (const row of batch.rows) if (row.seq > this.tail.seq && this.consumer.wants(row)) this.pending.push(row)
    const last = batch.rows.at(-1)
    if (last) this.tail = this.stream.at(this.lane, last)
    this.wake(this.pending.length > 0 ? this.consumer.everyMs : CURSOR_EVERY_MS)
  }

  /** Told now and then where the lane ends, so that a lost last batch is noticed. */
  head(head: StreamPosition): void {
    if (head.seq <= this.tail.seq) return
    this.behind = true
    this.wake(0)
  }

  private wake(inMs: number): void {
    if (this.timer || this.running || this.stopping) return
    this.timer = setTimeout(() => {
      this.timer = null
      this.done = this.run()
    }, inMs)
  }

  private async run(): Promise<void> {
    this.running = true
    let delay = FIRST_DELAY_MS
    try {
      while (!this.stopping || this.pending.length > 0 || this.position.seq < this.tail.seq) {
        try {
          if (this.behind && this.pending.length === 0 && !this.stopping) await this.catchUp()
          else if (this.pending.length > 0) await this.handleSome()
          else if (this.tail.seq > this.savedSeq && (this.stopping || Date.now() - this.lastSavedAt >= CURSOR_EVERY_MS))
            await this.moveTo(this.tail)
          else break
          delay = FIRST_DELAY_MS
        } catch (error) {
          if (this.stopping) return
          this.logger.warn(
            { err: error, consumer: this.consumer.name, lane: this.lane },
            'consumer waits and tries again',
          )
          await new Promise(resolve => setTimeout(resolve, delay))
          delay = Math.min(delay * 2, LONGEST_DELAY_MS)
        }
      }
    } finally {
      this.running = false
    }
    if (this.tail.seq > this.savedSeq) this.wake(CURSOR_EVERY_MS)
  }

  private async catchUp(): Promise<void> {
    const rows = await this.stream.read(this.tail, READ_PAGE)
    if (rows.length < READ_PAGE) this.behind = false
    for (const row of rows) if (this.consumer.wants(row)) this.pending.push(row)
    const last = rows.at(-1)
    if (last) this.tail = this.stream.at(this.lane, last)
  }

  private async handleSome(): Promise<void> {
    // What a broken attempt has committed row by row is not handled again.
    while (this.pending.length > 0 && this.pending[0]!.seq <= this.position.seq) this.pending.shift()
    if (this.pending.length === 0) return
    const rows = this.pending.slice(0, MAX_HANDLED)
    const whole = rows.length === this.pending.length
    const to = whole ? this.tail : this.stream.at(this.lane, rows.at(-1)!)
    await this.handle(rows, to)
    this.pending = this.pending.slice(rows.length)
    this.position = to
  }

  /** All at once; when that fails for a reason that lies in the rows, one by one, and what cannot be handled is set aside. */
  private async handle(rows: readonly JournalRow[], to: StreamPosition): Promise<void> {
    try {
      await this.commit(rows, to)
      return
    } catch (error) {
      if (isConnectionLost(error) || isDiskFull(error)) throw error
      this.logger.warn(
        { err: error, consumer: this.consumer.name, lane: this.lane, rows: rows.length },
        'a batch failed; its rows are handled one by one',
      )
    }
    for (const [i, row] of rows.entries()) {
      const position = i === rows.length - 1 ? to : this.stream.at(this.lane, row)
      if (row.seq <= this.position.seq) continue
      await this.handleOne(row, position)
      this.position = position
    }
  }

  private async handleOne(row: JournalRow, to: StreamPosition): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.commit([row], to)
        return
      } catch (error) {
        if (isConnectionLost(error) || isDiskFull(error)) throw error
        if (attempt < TRIES) continue
        this.logger.error(
          { err: error, consumer: this.consumer.name, lane: this.lane, seq: row.seq },
          'a message cannot be handled and was set aside',
        )
        await this.setAside(row, error as Error, to)
        return
      }
    }
  }

  private async setAside(row: JournalRow, error: Error, to: StreamPosition): Promise<void> {
    await this.transaction(async client => {
      await client.query('insert into consumer_dead_letters (consumer, lane, seq, error) values ($1, $2, $3, $4)', [
        this.consumer.name,
        this.lane,
        row.seq,
        String(error.message).slice(0, 1000),
      ])
      await this.save(client, to)
    })
  }

  private async commit(rows: readonly JournalRow[], to: StreamPosition): Promise<void> {
    const after = await this.transaction(async client => {
      const effect = await this.consumer.handle(client, this.lane, rows)
      await this.save(client, to)
      return effect
    }).catch(error => {
      if (error instanceof AlreadyCommitted) return undefined
      throw error
    })
    this.saved(to)
    try {
      after?.()
    } catch (error) {
      this.logger.warn({ err: error, consumer: this.consumer.name }, 'an effect after the commit failed')
    }
  }

  private async moveTo(to: StreamPosition): Promise<void> {
    await this.transaction(client => this.save(client, to)).catch(error => {
      if (!(error instanceof AlreadyCommitted)) throw error
    })
    this.saved(to)
    this.position = to
  }

  private saved(to: StreamPosition): void {
    this.savedSeq = to.seq
    this.lastSavedAt = Date.now()
  }

  private async save(client: pg.ClientBase, to: StreamPosition): Promise<void> {
    const { rowCount } = await client.query(
      'update consumer_cursors set seq = $3, arrived_at = to_timestamp($4::float8 / 1000), updated_at = now() where consumer = $1 and lane = $2 and seq < $3',
      [this.consumer.name, this.lane, to.seq, to.arrivedAt],
    )
    if (rowCount === 0) throw new AlreadyCommitted()
  }

  private async transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.db.connect()
    let broken: Error | undefined
    try {
      await client.query('begin')
      const result = await work(client)
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback').catch((e: Error) => {
        broken = e
      })
      throw error
    } finally {
      client.release(broken)
    }
  }

  /** Handles what is here, then stops; what comes later is found in the journal by the next start. */
  async stop(): Promise<void> {
    this.stopping = true
    if (this.timer) {
      clearTimeout(this.timer)
      this.timer = null
      this.done = this.run()
    }
    await this.done
  }
}
