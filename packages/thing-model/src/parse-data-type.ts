import type { DataType, DataTypeName, EnumItem, Param } from './model.ts'
import { DATA_TYPES, LIMITS } from './model.ts'
import { parseNaming } from './parse-naming.ts'
import { compact, type ModelReader } from './problems.ts'

/** How many structs and arrays already lie around the type being read. */
export interface Depth {
  struct: number
  array: number
}

const INT64_TEXT = /^-?\d{1,19}$/

/** Stands in for a type that could not be read; the problem is reported, so the model is refused. */
const UNREADABLE: DataType = { type: 'json' }

export function parseDataType(reader: ModelReader, value: unknown, path: string, depth: Depth): DataType {
  const input = reader.object(value, path)
  if (!input) return UNREADABLE
  const type = DATA_TYPES.find(name => name === input.type)
  if (!type) {
    reader.report(`${path}.type`, 'type_unknown', { choices: DATA_TYPES.join(', ') })
    return UNREADABLE
  }
  return parseSpec(reader, type, input, path, depth)
}

function parseSpec(
  reader: ModelReader,
  type: DataTypeName,
  input: Record<string, unknown>,
  path: string,
  depth: Depth,
): DataType {
  switch (type) {
    case 'bool': {
      const word = (field: string) => reader.someText(input[field], `${path}.${field}`, LIMITS.name)
      return compact({
        type,
        trueText: word('trueText'),
        falseText: word('falseText'),
        trueEtext: word('trueEtext'),
        falseEtext: word('falseEtext'),
      })
    }
    case 'int32':
    case 'float':
    case 'double': {
      const range = parseRange(reader, input, path)
      return compact({ type, ...range, step: parseStep(reader, input, path) })
    }
    case 'int64':
      return compact({ type, ...parseInt64Range(reader, input, path), step: parseStep(reader, input, path) })
    case 'string':
      return compact({
        type,
        maxLength: reader.integer(input.maxLength, `${path}.maxLength`, 1, LIMITS.stringLength),
      })
    case 'enum':
      return { type, items: parseEnumItems(reader, input.items, `${path}.items`) }
    case 'struct': {
      if (depth.struct >= LIMITS.structDepth) {
        reader.report(path, 'struct_too_deep', { max: LIMITS.structDepth })
        return UNREADABLE
      }
      const inner = { ...depth, struct: depth.struct + 1 }
      const fields = parseParams(reader, input.fields, `${path}.fields`, LIMITS.structFields, inner)
      if (fields.length === 0) reader.report(`${path}.fields`, 'items_missing')
      return { type, fields }
    }
    case 'array': {
      if (depth.array >= LIMITS.arrayDepth) {
        reader.report(path, 'array_too_deep', { max: LIMITS.arrayDepth })
        return UNREADABLE
      }
      const inner = { ...depth, array: depth.array + 1 }
      return compact({
        type,
        element: parseDataType(reader, input.element, `${path}.element`, inner),
        maxItems: reader.integer(input.maxItems, `${path}.maxItems`, 1, LIMITS.arrayItems),
      })
    }
    case 'file':
      return compact({ type, kind: reader.choice(input.kind, `${path}.kind`, ['file', 'image', 'video'] as const) })
    case 'bytes':
      return compact({
        type,
        maxLength: reader.integer(input.maxLength, `${path}.maxLength`, 1, LIMITS.bytesLength),
      })
    case 'password':
      return compact({
        type,
        maxLength: reader.integer(input.maxLength, `${path}.maxLength`, 1, LIMITS.passwordLength),
      })
    case 'date':
    case 'geo':
    case 'json':
    case 'duration':
    case 'colour':
      return { type }
  }
}

/** Parameters of an event or service, or the fields of a struct. */
export function parseParams(reader: ModelReader, value: unknown, path: string, max: number, depth: Depth): Param[] {
  const seen = new Set<string>()
  return reader.objects(value, path, max).map(({ input, here }): Param => {
    return compact({
      ...parseNaming(reader, input, here, seen, 'other'),
      dataType: parseDataType(reader, input.dataType, `${here}.dataType`, depth),
      unit: reader.someText(input.unit, `${here}.unit`, LIMITS.unit),
      decimals: reader.integer(input.decimals, `${here}.decimals`, 0, LIMITS.decimals),
      required: reader.boolean(input.required, `${here}.required`),
      description: reader.someText(input.description, `${here}.description`, LIMITS.description),
    })
  })
}

function parseRange(reader: ModelReader, input: Record<string, unknown>, path: string) {
  const min = reader.number(input.min, `${path}.min`, -Number.MAX_VALUE, Number.MAX_VALUE)
  const max = reader.number(input.max, `${path}.max`, -Number.MAX_VALUE, Number.MAX_VALUE)
  if (min !== undefined && max !== undefined && min > max) reader.report(`${path}.min`, 'range_reversed', { min, max })
  return { min, max }
}

function parseStep(reader: ModelReader, input: Record<string, unknown>, path: string): number | undefined {
  return reader.number(input.step, `${path}.step`, Number.MIN_VALUE, Number.MAX_VALUE)
}

function parseInt64Range(reader: ModelReader, input: Record<string, unknown>, path: string) {
  const bound = (field: 'min' | 'max'): number | string | undefined => {
    const value = input[field]
    if (value === undefined || value === null) return undefined
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value + 0
    if (typeof value === 'string' && INT64_TEXT.test(value)) {
      const big = BigInt(value)
      const small = Number(big)
      if (BigInt.asIntN(64, big) === big) return Number.isSafeInteger(small) ? small : big.toString()
    }
    reader.report(`${path}.${field}`, 'not_integer')
    return undefined
  }
  const min = bound('min')
  const max = bound('max')
  if (min !== undefined && max !== undefined && BigInt(min) > BigInt(max)) {
    reader.report(`${path}.min`, 'range_reversed', { min, max })
  }
  return { min, max }
}

function parseEnumItems(reader: ModelReader, value: unknown, path: string): EnumItem[] {
  if (!Array.isArray(value) || value.length === 0) reader.report(path, 'items_missing')
  const seen = new Set<unknown>()
  return reader.objects(value, path, LIMITS.enumItems).map(({ input: item, here }): EnumItem => {
    const itemValue = parseEnumValue(reader, item.value, `${here}.value`)
    if (seen.has(itemValue)) reader.report(`${here}.value`, 'item_duplicate', { value: itemValue })
    seen.add(itemValue)
    return compact({
      value: itemValue,
      name: reader.someText(item.name, `${here}.name`, LIMITS.name) ?? String(itemValue),
      ename: reader.someText(item.ename, `${here}.ename`, LIMITS.name),
    })
  })
}

function parseEnumValue(reader: ModelReader, value: unknown, path: string): number | string {
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0
  if (typeof value === 'string' && value !== '') return reader.text(value, path, LIMITS.name) ?? ''
  reader.report(path, 'item_value')
  return ''
}
