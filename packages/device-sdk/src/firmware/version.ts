/**
 * Which of two versions is newer, as people number them: numbers by their value, part by part, and a version with a
 * suffix after `-` before the one without (1.9 < 1.10-rc1 < 1.10). Negative: `a` is older.
 */
export function compareVersions(a: string, b: string): number {
  const [mainA, preA] = parts(a)
  const [mainB, preB] = parts(b)
  const main = compareParts(mainA, mainB)
  if (main !== 0) return main
  if (preA === null || preB === null) return preA === preB ? 0 : preA === null ? 1 : -1
  return compareParts(preA, preB)
}

function parts(version: string): [string[], string[] | null] {
  const plain = version.replace(/^v(?=\d)/i, '').split('+')[0]!
  const dash = plain.indexOf('-')
  return dash < 0 ? [split(plain), null] : [split(plain.slice(0, dash)), split(plain.slice(dash + 1))]
}

const split = (text: string): string[] => text.match(/\d+|[^\d._~-]+/g) ?? []

function compareParts(a: string[], b: string[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [x, y] = [a[i] ?? '0', b[i] ?? '0']
    if (x === y) continue
    const [n, m] = [Number(x), Number(y)]
    const numbers = Number.isFinite(n) && Number.isFinite(m)
    if (numbers && n !== m) return n - m
    if (!numbers) return x < y ? -1 : 1
  }
  return 0
}
