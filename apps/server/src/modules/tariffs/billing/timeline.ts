import { instantOf, partsIn } from '../../../lib/zoned-time.ts'

/** When a price holds: weekdays 1 (Monday) to 7, from a time of the day to another one of the same day, `24:00` included. */
export interface RateSpan {
  weekdays: readonly number[]
  from: string
  to: string
  band: number
}

export type Rates =
  | { kind: 'fixed'; price: string }
  /** Of what is used in a month; the last one has no end. */
  | { kind: 'steps'; steps: readonly { upTo: string | null; price: string }[] }
  | {
      kind: 'time_of_use'
      bands: readonly { name: string; price: string }[]
      spans: readonly RateSpan[]
      /** The band of all other times. */
      otherwise: number
    }

/** Prices that hold from a day to a day, both included, in the company's time zone (`YYYY-MM-DD`; null: without end). */
export interface TariffVersion {
  id: string
  validFrom: string
  validTo: string | null
  rates: Rates
}

/** A stretch of time with one price. */
export interface Stretch {
  from: number
  to: number
  /** Place among the versions; -1: none of them holds. */
  version: number
  /** Place among the bands; 0 for other kinds. */
  band: number
}

export const minuteOfDay = (time: string): number => {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * 60 + minute
}

/**
 * Stretches from one moment to another without gaps between them. What holds is read off the zone's own clock: an hour that
 * comes twice has the price of its clock time both times, and one that is left out is not there.
 */
export function timelineOf(versions: readonly TariffVersion[], zone: string, from: number, to: number): Stretch[] {
  const stretches: Stretch[] = []
  const first = partsIn(zone, from)
  for (let day = 0; ; day++) {
    const start = instantOf(zone, first.year, first.month, first.day + day)
    const end = instantOf(zone, first.year, first.month, first.day + day + 1)
    if (start >= to) break
    const at = partsIn(zone, start)
    const name = `${at.year}-${two(at.month)}-${two(at.day)}`
    const version = versions.findIndex(v => v.validFrom <= name && (v.validTo === null || name <= v.validTo))
    const rates = versions[version]?.rates
    if (rates?.kind !== 'time_of_use') {
      put(stretches, { from: Math.max(start, from), to: Math.min(end, to), version, band: 0 })
      continue
    }
    const spans = rates.spans.filter(span => span.weekdays.includes(at.weekday))
    const marks = marksOf(zone, start, end, spans)
    for (let i = 0; i + 1 < marks.length; i++) {
      const { hour, minute } = partsIn(zone, marks[i]!)
      const clock = hour * 60 + minute
      const span = spans.find(s => minuteOfDay(s.from) <= clock && clock < minuteOfDay(s.to))
      put(stretches, {
        from: Math.max(marks[i]!, from),
        to: Math.min(marks[i + 1]!, to),
        version,
        band: span?.band ?? rates.otherwise,
      })
    }
  }
  return stretches
}

const two = (n: number) => String(n).padStart(2, '0')

function put(stretches: Stretch[], next: Stretch): void {
  if (next.to <= next.from) return
  const last = stretches.at(-1)
  if (last && last.to === next.from && last.version === next.version && last.band === next.band) last.to = next.to
  else stretches.push(next)
}

/** Moments of a day at which the band may change: the edges of the spans, and what a change of the clock makes of them. */
function marksOf(zone: string, start: number, end: number, spans: readonly RateSpan[]): number[] {
  const { year, month, day } = partsIn(zone, start)
  const shift = end - start - 86_400_000
  const marks = new Set([start, end])
  for (const span of spans)
    for (const edge of [span.from, span.to]) {
      const minute = minuteOfDay(edge)
      const moment = instantOf(zone, year, month, day, 0, minute)
      for (const mark of shift === 0 ? [moment] : [moment, moment + shift, moment - shift]) marks.add(mark)
    }
  if (shift !== 0) marks.add(changeOf(zone, start, end))
  return [...marks].filter(mark => mark >= start && mark <= end).sort((a, b) => a - b)
}

/** The minute within a day at which the zone's clock changes. */
function changeOf(zone: string, start: number, end: number): number {
  const elapsed = (at: number) => {
    const { hour, minute } = partsIn(zone, at)
    return hour * 60 + minute
  }
  let [low, high] = [start, end - 60_000]
  while (high - low > 60_000) {
    const middle = low + Math.floor((high - low) / 120_000) * 60_000
    if (elapsed(middle) === (middle - start) / 60_000) low = middle
    else high = middle
  }
  return high
}
