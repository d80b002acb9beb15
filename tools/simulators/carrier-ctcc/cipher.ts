/**
 * The carrier's side of the three-key cipher: numbers of 64 bits instead of lists of bits, made from the tables of
 * FIPS 46-3 and the key schedule of its documents, not from the code of the server.
 */
const table = (text: string) => text.split(' ').map(Number)
const IP = table(
  '58 50 42 34 26 18 10 2 60 52 44 36 28 20 12 4 62 54 46 38 30 22 14 6 64 56 48 40 32 24 16 8 57 49 41 33 25 17 9 1 59 51 43 35 27 19 11 3 61 53 45 37 29 21 13 5 63 55 47 39 31 23 15 7',
)
const FP = table(
  '40 8 48 16 56 24 64 32 39 7 47 15 55 23 63 31 38 6 46 14 54 22 62 30 37 5 45 13 53 21 61 29 36 4 44 12 52 20 60 28 35 3 43 11 51 19 59 27 34 2 42 10 50 18 58 26 33 1 41 9 49 17 57 25',
)
const EXPAND = table(
  '32 1 2 3 4 5 4 5 6 7 8 9 8 9 10 11 12 13 12 13 14 15 16 17 16 17 18 19 20 21 20 21 22 23 24 25 24 25 26 27 28 29 28 29 30 31 32 1',
)
const P = table('16 7 20 21 29 12 28 17 1 15 23 26 5 18 31 10 2 8 24 14 32 27 3 9 19 13 30 6 22 11 4 25')
// The second half is the carrier's own.
const PC1 = table(
  '57 49 41 33 25 17 9 1 58 50 42 34 26 18 10 2 59 51 43 35 27 19 11 3 60 52 44 36 28 20 12 4 61 53 45 37 29 21 13 5 62 54 46 38 30 22 14 6 63 55 47 39 31 23 15 7',
)
const PC2 = table(
  '14 17 11 24 1 5 3 28 15 6 21 10 23 19 12 4 26 8 16 7 27 20 13 2 41 52 31 37 47 55 30 40 51 45 33 48 44 49 39 56 34 53 46 42 50 36 29 32',
)
/** Rows of the eight boxes as hex digits. */
const BOXES = [
  'e4d12fb83a6c5907 0f74e2d1a6cb9538 41e8d62bfc973a50 fc8249175b3ea06d',
  'f18e6b34972dc05a 3d47f28ec01a69b5 0e7ba4d158c6932f d8a13f42b67c05e9',
  'a09e63f51dc7b428 d709346a285ecbf1 d6498f30b12c5ae7 1ad069874fe3b52c',
  '7de3069a1285bc4f d8b56f03472c1ae9 a690cb7df13e5284 3f06a1d8945bc72e',
  '2c417ab6853fd0e9 eb2c47d150fa3986 421bad78f9c5630e b8c71e2d6f09a453',
  'c1af92680d34e75b af427c9561de0b38 9ef528c3704a1db6 432c95fabe17608d',
  '4b2ef08d3c975a61 d0b7491ae35c2f86 14bdc37eaf680592 6bd814a7950fe23c',
  'd2846fb1a93e50c7 1fd8a374c56b0e92 7b419ce206adf358 21e74a8dfc90356b',
].map(text => text.split(' ').map(row => [...row].map(digit => Number.parseInt(digit, 16))))
const SHIFTS = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1]

function pick(value: bigint, size: number, places: readonly number[]): bigint {
  let out = 0n
  for (const place of places) out = (out << 1n) | ((value >> BigInt(size - place)) & 1n)
  return out
}

function keysOf(key: bigint): bigint[] {
  const chosen = pick(key, 64, PC1)
  const mask = (1n << 28n) - 1n
  let [c, d] = [chosen >> 28n, chosen & mask]
  return SHIFTS.map(shift => {
    const by = BigInt(shift)
    c = ((c << by) | (c >> (28n - by))) & mask
    d = ((d << by) | (d >> (28n - by))) & mask
    return pick((c << 28n) | d, 56, PC2)
  })
}

function des(block: bigint, key: bigint): bigint {
  const mixed = pick(block, 64, IP)
  let [left, right] = [mixed >> 32n, mixed & 0xffffffffn]
  for (const round of keysOf(key)) {
    const input = pick(right, 32, EXPAND) ^ round
    let output = 0n
    for (let box = 0; box < 8; box++) {
      const six = Number((input >> BigInt(42 - box * 6)) & 63n)
      output = (output << 4n) | BigInt(BOXES[box]![((six >> 4) & 2) | (six & 1)]![(six >> 1) & 15]!)
    }
    ;[left, right] = [right, left ^ pick(output, 32, P)]
  }
  return pick((right << 32n) | left, 64, FP)
}

function words(text: string): bigint[] {
  const found: bigint[] = []
  for (let at = 0; at < text.length; at += 4) {
    let word = 0n
    for (let n = 0; n < 4; n++) word = (word << 16n) | BigInt(at + n < text.length ? text.charCodeAt(at + n) : 0)
    found.push(word)
  }
  return found
}

/** Upper-case hex of the text under each of the keys, one after the other. */
export function seal(text: string, ...keys: readonly string[]): string {
  const rounds = keys.flatMap(words)
  return words(text)
    .map(word => rounds.reduce(des, word).toString(16).padStart(16, '0').toUpperCase())
    .join('')
}
