import type { DataType } from '@thingwright/thing-model'

/** Segments keep numbers and switches as float8 and all else as text; the property's type tells what a value was. */
export function fromSegment(value: unknown, type: DataType['type'] | undefined): unknown {
  if (typeof value === 'number') return type === 'bool' ? value !== 0 : value
  if (typeof value !== 'string') return value
  if (type === 'struct' || type === 'array' || type === 'geo' || type === 'json' || type === undefined) {
    try {
      return JSON.parse(value)
    } catch {
      return value
    }
  }
  return value
}
