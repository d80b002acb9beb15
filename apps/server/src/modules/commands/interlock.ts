import type { CommandCondition } from '@thingwright/contracts/command-schemas'
import type { Reading } from '../../lib/journal/latest-values.ts'

/** The first condition that does not hold, with what there was instead. */
export interface Interlocked {
  condition: CommandCondition
  /** As text; `-` when the property was never reported or is too old. */
  actual: string
}

/**
 * Asks conditions of a device's latest values. What was never reported, is older than asked, or cannot be compared holds
 * nothing: when in doubt the command does not go.
 * @param now epoch ms
 */
export function interlocked(
  conditions: readonly CommandCondition[],
  latest: ReadonlyMap<string, Reading> | undefined,
  now: number,
): Interlocked | null {
  for (const condition of conditions) {
    const [value, ts] = latest?.get(condition.identifier) ?? []
    const tooOld = condition.maxAgeSeconds !== undefined && (ts ?? 0) < now - condition.maxAgeSeconds * 1000
    if (value === undefined || value === null || tooOld) return { condition, actual: '-' }
    if (!holds(condition, value)) return { condition, actual: String(value).slice(0, 64) }
  }
  return null
}

function holds({ operator, value: wanted }: CommandCondition, value: unknown): boolean {
  if (operator === 'eq') return same(value, wanted)
  if (operator === 'ne') return !same(value, wanted)
  const left = numeric(value)
  const right = numeric(wanted)
  if (left === null || right === null) return false
  switch (operator) {
    case 'lt':
      return left < right
    case 'lte':
      return left <= right
    case 'gt':
      return left > right
    case 'gte':
      return left >= right
  }
}

function same(value: unknown, wanted: unknown): boolean {
  const left = numeric(value)
  const right = numeric(wanted)
  return left !== null && right !== null ? left === right : String(value) === String(wanted)
}

/** Numbers, booleans as 0 and 1, and digits (values beyond 2^53 travel as text). */
function numeric(value: unknown): number | null {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : null
}

const SIGNS = { lt: '<', lte: '≤', gt: '>', gte: '≥', eq: '=', ne: '≠' } as const

/** What an interlock's refusal tells: parameters of `command.interlocked`. */
export function interlockParams({ condition, actual }: Interlocked): Record<string, unknown> {
  return {
    identifier: condition.identifier,
    operator: SIGNS[condition.operator],
    value: String(condition.value),
    actual,
  }
}
