/** Room above and below the line, so that its width is not cut off. */
const PAD = 1.5

/**
 * The points as an SVG path; nulls break the line. The width stands for `from` to `to`, so that a device that began an
 * hour ago does not look as if it had reported all day. Empty for fewer than two values.
 */
export function sparkPath(
  points: readonly (readonly [number, number | null])[],
  width: number,
  height: number,
  stepped: boolean,
  from: number = points[0]?.[0] ?? 0,
  to: number = points.at(-1)?.[0] ?? 1,
): string {
  const values = points.flatMap(([, value]) => (value === null ? [] : [value]))
  if (values.length < 2) return ''
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const value of values) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  const span = to - from || 1
  const range = high - low
  const x = (ts: number) => round(((ts - from) / span) * width)
  // A value that never changes is a line in the middle.
  const y = (value: number) => round(range === 0 ? height / 2 : PAD + (1 - (value - low) / range) * (height - 2 * PAD))
  let path = ''
  let open = false
  for (const [ts, value] of points) {
    if (value === null) {
      open = false
      continue
    }
    if (!open) path += `M${x(ts)} ${y(value)}`
    else if (stepped) path += `H${x(ts)}V${y(value)}`
    else path += `L${x(ts)} ${y(value)}`
    open = true
  }
  return path
}

/** The line closed along the bottom, piece by piece: what lies under it. */
export function areaUnder(path: string, height: number): string {
  return path
    .split('M')
    .filter(piece => /[LH]/.test(piece))
    .map(piece => {
      const first = piece.slice(0, piece.indexOf(' '))
      const last = [...piece.matchAll(/[LH]([\d.]+)/g)].at(-1)![1]!
      return `M${piece}L${last} ${height}L${first} ${height}Z`
    })
    .join('')
}

/** Where the line ends; null without one. */
export function endOf(path: string): readonly [x: number, y: number] | null {
  const found = /([\d.]+)(?: |V)([\d.]+)$/.exec(path)
  return found ? [Number(found[1]), Number(found[2])] : null
}

const round = (n: number) => Math.round(n * 10) / 10
