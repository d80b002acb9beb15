import type { JournalRow, LaneBatch } from '../../lanes.port.ts'
import type { Stream, StreamPosition } from '../../stream.port.ts'

/** Rows read from the journal at a time. */
const READ_PAGE = 2_000
/** Rows of the feed kept in memory; beyond that the journal is read again. */
const MAX_PENDING = 20_000

/** What the reader of triggers knows of one lane: up to where it was read and written, and the rows that the feed brought. */
export class ReaderLane {
  /** The last row that was given out by {@link read}. */
  taken: StreamPosition
  /** Sequence number of the last row whose effects are committed. */
  saved: number
  /** Sequence number of the newest row that is known to exist. */
  head: number
  /** Rows were missed: the journal is read until it catches up with the feed. */
  isBehind = true
  private pending: LaneBatch[] = []
  private pendingRows = 0
  private tail: number

  constructor(
    readonly lane: number,
    positions: { taken: StreamPosition; saved: number; head: number },
  ) {
    this.taken = positions.taken
    this.saved = positions.saved
    this.head = positions.head
    this.tail = positions.taken.seq
  }

  /** Takes one flush from the gateway. What does not follow is left to the journal. @returns false: nothing new */
  feed(batch: LaneBatch): boolean {
    if (batch.last <= this.tail) return false
    this.head = Math.max(this.head, batch.last)
    if (this.isBehind || batch.first > this.tail + 1 || this.pendingRows + batch.rows.length > MAX_PENDING) {
      this.isBehind = true
    } else {
      this.pending.push(batch)
      this.pendingRows += batch.rows.length
      this.tail = batch.last
    }
    return true
  }

  /** @param head the newest row in the journal; a row that was there at the last look and has not come since is lost */
  seen(head: number): void {
    if (this.head > this.tail) this.isBehind = true
    this.head = Math.max(this.head, head)
  }

  /** @returns rows that follow {@link taken}, in order and each once: those of the feed, or a page of the journal */
  async read(stream: Stream): Promise<readonly JournalRow[]> {
    const batches = this.pending
    this.pending = []
    this.pendingRows = 0
    // Batches of the feed may overlap.
    if (!this.isBehind) return batches.flatMap(({ rows }) => this.take(stream, rows))
    const page = await stream.read(this.taken, READ_PAGE)
    if (page.length < READ_PAGE) this.isBehind = false
    const rows = this.take(stream, page)
    this.tail = this.taken.seq
    return rows
  }

  private take(stream: Stream, rows: readonly JournalRow[]): readonly JournalRow[] {
    const fresh = rows.filter(({ seq }) => seq > this.taken.seq)
    const last = fresh.at(-1)
    if (!last) return []
    this.taken = stream.at(this.lane, last)
    this.head = Math.max(this.head, last.seq)
    return fresh
  }
}
