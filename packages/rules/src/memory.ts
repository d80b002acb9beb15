import { fencePointOf, isInFence } from './fence.ts'
import type { Node, NodeType } from './program.ts'

/** Three answers: what was never told is neither true nor false, and neither raises nor clears. */
export const FALSE = 0
export const TRUE = 1
export const UNKNOWN = 2

/** What a condition remembers beyond its answer. Times are lane time, `ts` the devices'. Plain values: they go into snapshots. */
export type Memory =
  | { of: 'held'; since: number; done: boolean }
  | { of: 'repeated'; run: number; hits: number[]; open: boolean }
  | { of: 'no_data'; since: number; silent: boolean }
  | { of: 'values'; truth: number; value?: unknown; ts?: number }
  | { of: 'stuck'; truth: number; value?: unknown; since: number; seen: number; passed: boolean }
  | { of: 'fence'; truth: number; inside: number }
  | { of: 'deviation'; truth: number; seen: number; mean: number; variance: number; ts: number }
export type MemoryOf<T extends Memory['of']> = Extract<Memory, { of: T }>

/** The memory of a condition that has seen nothing; null: it needs none. */
export function newMemory(type: NodeType, now: number): Memory | null {
  switch (type) {
    case 'held':
      return { of: 'held', since: -1, done: false }
    case 'repeated':
      return { of: 'repeated', run: 0, hits: [], open: false }
    case 'no_data':
      return { of: 'no_data', since: now, silent: false }
    case 'rate':
    case 'jump':
      return { of: 'values', truth: UNKNOWN }
    case 'stuck':
      return { of: 'stuck', truth: UNKNOWN, since: now, seen: 0, passed: false }
    case 'geofence':
      return { of: 'fence', truth: UNKNOWN, inside: UNKNOWN }
    case 'deviation':
      return { of: 'deviation', truth: UNKNOWN, seen: 0, mean: 0, variance: 0, ts: 0 }
    default:
      return null
  }
}

/** A value that a rate is told of. @returns the answer */
export function judgeRate(
  node: Extract<Node, { type: 'rate' }>,
  m: MemoryOf<'values'>,
  value: unknown,
  ts: number,
): number {
  if (typeof value !== 'number') return m.truth
  if (typeof m.value === 'number' && m.ts !== undefined) {
    // Two values of one moment have no rate: the later word replaces the earlier one.
    if (ts === m.ts) {
      m.value = value
      return m.truth
    }
    m.truth = node.test(((value - m.value) / (ts - m.ts)) * 60_000, node.perMinute) ? TRUE : FALSE
  }
  m.value = value
  m.ts = ts
  return m.truth
}

/** A position that a fence is told of; what is no position tells it nothing. @returns the answer */
export function judgeFence(
  node: Pick<Extract<Node, { type: 'geofence' }>, 'shape' | 'when'>,
  m: MemoryOf<'fence'>,
  value: unknown,
): number {
  const place = fencePointOf(value)
  if (!place) return m.truth
  const before = m.inside
  m.inside = isInFence(node.shape, place) ? TRUE : FALSE
  if (node.when === 'inside') m.truth = m.inside
  else if (node.when === 'outside') m.truth = m.inside === TRUE ? FALSE : TRUE
  else {
    const there = node.when === 'enter' ? TRUE : FALSE
    // Where it stands when it is first seen is no crossing.
    if (m.inside !== there || before === UNKNOWN) m.truth = FALSE
    else if (before !== there) m.truth = TRUE
  }
  return m.truth
}

/** A value that a jump is told of. @returns the answer */
export function judgeJump(by: number, m: MemoryOf<'values'>, value: unknown): number {
  if (typeof value !== 'number') return m.truth
  if (typeof m.value === 'number') m.truth = Math.abs(value - m.value) >= by ? TRUE : FALSE
  m.value = value
  return m.truth
}

/** A value that may be stuck. @returns whether it moved, so that its time begins anew */
export function judgeStuck(tolerance: number, m: MemoryOf<'stuck'>, value: unknown, now: number): boolean {
  const isSame =
    m.seen > 0 &&
    (typeof value === 'number' && typeof m.value === 'number'
      ? Math.abs(value - m.value) <= tolerance
      : value === m.value)
  if (!isSame) {
    m.value = value
    m.since = now
    m.seen = 1
    m.passed = false
    m.truth = FALSE
    return true
  }
  m.seen++
  if (m.passed) m.truth = TRUE
  return false
}

/**
 * A value against its own average, which forgets with a time constant: weights fall by e in `ms`, so that days of values
 * cost three numbers. The value is judged before it counts itself.
 * @returns the answer
 */
export function judgeDeviation(
  node: { ms: number; sigmas: number; samples: number },
  m: MemoryOf<'deviation'>,
  value: unknown,
  ts: number,
): number {
  if (typeof value !== 'number') return m.truth
  if (m.seen >= node.samples) {
    const away = Math.abs(value - m.mean)
    m.truth = away > 0 && away >= node.sigmas * Math.sqrt(m.variance) ? TRUE : FALSE
  }
  if (m.seen === 0) m.mean = value
  else {
    // As long as few values are known each counts alike, or the first would weigh as all that came before it.
    const part = Math.max(1 - Math.exp(-Math.max(0, ts - m.ts) / node.ms), 1 / (m.seen + 1))
    const step = value - m.mean
    m.mean += part * step
    m.variance = (1 - part) * (m.variance + part * step * step)
  }
  m.seen++
  m.ts = ts
  return m.truth
}
