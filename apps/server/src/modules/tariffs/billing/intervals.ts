import { add, compare, decimal, type Ratio, subtract, ZERO } from './ratio.ts'

/** A cumulative reading: epoch ms, and the register as a decimal. */
export interface Reading {
  t: number
  v: string
}

/** The register was set or exchanged at a moment. */
export interface DeclaredReset {
  t: number
  /** What it showed last; null: what was last read. */
  finalValue: string | null
  /** What it began with again. */
  startValue: string
}

export interface MeterRules {
  /** The value at which the register begins again at 0 (100000 for five digits); null: it never does. */
  rollover: string | null
  /** Readings further apart than this are a gap. */
  gapMs: number
  resets: readonly DeclaredReset[]
}

export const INTERVAL_KINDS = ['measured', 'rollover', 'reset', 'refused'] as const
export type IntervalKind = (typeof INTERVAL_KINDS)[number]

/** What went through a meter from one reading to the next. */
export interface Interval {
  from: Reading
  to: Reading
  kind: IntervalKind
  /** The readings lie further apart than the rules allow: how it is spread over the time is an estimate. */
  gap: boolean
}

/**
 * A fall is a roll-over only when what went through is at most this part of the register: a register of 100,000 that
 * falls from 99,990 to 12 rolled over, one that falls from 500 to 400 did not.
 */
const ROLLOVER_PART = 10n

/** Readings in order of time, each time once (the last one counts), texts that are no numbers left out. */
export function inOrder(readings: readonly Reading[]): Reading[] {
  const byTime = new Map<number, Reading>()
  for (const reading of readings) byTime.set(reading.t, reading)
  return [...byTime.values()].sort((a, b) => a.t - b.t)
}

/** The intervals between readings that are in order. */
export function intervalsOf(readings: readonly Reading[], rules: MeterRules): Interval[] {
  const intervals: Interval[] = []
  const resets = [...rules.resets].sort((a, b) => a.t - b.t)
  let next = 0
  for (let i = 1; i < readings.length; i++) {
    const from = readings[i - 1]!
    const to = readings[i]!
    while (next < resets.length && resets[next]!.t <= from.t) next++
    const isReset = next < resets.length && resets[next]!.t <= to.t
    const interval: Interval = { from, to, kind: 'measured', gap: to.t - from.t > rules.gapMs }
    if (isReset) interval.kind = contradicts(interval, rules) ? 'refused' : 'reset'
    else if (falls(from.v, to.v)) interval.kind = isRollover(from.v, to.v, rules.rollover) ? 'rollover' : 'refused'
    intervals.push(interval)
  }
  return intervals
}

/** What went through. @throws Error for an interval that was refused */
export function quantityOf(interval: Interval, rules: MeterRules): Ratio {
  const { from, to, kind } = interval
  if (kind === 'refused') throw new Error('a refused interval has no quantity')
  if (kind === 'reset') return add(...partsOf(interval, rules))
  const difference = subtract(decimal(to.v), decimal(from.v))
  return kind === 'rollover' ? add(difference, decimal(rules.rollover!)) : difference
}

/** Numbers tell at once, and only numbers that may be equal are compared as decimals. */
function falls(before: string, after: string): boolean {
  const [a, b] = [Number(before), Number(after)]
  return a === b ? before !== after && compare(decimal(after), decimal(before)) < 0 : b < a
}

function isRollover(before: string, after: string, width: string | null): boolean {
  if (width === null) return false
  const [a, b, w] = [decimal(before), decimal(after), decimal(width)]
  if (compare(a, w) > 0 || compare(b, ZERO) < 0) return false
  const through = add(subtract(b, a), w)
  return compare({ n: through.n * ROLLOVER_PART, d: through.d }, w) <= 0
}

/** What went through before the last reset of the interval, and after it. */
function partsOf({ from, to }: Interval, rules: MeterRules): [Ratio, Ratio] {
  let before = ZERO
  let register = decimal(from.v)
  for (const reset of [...rules.resets].sort((a, b) => a.t - b.t)) {
    if (reset.t <= from.t || reset.t > to.t) continue
    if (reset.finalValue !== null) before = add(before, subtract(decimal(reset.finalValue), register))
    register = decimal(reset.startValue)
  }
  return [before, subtract(decimal(to.v), register)]
}

/** The declared values contradict the readings. */
function contradicts(interval: Interval, rules: MeterRules): boolean {
  return partsOf(interval, rules).some(part => compare(part, ZERO) < 0)
}
