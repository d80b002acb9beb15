import { crc32c, WireReader } from './wire.ts'

export interface KafkaRecord {
  topic: string
  partition: number
  offset: number
  key: string | null
  value: string
  headers: Record<string, string>
}

const MAGIC = 2
/** Of a batch: base offset, length, leader epoch, magic, checksum; the checksum covers what follows. */
const BEFORE_CHECKED = 8 + 4 + 4 + 1 + 4

/**
 * Reads a batch in the record format 2, checking everything that a broker checks.
 * @throws Error naming what is wrong
 */
export function readBatch(bytes: Buffer, topic: string, partition: number, base: number): KafkaRecord[] {
  const reader = new WireReader(bytes)
  reader.i64()
  const length = reader.i32()
  if (length !== reader.left) throw new Error(`a batch of ${reader.left} bytes says that it has ${length}`)
  reader.i32()
  const magic = reader.i8()
  if (magic !== MAGIC) throw new Error(`record format ${magic}`)
  const checksum = reader.u32()
  if (checksum !== crc32c(bytes.subarray(BEFORE_CHECKED))) throw new Error('the checksum is wrong')
  const attributes = reader.i16()
  if ((attributes & 0b111) !== 0) throw new Error('compressed: not understood here')
  const last = reader.i32()
  const first = reader.i64()
  const newest = reader.i64()
  if (newest < first) throw new Error('the newest record is older than the first')
  reader.take(8 + 2 + 4)
  const count = reader.i32()
  if (count < 1 || last !== count - 1) throw new Error(`${count} records, the last of them number ${last}`)
  const records = Array.from({ length: count }, (_, n): KafkaRecord => {
    const size = reader.varint()
    const end = reader.at + size
    reader.i8()
    reader.uvarint()
    if (reader.varint() !== n) throw new Error('records out of order')
    const key = reader.varintBytes()
    const value = reader.varintBytes()
    const headers: Record<string, string> = {}
    for (let left = reader.varint(); left > 0; left--) {
      const name = reader.varintBytes()?.toString() ?? ''
      headers[name] = reader.varintBytes()?.toString() ?? ''
    }
    if (reader.at !== end) throw new Error('a record of another length than it says')
    return { topic, partition, offset: base + n, key: key?.toString() ?? null, value: value?.toString() ?? '', headers }
  })
  if (reader.left > 0) throw new Error('bytes behind the last record')
  return records
}
