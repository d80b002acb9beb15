/** Why a message was refused; stable words, shown in the product's list of failing frames. */
export type RefusalReason =
  | 'json_invalid'
  | 'payload_shape'
  | 'property_unknown'
  | 'property_type'
  | 'property_range'
  | 'event_unknown'
  | 'service_unknown'
  | 'text_not_storable'
  | 'number_not_finite'
  | 'too_large'
  | 'topic_unknown'
  | 'not_storable'

export interface Refused {
  readonly ok: false
  readonly reason: RefusalReason
  /** Where, from the checked object down: `motor.speed`, `samples[3]`; empty for the object itself. */
  readonly path: string
  /** What was wrong in technical English: `above max 100`, `expects int32, got string`. */
  readonly detail: string
}

export interface Accepted {
  readonly ok: true
  /** The normalised values. The very object handed in when nothing had to be changed. */
  readonly values: Record<string, unknown>
}

export type CheckResult = Accepted | Refused

/** What a checker returns instead of a value when it refuses; the reason lies in {@link failure}. */
export const REFUSED = Symbol('refused')

/**
 * The reason of the refusal under way. Checks are synchronous and each is read out before the next begins, so one
 * holder serves all and the accepting path allocates nothing.
 */
export const failure: { reason: RefusalReason; path: string; detail: string } = {
  reason: 'payload_shape',
  path: '',
  detail: '',
}

/** Notes a refusal at the value being looked at. */
export function refuse(reason: RefusalReason, detail: string): typeof REFUSED {
  failure.reason = reason
  failure.path = ''
  failure.detail = detail
  return REFUSED
}

/** Adds a step to the refusal's path on the way out: a field's name or an index such as `[3]`. */
export function refusedBelow(step: string): typeof REFUSED {
  const { path } = failure
  failure.path = path === '' ? step : path.startsWith('[') ? step + path : `${step}.${path}`
  return REFUSED
}

export function takeRefusal(): Refused {
  return { ok: false, reason: failure.reason, path: failure.path, detail: failure.detail }
}

/** Names the JSON type of a value for the detail of a refusal. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** A key as it may stand in a path: cut short and free of anything that cannot be stored. */
export function printableKey(key: string): string {
  return /^[\w.:-]{1,64}$/.test(key) ? key : JSON.stringify(key.slice(0, 64)).replaceAll('\\u0000', '?')
}
