import type { DataType } from './model.ts'

/**
 * A value of the type to begin with (forms, simulated devices): zero or the bound nearest to it, the first item of an
 * enum, empty text. It passes the type's own checker, except for `file`, which has no empty value.
 */
export function defaultValue(dataType: DataType): unknown {
  switch (dataType.type) {
    case 'bool':
      return false
    case 'int32':
      return nearestToZero(Math.ceil(dataType.min ?? 0), Math.floor(dataType.max ?? 0))
    case 'float':
    case 'double':
      return nearestToZero(dataType.min ?? 0, dataType.max ?? 0)
    case 'int64': {
      const low = dataType.min ?? 0
      const high = dataType.max ?? 0
      if (BigInt(low) > 0n) return low
      return BigInt(high) < 0n ? high : 0
    }
    case 'enum':
      return dataType.items[0]?.value
    case 'date':
    case 'duration':
      return 0
    case 'colour':
      return '#000000'
    case 'struct':
      return Object.fromEntries(dataType.fields.map(field => [field.identifier, defaultValue(field.dataType)]))
    case 'array':
      return []
    case 'geo':
      return { lng: 0, lat: 0 }
    case 'json':
      return {}
    case 'string':
    case 'file':
    case 'bytes':
    case 'password':
      return ''
  }
}

function nearestToZero(low: number, high: number): number {
  if (low > 0) return low
  return Math.min(high, 0)
}
