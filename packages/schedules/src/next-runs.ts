import { Cron } from 'croner'
import {
  type Calendar,
  type DayKind,
  type Run,
  SCHEDULE_LIMITS,
  type Schedule,
  type Surroundings,
  type TimeOfDay,
} from './schedule.ts'
import { sunTime } from './sun.ts'
import { type Day, dateOf, dayName, secondOfDay, weekDay, type Zone, zoneOf } from './zone.ts'

const DAY_SECONDS = 86_400

/**
 * The next runs of a schedule, in order.
 * @param after epoch ms; a run in this very moment is not among them
 * @param count at most so many
 * @returns fewer than asked for where it ends, or where nothing more comes in the years that are looked ahead
 */
export function nextRuns(schedule: Schedule, after: number, count: number, surroundings: Surroundings = {}): Run[] {
  if (schedule.kind === 'cron') return cronRuns(schedule, after, count)
  const zone = zoneOf(schedule.zone)
  const today = zone.dayOf(after)
  const [first, last] =
    schedule.kind === 'once' ? onceDays(schedule.at) : [today - 1, today + SCHEDULE_LIMITS.years * 366]
  const runs: Run[] = []
  // A day's runs may lie on the next day (a window, a pair or an hour of the sun beyond midnight), so what was found is
  // complete up to the day before the one that is looked at.
  for (let day = Math.max(first, today - 2); day <= last; day++) {
    for (const run of runsOf(schedule, day, zone, surroundings)) if (run.at > after) runs.push(run)
    if (runs.length >= count) {
      runs.sort(inOrder)
      const complete = zone.toEpoch(day + 1, 0)
      if (runs[count - 1]!.at < complete) break
    }
  }
  return distinct(runs.sort(inOrder)).slice(0, count)
}

const inOrder = (a: Run, b: Run) => a.at - b.at || Number(a.edge === 'on') - Number(b.edge === 'on')

/** Two times of a day that fall together are one run. */
function distinct(runs: readonly Run[]): Run[] {
  return runs.filter((run, at) => run.at !== runs[at - 1]?.at || run.edge !== runs[at - 1]?.edge)
}

/** Runs that belong to a local day. */
function runsOf(schedule: Exclude<Schedule, { kind: 'cron' }>, day: Day, zone: Zone, around: Surroundings): Run[] {
  const at = (time: string): Run[] => {
    const second = secondOfDay(time)
    return second === null ? [] : [{ at: zone.toEpoch(day, second) }]
  }
  if (schedule.kind === 'once') return onceRuns(schedule.at, zone)
  if (!isOn(schedule, day, around.calendar)) return []
  switch (schedule.kind) {
    case 'daily':
    case 'weekly':
    case 'monthly':
      return schedule.times.flatMap(at)
    case 'interval':
      return intervalRuns(schedule, day, zone)
    case 'sun': {
      const moment = momentOf({ sun: schedule.event, offsetMinutes: schedule.offsetMinutes ?? 0 }, day, zone, around)
      return moment === null ? [] : [{ at: moment }]
    }
    case 'pair':
      return pairRuns(schedule, day, zone, around)
  }
}

/** Whether a schedule has runs on a day, by its week days, days of the month and kind of day. */
function isOn(
  schedule: Exclude<Schedule, { kind: 'cron' | 'once' }>,
  day: Day,
  calendar: Calendar | undefined,
): boolean {
  if (schedule.kind === 'monthly') {
    const { month, date, daysInMonth } = dateOf(day)
    if (schedule.months && !schedule.months.includes(month)) return false
    const isChosen = schedule.days.includes(date) || (date === daysInMonth && schedule.days.includes('last'))
    if (!isChosen) return false
  } else if ('days' in schedule && schedule.days && !schedule.days.includes(weekDay(day))) return false
  return isDayKind(schedule.dayKind ?? 'any', day, calendar)
}

function isDayKind(kind: DayKind, day: Day, calendar: Calendar | undefined): boolean {
  if (kind === 'any') return true
  const name = dayName(day)
  const isWeekend = weekDay(day) > 5 && !calendar?.workdays.has(name)
  const isHoliday = calendar?.holidays.has(name) || isWeekend
  return Boolean(isHoliday) === (kind === 'holiday')
}

function intervalRuns(schedule: Extract<Schedule, { kind: 'interval' }>, day: Day, zone: Zone): Run[] {
  const from = secondOfDay(schedule.from)
  const to = secondOfDay(schedule.to)
  if (from === null || to === null || schedule.everySeconds < 1) return []
  const begin = zone.toEpoch(day, from)
  const end = zone.toEpoch(day, to > from ? to : to + DAY_SECONDS)
  const runs: Run[] = []
  // Counted in time that passes: an hour that comes twice has its runs twice. The end itself is a run.
  for (let at = begin; at <= end; at += schedule.everySeconds * 1_000) runs.push({ at })
  return runs
}

function pairRuns(schedule: Extract<Schedule, { kind: 'pair' }>, day: Day, zone: Zone, around: Surroundings): Run[] {
  const on = momentOf(schedule.on, day, zone, around)
  const same = momentOf(schedule.off, day, zone, around)
  const off = on !== null && same !== null && same <= on ? momentOf(schedule.off, day + 1, zone, around) : same
  // Where the sun does not rise or set, nothing is switched on that nothing would switch off.
  if (on === null || off === null || off <= on) return []
  return [
    { at: on, edge: 'on' },
    { at: off, edge: 'off' },
  ]
}

/** The moment of a time of a day, epoch ms; null: the sun does not do so that day, or nobody says where. */
function momentOf(time: TimeOfDay, day: Day, zone: Zone, { position }: Surroundings): number | null {
  if (typeof time === 'string') {
    const second = secondOfDay(time)
    return second === null ? null : zone.toEpoch(day, second)
  }
  if (!position) return null
  const at = sunTime(time.sun, day, position)
  return at === null ? null : at + (time.offsetMinutes ?? 0) * 60_000
}

/** A local moment as its day and second; null: it is none. */
export function localMoment(text: string): { day: Day; second: number } | null {
  const match = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)$/.exec(text)
  if (!match) return null
  const second = secondOfDay(match[2]!)
  const ms = Date.parse(`${match[1]}T00:00:00Z`)
  if (second === null || !Number.isFinite(ms)) return null
  const day = ms / 86_400_000
  // `2026-02-30` would be a day of March.
  return dayName(day) === match[1] ? { day, second } : null
}

function onceDays(at: string): [Day, Day] {
  const moment = localMoment(at)
  return moment ? [moment.day, moment.day] : [0, -1]
}

function onceRuns(at: string, zone: Zone): Run[] {
  const moment = localMoment(at)
  return moment ? [{ at: zone.toEpoch(moment.day, moment.second) }] : []
}

function cronRuns(schedule: Extract<Schedule, { kind: 'cron' }>, after: number, count: number): Run[] {
  const cron = new Cron(schedule.expression, { timezone: schedule.zone, paused: true })
  const limit = after + SCHEDULE_LIMITS.years * 366 * 86_400_000
  return cron
    .nextRuns(count, new Date(after))
    .map(date => ({ at: date.getTime() }))
    .filter(({ at }) => at > after && at <= limit)
}
