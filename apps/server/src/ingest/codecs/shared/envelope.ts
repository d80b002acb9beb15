import { readTime } from '../../../lib/written-time.ts'
import type { RefusalReason } from '../../uplink.ts'

/** More elements than this are more rows than one message may make. */
export const MAX_ELEMENTS = 1_000

/** What stands in a message, before its values are checked. */
export interface Envelope {
  /** Epoch ms as sent, or undefined. */
  ts: number | undefined
  values: unknown
  /** Why the time as sent cannot be read; `ts` is undefined then. */
  badTs?: Refusal
}

/** Why a message cannot be taken; a class, so that no device's data can look like one. */
export class Refusal {
  constructor(
    readonly reason: RefusalReason,
    readonly path: string,
    readonly detail: string,
  ) {}
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The message does not have the form of interfaces.md §4. */
export function wrongShape(path: string, detail: string): Refusal {
  return new Refusal('payload_shape', path, detail)
}

/** What PostgreSQL and JSON do not know. */
export function notFinite(path: string): Refusal {
  return new Refusal('number_not_finite', path, 'not a finite number')
}

/**
 * Reads `{"ts"?, [key]: …}`, and where `bare` allows it an object of values alone. `ts` and `values` are no names of
 * properties, so the two cannot be mistaken for each other.
 */
export function readEnvelope(value: unknown, key: 'values' | 'params', bare: boolean): Envelope | Refusal {
  if (!isObject(value)) return wrongShape('', 'expects an object')
  const enveloped = Object.hasOwn(value, key) || Object.hasOwn(value, 'ts')
  if (!enveloped && bare) return { ts: undefined, values: value }
  for (const name in value) if (name !== 'ts' && name !== key) return wrongShape('', `knows only ts and ${key}`)
  if (bare && !Object.hasOwn(value, key)) return wrongShape(key, 'missing')
  const { ts } = value
  if (ts === undefined) return { ts: undefined, values: value[key] }
  const values = value[key]
  if (ts === null) return { ts: undefined, values }
  const read = typeof ts === 'string' ? timeOfText(ts) : ts
  if (typeof read !== 'number')
    return { ts: undefined, values, badTs: wrongShape('ts', 'expects epoch milliseconds or a time with its zone') }
  if (!Number.isFinite(read)) return { ts: undefined, values, badTs: notFinite('ts') }
  return { ts: read, values }
}

/** Milliseconds as digits, or a written time that names its zone. */
function timeOfText(text: string): number | undefined {
  const trimmed = text.trim()
  return /^\d{11,16}$/.test(trimmed) ? Number(trimmed) : readTime(trimmed)
}

/** The elements of a post: itself, or those of an array of posts. */
export function elementsOf(value: unknown): readonly unknown[] | Refusal {
  if (!Array.isArray(value)) return [value]
  if (value.length === 0) return wrongShape('', 'an empty array')
  if (value.length > MAX_ELEMENTS) return new Refusal('too_large', '', `more than ${MAX_ELEMENTS} elements`)
  return value
}
