import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Segment } from '../../modules/telemetry/index.ts'

const COLUMNS = 'segment, device, property, hour, n, vmin, vmax, vsum, slots, body'
const COLUMN_COUNT = 10
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const END = Buffer.from([0xff, 0xff])
const TWO_32 = 4_294_967_296

/** Rows of `telemetry` by binary COPY, handed over piece by piece. */
export class SegmentCopy {
  private readonly stream: Writable
  private readonly done: Promise<void>
  private started = false

  constructor(client: pg.ClientBase) {
    this.stream = client.query(
      copyFrom(`copy telemetry (${COLUMNS}) from stdin (format binary)`),
    ) as unknown as Writable
    this.done = finished(this.stream)
    // `end` reports the failure; here it must only not become an unhandled rejection.
    this.done.catch(() => {})
  }

  /** Resolves when there is room for more, after a turn of the event loop in any case. */
  async add(segments: readonly Segment[]): Promise<void> {
    const rows = encode(segments)
    const room = this.stream.write(this.started ? rows : Buffer.concat([SIGNATURE, rows]))
    this.started = true
    if (!room) await Promise.race([new Promise(resolve => this.stream.once('drain', resolve)), this.done])
    await new Promise(resolve => setImmediate(resolve))
  }

  /** @throws what PostgreSQL said of any of the rows */
  async end(): Promise<void> {
    this.stream.end(this.started ? END : Buffer.concat([SIGNATURE, END]))
    await this.done
  }
}

function encode(segments: readonly Segment[]): Buffer {
  let bytes = 0
  for (const { body, slots } of segments) bytes += 2 + COLUMN_COUNT * 4 + 60 + body.length + (slots?.length ?? 0)
  const buffer = Buffer.allocUnsafe(bytes)
  let at = 0
  const int4 = (value: number) => {
    at = buffer.writeInt32BE(4, at)
    at = buffer.writeInt32BE(value, at)
  }
  const float8 = (value: number | null) => {
    at = buffer.writeInt32BE(value === null ? -1 : 8, at)
    if (value !== null) at = buffer.writeDoubleBE(value, at)
  }
  const bytea = (value: Buffer | null) => {
    at = buffer.writeInt32BE(value === null ? -1 : value.length, at)
    if (value !== null) at += value.copy(buffer, at)
  }
  for (const segment of segments) {
    at = buffer.writeInt16BE(COLUMN_COUNT, at)
    at = buffer.writeInt32BE(8, at)
    at = buffer.writeInt32BE(Math.floor(segment.segment / TWO_32), at)
    at = buffer.writeUInt32BE(segment.segment % TWO_32, at)
    int4(segment.device)
    int4(segment.property)
    int4(segment.hour)
    int4(segment.n)
    float8(segment.min)
    float8(segment.max)
    float8(segment.sum)
    bytea(segment.slots)
    bytea(segment.body)
  }
  return buffer.subarray(0, at)
}
