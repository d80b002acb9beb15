import type { ArrayType, DataType, StructType } from './model.ts'
import { LIMITS } from './model.ts'
import { kindOf, printableKey, REFUSED, refuse, refusedBelow } from './refusal.ts'
import {
  bytesChecker,
  type Checker,
  checkBool,
  checkColour,
  checkDate,
  checkDuration,
  checkFile,
  enumChecker,
  int64Checker,
  numberChecker,
  stringChecker,
} from './scalar-checkers.ts'
import { isStorableText } from './text.ts'

/** An object of named fields. `required` are the names that must be there. */
export interface FieldTable {
  readonly checkers: ReadonlyMap<string, Checker>
  readonly required: readonly string[]
  /** Fields that consist of fields themselves: of these the good ones can be kept. */
  readonly parts: ReadonlyMap<string, FieldTable>
  /** Fields of which null is a value like any other. */
  readonly nullable: ReadonlySet<string>
}

/** Compiles a data type into a checker once; the checker then runs without looking at the type again. */
export function compileType(dataType: DataType): Checker {
  switch (dataType.type) {
    case 'bool':
      return checkBool
    case 'int32':
    case 'float':
    case 'double':
      return numberChecker(dataType)
    case 'int64':
      return int64Checker(dataType)
    case 'string':
      return stringChecker(dataType)
    case 'enum':
      return enumChecker(dataType)
    case 'date':
      return checkDate
    case 'struct':
      return structChecker(dataType)
    case 'array':
      return arrayChecker(dataType)
    case 'geo':
      return checkGeo
    case 'file':
      return checkFile
    case 'json':
      return value => checkJson(value, LIMITS.jsonDepth)
    case 'bytes':
      return bytesChecker(dataType)
    case 'password':
      return stringChecker({ type: 'string', maxLength: dataType.maxLength ?? LIMITS.passwordLength })
    case 'duration':
      return checkDuration
    case 'colour':
      return checkColour
  }
}

export function compileFields(
  fields: readonly { identifier: string; dataType: DataType; required?: boolean }[],
): FieldTable {
  const parts = new Map<string, FieldTable>()
  for (const { identifier, dataType } of fields) {
    if (dataType.type === 'struct') parts.set(identifier, compileFields(dataType.fields))
    else if (dataType.type === 'geo') parts.set(identifier, geoTable())
  }
  return {
    checkers: new Map(fields.map(field => [field.identifier, compileType(field.dataType)])),
    required: fields.filter(field => field.required).map(field => field.identifier),
    parts,
    nullable: new Set(fields.filter(field => field.dataType.type === 'json').map(field => field.identifier)),
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Checks an object field by field; copies it only when a value had to be normalised.
 * `for in` is the fastest walk over what JSON.parse made; such objects inherit nothing enumerable.
 */
export function checkFields(
  table: FieldTable,
  value: Record<string, unknown>,
): Record<string, unknown> | typeof REFUSED {
  const { checkers, required } = table
  let result = value
  for (const key in value) {
    const checker = checkers.get(key)
    if (checker === undefined) {
      refuse('property_unknown', 'not in the thing model')
      return refusedBelow(printableKey(key))
    }
    const sent = value[key]
    const taken = checker(sent)
    if (taken === REFUSED) return refusedBelow(key)
    if (!Object.is(taken, sent)) {
      if (result === value) result = { ...value }
      result[key] = taken
    }
  }
  for (const key of required) {
    if (!Object.hasOwn(value, key)) {
      refuse('payload_shape', 'missing')
      return refusedBelow(key)
    }
  }
  return result
}

function structChecker({ fields }: StructType): Checker {
  const table = compileFields(fields)
  return value => {
    if (!isRecord(value)) return refuse('property_type', `expects struct, got ${kindOf(value)}`)
    return checkFields(table, value)
  }
}

function arrayChecker({ element, maxItems = LIMITS.arrayItems }: ArrayType): Checker {
  const check = compileType(element)
  return value => {
    if (!Array.isArray(value)) return refuse('property_type', `expects array, got ${kindOf(value)}`)
    if (value.length > maxItems) return refuse('property_range', `more than ${maxItems} items`)
    let result: unknown[] = value
    for (let i = 0; i < value.length; i++) {
      const sent: unknown = value[i]
      const taken = check(sent)
      if (taken === REFUSED) return refusedBelow(`[${i}]`)
      if (!Object.is(taken, sent)) {
        if (result === value) result = value.slice()
        result[i] = taken
      }
    }
    return result
  }
}

let geo: FieldTable | undefined

function geoTable(): FieldTable {
  geo ??= compileFields([
    { identifier: 'lng', dataType: { type: 'double', min: -180, max: 180 }, required: true },
    { identifier: 'lat', dataType: { type: 'double', min: -90, max: 90 }, required: true },
    { identifier: 'alt', dataType: { type: 'double', min: -100_000, max: 1_000_000_000 } },
  ])
  return geo
}

const checkGeo: Checker = value => {
  if (!isRecord(value)) return refuse('property_type', `expects geo {lng, lat, alt?}, got ${kindOf(value)}`)
  return checkFields(geoTable(), value)
}

/** Any JSON whose texts can be stored and whose nesting is bounded. Returned as sent. */
function checkJson(value: unknown, depthLeft: number): unknown {
  switch (typeof value) {
    case 'string':
      return isStorableText(value) ? value : refuse('text_not_storable', 'NUL or half a surrogate pair')
    case 'number':
      return Number.isFinite(value) ? value : refuse('number_not_finite', 'not a finite number')
    case 'boolean':
      return value
    case 'object':
      break
    default:
      return refuse('property_type', `expects json, got ${typeof value}`)
  }
  if (value === null) return value
  if (depthLeft === 0) return refuse('too_large', `nested deeper than ${LIMITS.jsonDepth}`)
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (checkJson(value[i], depthLeft - 1) === REFUSED) return refusedBelow(`[${i}]`)
    }
    return value
  }
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorableText(key)) {
      refuse('text_not_storable', 'key with NUL or half a surrogate pair')
      return refusedBelow(printableKey(key))
    }
    if (key === '__proto__') {
      refuse('property_type', 'reserved key')
      return refusedBelow(key)
    }
    if (checkJson(inner, depthLeft - 1) === REFUSED) return refusedBelow(printableKey(key))
  }
  return value
}
