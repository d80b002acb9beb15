import type { DataType, LinearMap, Property, ThingModel } from './model.ts'

/** Ends the key of a raw value beside the value itself: `level` and `level#raw`. No identifier can hold the sign. */
export const RAW_SUFFIX = '#raw'

/** The key under which the raw value of a property travels and is stored. */
export function rawKey(identifier: string): string {
  return identifier + RAW_SUFFIX
}

/** Whether a key of stored values is that of a raw value. */
export function isRawKey(key: string): boolean {
  return key.endsWith(RAW_SUFFIX)
}

/** The point of the line at x, without the noise of binary fractions in its last digits. */
export function alongLine({ x1, y1, x2, y2 }: LinearMap, x: number): number {
  const y = y1 + ((x - x1) * (y2 - y1)) / (x2 - x1)
  return Number.isFinite(y) ? Number(y.toPrecision(15)) + 0 : y
}

/** The same line, walked the other way. */
export function reversed({ x1, y1, x2, y2 }: LinearMap): LinearMap {
  return { x1: y1, y1: x1, x2: y2, y2: x2 }
}

/** A number on its way through a line; of whole types the nearest whole number. Anything else passes as it is. */
export function mapNumber(line: LinearMap, dataType: DataType, value: unknown): unknown {
  if (typeof value !== 'number' || !Number.isFinite(value)) return value
  const mapped = alongLine(line, value)
  return dataType.type === 'int32' || dataType.type === 'int64' ? Math.round(mapped) + 0 : mapped
}

/**
 * The parameters of a property set as the device expects them: values of properties with a downward mapping become raw
 * values, everything else passes. Never throws and never changes what it was handed; gives back the same object when
 * nothing had to be mapped.
 */
export function mapDown(
  model: { readonly properties: ReadonlyMap<string, Property> } | ThingModel,
  params: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { properties } = model
  const find =
    properties instanceof Map
      ? (identifier: string): Property | undefined => properties.get(identifier)
      : (identifier: string) => (properties as readonly Property[]).find(property => property.identifier === identifier)
  let mapped: Record<string, unknown> | null = null
  for (const identifier of Object.keys(params)) {
    const property = find(identifier)
    const line = property?.mapping?.down
    if (!property || !line) continue
    mapped ??= { ...params }
    // What the device gets may have a fraction only if its line gives one; whole types round.
    mapped[identifier] = mapNumber(line, property.dataType, params[identifier])
  }
  return mapped ?? (params as Record<string, unknown>)
}

/** What stands in place of a password on screens and in logs. */
export const MASK = '••••••'

/** Parameters with every password masked: for whoever shows or logs a command. */
export function maskSecrets(fields: readonly { identifier: string; dataType: DataType }[], params: unknown): unknown {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return params
  const types = new Map(fields.map(field => [field.identifier, field.dataType]))
  return Object.fromEntries(
    Object.entries(params).map(([key, value]) => {
      const dataType = types.get(key)
      return [key, dataType ? masked(dataType, value) : value]
    }),
  )
}

function masked(dataType: DataType, value: unknown): unknown {
  if (dataType.type === 'password') return MASK
  if (dataType.type === 'struct') return maskSecrets(dataType.fields, value)
  if (dataType.type === 'array' && Array.isArray(value)) return value.map(item => masked(dataType.element, item))
  return value
}
