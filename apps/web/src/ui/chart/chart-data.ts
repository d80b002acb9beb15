/** One point of a series as the server sends it: time, average, minimum, maximum. */
export type SeriesPoint = readonly (number | null)[]

/** Columns of a series on its own time axis; null breaks the line. Times in epoch ms. */
export interface SeriesColumns {
  xs: number[]
  value: (number | null)[]
  min: (number | null)[]
  max: (number | null)[]
}

/** A gap is a silence longer than so many usual distances … */
const GAP_FACTOR = 3
/** … and longer than so many columns of the answer. */
const GAP_COLUMNS = 2.5

/** The middle one of the distances between neighbours; 0 for fewer than two points. */
export function usualDistance(xs: readonly number[]): number {
  const distances: number[] = []
  for (let at = 1; at < xs.length; at++) distances.push(xs[at]! - xs[at - 1]!)
  distances.sort((a, b) => a - b)
  return distances[Math.floor(distances.length / 2)] ?? 0
}

/**
 * The points as columns, with a break wherever the device was silent for long: nothing may look as if it had been
 * measured. `resolutionMs` is the width of a column of the answer, 0 for values as they are. Stepped series hold their
 * value until the next report and have no breaks unless a column is empty for long.
 */
export function withGaps(points: readonly SeriesPoint[], resolutionMs: number, stepped = false): SeriesColumns {
  const columns: SeriesColumns = { xs: [], value: [], min: [], max: [] }
  const limit = Math.max(GAP_FACTOR * usualDistance(points.map(point => point[0] ?? 0)), GAP_COLUMNS * resolutionMs)
  let before: number | null = null
  for (const [ts, value, min, max] of points) {
    if (ts === null || ts === undefined) continue
    if (!stepped && before !== null && limit > 0 && ts - before > limit) {
      columns.xs.push(before + 1)
      columns.value.push(null)
      columns.min.push(null)
      columns.max.push(null)
    }
    columns.xs.push(ts)
    columns.value.push(value ?? null)
    columns.min.push(min ?? value ?? null)
    columns.max.push(max ?? value ?? null)
    before = ts
  }
  return columns
}

/** A column that has no value of its own at a time of another series; the line goes on past it. */
export type Aligned = (number | null | undefined)[]

/**
 * Several series on one time axis. Where a series has nothing at a time of another it gets `undefined` (no break);
 * its own breaks are `null` until its next value, whatever times of others lie between: the plot would go on there.
 */
export function alignSeries(series: readonly SeriesColumns[]): {
  xs: number[]
  columns: { value: Aligned; min: Aligned; max: Aligned }[]
} {
  const xs = [...new Set(series.flatMap(each => each.xs))].sort((a, b) => a - b)
  const at = new Map(xs.map((x, index) => [x, index]))
  const columns = series.map(each => {
    const column = {
      value: new Array<number | null | undefined>(xs.length).fill(undefined),
      min: new Array<number | null | undefined>(xs.length).fill(undefined),
      max: new Array<number | null | undefined>(xs.length).fill(undefined),
    }
    each.xs.forEach((x, index) => {
      const place = at.get(x)!
      column.value[place] = each.value[index]
      column.min[place] = each.min[index]
      column.max[place] = each.max[index]
      if (each.value[index] !== null) return
      const next = at.get(each.xs[index + 1] ?? x)!
      for (const values of [column.value, column.min, column.max]) values.fill(null, place, Math.max(next, place + 1))
    })
    return column
  })
  return { xs, columns }
}

/** The same series so much later: the period before, laid over this one. */
export function shifted(columns: SeriesColumns, byMs: number): SeriesColumns {
  return { ...columns, xs: columns.xs.map(x => x + byMs) }
}

/** Whether any column of the answer holds more than one value, so that there is a band to draw. */
export function hasBand(points: readonly SeriesPoint[]): boolean {
  return points.some(
    ([, , min, max]) => min !== null && max !== null && min !== undefined && max !== undefined && min < max,
  )
}

export interface ChartGroup<T> {
  unit: string
  stepped: boolean
  items: T[]
}

/** Series that share a chart: the same unit; truth values and levels each for themselves. Order is kept. */
export function groupByUnit<T extends { unit: string; stepped: boolean }>(items: readonly T[]): ChartGroup<T>[] {
  const groups: ChartGroup<T>[] = []
  for (const item of items) {
    const group = item.stepped ? undefined : groups.find(each => !each.stepped && each.unit === item.unit)
    if (group) group.items.push(item)
    else groups.push({ unit: item.unit, stepped: item.stepped, items: [item] })
  }
  return groups
}

/** Beside a series so many times as large, a smaller one is a flat line at the bottom. */
const TOO_FAR = 1000

/**
 * Series of one chart whose sizes differ a thousand-fold get charts, and so value axes, of their own.
 * @param sizeOf largest distance from 0 of a series; 0 where it has no values, which suits every axis
 */
export function apartBySize<T>(group: ChartGroup<T>, sizeOf: (item: T) => number): ChartGroup<T>[] {
  const sized = group.items.map(item => ({ item, size: sizeOf(item) })).sort((a, b) => b.size - a.size)
  const groups: { largest: number; items: Set<T> }[] = []
  for (const { item, size } of sized) {
    const last = groups.at(-1)
    if (last && (size === 0 || last.largest < size * TOO_FAR)) last.items.add(item)
    else groups.push({ largest: size, items: new Set([item]) })
  }
  // In the order in which they were chosen.
  return groups
    .map(({ items }) => ({ ...group, items: group.items.filter(item => items.has(item)) }))
    .sort((a, b) => group.items.indexOf(a.items[0]!) - group.items.indexOf(b.items[0]!))
}

/** Largest distance from 0 of the values of a series. */
export function sizeOfSeries(points: readonly SeriesPoint[]): number {
  let size = 0
  for (const [, value, min, max] of points)
    for (const each of [value, min, max]) if (typeof each === 'number') size = Math.max(size, Math.abs(each))
  return size
}
