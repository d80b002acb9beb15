import {
  type BatchTarget,
  type CommandBatchView,
  commandBatchesContract,
} from '@thingwright/contracts/command-batches.contract'
import { devicesContract } from '@thingwright/contracts/devices.contract'
import { thingModelsContract } from '@thingwright/contracts/thing-models.contract'
import { compileModel, type Property, type ThingModel } from '@thingwright/thing-model'
import type { Static } from 'typebox'
import { Type } from 'typebox'
import { linkTo, pages, said, strong, toolInput, withCommonTexts } from '../../lib/tools/thing-kit.ts'
import {
  defineTool,
  type Mention,
  plannedCall,
  quoted,
  type Tool,
  type ToolContext,
  ToolProblem,
} from '../../lib/tools/tools.ts'
import { modelOf, nameOf, valueText } from '../products/index.ts'
import { passGuards, refuseBadValues, rulesOf, shown, valueFor } from './command-target.ts'
import words from './commands.tools.json' with { type: 'json' }
import { propertyToSet, saidValue } from './set-property.ts'

/** Products of a group that are looked at for the property. */
const PRODUCTS = 5

interface Many {
  target: Static<typeof BatchTarget>
  of: Mention
  total: number
  online: number
  /** A device of each product among them, at most {@link PRODUCTS}. */
  examples: { id: string; name: string; productId: string; productName: string }[]
}

async function manyOf(
  t: ToolContext,
  input: { group?: string; product?: string; only_online?: boolean },
): Promise<Many> {
  if (!input.group && !input.product) throw new ToolProblem(t.say('whichOnes'))
  const group = input.group ? await t.find('group', input.group) : null
  const product = input.product ? await t.find('product', input.product) : null
  const filter = { ...(group ? { groupId: group.id } : {}), ...(product ? { productId: product.id } : {}) }
  const list = (over: object) => t.call(devicesContract.list, { query: { ...filter, limit: 100, total: '1', ...over } })
  const [all, online] = await Promise.all([list({}), list({ link: 'online', limit: 1 })])
  const examples = new Map<string, Many['examples'][number]>()
  for (const device of all.items) if (!examples.has(device.productId)) examples.set(device.productId, device)
  return {
    target: { ...filter, ...(input.only_online ? { link: 'online' as const } : {}) },
    of: (group ?? product)!,
    total: (input.only_online ? online.total : all.total) ?? 0,
    online: online.total ?? 0,
    examples: [...examples.values()].slice(0, PRODUCTS),
  }
}

const setOnMany = defineTool({
  name: 'set_property_on_many',
  class: 'control',
  permission: 'device:command',
  description:
    'Sets a property on all devices of a group or product by one batch command; each device gets it once, or a row that says why not. Always asks before and says how many devices it touches. Cannot be taken back at once.',
  input: toolInput({
    group: said('The device group, with the groups below it'),
    product: said('The product; with a group: only its devices of this product'),
    property: said('Name or identifier of the property'),
    value: saidValue,
    only_online: Type.Optional(
      Type.Boolean({ description: 'Only the devices that are online now; the others get it when they come otherwise' }),
    ),
  }),
  words: withCommonTexts(words.set_property_on_many),
  async prepare(t, input) {
    const many = await manyOf(t, input)
    if (many.total === 0) throw new ToolProblem(t.say('noDevices', { of: strong(many.of.name) }))
    if (input.value === undefined || input.value === '') throw new ToolProblem(t.say('whichValue'))
    const { property, model, productId, without } = await commonProperty(t, many, input)
    const value = valueFor(t, property, input.value)
    const params = { [property.identifier]: value }
    const compiled = compileModel(model)
    refuseBadValues(t, compiled.checkPropertySet(params), [property])
    const rules = await rulesOf(t, productId)
    const guard = passGuards(
      t,
      { device: null, model, compiled, rules, latest: new Map() },
      { kind: 'property_set', identifier: null, params },
    )
    const name = nameOf(property, t.locale)
    return {
      calls: [
        plannedCall(commandBatchesContract.create, {
          body: {
            name: `${name} = ${valueText(property, value, t.locale)}`.slice(0, 64),
            target: many.target,
            command: { kind: 'property_set', params, ...(guard.acknowledged ? { acknowledged: true } : {}) },
          },
        }),
      ],
      effects: [
        t.say('effect', {
          total: many.total,
          of: strong(many.of.name),
          property: quoted(name),
          value: shown(t, property, value),
        }),
        t.say(input.only_online ? 'onlineOnly' : 'someOffline', {
          online: many.online,
          rest: many.total - many.online,
        }),
        ...(without.length > 0 ? [t.say('notAll', { products: without.map(strong).join(', ') })] : []),
        ...guard.effects,
        t.say('noWayBack'),
      ],
      changes: [{ field: name, before: null, after: valueText(property, value, t.locale) }],
      object: many.of,
      memo: { of: many.of },
    }
  },
  async finish(t, { memo, results }) {
    const batch = results[0] as CommandBatchView
    const { of } = memo as { of: Mention }
    const page = linkTo(t.say('openList'), of.link ?? pages.devices())
    return {
      result: {
        text: t.say('done', { total: batch.total, of: strong(of.name), page }),
        data: { batch: batch.id, total: batch.total, state: batch.state },
        mentions: [of],
      },
    }
  },
})

/** The property in the first product that has it, and the products that do not. @throws ToolProblem when none has it */
async function commonProperty(
  t: ToolContext,
  many: Many,
  input: { property?: string; value?: unknown },
): Promise<{ property: Property; model: ThingModel; productId: string; without: string[] }> {
  let found: { property: Property; model: ThingModel; productId: string } | null = null
  let first: unknown
  const without: string[] = []
  for (const { id, name, productId, productName } of many.examples) {
    const model = modelOf((await t.call(thingModelsContract.deviceModel, { params: { id } })).model)
    try {
      const property = propertyToSet(t, model.properties, input.property, name, input.value)
      found ??= { property, model, productId }
      if (property.identifier !== found.property.identifier) without.push(productName)
    } catch (error) {
      first ??= error
      without.push(productName)
    }
  }
  if (found) return { ...found, without }
  throw first
}

/** What can be done to many devices at once. */
export const batchTools: readonly Tool[] = [setOnMany]
