import type { Property } from '@thingwright/thing-model'
import { Type } from 'typebox'
import { strong } from '../../lib/tools/thing-kit.ts'
import { quoted, type ToolContext, ToolProblem } from '../../lib/tools/tools.ts'
import { nameOf, partsNamed, pickProperty, readValue } from '../products/index.ts'

/** A value as people or models say it. */
export const saidValue = Type.Optional(
  Type.Unsafe<string | number | boolean>({
    type: ['string', 'number', 'boolean'],
    description: 'The wanted value as it is said: on, off, 22, 22.5 ℃, the name of a state, JSON for structures',
  }),
)

/** Words of switches, the likeliest first: what "switch it on" means where a device has several. */
const SWITCHES = ['power', 'switch', 'onoff', 'state', 'relay', 'enable', 'running']

/** The property to set; without a name the switch of the device when the value is on or off. */
export function propertyToSet(
  t: ToolContext,
  properties: readonly Property[],
  text: string | undefined,
  of: string,
  value: unknown,
): Property {
  const can = properties.filter(({ access }) => access !== 'r')
  if (!text?.trim()) return switchAmong(can, value) ?? pickProperty(t, can, undefined, of)
  const named = partsNamed(properties, text)
  if (named.length !== 1 || named[0]!.access !== 'r') return pickProperty(t, can, text, of)
  // "Set the temperature": what is measured cannot be set, but the one that is wanted can.
  const wanted = partsNamed(can, text)
  if (wanted.length === 1) return wanted[0]!
  throw new ToolProblem(t.say('readOnly', { of: strong(of), property: quoted(nameOf(named[0]!, t.locale)) }))
}

function switchAmong(can: readonly Property[], value: unknown): Property | undefined {
  const switches = can.filter(each => each.dataType.type === 'bool' && readValue(each, value) !== undefined)
  if (switches.length < 2) return switches[0]
  return SWITCHES.map(word =>
    switches.find(({ identifier }) => identifier.toLowerCase().replaceAll('_', '') === word),
  ).find(each => each !== undefined)
}
