import type { Property } from '@thingwright/thing-model/model'

/** A first value of a property, by its type and bounds; undefined: none can be made without a person. */
export function sampleOf(property: Property): unknown {
  const type = property.dataType as Property['dataType'] & { min?: number; max?: number; items?: { value: unknown }[] }
  switch (type.type) {
    case 'bool':
      return false
    case 'int32':
    case 'int64': {
      const middle = Math.round(middleOf(type.min, type.max))
      return type.type === 'int64' ? String(middle) : middle
    }
    case 'float':
    case 'double':
      return Math.round(middleOf(type.min, type.max) * 10) / 10
    case 'enum':
      return type.items?.[0]?.value
    case 'string':
      return ''
    default:
      return undefined
  }
}

function middleOf(min: number | undefined, max: number | undefined): number {
  if (min !== undefined && max !== undefined) return (min + max) / 2
  return min ?? Math.min(20, max ?? 20)
}

/**
 * A number a little beside the last one, within its bounds; everything else stays.
 * @param random 0 to 1
 */
export function varied(property: Property, value: unknown, random: number): unknown {
  const type = property.dataType as { type: string; min?: number; max?: number }
  if (typeof value !== 'number' || !['int32', 'float', 'double'].includes(type.type)) return value
  const span = type.min !== undefined && type.max !== undefined ? type.max - type.min : Math.max(10, Math.abs(value))
  const next = value + (random - 0.5) * span * 0.1
  const bounded = Math.min(type.max ?? Number.POSITIVE_INFINITY, Math.max(type.min ?? Number.NEGATIVE_INFINITY, next))
  return type.type === 'int32' ? Math.round(bounded) : Math.round(bounded * 100) / 100
}
