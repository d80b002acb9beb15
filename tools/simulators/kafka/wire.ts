/** Reads the primitive types of the Kafka protocol (kafka.apache.org/protocol). @throws RangeError past the end */
export class WireReader {
  at = 0

  constructor(readonly bytes: Buffer) {}

  get left(): number {
    return this.bytes.length - this.at
  }

  private step(size: number): number {
    if (size < 0 || this.at + size > this.bytes.length) throw new RangeError('the bytes end too early')
    const at = this.at
    this.at += size
    return at
  }

  i8 = (): number => this.bytes.readInt8(this.step(1))
  i16 = (): number => this.bytes.readInt16BE(this.step(2))
  i32 = (): number => this.bytes.readInt32BE(this.step(4))
  u32 = (): number => this.bytes.readUInt32BE(this.step(4))
  i64 = (): bigint => this.bytes.readBigInt64BE(this.step(8))

  take(size: number): Buffer {
    const at = this.step(size)
    return this.bytes.subarray(at, at + size)
  }

  /** Unsigned, at most 64 bits. */
  uvarint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.bytes.readUInt8(this.step(1))
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new RangeError('a varint without an end')
  }

  /** Zigzag. */
  varint(): number {
    const value = this.uvarint()
    return Number((value >> 1n) ^ -(value & 1n))
  }

  string(): string | null {
    const size = this.i16()
    return size < 0 ? null : this.take(size).toString()
  }

  compactBytes(): Buffer | null {
    const size = Number(this.uvarint()) - 1
    return size < 0 ? null : this.take(size)
  }

  compactString(): string | null {
    return this.compactBytes()?.toString() ?? null
  }

  compactArray<T>(one: () => T): T[] {
    const count = Number(this.uvarint()) - 1
    return Array.from({ length: Math.max(0, count) }, one)
  }

  tags(): void {
    const count = Number(this.uvarint())
    for (let i = 0; i < count; i++) {
      this.uvarint()
      this.take(Number(this.uvarint()))
    }
  }

  /** Bytes whose length stands before them as a zigzag varint; -1: null. */
  varintBytes(): Buffer | null {
    const size = this.varint()
    return size < 0 ? null : this.take(size)
  }
}

/** Writes them. */
export class WireWriter {
  private readonly parts: Buffer[] = []

  private number(size: number, write: (buffer: Buffer) => void): this {
    const buffer = Buffer.alloc(size)
    write(buffer)
    this.parts.push(buffer)
    return this
  }

  i8 = (value: number): this => this.number(1, buffer => buffer.writeInt8(value))
  i16 = (value: number): this => this.number(2, buffer => buffer.writeInt16BE(value))
  i32 = (value: number): this => this.number(4, buffer => buffer.writeInt32BE(value))
  i64 = (value: bigint): this => this.number(8, buffer => buffer.writeBigInt64BE(value))

  raw(bytes: Buffer): this {
    this.parts.push(bytes)
    return this
  }

  uvarint(value: number): this {
    const bytes: number[] = []
    let rest = value
    do {
      bytes.push(rest > 127 ? (rest & 0x7f) | 0x80 : rest)
      rest = Math.floor(rest / 128)
    } while (rest > 0)
    return this.raw(Buffer.from(bytes))
  }

  string(value: string): this {
    return this.i16(Buffer.byteLength(value)).raw(Buffer.from(value))
  }

  compactString(value: string | null): this {
    if (value === null) return this.uvarint(0)
    return this.uvarint(Buffer.byteLength(value) + 1).raw(Buffer.from(value))
  }

  compactArray<T>(values: readonly T[], one: (value: T) => void): this {
    this.uvarint(values.length + 1)
    for (const value of values) one(value)
    return this
  }

  tags(): this {
    return this.uvarint(0)
  }

  bytes(): Buffer {
    return Buffer.concat(this.parts)
  }
}

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1
  return value >>> 0
})

/** CRC-32C (Castagnoli), RFC 3720 appendix B.4. */
export function crc32c(bytes: Buffer): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8)) >>> 0
  return (crc ^ 0xffffffff) >>> 0
}
