/** Reads what a server sends to a publisher: acknowledgements and little else. One per connection. */
export class AckReader {
  private rest: Buffer | null = null

  /**
   * @param acked called with the packet id of every PUBACK
   * @param other called with the first byte and the body of every other packet
   */
  constructor(
    private readonly acked: (packetId: number) => void,
    private readonly other: (first: number, body: Buffer) => void,
  ) {}

  read(chunk: Buffer): void {
    let bytes = chunk
    if (this.rest) {
      bytes = Buffer.concat([this.rest, chunk])
      this.rest = null
    }
    let at = 0
    while (at < bytes.length) {
      const left = bytes.length - at
      // By far the most frequent: a PUBACK of MQTT 3.1.1.
      if (left >= 4 && bytes[at] === 0x40 && bytes[at + 1] === 2) {
        this.acked((bytes[at + 2]! << 8) | bytes[at + 3]!)
        at += 4
        continue
      }
      const size = left < 2 ? null : lengthAt(bytes, at + 1)
      if (size === null || at + 1 + size.bytes + size.value > bytes.length) {
        // The chunk's memory is used again for the next read.
        this.rest = Buffer.from(bytes.subarray(at))
        return
      }
      const from = at + 1 + size.bytes
      this.other(bytes[at]!, bytes.subarray(from, from + size.value))
      at = from + size.value
    }
  }
}

function lengthAt(bytes: Buffer, at: number): { value: number; bytes: number } | null {
  let value = 0
  for (let i = 0; i < 4; i++) {
    const byte = bytes[at + i]
    if (byte === undefined) return null
    value += (byte & 0x7f) * 128 ** i
    if (byte < 0x80) return { value, bytes: i + 1 }
  }
  throw new Error('a packet with a length of more than four bytes')
}
