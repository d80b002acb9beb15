import type { Attributes } from '@thingwright/contracts/devices.contract'

/** Of several with one name the last one counts, at the place of the first; outer spaces do not. */
export function namedOnce(attributes: Attributes): Attributes {
  const named = new Map(attributes.map(({ name, value }) => [name.trim(), value.trim()]))
  return [...named].filter(([name]) => name !== '').map(([name, value]) => ({ name, value }))
}
