/**
 * QR codes after ISO/IEC 18004: bytes (UTF-8), error correction M, versions 1 to 20. Small and without a library, as the
 * page of visitors has to stay small.
 */
const MAX_VERSION = 20
/** Error correction M, by version: codewords of a block, and blocks (ISO/IEC 18004, table 9). */
const CHECK = [0, 10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26]
const BLOCKS = [0, 1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]

/** Longest text, in bytes of UTF-8. */
export const MAX_QR_BYTES = dataWords(MAX_VERSION) - 3

function rawWords(version: number): number {
  let modules = (16 * version + 128) * version + 64
  if (version >= 2) {
    const n = Math.floor(version / 7) + 2
    modules -= (25 * n - 10) * n - 55
    if (version >= 7) modules -= 36
  }
  return Math.floor(modules / 8)
}

function dataWords(version: number): number {
  return rawWords(version) - CHECK[version]! * BLOCKS[version]!
}

/** Product in the field of 256 elements with the polynomial 0x11d. */
function times(a: number, b: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d)
    product ^= ((b >>> bit) & 1) * a
  }
  return product
}

function divisorOf(degree: number): number[] {
  const found = [...new Array<number>(degree - 1).fill(0), 1]
  let root = 1
  for (let i = 0; i < degree; i++) {
    for (let j = 0; j < degree; j++) found[j] = times(found[j]!, root) ^ (found[j + 1] ?? 0)
    root = times(root, 2)
  }
  return found
}

function remainderOf(data: readonly number[], divisor: readonly number[]): number[] {
  const found = new Array<number>(divisor.length).fill(0)
  for (const word of data) {
    const factor = word ^ found.shift()!
    found.push(0)
    for (const [i, each] of divisor.entries()) found[i]! ^= times(each, factor)
  }
  return found
}

/** The text as codewords with its length before it, filled up. */
function wordsOf(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = []
  const put = (value: number, count: number) => {
    for (let i = count - 1; i >= 0; i--) bits.push((value >>> i) & 1)
  }
  put(4, 4)
  put(bytes.length, version < 10 ? 8 : 16)
  for (const byte of bytes) put(byte, 8)
  const room = dataWords(version) * 8
  put(0, Math.min(4, room - bits.length))
  while (bits.length % 8 !== 0) bits.push(0)
  const words = Array.from({ length: bits.length / 8 }, (_, i) =>
    bits.slice(i * 8, i * 8 + 8).reduce((word, bit) => (word << 1) | bit, 0),
  )
  for (let pad = 0xec; words.length < room / 8; pad ^= 0xec ^ 0x11) words.push(pad)
  return words
}

/** The blocks one word of each after the other, with their check words behind. */
function interleaved(data: readonly number[], version: number): number[] {
  const [count, check, raw] = [BLOCKS[version]!, CHECK[version]!, rawWords(version)]
  const short = count - (raw % count)
  const length = Math.floor(raw / count) - check
  const divisor = divisorOf(check)
  const blocks: { data: number[]; check: number[] }[] = []
  for (let i = 0, at = 0; i < count; i++) {
    const part = data.slice(at, at + length + (i < short ? 0 : 1))
    at += part.length
    blocks.push({ data: part, check: remainderOf(part, divisor) })
  }
  const found: number[] = []
  for (let i = 0; i <= length; i++) for (const block of blocks) if (i < block.data.length) found.push(block.data[i]!)
  for (let i = 0; i < check; i++) for (const block of blocks) found.push(block.check[i]!)
  return found
}

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  x => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

/** How hard a pattern is to read: runs of five and more, and squares of one colour (rules 1 and 2). */
function difficulty(modules: readonly boolean[][]): number {
  const size = modules.length
  let sum = 0
  for (const isRow of [true, false])
    for (let a = 0; a < size; a++)
      for (let b = 0, run = 0; b < size; b++) {
        const at = (i: number) => (isRow ? modules[a]![i] : modules[i]![a])
        run = b > 0 && at(b) === at(b - 1) ? run + 1 : 1
        if (run === 5) sum += 3
        else if (run > 5) sum++
      }
  for (let y = 1; y < size; y++)
    for (let x = 1; x < size; x++) {
      const dark = modules[y]![x]
      if (dark === modules[y]![x - 1] && dark === modules[y - 1]![x] && dark === modules[y - 1]![x - 1]) sum += 3
    }
  return sum
}

/** Rows of dark (true) and light modules without the quiet zone; null: the text is too long. @param mask 0 to 7; the one that reads best when absent */
export function qrOf(text: string, mask?: number): boolean[][] | null {
  const bytes = new TextEncoder().encode(text)
  let version = 1
  while (version <= MAX_VERSION && bytes.length + (version < 10 ? 2 : 3) > dataWords(version)) version++
  if (version > MAX_VERSION) return null
  const size = version * 4 + 17
  const modules = Array.from({ length: size }, () => new Array<boolean>(size).fill(false))
  const fixed = Array.from({ length: size }, () => new Array<boolean>(size).fill(false))
  const set = (x: number, y: number, dark: boolean) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return
    modules[y]![x] = dark
    fixed[y]![x] = true
  }
  for (let i = 0; i < size; i++) {
    set(6, i, i % 2 === 0)
    set(i, 6, i % 2 === 0)
  }
  for (const [cx, cy] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    for (let dy = -4; dy <= 4; dy++)
      for (let dx = -4; dx <= 4; dx++) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy))
        set(cx + dx, cy + dy, ring !== 2 && ring !== 4)
      }
  const places = alignments(version, size)
  for (const [i, x] of places.entries())
    for (const [j, y] of places.entries()) {
      const last = places.length - 1
      if ((i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)) continue
      for (let dy = -2; dy <= 2; dy++)
        for (let dx = -2; dx <= 2; dx++) set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1)
    }
  if (version >= 7) {
    let rest = version
    for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25)
    const bits = (version << 12) | rest
    for (let i = 0; i < 18; i++) {
      const [a, b] = [size - 11 + (i % 3), Math.floor(i / 3)]
      set(a, b, ((bits >>> i) & 1) === 1)
      set(b, a, ((bits >>> i) & 1) === 1)
    }
  }
  const format = (number: number) => {
    let rest = number
    for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537)
    const bits = ((number << 10) | rest) ^ 0x5412
    const bit = (i: number) => ((bits >>> i) & 1) === 1
    for (let i = 0; i <= 5; i++) set(8, i, bit(i))
    set(8, 7, bit(6))
    set(8, 8, bit(7))
    set(7, 8, bit(8))
    for (let i = 9; i < 15; i++) set(14 - i, 8, bit(i))
    for (let i = 0; i < 8; i++) set(size - 1 - i, 8, bit(i))
    for (let i = 8; i < 15; i++) set(8, size - 15 + i, bit(i))
    set(8, size - 8, true)
  }
  format(0)
  const words = interleaved(wordsOf(bytes, version), version)
  let at = 0
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    for (let step = 0; step < size; step++)
      for (let j = 0; j < 2; j++) {
        const x = right - j
        const y = ((right + 1) & 2) === 0 ? size - 1 - step : step
        if (fixed[y]![x] || at >= words.length * 8) continue
        modules[y]![x] = ((words[at >>> 3]! >>> (7 - (at & 7))) & 1) === 1
        at++
      }
  }
  const masked = (number: number): boolean[][] => {
    format(number)
    return modules.map((row, y) => row.map((dark, x) => (fixed[y]![x] ? dark : dark !== MASKS[number]!(x, y))))
  }
  if (mask !== undefined) return masked(mask)
  return MASKS.map((_, number) => masked(number)).reduce((best, each) =>
    difficulty(each) < difficulty(best) ? each : best,
  )
}

function alignments(version: number, size: number): number[] {
  if (version === 1) return []
  const n = Math.floor(version / 7) + 2
  const step = Math.ceil((version * 4 + 4) / (n * 2 - 2)) * 2
  return [6, ...Array.from({ length: n - 1 }, (_, i) => size - 7 - (n - 2 - i) * step)]
}
