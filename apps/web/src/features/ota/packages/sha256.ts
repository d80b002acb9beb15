/**
 * SHA-256 (FIPS 180-4) over pieces, for files too long to be held at once. The browser's own digest takes one buffer
 * and exists only where the console is reached by HTTPS; installations in a plant often are not.
 */
export class Sha256 {
  private readonly state = new Int32Array(INITIAL)
  private readonly block = new Uint8Array(64)
  private readonly schedule = new Int32Array(64)
  private filled = 0
  private bytes = 0

  /** Takes the next piece. */
  update(piece: Uint8Array): this {
    this.bytes += piece.length
    let at = 0
    if (this.filled > 0) {
      at = Math.min(64 - this.filled, piece.length)
      this.block.set(piece.subarray(0, at), this.filled)
      this.filled += at
      if (this.filled < 64) return this
      this.compress(this.block, 0)
      this.filled = 0
    }
    for (; at + 64 <= piece.length; at += 64) this.compress(piece, at)
    this.block.set(piece.subarray(at), 0)
    this.filled = piece.length - at
    return this
  }

  /** The digest in lower-case hex; nothing may be added afterwards. */
  hex(): string {
    const bits = this.bytes * 8
    const tail = new Uint8Array(this.filled < 56 ? 64 : 128)
    tail.set(this.block.subarray(0, this.filled))
    tail[this.filled] = 0x80
    const view = new DataView(tail.buffer)
    view.setUint32(tail.length - 8, Math.floor(bits / 2 ** 32))
    view.setUint32(tail.length - 4, bits >>> 0)
    for (let at = 0; at < tail.length; at += 64) this.compress(tail, at)
    return [...this.state].map(word => (word >>> 0).toString(16).padStart(8, '0')).join('')
  }

  private compress(from: Uint8Array, at: number): void {
    const w = this.schedule
    for (let i = 0; i < 16; i++, at += 4)
      w[i] = (from[at]! << 24) | (from[at + 1]! << 16) | (from[at + 2]! << 8) | from[at + 3]!
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15]!
      const y = w[i - 2]!
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
      w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0
    }
    const { state } = this
    let a = state[0]!
    let b = state[1]!
    let c = state[2]!
    let d = state[3]!
    let e = state[4]!
    let f = state[5]!
    let g = state[6]!
    let h = state[7]!
    for (let i = 0; i < 64; i++) {
      const big1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
      const t1 = (h + big1 + ((e & f) ^ (~e & g)) + ROUND[i]! + w[i]!) | 0
      const big0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
      const t2 = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + t1) | 0
      d = c
      c = b
      b = a
      a = (t1 + t2) | 0
    }
    state[0]! += a
    state[1]! += b
    state[2]! += c
    state[3]! += d
    state[4]! += e
    state[5]! += f
    state[6]! += g
    state[7]! += h
  }
}

/** Fractional parts of roots of the first primes, as the standard defines its constants. */
function fractions(count: number, root: (prime: number) => number): number[] {
  const found: number[] = []
  for (let n = 2; found.length < count; n++) {
    let prime = true
    for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false
    if (prime) found.push(Math.floor((root(n) % 1) * 2 ** 32) | 0)
  }
  return found
}

const INITIAL = fractions(8, Math.sqrt)
const ROUND = new Int32Array(fractions(64, Math.cbrt))

const PIECE = 1024 * 1024

/**
 * Reads a file and tells its SHA-256 (hex).
 * @param onProgress bytes read so far
 * @throws the signal's reason; whatever the browser says when the file can no longer be read
 */
export async function hashFile(file: Blob, signal: AbortSignal, onProgress: (read: number) => void): Promise<string> {
  const hash = new Sha256()
  for (let at = 0; at < file.size; at += PIECE) {
    signal.throwIfAborted()
    // Every piece is awaited, so that the page stays usable meanwhile.
    hash.update(new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer()))
    onProgress(Math.min(file.size, at + PIECE))
  }
  signal.throwIfAborted()
  return hash.hex()
}
