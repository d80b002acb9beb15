import { isRecord } from './compound-checkers.ts'
import type { DataType } from './model.ts'

/** A property, or a parameter of an event. */
interface Field {
  identifier: string
  dataType: DataType
}

export interface Looseness {
  /** Leaves out keys that the model does not know. */
  unknownKeys: boolean
  /** Takes the texts of numbers and booleans for what they say. */
  types: boolean
}

export interface Loosened {
  values: Record<string, unknown>
  /** What was left out: `key`, or below a struct `key.field`. */
  unknown: [path: string, value: unknown][]
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const LONGEST_NUMBER = 64

/**
 * What a product that is not strict makes of a post before it is checked once more. Null: nothing is changed. The object
 * that was handed in stays as it is.
 */
export function loosen(properties: readonly Field[], sent: unknown, how: Looseness): Loosened | null {
  if (!isRecord(sent)) return null
  const walk = new Walk(how)
  const values = walk.fields(properties, sent, '', 0)
  return walk.changed ? { values, unknown: walk.unknown } : null
}

class Walk {
  changed = false
  readonly unknown: Loosened['unknown'] = []

  constructor(private readonly how: Looseness) {}

  fields(
    fields: readonly Field[],
    sent: Record<string, unknown>,
    path: string,
    depth: number,
  ): Record<string, unknown> {
    const types = new Map(fields.map(({ identifier, dataType }) => [identifier, dataType]))
    const taken: [string, unknown][] = []
    for (const [key, value] of Object.entries(sent)) {
      const type = types.get(key)
      // Null is how devices write that they have no value.
      if (type && value === null && type.type !== 'json') this.changed = true
      else if (type) taken.push([key, this.value(type, value, `${path}${key}`, depth)])
      else if (this.how.unknownKeys) {
        this.changed = true
        this.unknown.push([path + key, value])
      } else taken.push([key, value])
    }
    // Not by assignment: a key may be `__proto__`.
    return Object.fromEntries(taken)
  }

  private value(type: DataType, value: unknown, path: string, depth: number): unknown {
    if (depth > 8) return value
    if (type.type === 'struct' && isRecord(value)) return this.fields(type.fields, value, `${path}.`, depth + 1)
    if (type.type === 'array' && Array.isArray(value))
      return value.map(item => this.value(type.element, item, `${path}[]`, depth + 1))
    if (!this.how.types) return value
    if (type.type === 'geo' && isRecord(value)) return this.geo(value)
    if (typeof value !== 'string') return value
    const read = readText(type, value.trim())
    if (read === undefined) return value
    this.changed = true
    return read
  }

  private geo(value: Record<string, unknown>): Record<string, unknown> {
    const number: DataType = { type: 'double' }
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, this.value(number, part, key, 8)]))
  }
}

/** What the text says for a property of the type; undefined: nothing that it could be. */
function readText(type: DataType, text: string): unknown {
  switch (type.type) {
    case 'bool':
      return BOOLEANS.get(text.toLowerCase())
    case 'int32':
    case 'float':
    case 'double':
    case 'date':
    case 'duration':
      return numberOf(text)
    case 'int64': {
      // Digits are what the check takes as they are.
      const number = /^-?\d+$/.test(text) ? undefined : numberOf(text)
      return Number.isSafeInteger(number) ? number : undefined
    }
    case 'enum': {
      const number = type.items.some(item => item.value === text) ? undefined : numberOf(text)
      return type.items.some(item => item.value === number) ? number : undefined
    }
    default:
      return undefined
  }
}

const BOOLEANS = new Map<string, boolean>([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
  ['on', true],
  ['off', false],
  ['yes', true],
  ['no', false],
])

function numberOf(text: string): number | undefined {
  if (text.length > LONGEST_NUMBER || !NUMBER.test(text)) return undefined
  const number = Number(text)
  // Digits that a number does not hold are no number: the check has the word.
  if (Number.isInteger(number) && !Number.isSafeInteger(number) && !isExact(text, number)) return undefined
  return Number.isFinite(number) ? number : undefined
}

/** Whether a written number says no more than the number holds; a fraction or an exponent says no digits. */
function isExact(text: string, number: number): boolean {
  return !/^[+-]?\d+$/.test(text) || BigInt(text.replace('+', '')) === BigInt(number)
}

/** The data type that values of an unknown key seem to have; JSON where nothing else would hold them. */
export function guessType(samples: readonly unknown[]): DataType {
  const all = (is: (value: unknown) => boolean) => samples.length > 0 && samples.every(is)
  if (all(value => typeof value === 'boolean')) return { type: 'bool' }
  if (all(value => typeof value === 'number')) return { type: 'double' }
  if (all(value => typeof value === 'string' && numberOf(value.trim()) !== undefined)) return { type: 'double' }
  if (all(value => typeof value === 'string')) return { type: 'string' }
  if (all(value => isRecord(value) && typeof value.lng === 'number' && typeof value.lat === 'number'))
    return { type: 'geo' }
  return { type: 'json' }
}
