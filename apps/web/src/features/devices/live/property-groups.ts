import type { Property } from '@thingwright/thing-model/model'

export interface PropertyGroup {
  /** Empty for properties without a group; they stand last. */
  name: string
  properties: Property[]
}

/** Properties as they stand on the page: by group in the order of the model, inside by `sort`, then by the model. */
export function groupProperties(properties: readonly Property[]): PropertyGroup[] {
  const groups = new Map<string, Property[]>()
  for (const property of properties) {
    const name = property.group ?? ''
    groups.set(name, [...(groups.get(name) ?? []), property])
  }
  return [...groups]
    .sort(([a], [b]) => Number(a === '') - Number(b === ''))
    .map(([name, members]) => ({ name, properties: [...members].sort((a, b) => (a.sort ?? 0) - (b.sort ?? 0)) }))
}
