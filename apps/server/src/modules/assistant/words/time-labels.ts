import type { Locale } from '../../../lib/context.ts'
import { partsIn, type ZonedParts } from '../../../lib/zoned-time.ts'
import words from './time-phrases.json' with { type: 'json' }

/** A span that was read, and how it came about. */
export interface NamedSpan {
  from: number
  to: number
  /** A key of the labels: `lastWeek`. */
  name?: string
  past?: { n: number; unit: keyof typeof words.labels.units.zh }
  /** Its ends are clock times, not whole days. */
  clock?: boolean | undefined
  /** Clock times after it without a word of their own are in the afternoon as well. */
  afternoon?: boolean
}

const fill = (text: string, values: Record<string, string | number>) =>
  text.replace(/\{(\w+)\}/g, (_, key: string) => String(values[key] ?? ''))

/** The span in words: `last week (16 November – 22 November)`, `过去 3 天`, `11月1日 08:00至12:00`. */
export function labelOf(span: NamedSpan, about: { now: number; timeZone: string; locale: Locale }): string {
  const { locale, timeZone } = about
  const labels = words.labels
  if (span.past) {
    const { n, unit } = span.past
    const word = labels.units[locale][unit]
    return fill(n === 1 ? labels.past1[locale] : labels.past[locale], {
      n,
      unit: locale === 'en' && n !== 1 ? `${word}s` : word,
    })
  }
  const thisYear = partsIn(timeZone, about.now).year
  const day = (p: ZonedParts) =>
    fill(p.year === thisYear ? labels.day[locale] : labels.dayYear[locale], {
      y: p.year,
      m: p.month,
      d: p.day,
      month: labels.monthNames[p.month - 1]!,
    })
  const time = (p: ZonedParts) => `${p.hour}`.padStart(2, '0').concat(':', `${p.minute}`.padStart(2, '0'))
  const a = partsIn(timeZone, span.from)
  const end = partsIn(timeZone, span.to)
  const atMidnight = end.hour === 0 && end.minute === 0 && end.second === 0
  // The last moment that counts in: a day that ends at midnight is not the next one.
  const b = partsIn(timeZone, atMidnight ? span.to - 1 : span.to)
  const sameDay = day(a) === day(b)
  const until = atMidnight ? '24:00' : time(end)
  const dates = span.clock
    ? fill(labels.range[locale], { a: `${day(a)} ${time(a)}`, b: sameDay ? until : `${day(end)} ${time(end)}` })
    : sameDay
      ? day(a)
      : fill(labels.range[locale], { a: day(a), b: day(b) })
  const name = span.name as 'today' | undefined
  return name ? fill(labels.named[locale], { name: labels[name][locale], dates }) : dates
}
