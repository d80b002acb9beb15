const WIDTH = 64
const HEIGHT = 28

/** A day of a figure as one line without axes. Decorative: the chart below says it in full. */
export function Spark({ values }: { values: readonly number[] }) {
  const path = sparkOf(values)
  return (
    <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {path && <path d={path} fill="none" stroke="var(--tw-link)" strokeWidth="1.5" strokeLinejoin="round" />}
    </svg>
  )
}

/** At most one point a pixel: the mean of those that fall on it. */
export function sparkOf(values: readonly number[], width = WIDTH, height = HEIGHT): string {
  if (values.length < 2) return ''
  const columns = Math.min(width / 2, values.length)
  const thinned = Array.from({ length: columns }, (_, at) => {
    const some = values.slice(
      Math.floor((at * values.length) / columns),
      Math.max(Math.floor(((at + 1) * values.length) / columns), Math.floor((at * values.length) / columns) + 1),
    )
    return some.reduce((all, value) => all + value, 0) / some.length
  })
  const low = Math.min(...thinned)
  const range = Math.max(...thinned) - low
  const y = (value: number) => (range === 0 ? height / 2 : 2 + (1 - (value - low) / range) * (height - 4))
  return thinned
    .map((value, at) => `${at === 0 ? 'M' : 'L'}${round((at / (columns - 1)) * width)} ${round(y(value))}`)
    .join('')
}

const round = (n: number) => Math.round(n * 10) / 10
