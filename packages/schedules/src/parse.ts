import { Cron } from 'croner'
import { localMoment } from './next-runs.ts'
import { DAY_KINDS, SCHEDULE_KINDS, SCHEDULE_LIMITS, type Schedule, SUN_EVENTS, type TimeOfDay } from './schedule.ts'
import { isZone, secondOfDay } from './zone.ts'

/** What is wrong with a schedule, by the path of the field. */
export interface ScheduleProblem {
  path: string
  code:
    | 'missing'
    | 'unknown_field'
    | 'kind'
    | 'zone'
    | 'time'
    | 'moment'
    | 'days'
    | 'range'
    | 'cron'
    | 'same'
    | 'too_many'
  params: Record<string, string | number>
}

export type ScheduleResult = { ok: true; schedule: Schedule } | { ok: false; problems: ScheduleProblem[] }

type Input = Record<string, unknown>

const FIELDS: Record<Schedule['kind'], readonly string[]> = {
  once: ['at'],
  daily: ['times', 'dayKind'],
  weekly: ['days', 'times', 'dayKind'],
  monthly: ['days', 'months', 'times', 'dayKind'],
  interval: ['everySeconds', 'from', 'to', 'days', 'dayKind'],
  pair: ['on', 'off', 'days', 'dayKind'],
  sun: ['event', 'offsetMinutes', 'days', 'dayKind'],
  cron: ['expression'],
}

/** Reads a schedule. What nobody reads is a mistake: a schedule that means something else than it says must not be kept. */
export function parseSchedule(value: unknown): ScheduleResult {
  const problems: ScheduleProblem[] = []
  const flaw = (path: string, code: ScheduleProblem['code'], params: ScheduleProblem['params'] = {}) => {
    problems.push({ path, code, params })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { ok: false, problems: [{ path: '', code: 'missing', params: {} }] }
  const input = value as Input
  const kind = SCHEDULE_KINDS.find(each => each === input.kind)
  if (!kind) return { ok: false, problems: [{ path: 'kind', code: 'kind', params: { kind: String(input.kind) } }] }
  for (const field of Object.keys(input))
    if (field !== 'kind' && field !== 'zone' && !FIELDS[kind].includes(field)) flaw(field, 'unknown_field', { field })
  if (typeof input.zone !== 'string' || !isZone(input.zone)) flaw('zone', 'zone', { zone: String(input.zone) })
  const reader = new Reader(input, flaw)
  switch (kind) {
    case 'once':
      if (typeof input.at !== 'string' || localMoment(input.at) === null)
        flaw('at', 'moment', { text: String(input.at) })
      break
    case 'daily':
      reader.times()
      break
    case 'weekly':
      reader.numbers('days', 1, 7, true)
      reader.times()
      break
    case 'monthly':
      reader.numbers('days', 1, 31, true, 'last')
      reader.numbers('months', 1, 12, false)
      reader.times()
      break
    case 'interval':
      reader.number('everySeconds', ...SCHEDULE_LIMITS.everySeconds)
      reader.time('from')
      reader.time('to')
      reader.numbers('days', 1, 7, false)
      break
    case 'pair':
      reader.timeOfDay('on')
      reader.timeOfDay('off')
      if (typeof input.on === 'string' && input.on === input.off) flaw('off', 'same')
      reader.numbers('days', 1, 7, false)
      break
    case 'sun':
      reader.sun(input, '')
      reader.numbers('days', 1, 7, false)
      break
    case 'cron':
      reader.cron()
  }
  if (input.dayKind !== undefined && !DAY_KINDS.some(each => each === input.dayKind))
    flaw('dayKind', 'kind', { kind: String(input.dayKind) })
  return problems.length > 0 ? { ok: false, problems } : { ok: true, schedule: input as unknown as Schedule }
}

type Flaw = (path: string, code: ScheduleProblem['code'], params?: ScheduleProblem['params']) => void

class Reader {
  constructor(
    private readonly input: Input,
    private readonly flaw: Flaw,
  ) {}

  time(field: string, value: unknown = this.input[field]): void {
    if (typeof value !== 'string' || secondOfDay(value) === null) this.flaw(field, 'time', { text: String(value) })
  }

  times(): void {
    const { times } = this.input
    if (!Array.isArray(times) || times.length === 0) this.flaw('times', 'missing')
    else if (times.length > SCHEDULE_LIMITS.times) this.flaw('times', 'too_many', { max: SCHEDULE_LIMITS.times })
    else for (const [at, time] of times.entries()) this.time(`times.${at}`, time)
  }

  number(field: string, min: number, max: number): void {
    const value = this.input[field]
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
      this.flaw(field, 'range', { min, max })
  }

  numbers(field: string, min: number, max: number, isNeeded: boolean, word?: string): void {
    const value = this.input[field]
    if (value === undefined && !isNeeded) return
    const isGood = (each: unknown) =>
      each === word || (Number.isInteger(each) && Number(each) >= min && Number(each) <= max)
    if (!Array.isArray(value) || value.length === 0 || value.length > SCHEDULE_LIMITS.days) this.flaw(field, 'missing')
    else if (!value.every(isGood)) this.flaw(field, 'days', { min, max })
  }

  timeOfDay(field: string): void {
    const value = this.input[field] as TimeOfDay | undefined
    if (value === undefined || value === null) this.flaw(field, 'missing')
    else if (typeof value === 'object') this.sun({ event: value.sun, offsetMinutes: value.offsetMinutes }, `${field}.`)
    else this.time(field)
  }

  sun({ event, offsetMinutes }: Input, path: string): void {
    if (!SUN_EVENTS.some(each => each === event)) this.flaw(`${path}event`, 'kind', { kind: String(event) })
    const max = SCHEDULE_LIMITS.offsetMinutes
    if (offsetMinutes === undefined) return
    if (!Number.isInteger(offsetMinutes) || Math.abs(Number(offsetMinutes)) > max)
      this.flaw(`${path}offsetMinutes`, 'range', { min: -max, max })
  }

  cron(): void {
    const { expression } = this.input
    const max = SCHEDULE_LIMITS.expression
    if (typeof expression !== 'string' || expression.trim() === '') this.flaw('expression', 'missing')
    else if (expression.length > max) this.flaw('expression', 'too_many', { max })
    else
      try {
        new Cron(expression, { paused: true }).nextRun()
      } catch (error) {
        this.flaw('expression', 'cron', { reason: error instanceof Error ? error.message : String(error) })
      }
  }
}
