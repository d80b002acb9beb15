/**
 * Whether a number was probably meant to be the other: only case, blanks or leading zeros differ, one stands in the
 * other, or at most two characters are wrong.
 */
export function isNear(given: string, wanted: string): boolean {
  const a = plain(given)
  const b = plain(wanted)
  if (a === '' || b === '') return false
  if (a === b) return true
  if (Math.min(a.length, b.length) >= 4 && (a.includes(b) || b.includes(a))) return true
  return Math.min(a.length, b.length) >= 5 && distance(a, b) <= 2
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[\s_.:-]/g, '')
    .replace(/^0+/, '')
}

/** Levenshtein's distance; at most 64 characters. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
