import { areaUnder, endOf, sparkPath } from './spark-path.ts'
import type { Spark } from './use-sparklines.ts'

/** How a value went, as one line without axes, its end marked. Decorative: the history says it in full. */
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
  const end = endOf(path)
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true" preserveAspectRatio="none">
      <path d={areaUnder(path, height)} fill="var(--tw-primary-soft)" />
      <path
        d={path}
        fill="none"
        stroke="var(--tw-link)"
        strokeWidth="1.4"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
      {end && (
        <path
          d={`M${end[0]} ${end[1]}h0`}
          stroke="var(--tw-link)"
          strokeWidth="5"
          strokeLinecap="round"
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  )
}
