import { sparkPath } from './spark-path.ts'
import type { Spark } from './use-sparklines.ts'

/** A day of a value as one line, without axes. Decorative: the history says it in full. */
export function Sparkline({
  spark,
  width,
  height,
  stepped,
}: {
  spark: Spark | undefined
  width: number
  height: number
  stepped: boolean
}) {
  const path = spark ? sparkPath(spark.points, width, height, stepped, spark.from, spark.to) : ''
  if (path === '') return <svg width={width} height={height} aria-hidden="true" />
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true" preserveAspectRatio="none">
      <path d={path} fill="none" stroke="var(--tw-link)" strokeWidth="1.2" strokeLinejoin="round" opacity="0.75" />
    </svg>
  )
}
