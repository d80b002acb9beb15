import { devicesContract } from '@thingwright/contracts/devices.contract'
import { telemetryContract } from '@thingwright/contracts/telemetry.contract'
import { thingModelsContract } from '@thingwright/contracts/thing-models.contract'
import type { Property } from '@thingwright/thing-model'
import {
  enumerated,
  momentText,
  pages,
  said,
  splitNames,
  strong,
  toolInput,
  withCommonTexts,
} from '../../lib/tools/thing-kit.ts'
import {
  defineTool,
  type Mention,
  quoted,
  type ToolContext,
  ToolProblem,
  type ToolResult,
} from '../../lib/tools/tools.ts'
import { isNumber, modelOf, nameOf, pickProperty, valueText } from '../products/index.ts'
import { seriesFacts } from './series-facts.ts'
import words from './telemetry.tools.json' with { type: 'json' }

/** More lines could not be told apart. */
const COMPARED = 8

interface CompareInput {
  devices?: string
  group?: string
  product?: string
  property?: string
  period?: string
}

interface Compared {
  mention: Mention
  productId: string
}

/** The devices to compare: those that are named, or those of a group or product that were seen last. */
async function devicesFor(
  t: ToolContext,
  input: { devices?: string; group?: string; product?: string },
): Promise<{ devices: Compared[]; total: number }> {
  if (input.devices?.trim()) {
    const found = new Map<string, Compared>()
    for (const name of await namesIn(t, input.devices)) {
      const mention = await t.find('device', name)
      const { productId } = await t.call(devicesContract.get, { params: { id: mention.id } })
      found.set(mention.id, { mention, productId })
    }
    return { devices: [...found.values()].slice(0, COMPARED), total: found.size }
  }
  if (!input.group && !input.product) throw new ToolProblem(t.say('whichDevices'))
  const group = input.group ? await t.find('group', input.group) : null
  const product = input.product ? await t.find('product', input.product) : null
  const { items, total = items.length } = await t.call(devicesContract.list, {
    query: {
      ...(group ? { groupId: group.id } : {}),
      ...(product ? { productId: product.id } : {}),
      sort: '-lastSeenAt',
      limit: COMPARED,
      total: '1',
    },
  })
  const devices = items.map(({ id, name, productId }) => ({
    mention: { kind: 'device' as const, id, name, link: pages.device(id) },
    productId,
  }))
  return { devices, total }
}

/** The names in a text; a device may have a name that holds a word such as "and". */
async function namesIn(t: ToolContext, text: string): Promise<string[]> {
  const parts = splitNames(text)
  if (parts.length < 2) return parts
  const whole = await t.call(devicesContract.list, { query: { q: text.trim().slice(0, 128), limit: 2 } })
  return whole.items.some(({ name }) => name === text.trim()) ? [text] : parts
}

export const compareDevices = defineTool({
  name: 'compare_devices',
  class: 'read',
  permission: 'telemetry:read',
  description:
    'Compares one numeric property of several devices (named, or of a group or product, at most 8) over a span of time: highest, lowest, average and latest of each, in a table and a chart. Without a property: their latest values side by side.',
  input: toolInput({
    devices: said('Names or numbers of the devices, separated by commas'),
    group: said('Instead of names: the devices of this group'),
    product: said('Instead of names: the devices of this product'),
    property: said('The property to compare: its name or identifier'),
    period: said('The span of time; the last 24 hours when absent'),
  }),
  words: withCommonTexts(words.compare_devices),
  run: compareMany,
})

/** What {@link compareDevices} does; its texts must be those of the caller's words as well. */
export async function compareMany(t: ToolContext, input: CompareInput): Promise<ToolResult> {
  const span = t.period(input.period)
  const { devices, total } = await devicesFor(t, input)
  if (devices.length === 0) throw new ToolProblem(t.say('noDevices'))
  const more = total > devices.length ? t.say('onlySome', { shown: devices.length, total }) : ''
  const models = new Map<string, readonly Property[]>()
  for (const { mention, productId } of devices)
    if (!models.has(productId)) {
      const { model } = await t.call(thingModelsContract.deviceModel, { params: { id: mention.id } })
      models.set(
        productId,
        modelOf(model).properties.filter(({ access }) => access !== 'w'),
      )
    }
  const mentions = devices.length === 1 ? [devices[0]!.mention] : []
  if (!input.property) return { ...(await sideBySide(t, devices, models)), mentions }

  // Of devices of several products: the property that is called so in each; those without it are left out.
  const rows = []
  let lacking: unknown
  for (const { mention, productId } of devices) {
    try {
      const property = pickProperty(t, models.get(productId)!, input.property, mention.name)
      if (!isNumber(property.dataType))
        throw new ToolProblem(t.say('notANumber', { property: quoted(nameOf(property, t.locale)) }))
      rows.push({ mention, property, facts: await seriesFacts(t, mention.id, property.identifier, span) })
    } catch (error) {
      if (!(error instanceof ToolProblem)) throw error
      lacking ??= error
    }
  }
  if (rows.length === 0) throw lacking
  const property = rows[0]!.property
  const text = (value: number | undefined) =>
    value === undefined ? t.say('noValue') : valueText(property, Number(value.toPrecision(6)), t.locale)
  const known = rows.flatMap(row => (row.facts ? [{ name: row.mention.name, facts: row.facts }] : []))
  const values = {
    property: quoted(nameOf(property, t.locale)),
    period: span.label,
    names: enumerated(
      t,
      rows.map(({ mention }) => strong(mention.name)),
    ),
  }
  const top = known.toSorted((a, b) => b.facts.highest.value - a.facts.highest.value)[0]
  const low = known.toSorted((a, b) => a.facts.lowest.value - b.facts.lowest.value)[0]
  return {
    text: [
      top && low
        ? t.say('compared', {
            ...values,
            top: strong(top.name),
            highest: text(top.facts.highest.value),
            highestAt: momentText(t, top.facts.highest.at),
            low: strong(low.name),
            lowest: text(low.facts.lowest.value),
            lowestAt: momentText(t, low.facts.lowest.at),
          })
        : t.say('noneHasData', values),
      more,
    ].join(''),
    cards: [
      {
        kind: 'table',
        title: t.say('title', { property: nameOf(property, t.locale), period: span.label }),
        columns: [
          { key: 'name', title: t.say('device') },
          { key: 'highest', title: t.say('highest'), numeric: true },
          { key: 'lowest', title: t.say('lowest'), numeric: true },
          { key: 'average', title: t.say('average'), numeric: true },
        ],
        rows: rows.map(({ mention, facts }) => ({
          name: { text: mention.name, ...(mention.link ? { to: mention.link } : {}) },
          highest: { text: text(facts?.highest.value) },
          lowest: { text: text(facts?.lowest.value) },
          average: { text: text(facts ? Number(facts.average.toFixed(property.decimals ?? 2)) : undefined) },
        })),
        total: rows.length,
      },
      ...(known.length > 0
        ? [
            {
              kind: 'chart' as const,
              title: t.say('title', { property: nameOf(property, t.locale), period: span.label }),
              unit: property.unit ?? '',
              series: known.map(({ name, facts }) => ({ name, points: facts.points })),
            },
          ]
        : []),
    ],
    data: {
      property: property.identifier,
      unit: property.unit ?? '',
      devices: rows.map(({ mention, facts }) => ({
        device: mention.name,
        highest: facts?.highest.value ?? null,
        lowest: facts?.lowest.value ?? null,
        average: facts ? Number(facts.average.toPrecision(6)) : null,
      })),
    },
    mentions,
  }
}

/** The latest values of all, one row for each property. */
async function sideBySide(
  t: ToolContext,
  devices: readonly Compared[],
  models: ReadonlyMap<string, readonly Property[]>,
): Promise<ToolResult> {
  const properties = new Map<string, Property>()
  for (const { productId } of devices)
    for (const property of models.get(productId)!)
      if (!properties.has(property.identifier)) properties.set(property.identifier, property)
  const shown = [...properties.values()].slice(0, 16)
  if (shown.length === 0) throw new ToolProblem(t.say('noProperties', { of: quoted(devices[0]!.mention.name) }))
  const { items } = await t.call(telemetryContract.latestOfMany, {
    query: {
      ids: devices.map(({ mention }) => mention.id).join(','),
      identifiers: shown.map(({ identifier }) => identifier).join(','),
    },
  })
  const latestOf = (id: string, property: Property) =>
    valueText(property, items.find(item => item.id === id)?.values[property.identifier]?.value, t.locale)
  const names = devices.map(({ mention }) => strong(mention.name))
  return {
    text: t.say('sideBySide', { names: enumerated(t, names) }),
    cards: [
      {
        kind: 'table',
        title: t.say('latest'),
        columns: [
          { key: 'property', title: t.say('property') },
          ...devices.map(({ mention }, i) => ({ key: `d${i}`, title: mention.name })),
        ],
        rows: shown.map(property => ({
          property: { text: nameOf(property, t.locale) },
          ...Object.fromEntries(devices.map(({ mention }, i) => [`d${i}`, { text: latestOf(mention.id, property) }])),
        })),
        total: properties.size,
      },
    ],
    data: devices.map(({ mention }) => ({
      device: mention.name,
      values: Object.fromEntries(
        shown.map(property => [property.identifier, latestOf(mention.id, property).slice(0, 60)]),
      ),
    })),
  }
}
