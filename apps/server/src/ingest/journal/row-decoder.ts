import type { JournalRow } from '../lanes.port.ts'
import { POSTGRES_EPOCH_MS } from './row-encoder.ts'

const TWO_32 = 4_294_967_296

/** A row whose variable parts stay bytes until somebody asks for them. */
class EncodedRow implements JournalRow {
  private text: string | null | undefined

  constructor(
    private readonly buffer: Buffer,
    readonly seq: number,
    readonly arrivedAt: number,
    readonly device: number,
    readonly kind: number,
    readonly quality: number,
    readonly late: boolean,
    readonly ts: number,
    readonly deviceTs: number | null,
    /** Where the length of `values` stands. */
    private readonly at: number,
  ) {}

  get values(): string | null {
    if (this.text === undefined) this.text = this.field(this.at)?.toString('utf8') ?? null
    return this.text
  }

  get raw(): Buffer | null {
    return this.field(skip(this.buffer, this.at))
  }

  get refusedReason(): string | null {
    return this.field(skip(this.buffer, skip(this.buffer, this.at)))?.toString('utf8') ?? null
  }

  private field(at: number): Buffer | null {
    const length = this.buffer.readInt32BE(at)
    return length < 0 ? null : this.buffer.subarray(at + 4, at + 4 + length)
  }
}

function skip(buffer: Buffer, at: number): number {
  const length = buffer.readInt32BE(at)
  return at + 4 + Math.max(length, 0)
}

/** Reads rows written by the row encoder. The rows keep the buffer: it must not be written again. */
export function decodeRows(buffer: Buffer, from: number, count: number): JournalRow[] {
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
  const rows = new Array<JournalRow>(count)
  let at = from
  for (let i = 0; i < count; i++) {
    if (view.getInt16(at) !== 12) throw new Error('a batch of journal rows is damaged')
    const seq = int64(view, at + 6)
    const arrivedAt = POSTGRES_EPOCH_MS + int64(view, at + 18) / 1_000
    const ts = int64(view, at + 30)
    const hasDeviceTs = view.getInt32(at + 38) === 8
    const deviceTs = hasDeviceTs ? int64(view, at + 42) : null
    at += hasDeviceTs ? 50 : 42
    const device = view.getInt32(at + 4)
    const kind = view.getInt16(at + 18)
    const quality = view.getInt16(at + 24)
    const late = view.getUint8(at + 30) === 1
    at += 31
    rows[i] = new EncodedRow(buffer, seq, arrivedAt, device, kind, quality, late, ts, deviceTs, at)
    at = skip(buffer, skip(buffer, skip(buffer, at)))
  }
  if (at !== buffer.length) throw new Error('a batch of journal rows is damaged')
  return rows
}

function int64(view: DataView, at: number): number {
  return view.getInt32(at) * TWO_32 + view.getUint32(at + 4)
}
