import { instantOf } from '../../lib/zoned-time.ts'

/** `2026-02-30` is none. */
export function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === day
}

/** When a day begins in a time zone, epoch ms; `later`: so many days later. */
export function startOfDay(zone: string, day: string, later = 0): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return instantOf(zone, year, month, date + later)
}

/** Begin and end of a month (`YYYY-MM`) in a time zone, epoch ms. */
export function monthOf(zone: string, month: string): { from: number; to: number } {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return { from: instantOf(zone, year, number, 1), to: instantOf(zone, year, number + 1, 1) }
}
