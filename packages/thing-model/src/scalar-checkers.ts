import type { BytesType, EnumType, Int64Type, NumberType, StringType } from './model.ts'
import { LIMITS } from './model.ts'
import { kindOf, type REFUSED, refuse } from './refusal.ts'
import { isStorableText } from './text.ts'

/** Gives back the normalised value, or REFUSED with the reason noted. */
export type Checker = (value: unknown) => unknown

const INT32 = { min: -(2 ** 31), max: 2 ** 31 - 1 }
const FLOAT_MAX = 3.4028234663852886e38
const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n }
/** The time values of ECMAScript: 100,000,000 days around 1970. */
const DATE_MAX = 8.64e15
const DIGITS = /^-?\d{1,19}$/
const HEX = /^(?:[0-9a-fA-F]{2})*$/
const FILE_ADDRESS = /^(?:https?:\/\/[^\s]+|\/(?!\/)[^\s]*)$/

function notA(type: string, value: unknown): typeof REFUSED {
  if (typeof value === 'number' && !Number.isFinite(value)) return refuse('number_not_finite', 'not a finite number')
  return refuse('property_type', `expects ${type}, got ${kindOf(value)}`)
}

export const checkBool: Checker = value => {
  if (value === true || value === false) return value
  if (value === 1) return true
  if (value === 0) return false
  return notA('bool (true, false, 0 or 1)', value)
}

/** A whole number whose digits are more than every number holds comes as text. */
const LONG_DIGITS = /^-?[1-9]\d{15,308}$/

/** The number that the digits say exactly; undefined: none does. */
function wholeOf(digits: string): number | undefined {
  if (!LONG_DIGITS.test(digits)) return undefined
  const number = Number(digits)
  return Number.isFinite(number) && BigInt(number) === BigInt(digits) ? number : undefined
}

/** int32, float, double. A float keeps the digits it was sent with; only its range is that of 32 bits. */
export function numberChecker({ type, min, max }: NumberType): Checker {
  const floor = type === 'int32' ? INT32.min : type === 'float' ? -FLOAT_MAX : -Number.MAX_VALUE
  const ceiling = type === 'int32' ? INT32.max : type === 'float' ? FLOAT_MAX : Number.MAX_VALUE
  const low = Math.max(min ?? floor, floor)
  const high = Math.min(max ?? ceiling, ceiling)
  const whole = type === 'int32'
  return sent => {
    const value = typeof sent === 'string' && !whole ? (wholeOf(sent) ?? sent) : sent
    if (typeof value !== 'number') {
      const digits = typeof value === 'string' && LONG_DIGITS.test(value)
      return digits ? refuse('property_range', 'more digits than a number holds') : notA(type, value)
    }
    // Written so that NaN falls through to the slow path.
    if (value >= low && value <= high) {
      if (whole && !Number.isInteger(value)) return refuse('property_type', 'expects a whole number')
      return value === 0 ? 0 : value // -0 becomes 0: neither JSON text nor numeric keeps its sign
    }
    if (!Number.isFinite(value)) return notA(type, value)
    return value < low ? refuse('property_range', `below min ${low}`) : refuse('property_range', `above max ${high}`)
  }
}

/**
 * int64: a JSON number up to 2^53, digits in a string up to 63 bits. A number beyond 2^53 has already lost digits when
 * it reaches us, so it is refused rather than stored wrong. Normal form: number up to 2^53 - 1, else decimal string.
 */
export function int64Checker({ min, max }: Int64Type): Checker {
  const low = min === undefined ? INT64.min : BigInt(min)
  const high = max === undefined ? INT64.max : BigInt(max)
  const lowNumber = Number(low)
  const highNumber = Number(high)
  return value => {
    if (typeof value === 'number') {
      if (Number.isSafeInteger(value)) {
        if (value < lowNumber) return refuse('property_range', `below min ${low}`)
        if (value > highNumber) return refuse('property_range', `above max ${high}`)
        return value + 0
      }
      if (!Number.isFinite(value)) return notA('int64', value)
      if (!Number.isInteger(value)) return refuse('property_type', 'expects a whole number')
      return refuse('property_range', 'beyond 2^53 digits must be sent as a string')
    }
    if (typeof value !== 'string' || !DIGITS.test(value)) return notA('int64', value)
    const big = BigInt(value)
    if (big < low) return refuse('property_range', `below min ${low}`)
    if (big > high) return refuse('property_range', `above max ${high}`)
    const small = Number(big)
    return Number.isSafeInteger(small) ? small : big.toString()
  }
}

export function stringChecker({ maxLength = LIMITS.stringLength }: StringType): Checker {
  return value => {
    if (typeof value !== 'string') return notA('string', value)
    if (value.length > maxLength) return refuse('property_range', `longer than ${maxLength}`)
    if (!isStorableText(value)) return refuse('text_not_storable', 'NUL or half a surrogate pair')
    return value
  }
}

export function enumChecker({ items }: EnumType): Checker {
  const values = new Set<unknown>(items.map(item => item.value))
  return value => {
    if (values.has(value)) return value === 0 ? 0 : value
    if (typeof value === 'number' && Number.isFinite(value)) return refuse('property_range', 'not a value of the enum')
    if (typeof value === 'string') return refuse('property_range', 'not a value of the enum')
    return notA('a value of the enum', value)
  }
}

export const checkDate: Checker = value => {
  if (typeof value !== 'number' || !Number.isFinite(value)) return notA('date (epoch ms)', value)
  if (!Number.isInteger(value)) return refuse('property_type', 'expects whole milliseconds')
  if (value < -DATE_MAX || value > DATE_MAX) return refuse('property_range', 'not a date')
  return value + 0
}

export function bytesChecker({ maxLength = LIMITS.bytesLength }: BytesType): Checker {
  return value => {
    if (typeof value !== 'string') return notA('bytes (hex)', value)
    if (value.length > maxLength * 2) return refuse('property_range', `longer than ${maxLength} bytes`)
    if (!HEX.test(value)) return refuse('property_type', 'expects hex digits in pairs')
    return value.toLowerCase()
  }
}

export const checkFile: Checker = value => {
  if (typeof value !== 'string') return notA('file (address)', value)
  if (value.length > LIMITS.fileLength) return refuse('property_range', `longer than ${LIMITS.fileLength}`)
  if (!isStorableText(value)) return refuse('text_not_storable', 'NUL or half a surrogate pair')
  if (!FILE_ADDRESS.test(value)) return refuse('property_type', 'expects an http(s) address or a path')
  return value
}

const COLOUR = /^#[0-9a-fA-F]{6}$/

/** `#rrggbb`. Normal form: small letters. */
export const checkColour: Checker = value => {
  if (typeof value !== 'string' || !COLOUR.test(value)) return notA('colour (#rrggbb)', value)
  return value.toLowerCase()
}

/** Whole milliseconds from 0 to the span of all dates. */
export const checkDuration: Checker = value => {
  if (typeof value !== 'number' || !Number.isFinite(value)) return notA('duration (ms)', value)
  if (!Number.isInteger(value)) return refuse('property_type', 'expects whole milliseconds')
  if (value < 0 || value > DATE_MAX) return refuse('property_range', 'not a duration')
  return value + 0
}
