import { serverNow } from '../../lib/server-clock.ts'

/** How far back a log is shown; the lines of the last minutes as well as those an auditor asks for. */
export const PERIODS = {
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
  '180d': 15_552_000_000,
}
export type Period = keyof typeof PERIODS

const isPeriod = (value: string): value is Period => Object.hasOwn(PERIODS, value)

/** `2026-11-20`: a day of the person's own calendar. */
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** The filters of the address as the server knows them: a period back from now, days as instants. */
export function withPeriod(filters: Record<string, string>, now: number = serverNow()): Record<string, string> {
  const { period, from, to, ...rest } = filters
  const sent: Record<string, string> = { ...rest }
  if (period !== undefined && isPeriod(period)) sent.from = new Date(now - PERIODS[period]).toISOString()
  const day = (text: string, daysLater: number) => {
    const start = new Date(`${text}T00:00:00`)
    start.setDate(start.getDate() + daysLater)
    return Number.isNaN(start.getTime()) ? undefined : start.toISOString()
  }
  const first = from !== undefined && DAY.test(from) ? day(from, 0) : undefined
  const after = to !== undefined && DAY.test(to) ? day(to, 1) : undefined
  if (first !== undefined) sent.from = first
  if (after !== undefined) sent.to = after
  return sent
}
