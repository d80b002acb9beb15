import { compileType } from './compound-checkers.ts'
import type { DataType, LinearMap, Property, PropertyMapping, StorePolicy } from './model.ts'
import { LATE_POLICIES, LIMITS, RANGE_POLICIES, STORE_MODES } from './model.ts'
import { compact, type ModelReader } from './problems.ts'
import { REFUSED } from './refusal.ts'

type Policies = Pick<Property, 'mapping' | 'outOfRange' | 'store' | 'late' | 'default'>

/** Types with a size: what can be mapped along a line and have a dead band. */
export function isNumeric(dataType: DataType): boolean {
  return ['int32', 'int64', 'float', 'double'].includes(dataType.type)
}

/** Whether a value of the type may hold a password somewhere. */
export function holdsPassword(dataType: DataType): boolean {
  if (dataType.type === 'password') return true
  if (dataType.type === 'struct') return dataType.fields.some(field => holdsPassword(field.dataType))
  return dataType.type === 'array' && holdsPassword(dataType.element)
}

/** What a property does with its values beyond checking them. The usual choices are left out: equal models have equal JSON. */
export function parsePolicies(
  reader: ModelReader,
  input: Record<string, unknown>,
  path: string,
  dataType: DataType,
): Policies {
  const numeric = isNumeric(dataType)
  const onlyNumbers = (field: string): boolean => {
    if (numeric || input[field] === undefined || input[field] === null) return numeric
    reader.report(`${path}.${field}`, 'not_for_type', { type: dataType.type })
    return false
  }
  const outOfRange = reader.choice(input.outOfRange, `${path}.outOfRange`, RANGE_POLICIES)
  const late = reader.choice(input.late, `${path}.late`, LATE_POLICIES)
  if (outOfRange !== undefined && outOfRange !== 'refuse') onlyNumbers('outOfRange')
  return {
    mapping: onlyNumbers('mapping') ? parseMapping(reader, input.mapping, `${path}.mapping`) : undefined,
    outOfRange: outOfRange === 'refuse' ? undefined : outOfRange,
    store: parseStore(reader, input.store, `${path}.store`, dataType),
    late: late === 'keep' ? undefined : late,
    default: parseDefault(reader, input.default, `${path}.default`, dataType),
  } as Policies
}

function parseMapping(reader: ModelReader, value: unknown, path: string): PropertyMapping | undefined {
  if (value === undefined || value === null) return undefined
  const input = reader.object(value, path)
  if (!input) return undefined
  const mapping = compact({
    up: parseLine(reader, input.up, `${path}.up`),
    down: parseLine(reader, input.down, `${path}.down`),
  } as PropertyMapping)
  return mapping.up || mapping.down ? mapping : undefined
}

const MOST = 1e15

function parseLine(reader: ModelReader, value: unknown, path: string): LinearMap | undefined {
  if (value === undefined || value === null) return undefined
  const input = reader.object(value, path)
  if (!input) return undefined
  const [x1, y1, x2, y2] = (['x1', 'y1', 'x2', 'y2'] as const).map(key => {
    const number = reader.number(input[key], `${path}.${key}`, -MOST, MOST)
    if (number === undefined && (input[key] === undefined || input[key] === null))
      reader.report(`${path}.${key}`, 'not_number')
    return number
  })
  if (x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined) return undefined
  if (x1 === x2 || y1 === y2) {
    reader.report(path, 'map_flat')
    return undefined
  }
  return { x1, y1, x2, y2 }
}

function parseStore(reader: ModelReader, value: unknown, path: string, dataType: DataType): StorePolicy | undefined {
  if (value === undefined || value === null) return undefined
  const input = reader.object(value, path)
  if (!input) return undefined
  const mode = reader.choice(input.mode, `${path}.mode`, STORE_MODES)
  if (mode === undefined) {
    reader.report(`${path}.mode`, 'choice_unknown', { choices: STORE_MODES.join(', ') })
    return undefined
  }
  if (mode === 'every') return undefined
  const seconds = reader.number(input.seconds, `${path}.seconds`, 0.001, LIMITS.storeSeconds)
  const band = reader.number(input.band, `${path}.band`, 0, Number.MAX_VALUE)
  const percent = reader.boolean(input.percent, `${path}.percent`)
  const maxSeconds = reader.number(input.maxSeconds, `${path}.maxSeconds`, 1, LIMITS.storeSeconds)
  if (mode === 'interval') {
    if (seconds === undefined) reader.report(`${path}.seconds`, 'policy_incomplete')
    return compact({ mode, seconds } as StorePolicy)
  }
  if (mode === 'deadband') {
    if (!isNumeric(dataType)) reader.report(path, 'not_for_type', { type: dataType.type })
    else if (band === undefined) reader.report(`${path}.band`, 'policy_incomplete')
    return compact({ mode, band, percent: percent || undefined, maxSeconds } as StorePolicy)
  }
  return compact({ mode, maxSeconds } as StorePolicy)
}

function parseDefault(reader: ModelReader, value: unknown, path: string, dataType: DataType): unknown {
  if (value === undefined || value === null) return undefined
  if (holdsPassword(dataType)) {
    reader.report(path, 'not_for_type', { type: dataType.type })
    return undefined
  }
  const taken = compileType(dataType)(value)
  // Checked first: what a checker took is JSON without circles.
  if (taken === REFUSED || JSON.stringify(taken).length > LIMITS.defaultLength) {
    reader.report(path, 'default_invalid')
    return undefined
  }
  return taken
}
