export const MIN_WIDTH = 60
export const MAX_WIDTH = 1200

/** A column's width after its edge was moved, in whole pixels within bounds. */
export function draggedWidth(start: number, from: number, to: number): number {
  return Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, Math.round(start + to - from)))
}

/** Columns with the widths that were chosen in place of those designed. */
export function withWidths<T extends { key: string; width?: number }>(
  columns: readonly T[],
  widths: Readonly<Record<string, number>>,
): T[] {
  return columns.map(column => (widths[column.key] === undefined ? column : { ...column, width: widths[column.key]! }))
}
