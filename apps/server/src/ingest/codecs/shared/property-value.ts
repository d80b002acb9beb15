import type { CompiledModel, DataType } from '@thingwright/thing-model'
import { DEFAULT_ZONE, readTime, zoneMinutes } from '../../../lib/written-time.ts'

/**
 * Brings what a wire format can say (numbers, texts, bits) nearer to what the property is: a number becomes a bool or a
 * text, a text that is a number becomes one, seconds stay as they are. What does not fit is handed on as it is: the
 * thing model refuses it by name.
 */
export type Coerce = (value: unknown) => unknown

const asIs: Coerce = value => value

export function coercionTo(type: DataType | undefined): Coerce {
  switch (type?.type) {
    case 'bool':
      return toBool
    case 'int32':
    case 'int64':
    case 'float':
    case 'double':
      return toNumber
    case 'date':
      return toTime
    case 'string':
      return toText
    case 'enum':
      return type.items.every(item => typeof item.value === 'number')
        ? toNumber
        : type.items.every(item => typeof item.value === 'string')
          ? toText
          : asIs
    default:
      return asIs
  }
}

/** The coercion for a property of the model, or for a parameter of an event; as it is when there is none of the name. */
export function coercionOf(model: CompiledModel, identifier: string, event?: string): Coerce {
  if (event === undefined) return coercionTo(model.properties.get(identifier)?.dataType)
  return coercionTo(model.events.get(event)?.params.find(param => param.identifier === identifier)?.dataType)
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/
const LONGEST_NUMBER = 64

/** Reads a decimal number; digits beyond 2^53 stay text. Undefined: it is none. */
export function readNumber(text: string): number | string | undefined {
  const trimmed = text.trim()
  if (trimmed.length > LONGEST_NUMBER || !NUMBER.test(trimmed)) return undefined
  const value = Number(trimmed)
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && /^[+-]?\d+$/.test(trimmed))
    return trimmed.replace(/^\+/, '')
  return Number.isFinite(value) ? value : undefined
}

const toNumber: Coerce = value => {
  if (typeof value === 'string') return readNumber(value) ?? value
  if (typeof value === 'boolean') return value ? 1 : 0
  return value
}

const ZONE = zoneMinutes(DEFAULT_ZONE)

/** Milliseconds as digits, or a written time. */
const toTime: Coerce = value =>
  typeof value === 'string' && readNumber(value) === undefined ? (readTime(value, ZONE) ?? value) : toNumber(value)

const toBool: Coerce = value => {
  if (typeof value === 'number') return value !== 0 && Number.isFinite(value) ? true : value === 0 ? false : value
  if (typeof value !== 'string') return value
  switch (value.trim().toLowerCase()) {
    case '1':
    case 'true':
    case 'on':
    case 'yes':
      return true
    case '0':
    case 'false':
    case 'off':
    case 'no':
      return false
    default:
      return value
  }
}

/** A whole number beyond 2^53 has lost digits: it stays a number, which a text refuses. */
const toText: Coerce = value =>
  (typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value))) ||
  typeof value === 'boolean' ||
  typeof value === 'bigint'
    ? String(value)
    : value

/** What a wire format writes for a value of the model: booleans as 1 and 0, digits as numbers. Undefined: no number. */
export function numberToWrite(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string') {
    const read = readNumber(value)
    // Digits that a number does not hold would be written as others.
    return typeof read === 'number' ? read : undefined
  }
  return undefined
}
