import { devicesContract } from '@thingwright/contracts/devices.contract'
import { telemetryContract } from '@thingwright/contracts/telemetry.contract'
import { thingModelsContract } from '@thingwright/contracts/thing-models.contract'
import type { Property } from '@thingwright/thing-model'
import { Type } from 'typebox'
import {
  agoText,
  enumerated,
  linkTo,
  momentText,
  pages,
  reasonText,
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
  type Tool,
  type ToolContext,
  ToolProblem,
  type ToolResult,
} from '../../lib/tools/tools.ts'
import { isNumber, modelOf, nameOf, numberText, partsNamed, pickProperty, valueText } from '../products/index.ts'
import { compareDevices, compareMany } from './compare.tools.ts'
import { logTools } from './device-log.tools.ts'
import { type SeriesFacts, seriesFacts } from './series-facts.ts'
import words from './telemetry.tools.json' with { type: 'json' }

const whichDevice = said('Name, number or id of the device')

/** The model in force for a device. */
async function modelOfDevice(t: ToolContext, id: string) {
  return modelOf((await t.call(thingModelsContract.deviceModel, { params: { id } })).model)
}

const latestValues = defineTool({
  name: 'latest_values',
  class: 'read',
  permission: 'telemetry:read',
  description:
    'The latest value of every property of a device, or of the properties that are named, each with the time it was reported. Use it for "what is the temperature of X now".',
  input: toolInput({
    device: whichDevice,
    property: said('Name or identifier of a property; several separated by commas; all when absent'),
  }),
  words: withCommonTexts(words.latest_values),
  async run(t, input) {
    const device = await t.find('device', input.device)
    const [{ items }, model] = await Promise.all([
      t.call(telemetryContract.latest, { params: { id: device.id } }),
      modelOfDevice(t, device.id),
    ])
    const wanted = input.property ? propertiesNamed(t, model.properties, input.property, device.name) : null
    const rows = items.flatMap(item => {
      const property = model.properties.find(each => each.identifier === item.identifier)
      if (wanted && !wanted.includes(property as Property)) return []
      const name = property ? nameOf(property, t.locale) : item.identifier
      const text = property ? valueText(property, item.value, t.locale) : JSON.stringify(item.value)
      return [{ ...item, name, text }]
    })
    const mentions = [device]
    const page = linkTo(t.say('openDevice'), pages.device(device.id))
    if (rows.length === 0)
      return {
        text: t.say(wanted ? 'noneOfThese' : 'nothingYet', {
          name: strong(device.name),
          properties: enumerated(
            t,
            (wanted ?? []).map(property => quoted(nameOf(property, t.locale))),
          ),
          page,
        }),
        data: { values: [] },
        mentions,
      }
    const line = (row: (typeof rows)[number]) =>
      t.say(row.quality === 'good' ? 'oneValue' : 'oneDoubtful', {
        property: quoted(row.name),
        value: strong(row.text),
        at: momentText(t, row.ts),
        ago: agoText(t, row.ts),
      })
    return {
      text:
        rows.length <= 3
          ? [t.say('few', { name: strong(device.name) }), ...rows.map(row => `- ${line(row)}`)].join('\n')
          : t.say('many', { name: strong(device.name), count: rows.length, page }),
      cards:
        rows.length <= 3
          ? []
          : [
              {
                kind: 'table',
                title: t.say('title', { name: device.name }),
                columns: [
                  { key: 'name', title: t.say('property') },
                  { key: 'value', title: t.say('value') },
                  { key: 'at', title: t.say('time') },
                ],
                rows: rows.slice(0, 50).map(row => ({
                  name: { text: row.name },
                  value: { text: row.quality === 'good' ? row.text : `${row.text} (${t.say(row.quality)})` },
                  at: { text: momentText(t, row.ts) },
                })),
                total: rows.length,
                link: { title: t.say('openDevice'), to: pages.device(device.id) },
              },
            ],
      data: {
        device: device.name,
        values: rows.slice(0, 40).map(({ identifier, name, text, ts, quality }) => ({
          identifier,
          name,
          value: text.slice(0, 200),
          at: new Date(ts).toISOString(),
          quality,
        })),
      },
      mentions,
    }
  },
})

/** Several properties, separated as people do; the whole text first, for names that hold such a word themselves. */
function propertiesNamed(t: ToolContext, all: readonly Property[], text: string, of: string): Property[] {
  if (partsNamed(all, text).length === 1) return partsNamed(all, text)
  return [...new Set(splitNames(text).map(part => pickProperty(t, all, part, of)))].slice(0, 6)
}

const MEASURES = ['highest', 'lowest', 'average', 'trend'] as const

const telemetryHistory = defineTool({
  name: 'telemetry_history',
  class: 'read',
  permission: 'telemetry:read',
  description:
    'How a property of one device developed in a span of time: highest and lowest value with their times, the average, and a chart. For on/off, text and other values the last reports instead. Use it for "the highest temperature of X last week".',
  input: toolInput({
    device: whichDevice,
    property: said('Name or identifier of the property; several numeric ones separated by commas'),
    period: said(
      'The span of time: today, yesterday, last week, past 3 days, 2026-11-01/2026-11-05; the last 24 hours when absent',
    ),
    measure: Type.Optional(
      Type.Unsafe<(typeof MEASURES)[number]>({
        type: 'string',
        enum: [...MEASURES],
        description: 'What is asked for above all',
      }),
    ),
  }),
  words: withCommonTexts({
    ...words.telemetry_history,
    // A group or a product may be named in place of a device.
    texts: { ...words.compare_devices.texts, ...words.telemetry_history.texts },
  }),
  async run(t, input): Promise<ToolResult> {
    const span = t.period(input.period)
    const { device, many } = await deviceOrMany(t, input.device)
    if (many) return many(input.property, input.period)
    const { properties } = await modelOfDevice(t, device.id)
    const reported = properties.filter(({ access }) => access !== 'w')
    const wanted = input.property
      ? propertiesNamed(t, reported, input.property, device.name)
      : [pickProperty(t, numericOrAll(reported), undefined, device.name)]
    const lines: string[] = []
    const series: { property: Property; facts: SeriesFacts }[] = []
    const cards: NonNullable<ToolResult['cards']> = []
    for (const property of wanted) {
      if (isNumber(property.dataType)) {
        const facts = await seriesFacts(t, device.id, property.identifier, span)
        if (facts) series.push({ property, facts })
        lines.push(
          facts
            ? factsText(t, device, property, span.label, facts, input.measure)
            : emptyText(t, device, property, span.label),
        )
      } else {
        const { text, card } = await reports(t, device, property, span)
        lines.push(text)
        if (card) cards.push(card)
      }
    }
    const units = [...new Set(series.map(({ property }) => property.unit ?? ''))]
    for (const unit of units) {
      const drawn = series.filter(({ property }) => (property.unit ?? '') === unit)
      cards.push({
        kind: 'chart',
        title: t.say('chartTitle', {
          name: device.name,
          property: enumerated(
            t,
            drawn.map(({ property }) => nameOf(property, t.locale)),
          ),
          period: span.label,
        }),
        unit,
        series: drawn.map(({ property, facts }) => ({ name: nameOf(property, t.locale), points: facts.points })),
        link: { title: t.say('openHistory'), to: pages.device(device.id, 'history') },
      })
    }
    return {
      text: lines.join('\n\n'),
      cards,
      data: {
        device: device.name,
        period: { from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() },
        properties: series.map(({ property, facts }) => ({
          property: property.identifier,
          unit: property.unit ?? '',
          highest: dated(facts.highest),
          lowest: dated(facts.lowest),
          average: Number(facts.average.toPrecision(6)),
        })),
        ...(series.length === 0 ? { text: lines.join('\n').slice(0, 1500) } : {}),
      },
      mentions: [device],
    }
  },
})

/** The device that was named; where there is none of that name but a group or a product, its devices compared. */
async function deviceOrMany(t: ToolContext, text: string | undefined) {
  try {
    return { device: await t.find('device', text) }
  } catch (error) {
    if (!(error instanceof ToolProblem) || !text?.trim()) throw error
    for (const kind of ['group', 'product'] as const) {
      const found = await t.find(kind, text).catch(() => null)
      if (!found) continue
      const many = (property?: string, period?: string) =>
        compareMany(t, { [kind]: found.id, ...(property ? { property } : {}), ...(period ? { period } : {}) })
      return { device: found, many }
    }
    throw error
  }
}

const dated = ({ value, at }: { value: number; at: number }) => ({ value, at: new Date(at).toISOString() })

/** What can be meant without a name: numbers if there are any. */
function numericOrAll(properties: readonly Property[]): readonly Property[] {
  const numeric = properties.filter(({ dataType }) => isNumber(dataType))
  return numeric.length > 0 ? numeric : properties
}

function emptyText(t: ToolContext, device: Mention, property: Property, period: string): string {
  return t.say('noData', { name: strong(device.name), property: quoted(nameOf(property, t.locale)), period })
}

/** The facts in words, what was asked for first. */
export function factsText(
  t: ToolContext,
  device: Mention,
  property: Property,
  period: string,
  facts: SeriesFacts,
  measure: (typeof MEASURES)[number] = 'trend',
): string {
  const number = (value: number) => valueText(property, value, t.locale)
  const average = valueText({ ...property, decimals: property.decimals ?? 2 }, facts.average, t.locale)
  const values = {
    name: strong(device.name),
    property: quoted(nameOf(property, t.locale)),
    period,
    highest: number(facts.highest.value),
    highestAt: momentText(t, facts.highest.at),
    lowest: number(facts.lowest.value),
    lowestAt: momentText(t, facts.lowest.at),
    average,
    change: changeOf(facts),
  }
  return t.say(`facts_${measure}`, values)
}

/** `+1.4`: from the first to the last value that is drawn. */
function changeOf({ points }: SeriesFacts): string {
  const values = points.flatMap(([, value]) => (typeof value === 'number' ? [value] : []))
  const change = (values.at(-1) ?? 0) - (values[0] ?? 0)
  return `${change > 0 ? '+' : ''}${numberText(change, 2)}`
}

/** What was reported of a property that cannot be drawn, the newest first. */
async function reports(
  t: ToolContext,
  device: Mention,
  property: Property,
  span: { from: number; to: number; label: string },
) {
  const { items } = await t.call(telemetryContract.raw, {
    params: { id: device.id },
    query: { identifier: property.identifier, from: span.from, to: span.to, limit: 10_000 },
  })
  if (items.length === 0) return { text: emptyText(t, device, property, span.label), card: null }
  const newest = (items as [number, unknown][]).toReversed()
  return {
    text: t.say('reports', {
      name: strong(device.name),
      property: quoted(nameOf(property, t.locale)),
      period: span.label,
      count: items.length,
      last: strong(valueText(property, newest[0]![1], t.locale)),
      at: momentText(t, newest[0]![0]),
    }),
    card: {
      kind: 'table' as const,
      title: t.say('chartTitle', { name: device.name, property: nameOf(property, t.locale), period: span.label }),
      columns: [
        { key: 'at', title: t.say('time') },
        { key: 'value', title: t.say('value') },
      ],
      rows: newest.slice(0, 20).map(([at, value]) => ({
        at: { text: momentText(t, at) },
        value: { text: valueText(property, value, t.locale) },
      })),
      total: items.length,
      link: { title: t.say('openHistory'), to: pages.device(device.id, 'history') },
    },
  }
}

const deviceAvailability = defineTool({
  name: 'device_availability',
  class: 'read',
  permission: 'telemetry:read',
  description:
    'How much of the last days a device was online, day by day, how often it dropped and why. Use it for "how stable is X" or "online rate of X".',
  input: toolInput({
    device: whichDevice,
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 90, description: 'Days back, today included; 7 when absent' }),
    ),
  }),
  words: withCommonTexts(words.device_availability),
  async run(t, { device: text, days = 7 }) {
    const device = await t.find('device', text)
    const [{ items }, { link }] = await Promise.all([
      t.call(telemetryContract.availability, { params: { id: device.id }, query: { days } }),
      t.call(devicesContract.get, { params: { id: device.id } }),
    ])
    const known = items.reduce((sum, day) => sum + day.knownMs, 0)
    const online = items.reduce((sum, day) => sum + day.onlineMs, 0)
    const reasons = new Map<string, number>()
    for (const day of items)
      for (const [reason, n] of Object.entries(day.reasons)) reasons.set(reason, (reasons.get(reason) ?? 0) + n)
    const drops = [...reasons.values()].reduce((sum, n) => sum + n, 0)
    const values = { name: strong(device.name), days, state: t.say(link) }
    if (known === 0) return { text: t.say('unknown', values), data: { known: false }, mentions: [device] }
    const percent = percentText(online / known)
    const why = [...reasons].sort((a, b) => b[1] - a[1]).map(([reason, n]) => `${reasonText(t, reason)} × ${n}`)
    return {
      text: [
        t.say('rate', { ...values, percent, drops }),
        ...(why.length > 0 ? [t.say('why', { why: enumerated(t, why, 5) })] : []),
        linkTo(t.say('openConnections'), pages.device(device.id, 'connections')),
      ].join('\n\n'),
      cards: [
        {
          kind: 'table',
          title: t.say('title', { name: device.name }),
          columns: [
            { key: 'day', title: t.say('day') },
            { key: 'rate', title: t.say('online'), numeric: true },
            { key: 'drops', title: t.say('drops'), numeric: true },
          ],
          rows: items.slice(-14).map(day => ({
            day: { text: day.day },
            rate: { text: day.knownMs === 0 ? t.say('noValue') : percentText(day.onlineMs / day.knownMs) },
            drops: { text: String(Object.values(day.reasons).reduce((sum, n) => sum + n, 0)) },
          })),
          total: items.length,
          link: { title: t.say('openConnections'), to: pages.device(device.id, 'connections') },
        },
      ],
      data: { device: device.name, days, onlineRate: percent, drops, reasons: Object.fromEntries(reasons) },
      mentions: [device],
    }
  },
})

const percentText = (part: number) => `${(part * 100).toFixed(part > 0.999 && part < 1 ? 2 : 1)}%`

/** What can be asked about what devices reported. */
export const telemetryTools: readonly Tool[] = [
  latestValues,
  telemetryHistory,
  compareDevices,
  deviceAvailability,
  ...logTools,
]
