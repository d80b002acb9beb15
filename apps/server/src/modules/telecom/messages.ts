import type { PlatformCommandState } from './platform.port.ts'
import type { RefusalReason } from './refused.repo.ts'

/** A value that a platform read itself, with its own time; without one: that of the arrival. */
export interface PlatformReading {
  ts: number | null
  values: Record<string, unknown>
}

/** What a platform pushed, whichever platform it was. */
export interface PlatformMessage {
  /** The same message pushed again has the same. */
  identity: string
  /** What the platform calls the device, its product, and how else it may be known. */
  platformDevice: string
  platformProduct: string
  imei: string | null
  deviceNo: string | null
  says:
    | { kind: 'online' }
    | { kind: 'offline' }
    | { kind: 'bytes'; bytes: Buffer }
    | { kind: 'values'; readings: PlatformReading[] }
    | { kind: 'events'; events: { identifier: string; ts: number | null; params: Record<string, unknown> }[] }
    | { kind: 'command'; platformNo: string; state: PlatformCommandState }
    /** Nothing that anybody needs here. */
    | { kind: 'nothing' }
}

/** What came in is not what the platform's documents say. */
export class UnreadableMessage extends Error {
  constructor(
    readonly reason: Extract<RefusalReason, 'body' | 'kind_unknown'>,
    readonly detail: string,
  ) {
    super(`${reason}: ${detail}`)
    this.name = 'UnreadableMessage'
  }
}

export type Fields = Record<string, unknown>

export function fieldsOf(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableMessage('body', `${where} is no object`)
  return value as Fields
}

/** A text, or a number as its digits; null where there is none, or the word that a platform writes for none. */
export function optionalText(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : null
  return typeof value === 'string' && value !== '' && value !== 'undefined' && value !== 'null' ? value : null
}

export function textOf(value: unknown, where: string): string {
  const text = optionalText(value)
  if (text === null) throw new UnreadableMessage('body', `${where} is missing`)
  return text
}

/** Epoch ms; null where there is none. A number that is no time is refused, not guessed at. */
export function timeOf(value: unknown, where: string): number | null {
  if (value === undefined || value === null || value === '') return null
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number) || number <= 0)
    throw new UnreadableMessage('body', `${where} is no time`)
  return number
}

/** The digits of an IMEI; null: what stands there is none. */
export function imeiOf(value: unknown): string | null {
  const text = optionalText(value)
  return text !== null && /^\d{15}$/.test(text) ? text : null
}
