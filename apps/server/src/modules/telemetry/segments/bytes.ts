/** Grows as it is written; numbers in the forms that segments are made of. */
export class ByteWriter {
  private buffer: Buffer
  private length = 0

  constructor(capacity = 4_096) {
    this.buffer = Buffer.allocUnsafe(capacity)
  }

  /** Starts over and keeps the memory. */
  reset(): void {
    this.length = 0
  }

  byte(value: number): void {
    this.room(1)
    this.buffer[this.length++] = value
  }

  /** A whole number from 0 to 2^53, seven bits a byte, low bits first. */
  varint(value: number): void {
    this.room(8)
    let rest = value
    while (rest > 0x7f) {
      // Beyond 32 bits the bit operators would cut it off.
      this.buffer[this.length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.buffer[this.length++] = rest
  }

  /** A whole number within ±2^52: small ones of either sign are short. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value)
  }

  double(value: number): void {
    this.room(8)
    this.length = this.buffer.writeDoubleLE(value, this.length)
  }

  text(value: string): void {
    this.varint(Buffer.byteLength(value))
    this.room(value.length * 3)
    this.length += this.buffer.write(value, this.length)
  }

  raw(bytes: Uint8Array, from: number, to: number): void {
    this.room(to - from)
    for (let i = from; i < to; i++) this.buffer[this.length++] = bytes[i]!
  }

  /** A copy of what was written. */
  take(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.length))
  }

  private room(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + bytes))
    this.buffer.copy(larger, 0, 0, this.length)
    this.buffer = larger
  }
}

/** Reads what {@link ByteWriter} wrote. */
export class ByteReader {
  private at = 0

  constructor(private readonly buffer: Buffer) {}

  /** @throws at the end of the bytes, like all reads */
  byte(): number {
    if (this.at >= this.buffer.length) throw new RangeError('the bytes end too early')
    return this.buffer[this.at++]!
  }

  varint(): number {
    let value = 0
    let factor = 1
    for (;;) {
      const byte = this.byte()
      if (byte < 0x80) return value + byte * factor
      value += (byte & 0x7f) * factor
      factor *= 0x80
    }
  }

  signed(): number {
    const value = this.varint()
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2
  }

  double(): number {
    const value = this.buffer.readDoubleLE(this.at)
    this.at += 8
    return value
  }

  text(): string {
    const length = this.varint()
    if (this.at + length > this.buffer.length) throw new RangeError('the bytes end too early')
    const text = this.buffer.toString('utf8', this.at, this.at + length)
    this.at += length
    return text
  }

  /** Copies `count` bytes to the target. */
  raw(target: Uint8Array, to: number, count: number): void {
    for (let i = 0; i < count; i++) target[to + i] = this.byte()
  }

  get isAtEnd(): boolean {
    return this.at === this.buffer.length
  }
}
