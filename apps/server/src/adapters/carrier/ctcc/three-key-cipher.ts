/**
 * The cipher of China Telecom's CMP: three blocks of DES one after the other, over UTF-16 code units, with a schedule of
 * its own. It is no protection (the keys are nine letters long); the interface asks for it.
 */

// FIPS 46-3.
// biome-ignore format: tables
const E = [32,1,2,3,4,5,4,5,6,7,8,9,8,9,10,11,12,13,12,13,14,15,16,17,16,17,18,19,20,21,20,21,22,23,24,25,24,25,26,27,28,29,28,29,30,31,32,1]
// biome-ignore format: tables
const P = [16,7,20,21,29,12,28,17,1,15,23,26,5,18,31,10,2,8,24,14,32,27,3,9,19,13,30,6,22,11,4,25]
// biome-ignore format: tables
const PC2 = [14,17,11,24,1,5,3,28,15,6,21,10,23,19,12,4,26,8,16,7,27,20,13,2,41,52,31,37,47,55,30,40,51,45,33,48,44,49,39,56,34,53,46,42,50,36,29,32]
// biome-ignore format: tables
const S = [
  [14,4,13,1,2,15,11,8,3,10,6,12,5,9,0,7,0,15,7,4,14,2,13,1,10,6,12,11,9,5,3,8,4,1,14,8,13,6,2,11,15,12,9,7,3,10,5,0,15,12,8,2,4,9,1,7,5,11,3,14,10,0,6,13],
  [15,1,8,14,6,11,3,4,9,7,2,13,12,0,5,10,3,13,4,7,15,2,8,14,12,0,1,10,6,9,11,5,0,14,7,11,10,4,13,1,5,8,12,6,9,3,2,15,13,8,10,1,3,15,4,2,11,6,7,12,0,5,14,9],
  [10,0,9,14,6,3,15,5,1,13,12,7,11,4,2,8,13,7,0,9,3,4,6,10,2,8,5,14,12,11,15,1,13,6,4,9,8,15,3,0,11,1,2,12,5,10,14,7,1,10,13,0,6,9,8,7,4,15,14,3,11,5,2,12],
  [7,13,14,3,0,6,9,10,1,2,8,5,11,12,4,15,13,8,11,5,6,15,0,3,4,7,2,12,1,10,14,9,10,6,9,0,12,11,7,13,15,1,3,14,5,2,8,4,3,15,0,6,10,1,13,8,9,4,5,11,12,7,2,14],
  [2,12,4,1,7,10,11,6,8,5,3,15,13,0,14,9,14,11,2,12,4,7,13,1,5,0,15,10,3,9,8,6,4,2,1,11,10,13,7,8,15,9,12,5,6,3,0,14,11,8,12,7,1,14,2,13,6,15,0,9,10,4,5,3],
  [12,1,10,15,9,2,6,8,0,13,3,4,14,7,5,11,10,15,4,2,7,12,9,5,6,1,13,14,0,11,3,8,9,14,15,5,2,8,12,3,7,0,4,10,1,13,11,6,4,3,2,12,9,5,15,10,11,14,1,7,6,0,8,13],
  [4,11,2,14,15,0,8,13,3,12,9,7,5,10,6,1,13,0,11,7,4,9,1,10,14,3,5,12,2,15,8,6,1,4,11,13,12,3,7,14,10,15,6,8,0,5,9,2,6,11,13,8,1,4,10,7,9,5,0,15,14,2,3,12],
  [13,2,8,4,6,15,11,1,10,9,3,14,5,0,12,7,1,15,13,8,10,3,7,4,12,5,6,11,0,14,9,2,7,11,4,1,9,12,14,2,0,6,10,13,15,3,5,8,2,1,14,7,4,10,8,13,15,12,9,0,3,5,6,11],
] as const
const ROTATIONS = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1]
/** Not that of the standard: its second half runs otherwise. */
const PC1 = Array.from({ length: 56 }, (_, n) => 8 * (7 - (n % 8)) + Math.floor(n / 8))

type Bits = number[]

/** IP of the standard: bits 58, 50 … 2, 60 … 8, 57 … 7. */
const IP = [1, 3, 5, 7, 0, 2, 4, 6].flatMap(column => Array.from({ length: 8 }, (_, row) => 8 * (7 - row) + column))
const FP = IP.map((_, i) => IP.indexOf(i))

const permuted = (bits: Bits, table: readonly number[], from: 0 | 1): Bits => table.map(at => bits[at - from]!)
const rotated = (bits: Bits, by: number): Bits => [...bits.slice(by), ...bits.slice(0, by)]

/** 48 bits for each of the 16 rounds. */
function roundKeys(key: Bits): Bits[] {
  const start = permuted(key, PC1, 0)
  let [left, right] = [start.slice(0, 28), start.slice(28)]
  return ROTATIONS.map(by => {
    left = rotated(left, by)
    right = rotated(right, by)
    return permuted([...left, ...right], PC2, 1)
  })
}

function block(data: Bits, keys: readonly Bits[]): Bits {
  const start = permuted(data, IP, 0)
  let [left, right] = [start.slice(0, 32), start.slice(32)]
  for (const key of keys) {
    const mixed = permuted(right, E, 1).map((bit, i) => bit ^ key[i]!)
    const replaced = S.flatMap((box, n) => {
      const [a, b, c, d, e, f] = mixed.slice(n * 6, n * 6 + 6) as [number, number, number, number, number, number]
      const value = box[(a * 2 + f) * 16 + b * 8 + c * 4 + d * 2 + e]!
      return [(value >> 3) & 1, (value >> 2) & 1, (value >> 1) & 1, value & 1]
    })
    const next = permuted(replaced, P, 1).map((bit, i) => bit ^ left[i]!)
    left = right
    right = next
  }
  return permuted([...right, ...left], FP, 0)
}

/** Four code units a block, the last one filled with zeros. */
function blocksOf(text: string): Bits[] {
  const units = Array.from({ length: Math.ceil(text.length / 4) * 4 }, (_, i) => text.charCodeAt(i) || 0)
  return Array.from({ length: units.length / 4 }, (_, n) =>
    units.slice(n * 4, n * 4 + 4).flatMap(unit => Array.from({ length: 16 }, (_, i) => (unit >> (15 - i)) & 1)),
  )
}

const schedule = (keys: readonly string[]) =>
  keys
    .filter(key => key !== '')
    .flatMap(blocksOf)
    .map(roundKeys)

/**
 * @param keys usually three, of three letters each; each is used once, in order
 * @returns upper-case hex, 16 digits for four letters
 */
export function encrypted(text: string, ...keys: readonly string[]): string {
  const rounds = schedule(keys)
  return blocksOf(text)
    .map(data => rounds.reduce(block, data))
    .flatMap(bits =>
      Array.from({ length: 16 }, (_, i) => Number.parseInt(bits.slice(i * 4, i * 4 + 4).join(''), 2).toString(16)),
    )
    .join('')
    .toUpperCase()
}

/** The text of what `encrypted` made. */
export function decrypted(hex: string, ...keys: readonly string[]): string {
  const rounds = schedule(keys)
    .toReversed()
    .map(keys => keys.toReversed())
  let text = ''
  for (const part of hex.match(/[0-9a-fA-F]{16}/g) ?? []) {
    const data = [...part].flatMap(digit => {
      const value = Number.parseInt(digit, 16)
      return [(value >> 3) & 1, (value >> 2) & 1, (value >> 1) & 1, value & 1]
    })
    const bits = rounds.reduce(block, data)
    for (let n = 0; n < 4; n++) {
      const unit = Number.parseInt(bits.slice(n * 16, n * 16 + 16).join(''), 2)
      if (unit !== 0) text += String.fromCharCode(unit)
    }
  }
  return text
}
