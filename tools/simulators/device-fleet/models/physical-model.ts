import type { Rng } from './rng.ts'

export type Values = Record<string, unknown>

/** Where, when and as what a device starts its life. */
export interface Site {
  at: number
  lng: number
  lat: number
  /** Facts of this one device, such as the set point of a cold room; what a model does not know it ignores. */
  traits?: Values
}

export interface EmittedEvent {
  identifier: string
  params: Values
}

/** Answer to a property set or a service call: code 0 is done, anything else a refusal with its reason. */
export interface Outcome {
  code: number
  message?: string
  data?: Values
}

/** Every state knows its time; all of it is plain JSON, so that a device can be stored and continued. */
export interface PhysicalState {
  at: number
}

/**
 * How one kind of device behaves. Pure: the next state comes from the state, the time passed and the random numbers,
 * so the same seed and the same steps give the same life, whoever looks at it and whenever.
 */
export interface PhysicalModel<S extends PhysicalState> {
  readonly kind: string
  /** Time between two live posts. */
  readonly intervalMs: number
  create(site: Site, rng: Rng): S
  /**
   * Any dt up to a minute; must not depend on the size of dt by more than the noise. The state is written out field by
   * field: `{...state, at}` costs V8 fifteen times as much as a literal, and a week of sixty devices is 600,000 steps.
   */
  step(state: S, dtMs: number, rng: Rng): S
  /** What the device posts, rounded as its instruments are. */
  report(state: S): Values
  /** Per writable property: the state after setting it, or the reason why not. */
  readonly writable: Readonly<Record<string, (state: S, value: unknown) => S | string>>
  readonly services: Readonly<Record<string, (state: S, input: Values) => { state: S; outcome: Outcome }>>
  /** What the device announces when it went from one state to the next. */
  events(before: S, after: S): EmittedEvent[]
}

export function round(value: number, decimals: number): number {
  const scale = 10 ** decimals
  return Math.round(value * scale) / scale + 0
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value))
}

/** One step of a first-order lag towards the target; exact for every dt. */
export function approach(value: number, target: number, tauMs: number, dtMs: number): number {
  return target + (value - target) * Math.exp(-dtMs / tauMs)
}

export function refuse<S>(state: S, message: string, code = 1): { state: S; outcome: Outcome } {
  return { state, outcome: { code, message } }
}

/** A trait that is a number, else the fallback. */
export function traitNumber(site: Site, key: string, fallback: number): number {
  const value = site.traits?.[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback
}

/** The number a caller gave, held within bounds; the fallback when he gave none. */
export function inputNumber(input: Values, key: string, fallback: number, low: number, high: number): number {
  const value = input[key]
  return typeof value === 'number' && Number.isFinite(value) ? clamp(value, low, high) : fallback
}

export const SECOND = 1_000
export const MINUTE = 60_000
export const HOUR = 3_600_000
