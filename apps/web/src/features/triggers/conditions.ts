/** A condition of a general trigger, as the server reads it (docs/adr/0047-rules-engine.md). */
export interface Condition {
  type: ConditionType
  of?: Condition | Condition[]
  [field: string]: unknown
}

/** Kinds of conditions, in the order in which they are offered. */
export const CONDITION_TYPES = [
  'compare',
  'all',
  'any',
  'not',
  'held',
  'repeated',
  'no_data',
  'rate',
  'jump',
  'stuck',
  'deviation',
  'online',
  'offline',
  'event',
  'command_failed',
  'geofence',
  'tick',
  'button',
  'api',
] as const
export type ConditionType = (typeof CONDITION_TYPES)[number]

export const GROUPS = ['all', 'any'] as const
/** They hold one other condition. */
export const WRAPPERS = ['not', 'held', 'repeated'] as const

export const OPERATORS = [
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'outside',
  'eq',
  'ne',
  'starts',
  'ends',
  'contains',
  'in',
  'not_in',
] as const
export type Operator = (typeof OPERATORS)[number]
export const RATE_OPERATORS = ['gt', 'gte', 'lt', 'lte'] as const

export const isGroup = (type: ConditionType): type is (typeof GROUPS)[number] =>
  (GROUPS as readonly string[]).includes(type)
export const isWrapper = (type: ConditionType): type is (typeof WRAPPERS)[number] =>
  (WRAPPERS as readonly string[]).includes(type)

/** Operators that take two limits, a list, or one value. */
export function shapeOf(op: unknown): 'range' | 'list' | 'one' {
  if (op === 'between' || op === 'outside') return 'range'
  return op === 'in' || op === 'not_in' ? 'list' : 'one'
}

/** A condition of another kind: what the kinds have in common stays. */
export function turned(condition: Condition, type: ConditionType): Condition {
  const inner = Array.isArray(condition.of) ? condition.of : condition.of ? [condition.of] : []
  const { property, device } = condition
  const kept = {
    ...(typeof property === 'string' ? { property } : {}),
    ...(typeof device === 'string' ? { device } : {}),
  }
  const leaf = inner[0] ?? (isGroup(condition.type) || isWrapper(condition.type) ? fresh() : condition)
  switch (type) {
    case 'all':
    case 'any':
      return { type, of: inner.length > 0 ? inner : [leaf] }
    case 'not':
      return { type, of: leaf }
    case 'held':
      return { type, of: leaf, seconds: 300 }
    case 'repeated':
      return { type, of: leaf, times: 3, seconds: 600 }
    case 'compare':
      return { type, property: '', op: 'gt', ...kept }
    case 'no_data':
      return { type, seconds: 600, ...kept }
    case 'rate':
      return { type, property: '', op: 'gt', perMinute: 1, ...kept }
    case 'jump':
      return { type, property: '', by: 1, ...kept }
    case 'stuck':
      return { type, property: '', seconds: 3600, ...kept }
    case 'deviation':
      return { type, property: '', seconds: 604_800, sigmas: 3, ...kept }
    case 'event':
      return { type, identifier: '', ...(kept.device ? { device: kept.device } : {}) }
    case 'online':
    case 'offline':
    case 'command_failed':
      return { type, ...(kept.device ? { device: kept.device } : {}) }
    case 'geofence':
      return { type, fence: '', when: 'enter', ...(kept.device ? { device: kept.device } : {}) }
    case 'tick':
      return { type, seconds: 3600 }
    case 'button':
    case 'api':
      return { type, key: '' }
  }
}

/** What an empty group begins with. */
export const fresh = (): Condition => ({ type: 'compare', property: '', op: 'gt' })

/** Inner conditions, whatever the kind. */
export function innerOf(condition: Condition): Condition[] {
  return Array.isArray(condition.of) ? condition.of : condition.of ? [condition.of] : []
}

/**
 * A value that a person typed, as what it exactly is: a number, a truth value, otherwise the text.
 * @param asText the property holds texts: nothing is read into it
 */
export function scalarOf(text: string, asText = false): number | boolean | string {
  const trimmed = text.trim()
  if (asText) return text
  if (trimmed === 'true') return true
  if (trimmed === 'false') return false
  // Digits that a number cannot hold, and zeros in front (numbers of cards), stay a text: nothing is altered silently.
  const exact =
    /^-?(0|[1-9]\d*)(\.\d+)?$/.test(trimmed) &&
    String(Number(trimmed)) === trimmed.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')
  return exact ? Number(trimmed) : text
}
