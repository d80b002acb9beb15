/** Each row of a newest-first list with the time until the next newer one; the newest lasts until now. */
export function withLengths<T>(
  rows: readonly T[],
  at: (row: T) => number,
  now: number,
): (T & { lengthMs: number | null })[] {
  return rows.map((row, index) => {
    const end = index === 0 ? now : at(rows[index - 1]!)
    const length = end - at(row)
    return { ...row, lengthMs: length >= 0 ? length : null }
  })
}
