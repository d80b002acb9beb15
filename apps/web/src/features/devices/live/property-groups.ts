import type { Property } from '@thingwright/thing-model/model'

export interface PropertyGroup {
  /** As the model names it; empty for properties without a group. */
  name: string
  /** What the device tells, or what people set: readings stand first. */
  part: 'readings' | 'settings'
  properties: Property[]
}

/**
 * Properties as they stand on the page: readings before what can be set, in each part the groups that the model names
 * and then the rest; inside a group by `sort`, then by the model. A group that the model names stays whole: it is one
 * of settings when nothing in it is only read.
 */
export function groupProperties(properties: readonly Property[]): PropertyGroup[] {
  const groups = new Map<string, PropertyGroup>()
  for (const property of properties) {
    const name = property.group ?? ''
    const part = property.access === 'r' ? 'readings' : 'settings'
    const key = name === '' ? `/${part}` : name
    const group = groups.get(key)
    if (!group) groups.set(key, { name, part, properties: [property] })
    else {
      group.properties.push(property)
      if (part === 'readings') group.part = 'readings'
    }
  }
  const rank = ({ name, part }: PropertyGroup) => (part === 'settings' ? 2 : 0) + (name === '' ? 1 : 0)
  return [...groups.values()]
    .sort((a, b) => rank(a) - rank(b))
    .map(group => ({ ...group, properties: group.properties.sort((a, b) => (a.sort ?? 0) - (b.sort ?? 0)) }))
}
