import { isMomentary } from './parse-condition.ts'
import type { Clearing, Condition, RuleDocument } from './rule.ts'

/** A rule in its general form. */
export interface GeneralForm {
  condition: Condition
  clear: Clearing
}

/**
 * The general form of any rule: a one-click kind is nothing but a short way to write it.
 * @param rule as {@link parseRule} gave it
 */
export function generalForm(rule: RuleDocument): GeneralForm {
  const form = rule.kind === 'general' ? ofGeneral(rule) : ofKind(rule)
  if (!rule.antiShake) return form
  const { times, seconds, consecutive } = rule.antiShake
  const repeated: Condition = { type: 'repeated', of: form.condition, times, seconds }
  // What was raised after n times is cleared by the condition itself, not by the window that closes.
  const clear = form.clear === 'when_false' ? ({ type: 'not', of: form.condition } as const) : form.clear
  if (!consecutive) return { condition: repeated, clear }
  const run: Condition = { type: 'repeated', of: form.condition, times }
  return { condition: { type: 'all', of: [run, repeated] }, clear }
}

function ofGeneral(rule: RuleDocument): GeneralForm {
  const condition = rule.condition!
  return { condition, clear: rule.clear ?? (isMomentary(condition) ? 'manual' : 'when_false') }
}

function ofKind(rule: RuleDocument): GeneralForm {
  const { property = '', high = 0, low = 0, value = 0, decimals, deadBand = 0 } = rule
  const number = (op: 'gt' | 'gte' | 'lt' | 'lte', limit: number): Condition => ({
    type: 'compare',
    property,
    op,
    value: limit,
  })
  const range = (op: 'between' | 'outside', from: number, to: number): Condition => ({
    type: 'compare',
    property,
    op,
    low: from,
    high: to,
  })
  const lasting = (of: Condition): Condition => ({ type: 'held', of, seconds: (rule.minutes ?? 0) * 60 })
  /** Cleared when false, or when far enough behind the limit. */
  const behind = (condition: Condition, clear: Condition): GeneralForm => ({
    condition,
    clear: deadBand > 0 ? clear : 'when_false',
  })
  const equality = (op: 'eq' | 'ne', to: typeof value): GeneralForm => ({
    condition: { type: 'compare', property, op, value: to, ...(decimals === undefined ? {} : { decimals }) },
    clear: 'when_false',
  })
  const isAbove = number('gt', high)
  const isBelow = number('lt', low)
  const isOutside = range('outside', low, high)
  const isBack = range('between', low + deadBand, high - deadBand)
  switch (rule.kind) {
    case 'above':
      return behind(isAbove, number('lte', high - deadBand))
    case 'above_for':
      return behind(lasting(isAbove), number('lte', high - deadBand))
    case 'below':
      return behind(isBelow, number('gte', low + deadBand))
    case 'below_for':
      return behind(lasting(isBelow), number('gte', low + deadBand))
    case 'outside':
      return behind(isOutside, isBack)
    case 'outside_for':
      return behind(lasting(isOutside), isBack)
    case 'above_until_below':
      return { condition: isAbove, clear: isBelow }
    case 'below_until_above':
      return { condition: isBelow, clear: isAbove }
    case 'between':
      return behind(range('between', low, high), range('outside', low - deadBand, high + deadBand))
    case 'offline':
      return { condition: { type: 'offline' }, clear: 'when_false' }
    case 'offline_for':
      return { condition: lasting({ type: 'offline' }), clear: 'when_false' }
    case 'on':
      return equality('eq', true)
    case 'off':
      return equality('eq', false)
    case 'equal':
      return equality('eq', value)
    case 'not_equal':
      return equality('ne', value)
    case 'general':
      return ofGeneral(rule)
    case 'object':
      // Judged elsewhere: in the lanes it is something that never happens.
      return { condition: { type: 'api', key: rule.source?.type ?? '' }, clear: 'manual' }
  }
}
