import type { ScheduleInput } from '@thingwright/contracts/timed-tasks.contract'
import type { TFunction } from 'i18next'
import { formatNumber } from '../../lib/format.ts'

type Words = TFunction<'timed-tasks'>
type TimeOfDay = string | { sun: 'sunrise' | 'sunset'; offsetMinutes?: number } | undefined

/** A schedule in words: `Mon, Tue · 08:00, 12:00`. */
export function scheduleText(schedule: ScheduleInput, t: Words): string {
  const s = schedule as Record<string, unknown>
  const days = (s.days as number[] | undefined)?.map(day => t(`day.${day}` as 'day.1')).join(t('comma'))
  const parts: (string | undefined)[] = []
  switch (schedule.kind) {
    case 'once':
      parts.push(String(s.at).replace('T', ' '))
      break
    case 'daily':
      parts.push(t('kinds.daily'), timesText(s.times))
      break
    case 'weekly':
      parts.push(days, timesText(s.times))
      break
    case 'monthly':
      parts.push(
        (s.months as number[] | undefined)?.map(month => t('monthOf', { month })).join(t('comma')),
        (s.days as (number | 'last')[])
          .map(day => (day === 'last' ? t('lastDay') : t('dayOf', { day })))
          .join(t('comma')),
        timesText(s.times),
      )
      break
    case 'interval':
      parts.push(
        days,
        `${String(s.from)}–${String(s.to)}`,
        t('every', { text: durationText(Number(s.everySeconds), t) }),
      )
      break
    case 'pair':
      parts.push(days, `${momentText(s.on as TimeOfDay, t)} → ${momentText(s.off as TimeOfDay, t)}`)
      break
    case 'sun':
      parts.push(days, momentText({ sun: s.event as 'sunrise', offsetMinutes: (s.offsetMinutes as number) ?? 0 }, t))
      break
    case 'cron':
      parts.push(String(s.expression))
  }
  if (s.dayKind === 'workday' || s.dayKind === 'holiday') parts.push(t(`dayKind.${s.dayKind}`))
  return parts.filter(Boolean).join(' · ')
}

const timesText = (times: unknown) => (times as string[]).join(' / ')

/** A time of the clock as it is, one of the sun in words. */
export function momentText(moment: TimeOfDay, t: Words): string {
  if (moment === undefined || typeof moment === 'string') return moment ?? ''
  const minutes = moment.offsetMinutes ?? 0
  if (minutes === 0) return t(`sun.${moment.sun}`)
  return t(minutes < 0 ? 'sunBefore' : 'sunAfter', {
    sun: t(`sun.${moment.sun}`).toLowerCase(),
    count: Math.abs(minutes),
  })
}

/** Seconds in the largest unit that fits. */
export function durationText(seconds: number, t: Words): string {
  const unit = seconds % 3600 === 0 ? 'hours' : seconds % 60 === 0 ? 'minutes' : 'seconds'
  const count = seconds / { hours: 3600, minutes: 60, seconds: 1 }[unit]
  return t(`duration.${unit}`, { count, text: formatNumber(count) })
}
