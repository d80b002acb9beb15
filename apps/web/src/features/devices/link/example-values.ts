import type { DataType, ThingModel } from '@thingwright/thing-model/model'

function simple(type: DataType): unknown {
  switch (type.type) {
    case 'bool':
      return true
    case 'int32':
      return Math.round(middle(type.min, type.max, 42))
    case 'float':
    case 'double':
      return Number(middle(type.min, type.max, 21.5).toPrecision(3))
    case 'enum':
      return type.items[0]?.value
    case 'string':
      return 'ok'.slice(0, type.maxLength)
    default:
      return undefined
  }
}

function middle(min: number | undefined, max: number | undefined, otherwise: number): number {
  if (min === undefined && max === undefined) return otherwise
  if (min !== undefined && max !== undefined) return (min + max) / 2
  return min !== undefined ? min : (max ?? otherwise)
}

/** A first message for the device: up to two of its simple properties. */
export function examplePayload(model: ThingModel | null): string {
  const values: Record<string, unknown> = {}
  for (const property of model?.properties ?? []) {
    if (property.access === 'w' || Object.keys(values).length >= 2) continue
    const value = simple(property.dataType)
    if (value !== undefined) values[property.identifier] = value
  }
  return JSON.stringify(Object.keys(values).length > 0 || model ? values : { temperature: 21.5 })
}
