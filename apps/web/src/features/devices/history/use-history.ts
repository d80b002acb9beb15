import { call } from '../../../lib/api-client.ts'
import { every } from '../../../lib/every.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useMade } from '../../../lib/server-state/use-read.ts'
import { boundsOf, type HistoryWindow, refreshMs } from './history-window.ts'

/** Columns asked for: about two a pixel's width on the widest chart would show no more. */
const POINTS = 600

export interface HistorySeries {
  identifier: string
  points: (number | null)[][]
  resolutionMs: number
}

export interface HistoryData {
  from: number
  to: number
  series: HistorySeries[]
  /** The period before, with its own times. */
  before: HistorySeries[]
}

/** Series of several properties in a window, with the period before where it is asked for. */
export function useHistory(deviceId: string, identifiers: readonly string[], window: HistoryWindow, compare: boolean) {
  const refresh = refreshMs(window)
  return useMade(
    'telemetry.series',
    { params: { id: deviceId }, query: { identifier: identifiers.join(','), window, compare } },
    async ({ signal }): Promise<HistoryData> => {
      const { from, to } = boundsOf(window, serverNow())
      const ask = (start: number, end: number) =>
        call('telemetry.series', {
          params: { id: deviceId },
          query: { identifier: identifiers.join(','), from: Math.round(start), to: Math.round(end), points: POINTS },
          signal,
        })
      const [now, before] = await Promise.all([ask(from, to), compare ? ask(from - (to - from), from) : null])
      return { from, to, series: now.series, before: before?.series ?? [] }
    },
    { enabled: identifiers.length > 0, keep: true, refetchInterval: every(refresh ?? false) },
  )
}
