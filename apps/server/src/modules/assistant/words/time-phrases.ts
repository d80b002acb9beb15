import type { Locale } from '../../../lib/context.ts'
import type { TimeSpan } from '../../../lib/tools/tools.ts'
import { instantOf, partsIn, type ZonedParts } from '../../../lib/zoned-time.ts'
import { readNumber } from './number-words.ts'
import { labelOf, type NamedSpan } from './time-labels.ts'
import words from './time-phrases.json' with { type: 'json' }

/** Longer than anything that names a time; bounds what the expressions are tried on. */
const LONGEST = 80

type Unit = keyof typeof words.units
const UNIT_MS: Partial<Record<Unit, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
}
const MONTHS_OF: Partial<Record<Unit, number>> = { month: 1, quarter: 3, year: 12 }

const UNIT = Object.entries(words.units).map(([unit, pattern]) => ({ unit: unit as Unit, is: whole(pattern) }))
const anyUnit = Object.values(words.units).join('|')
const spelled = (pattern: string) => new RegExp(pattern.replace('NUMBER', words.number).replace('UNIT', anyUnit), 'iu')

const PAST = spelled(words.past)
const PAST_ONE = spelled(words.pastOne)
const BARE = spelled(words.bare)
const AGO = spelled(words.ago)
const RANGE = new RegExp(words.range, 'iu')
const DASH_RANGE = new RegExp(words.dashRange, 'u')
const SINCE = new RegExp(words.since, 'iu')
const PREFIX = new RegExp(words.fromPrefix, 'iu')
const TAIL = new RegExp(words.tail, 'iu')
const CLOCK = new RegExp(words.clock, 'iu')
const WEEKDAY = new RegExp(words.weekday, 'iu')
const WEEKEND = new RegExp(words.weekend, 'iu')
const DATES = words.date.map(pattern => new RegExp(pattern, 'iu'))
const MONTHS = words.month.map(pattern => new RegExp(pattern, 'iu'))
const YEAR = new RegExp(words.year, 'u')
const NOW = new RegExp(words.now, 'iu')
const NONE = new RegExp(words.none, 'iu')
const LAST = new RegExp(words.lastWords, 'iu')
const BEFORE_LAST = new RegExp(words.beforeLastWords, 'u')
const THIS = new RegExp(words.thisWords, 'iu')
const LAST_NIGHT = new RegExp(words.lastNight, 'iu')
const TONIGHT = new RegExp(words.tonight, 'iu')
const NAMED_DAYS = words.days.map(rule => ({ ...rule, is: new RegExp(rule.pattern, 'iu') }))
const CALENDAR = words.calendar.map(rule => ({ ...rule, is: new RegExp(rule.pattern, 'iu') }))
const PARTS = words.parts.map(part => ({
  ...part,
  after: new RegExp(`\\s*(?:${part.words})$`, 'iu'),
  between: new RegExp(`^(.*?)\\s*(?:${part.words})\\s*(.+)$`, 'iu'),
}))
const HINT = new RegExp(words.hint, 'iu')
const WITH_TIME = new RegExp(words.withTime, 'iu')
const NOT_A_COUNT = new RegExp(words.notACount, 'u')
const OF = new RegExp(words.of, 'iu')
const AT = new RegExp(words.at, 'iu')
const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}t\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:z|[+-]\d{2}:?\d{2})?$/i

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, 'iu')
}

interface About {
  now: number
  timeZone: string
  locale: Locale
}

/**
 * Reads what people call a span of time, in Chinese or English, in the time zone given: today, 上周, past 3 hours,
 * 11月1日到5日, since Monday, yesterday 8:00 to 12:00, 2026-11-01/2026-11-05. Weeks begin on Monday; "past 3 days" are
 * 72 hours; the end of a range counts in; nothing reaches beyond `now`. Absent or empty text: the last 24 hours.
 * @returns epoch ms; null when it is not understood or lies ahead
 */
export function readPeriod(text: string | undefined, about: About): TimeSpan | null {
  const asked = tidy(text ?? '')
  if (asked.length > LONGEST || (asked !== '' && !HINT.test(asked) && !NONE.test(asked))) return null
  const reader = new Reader(about)
  const span = asked === '' || NONE.test(asked) ? reader.past(24, 'hour') : reader.read(asked)
  if (!span || span.from >= about.now || span.from >= span.to) return null
  const cut = { ...span, to: Math.min(span.to, about.now) }
  return { from: cut.from, to: cut.to, label: labelOf(cut, about) }
}

/** Full-width to half-width, one blank for many, no punctuation around it. */
function tidy(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^[\s"'“”‘’,，。.!?；;:：]+|[\s"'“”‘’,，。.!?；;:：]+$/g, '')
}

class Reader {
  private readonly now: number
  private readonly zone: string
  private parts: ZonedParts | null = null

  constructor(about: About) {
    this.now = about.now
    this.zone = about.timeZone
  }

  private get today(): ZonedParts {
    this.parts ??= partsIn(this.zone, this.now)
    return this.parts
  }

  /** A range, a time since which, or one span. */
  read(text: string): NamedSpan | null {
    const whole = this.one(text)
    if (whole) return whole
    const interval = text.split('/')
    if (interval.length === 2) {
      const span = this.range(interval[0]!, interval[1]!)
      if (span) return span
    }
    const since = SINCE.exec(text)
    const start = since && this.one((since.groups!.a ?? since.groups!.b)!)
    if (start) return { from: start.from, to: this.now }
    // The first place where both sides can be read: "to" may also stand in one of them.
    const bare = text.replace(PREFIX, '')
    const range = RANGE.exec(bare) ?? DASH_RANGE.exec(bare)
    if (range) {
      const span = this.range(range[1]!, range[2]!)
      if (span) return span
    }
    const trimmed = bare.replace(TAIL, '')
    return trimmed !== text && trimmed !== '' ? this.read(trimmed) : null
  }

  private range(first: string, last: string): NamedSpan | null {
    const from = this.one(first.trim().replace(PREFIX, ''))
    if (!from) return null
    const end = last.trim().replace(TAIL, '')
    if (NOW.test(end)) return { from: from.from, to: this.now }
    const day = partsIn(this.zone, from.from)
    // "1 November to 5", "yesterday 8:00 to 12:00": the end is of the day or month of the beginning.
    const to = this.clockSpan(end, day, from.clock && from.afternoon === true) ?? this.dayOf(end, day) ?? this.one(end)
    if (!to || to.to <= from.from) return null
    // A clock time ends a range where it stands; a day counts in.
    return { from: from.from, to: to.clock ? to.from : to.to, clock: from.clock || to.clock }
  }

  private one(text: string): NamedSpan | null {
    if (ISO_INSTANT.test(text)) return this.isoInstant(text)
    return this.relative(text) ?? this.day(text) ?? this.calendar(text) ?? this.withTime(text)
  }

  past(n: number, unit: Unit): NamedSpan {
    const ms = UNIT_MS[unit]
    if (ms) return { from: this.now - n * ms, to: this.now, past: { n, unit } }
    const { year, month, day, hour, minute } = this.today
    const back = Math.round(n * MONTHS_OF[unit]!)
    const last = new Date(Date.UTC(year, month - back, 0)).getUTCDate()
    const from = instantOf(this.zone, year, month - back, Math.min(day, last), hour, minute)
    return { from, to: this.now, past: { n, unit } }
  }

  private relative(text: string): NamedSpan | null {
    const unitOf = (word: string) => UNIT.find(({ is }) => is.test(word))?.unit
    const one = PAST_ONE.exec(text)
    if (one) return this.past(1, unitOf(one.groups!.u!)!)
    const past = PAST.exec(text) ?? BARE.exec(text)
    const ago = past ? null : AGO.exec(text)
    const { n: count, u } = (past ?? ago)?.groups ?? {}
    const n = count === undefined ? null : readNumber(count)
    const unit = u === undefined ? undefined : unitOf(u)
    // "2026年" is a year and "11月" a month, not so many of them.
    if (n === null || !unit || n <= 0 || n > (unit === 'year' ? 20 : 100_000)) return null
    if (past) return NOT_A_COUNT.test(text) && !PAST.test(text) ? null : this.past(n, unit)
    if (unit === 'day') return this.dayAway(-Math.round(n))
    if (unit === 'minute' || unit === 'hour') return this.past(n, unit)
    return this.calendarUnit(unit, -Math.round(n))
  }

  private dayAway(n: number, name?: string): NamedSpan {
    const { year, month, day } = this.today
    return {
      from: instantOf(this.zone, year, month, day + n),
      to: instantOf(this.zone, year, month, day + n + 1),
      ...(name ? { name } : {}),
    }
  }

  private calendarUnit(unit: string, n: number, name?: string): NamedSpan {
    const { year, month, day, weekday } = this.today
    const named = name ? { name } : {}
    if (unit === 'week') {
      const monday = day - weekday + 1 + 7 * n
      return {
        from: instantOf(this.zone, year, month, monday),
        to: instantOf(this.zone, year, month, monday + 7),
        ...named,
      }
    }
    const length = unit === 'year' ? 12 : unit === 'quarter' ? 3 : 1
    const first = Math.floor((month - 1) / length) * length + 1 + n * length
    return {
      from: instantOf(this.zone, year, first, 1),
      to: instantOf(this.zone, year, first + length, 1),
      ...named,
    }
  }

  /** One calendar day. */
  private day(text: string): NamedSpan | null {
    const named = NAMED_DAYS.find(rule => rule.is.test(text))
    if (named) return this.dayAway(named.n, named.name)
    const weekday = WEEKDAY.exec(text)
    if (weekday) return this.weekday(weekday.groups!)
    for (const pattern of DATES) {
      const found = pattern.exec(text)?.groups
      if (found) return this.date(found)
    }
    return null
  }

  private weekday({ w, z, e }: Record<string, string>): NamedSpan | null {
    const wanted = words.weekdays[(z ?? e) as keyof typeof words.weekdays]
    const { weekday } = this.today
    const back = (weekday - wanted + 7) % 7
    if (w === undefined) return this.dayAway(-back)
    if (BEFORE_LAST.test(w)) return this.dayAway(wanted - weekday - 14)
    if (THIS.test(w)) return wanted > weekday ? null : this.dayAway(wanted - weekday)
    // In Chinese it is that day of last week; in English the last one that was.
    return LAST.test(w) ? this.dayAway(z === undefined ? -(back || 7) : wanted - weekday - 7) : null
  }

  private date({ y, m, d, e, w, lm }: Record<string, string | undefined>): NamedSpan | null {
    const day = Number(d) || readNumber(d ?? '') || 0
    let { year, month } = this.today
    if (m !== undefined || e !== undefined) month = this.monthNumber(m, e)
    if (y !== undefined) year = Number(y)
    else if (w === words.lastYearWord) year -= 1
    else if (lm?.startsWith(words.lastMonthWord)) month -= 1
    if (month === 0) [year, month] = [year - 1, 12]
    const ahead = (at: { year: number; month: number }) => instantOf(this.zone, at.year, at.month, day) > this.now
    // Without a year, or without a month, the last one that was is meant.
    if (y === undefined && w === undefined && ahead({ year, month })) {
      if (m === undefined && e === undefined && lm === undefined) month -= 1
      else if (lm === undefined) year -= 1
    }
    if (month === 0) [year, month] = [year - 1, 12]
    return this.existing(year, month, day)
  }

  private existing(year: number, month: number, day: number): NamedSpan | null {
    const real = new Date(Date.UTC(year, month - 1, day))
    if (month < 1 || month > 12 || real.getUTCDate() !== day || year < 1970 || year > 9999) return null
    return { from: instantOf(this.zone, year, month, day), to: instantOf(this.zone, year, month, day + 1) }
  }

  private monthNumber(m: string | undefined, e: string | undefined): number {
    if (e !== undefined) return words.months[e as keyof typeof words.months]
    return Number(m) || readNumber(m ?? '') || 0
  }

  /** "5", "5日" as the end of a range: of the month in which it begins. */
  private dayOf(text: string, begin: ZonedParts): NamedSpan | null {
    const day = /^(\d{1,2})(?:\D?|st|nd|rd|th)$/u.exec(text)
    if (!day || CLOCK.test(text)) return null
    return this.existing(begin.year, begin.month, Number(day[1]))
  }

  /** Weeks, months, quarters, years, weekends. */
  private calendar(text: string): NamedSpan | null {
    const named = CALENDAR.find(rule => rule.is.test(text))
    if (named) return this.calendarUnit(named.unit, named.n, named.name)
    const weekend = WEEKEND.exec(text)
    if (weekend) {
      const { weekday } = this.today
      const w = weekend.groups!.w
      const thisOne = w !== undefined && !LAST.test(w)
      const saturday = 6 - weekday - (thisOne || (w === undefined && weekday >= 6) ? 0 : 7)
      return { from: this.dayAway(saturday).from, to: this.dayAway(saturday + 1).to }
    }
    for (const pattern of MONTHS) {
      const found = pattern.exec(text)?.groups
      if (!found) continue
      const month = this.monthNumber(found.m, found.e)
      if (month < 1 || month > 12) return null
      let year = found.y === undefined ? this.today.year : Number(found.y)
      if (found.w === words.lastYearWord) year -= 1
      else if (found.y === undefined && found.w === undefined && month > this.today.month) year -= 1
      return { from: instantOf(this.zone, year, month, 1), to: instantOf(this.zone, year, month + 1, 1) }
    }
    const year = Number(YEAR.exec(text)?.groups?.y ?? 0)
    return year >= 1970 ? { from: instantOf(this.zone, year, 1, 1), to: instantOf(this.zone, year + 1, 1, 1) } : null
  }

  /** A day with a part of it or a clock time; alone: today. */
  private withTime(text: string): NamedSpan | null {
    if (!WITH_TIME.test(text)) return null
    if (LAST_NIGHT.test(text)) return this.hours(this.dayAway(-1), 18, 30)
    if (TONIGHT.test(text)) return this.hours(this.dayAway(0), 18, 24)
    for (const part of PARTS) {
      // "yesterday afternoon", "the afternoon of 1 November", 昨天下午, 昨天下午3点
      const before = text.replace(part.after, '')
      if (before !== text)
        return this.hours(before === '' ? this.dayAway(0) : this.plainDay(before), part.from, part.to)
      const at = part.between.exec(text)
      const day = at && (at[1] === '' ? this.dayAway(0) : this.plainDay(at[1]!))
      if (!at || !day) continue
      const span = this.clockSpan(at[2]!, partsIn(this.zone, day.from), part.from >= 11)
      if (span) return { ...span, afternoon: part.from >= 11 }
    }
    const alone = this.clockSpan(text, this.today)
    if (alone) return alone
    // The day ends where a clock time can begin.
    for (let cut = text.length - 1; cut > 0; cut -= 1) {
      const clock = CLOCK.test(text.slice(cut).trim()) && !/\d/.test(`${text[cut - 1]}`) ? text.slice(cut).trim() : null
      const day = clock && this.plainDay(text.slice(0, cut).trim().replace(AT, ''))
      if (clock && day) return this.clockSpan(clock, partsIn(this.zone, day.from))
    }
    return null
  }

  private plainDay(text: string): NamedSpan | null {
    return this.day(text.replace(OF, '').replace(PREFIX, ''))
  }

  private hours(day: NamedSpan | null, from: number, to: number): NamedSpan | null {
    if (!day) return null
    const { year, month, day: date } = partsIn(this.zone, day.from)
    return {
      from: instantOf(this.zone, year, month, date, from),
      to: instantOf(this.zone, year, month, date, to),
      clock: true,
    }
  }

  /** An hour from a clock time on. */
  private clockSpan(text: string, day: ZonedParts, afternoon = false): NamedSpan | null {
    const found = CLOCK.exec(text.trim())?.groups
    if (!found) return null
    let hour = /^\d/.test(found.h!) ? Number(found.h) : (readNumber(found.h!) ?? 99)
    const quarter = found.q === undefined ? 0 : found.q === words.threeQuarters ? 45 : 15
    const minute = found.half === undefined ? quarter || Number(found.m ?? found.mz ?? 0) : 30
    const pm = found.ap?.startsWith('p') ?? (afternoon && found.ap === undefined)
    if (pm && hour < 12) hour += 12
    if (found.ap?.startsWith('a') && hour === 12) hour = 0
    if (hour > 24 || minute > 59) return null
    const from = instantOf(this.zone, day.year, day.month, day.day, hour, minute)
    return { from, to: from + 3_600_000, clock: true, afternoon: pm }
  }

  private isoInstant(text: string): NamedSpan | null {
    const zoned = /(?:z|[+-]\d{2}:?\d{2})$/i.test(text)
    const [date, time] = text.toUpperCase().split('T') as [string, string]
    const at = zoned
      ? Date.parse(text.toUpperCase())
      : instantOf(
          this.zone,
          Number(date.slice(0, 4)),
          Number(date.slice(5, 7)),
          Number(date.slice(8, 10)),
          Number(time.slice(0, 2)),
          Number(time.slice(3, 5)),
        )
    return Number.isNaN(at) ? null : { from: at, to: at + 3_600_000, clock: true }
  }
}
