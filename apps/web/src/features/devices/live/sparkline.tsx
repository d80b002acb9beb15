import { sparkPath } from './spark-path.ts'

/** A day of a value as one line, without axes. Decorative: the history says it in full. */
export function Sparkline({
  points,
  width,
  height,
  stepped,
}: {
  points: readonly (readonly [number, number | null])[]
  width: number
  height: number
  stepped: boolean
}) {
  const path = sparkPath(points, width, height, stepped)
  if (path === '') return <svg width={width} height={height} aria-hidden="true" />
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true" preserveAspectRatio="none">
      <path d={path} fill="none" stroke="var(--tw-link)" strokeWidth="1.2" strokeLinejoin="round" opacity="0.75" />
    </svg>
  )
}
