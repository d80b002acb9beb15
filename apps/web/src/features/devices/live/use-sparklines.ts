import { call } from '../../../lib/api-client.ts'
import { every } from '../../../lib/every.ts'
import { useMay } from '../../../lib/permissions.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useMades } from '../../../lib/server-state/use-read.ts'
import { withGaps } from '../../../ui/chart/chart-data.ts'
import { DAY, sparkWindow } from './spark-window.ts'

const POINTS = 96
/** As many as one question may name. */
const AT_ONCE = 16
const REFRESH_MS = 300_000
/** A device that has just begun fills its lines while one looks. */
const REFRESH_NEW_MS = 15_000

export interface Spark {
  points: readonly (readonly [number, number | null])[]
  from: number
  to: number
}

/** The last 24 hours of several properties, few points each; less of a device that has not been there for so long. */
export function useSparklines(deviceId: string, identifiers: readonly string[]): ReadonlyMap<string, Spark> {
  const allowed = useMay('telemetry.series')
  const chunks: string[][] = []
  for (let at = 0; at < identifiers.length; at += AT_ONCE) chunks.push(identifiers.slice(at, at + AT_ONCE))
  return useMades(
    'telemetry.series',
    chunks.map(chunk => ({ params: { id: deviceId }, query: { identifier: chunk.join(',') } })),
    async ({ params, query: { identifier } }, { signal }) => {
      const to = serverNow()
      const ask = async (length: number) => {
        const { series } = await call('telemetry.series', {
          params,
          query: { identifier, from: to - length, to, points: POINTS },
          signal,
        })
        return series
      }
      const day = await ask(DAY)
      const firsts = day.flatMap(({ points }) => points[0]?.[0] ?? [])
      const length = sparkWindow(firsts.length > 0 ? Math.min(...firsts) : null, to)
      const series = length < DAY ? await ask(length) : day
      return series.map(each => {
        const { xs, value } = withGaps(each.points, each.resolutionMs)
        const points = xs.map((ts, at) => [ts, value[at] ?? null] as const)
        return { identifier: each.identifier, points, from: to - length, to }
      })
    },
    {
      enabled: allowed,
      staleTime: REFRESH_MS,
      refetchInterval: query => {
        const [first] = query.state.data ?? []
        return every(first && first.to - first.from < DAY ? REFRESH_NEW_MS : REFRESH_MS)(query)
      },
      meta: { ownError: true },
    },
    results => new Map(results.flatMap(result => result.data ?? []).map(each => [each.identifier, each] as const)),
  )
}
