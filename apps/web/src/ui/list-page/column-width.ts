export const MIN_WIDTH = 60
export const MAX_WIDTH = 1200

/** A column's width after its edge was moved, in whole pixels within bounds. */
export function draggedWidth(start: number, from: number, to: number): number {
  return Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, Math.round(start + to - from)))
}

/** What a column without a width is given at least. */
export const FLEX_MIN = 200

interface Sized {
  width?: number
  minWidth?: number
  rank?: number
}

/** The least that a column takes. */
export const leastWidth = ({ width, minWidth }: Sized): number => width ?? minWidth ?? FLEX_MIN

/** Columns that fit into the room, in pixels: those with the lowest rank leave first, those without one never. */
export function fitting<T extends Sized>(columns: readonly T[], room: number): readonly T[] {
  let shown = columns
  let over = columns.reduce((sum, column) => sum + leastWidth(column), 0) - room
  const leaving = columns.filter(column => column.rank !== undefined).sort((a, b) => a.rank! - b.rank!)
  for (const column of leaving) {
    if (over <= 0) break
    over -= leastWidth(column)
    shown = shown.filter(other => other !== column)
  }
  return shown
}

/** Columns with the widths that were chosen in place of those designed. */
export function withWidths<T extends { key: string; width?: number }>(
  columns: readonly T[],
  widths: Readonly<Record<string, number>>,
): T[] {
  return columns.map(column => (widths[column.key] === undefined ? column : { ...column, width: widths[column.key]! }))
}
