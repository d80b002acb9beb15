/** More than a person compares, and more than a measured value has. */
const MOST_DECIMALS = 6

/** Decimals that the marks of a value axis need: as many as the distance between two of them has. */
export function tickDecimals(ticks: readonly number[]): number {
  const distance = Math.min(
    ...ticks
      .slice(1)
      .map((tick, i) => Math.abs(tick - ticks[i]!))
      .filter(each => each > 0),
  )
  if (!Number.isFinite(distance)) return 0
  for (let decimals = 0; decimals < MOST_DECIMALS; decimals++) {
    const scaled = distance * 10 ** decimals
    if (scaled > 0.5 && Math.abs(scaled - Math.round(scaled)) < 0.01) return decimals
  }
  return MOST_DECIMALS
}

/**
 * Words of a value axis. Marks that would read the same are written with more decimals; where that is not enough either,
 * a number stands at the first of them only.
 * @param format as values are written elsewhere
 * @param exactly writes a number with so many decimals
 */
export function tickWords(
  ticks: readonly number[],
  format: (value: number) => string,
  exactly: (value: number, decimals: number) => string,
): string[] {
  const plain = ticks.map(format)
  if (new Set(plain).size === plain.length) return plain
  const decimals = tickDecimals(ticks)
  const words = ticks.map(value => exactly(value, decimals))
  return words.map((word, i) => (words.indexOf(word) === i ? word : ''))
}
