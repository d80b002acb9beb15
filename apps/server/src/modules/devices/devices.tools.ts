import { type DeviceView, devicesContract } from '@thingwright/contracts/devices.contract'
import { productsContract } from '@thingwright/contracts/products.contract'
import { telemetryContract } from '@thingwright/contracts/telemetry.contract'
import { thingModelsContract } from '@thingwright/contracts/thing-models.contract'
import { Type } from 'typebox'
import { AppError } from '../../lib/errors.ts'
import {
  agoText,
  enumerated,
  linkTo,
  momentText,
  pages,
  reasonText,
  said,
  spanText,
  strong,
  toolInput,
  withCommonTexts,
} from '../../lib/tools/thing-kit.ts'
import {
  type Card,
  defineTool,
  type Mention,
  quoted,
  type Tool,
  type ToolContext,
  ToolProblem,
} from '../../lib/tools/tools.ts'
import { groupMention } from '../groups/index.ts'
import { modelOf, nameOf, productMention, valueText } from '../products/index.ts'
import { deviceMention } from './device.finder.ts'
import { changeDeviceTools } from './devices.change.tools.ts'
import words from './devices.tools.json' with { type: 'json' }
import { howToConnect } from './how-to-connect.tools.ts'

/** Rows of a table in a chat; more are one click away. */
const ROWS = 20

export const STATES = ['online', 'offline', 'never', 'disabled', 'recycled'] as const
type State = (typeof STATES)[number]

const narrowed = {
  product: said('Only devices of this product: its name, key or id'),
  group: said('Only devices of this device group and the groups below it: its name or id'),
  tag: said('Only devices with this tag'),
  firmware: said('Only devices that run this firmware version'),
  category: said('Only devices whose product is of this category'),
  alarm: Type.Optional(Type.Boolean({ description: 'Only devices with an open alarm' })),
  state: Type.Optional(
    Type.Unsafe<State>({
      type: 'string',
      enum: [...STATES],
      description:
        'online; offline: was there once; never: did not connect yet; disabled; recycled: in the recycle bin',
    }),
  ),
}
interface Narrowed {
  product?: string
  group?: string
  tag?: string
  firmware?: string
  category?: string
  alarm?: boolean
  state?: State
}

/** The list's query for what was said, the same in the address of the console, and what it is in words. */
async function narrow(t: ToolContext, { product, group, tag, firmware, category, alarm, state }: Narrowed) {
  const [within, instead] = group ? await groupOrProduct(t, group) : [null, null]
  const of = product ? await t.find('product', product) : instead
  const query = {
    ...(of ? { productId: of.id } : {}),
    ...(within ? { groupId: within.id } : {}),
    ...(tag ? { tag } : {}),
    ...(firmware ? { firmware } : {}),
    ...(category ? { category } : {}),
    ...(alarm ? { alarmLevel: 'any' as const } : {}),
    ...(state === 'disabled' || state === 'recycled' ? { lifecycle: state } : state ? { link: state } : {}),
  }
  const parts = [
    ...(state ? [t.say(state)] : []),
    ...(of ? [`${t.say('product')} ${strong(of.name)}`] : []),
    ...(within ? [`${t.say('group')} ${strong(within.name)}`] : []),
    ...(tag ? [`${t.say('tags')} ${strong(tag)}`] : []),
    ...(firmware ? [`${t.say('firmware')} ${strong(firmware)}`] : []),
    ...(category ? [`${t.say('category')} ${strong(category)}`] : []),
    ...(alarm ? [t.say('withAlarm')] : []),
  ]
  const { lifecycle, ...rest } = query as Record<string, string | undefined>
  const link = pages.devices(lifecycle === 'recycled' ? { tab: 'recycled', ...rest } : { ...query })
  return { query, parts, link, mentions: [...(within ? [within] : []), ...(of ? [of] : [])] }
}

/** What is called so: a group, or else a product, which people say in the same words. */
async function groupOrProduct(t: ToolContext, text: string): Promise<[Mention, null] | [null, Mention]> {
  try {
    return [await t.find('group', text), null]
  } catch (error) {
    const product = error instanceof ToolProblem ? await t.find('product', text).catch(() => null) : null
    if (!product) throw error
    return [null, product]
  }
}

/** The state that counts for people: a device out of use is not just offline. */
export function stateText(t: ToolContext, device: Pick<DeviceView, 'lifecycle' | 'link'>): string {
  return t.say(device.lifecycle === 'disabled' || device.lifecycle === 'recycled' ? device.lifecycle : device.link)
}

function deviceTable(t: ToolContext, title: string, devices: readonly DeviceView[], total: number, to: string): Card {
  return {
    kind: 'table',
    title,
    columns: [
      { key: 'name', title: t.say('name') },
      { key: 'no', title: t.say('deviceNo') },
      { key: 'product', title: t.say('product') },
      { key: 'group', title: t.say('group') },
      { key: 'state', title: t.say('state') },
      { key: 'seen', title: t.say('lastSeen') },
    ],
    rows: devices.map(device => ({
      name: { text: device.name, to: pages.device(device.id) },
      no: { text: device.deviceNo },
      product: { text: device.productName, to: pages.product(device.productId) },
      group: { text: device.groupName ?? t.say('noValue') },
      state: { text: stateText(t, device) },
      seen: { text: device.lastSeenAt ? momentText(t, device.lastSeenAt) : t.say('noValue') },
    })),
    total,
    link: { title: t.say('openList'), to },
  }
}

const brief = (device: DeviceView) => ({
  id: device.id,
  name: device.name,
  deviceNo: device.deviceNo,
  product: device.productName,
  group: device.groupName,
  firmware: device.firmware,
  link: device.link,
  lifecycle: device.lifecycle,
  lastSeenAt: device.lastSeenAt,
})

const listDevices = defineTool({
  name: 'list_devices',
  class: 'read',
  permission: 'device:read',
  description:
    'Lists devices, narrowed by product, group, tag, state or a text in name and number, with their states, and says how many there are in all. Use it to find devices or to see which are online or offline.',
  input: toolInput({ ...narrowed, text: said('Text in the name or number of the devices') }),
  words: withCommonTexts(words.list_devices),
  async run(t, { text, ...given }) {
    const { query, parts, link, mentions } = await narrow(t, given)
    const q = text?.trim().slice(0, 128)
    const { items, total = items.length } = await t.call(devicesContract.list, {
      query: {
        ...query,
        ...(q ? { q } : {}),
        limit: ROWS,
        total: '1',
        sort: given.state === 'never' ? 'name' : '-lastSeenAt',
      },
    })
    if (q) parts.push(`“${quoted(q)}”`)
    const what = parts.length > 0 ? t.say('narrowedBy', { parts: enumerated(t, parts) }) : ''
    const to = q ? `${link}${link.includes('?') ? '&' : '?'}${new URLSearchParams({ q })}` : link
    if (total === 0)
      return {
        text: t.say(parts.length > 0 ? 'noneFit' : 'noneAtAll', { what }),
        data: { total: 0, devices: [] },
        mentions,
      }
    return {
      text: t.say(total > items.length ? 'foundSome' : 'found', { total, shown: items.length, what }),
      cards: [deviceTable(t, t.say('title'), items, total, to)],
      data: { total, devices: items.map(brief) },
      mentions: [...(items.length === 1 ? [deviceMention(items[0]!)] : []), ...mentions],
    }
  },
})

const countDevices = defineTool({
  name: 'count_devices',
  class: 'read',
  permission: 'device:read',
  description:
    'Counts devices: in all and by state (online, offline, never connected, disabled), or by product. Narrowed by product, group, tag or state it gives the one number.',
  input: toolInput({
    by: Type.Optional(
      Type.Unsafe<'state' | 'product'>({ type: 'string', enum: ['state', 'product'], description: 'What to count by' }),
    ),
    ...narrowed,
  }),
  words: withCommonTexts(words.count_devices),
  async run(t, { by, ...given }) {
    if (by === 'product') return countByProduct(t)
    const { query, parts, link, mentions } = await narrow(t, given)
    const counted = async (over: object = {}) => {
      const { total = 0 } = await t.call(devicesContract.list, { query: { ...query, ...over, limit: 1, total: '1' } })
      return total
    }
    const seeAll = linkTo(t.say('openList'), link)
    if (given.state) {
      const total = await counted()
      return { text: t.say('oneNumber', { total, what: enumerated(t, parts), seeAll }), data: { total }, mentions }
    }
    const states =
      parts.length === 0
        ? await t.call(devicesContract.counts, {})
        : {
            total: await counted(),
            online: await counted({ link: 'online' }),
            offline: await counted({ link: 'offline' }),
            never: await counted({ link: 'never' }),
            disabled: await counted({ lifecycle: 'disabled' }),
          }
    const what = parts.length > 0 ? t.say('narrowedBy', { parts: enumerated(t, parts) }) : ''
    return { text: t.say('byState', { ...states, what, seeAll }), data: states, mentions }
  },
})

async function countByProduct(t: ToolContext) {
  const { items, total = items.length } = await t.call(productsContract.list, { query: { limit: 100, total: '1' } })
  const rows = [...items].sort((a, b) => b.deviceCount - a.deviceCount)
  return {
    text: t.say('byProduct', { products: total, devices: rows.reduce((sum, { deviceCount }) => sum + deviceCount, 0) }),
    cards: [
      {
        kind: 'table' as const,
        title: t.say('byProductTitle'),
        columns: [
          { key: 'product', title: t.say('product') },
          { key: 'count', title: t.say('device'), numeric: true },
          { key: 'online', title: t.say('online'), numeric: true },
        ],
        rows: rows.slice(0, ROWS).map(product => ({
          product: { text: product.name, to: pages.product(product.id) },
          count: { text: String(product.deviceCount), to: pages.devices({ productId: product.id }) },
          online: { text: String(product.onlineCount) },
        })),
        total,
        link: { title: t.say('openList'), to: pages.products() },
      },
    ],
    data: rows.slice(0, 50).map(({ name, deviceCount, onlineCount }) => ({ name, deviceCount, onlineCount })),
  }
}

const deviceOverview = defineTool({
  name: 'device_overview',
  class: 'read',
  permission: 'device:read',
  tellsValues: true,
  description:
    'One device: product, group, tags, state, when it was last seen, why it went offline, and its latest values. Use it for "how is device X".',
  input: toolInput({ device: said('Name, number or id of the device') }),
  words: withCommonTexts(words.device_overview),
  async run(t, input) {
    const mention = await t.find('device', input.device)
    const device = await t.call(devicesContract.get, { params: { id: mention.id } })
    const values = await latestOf(t, device.id)
    const lines = [
      t.say('head', {
        name: strong(device.name),
        no: quoted(device.deviceNo),
        product: linkTo(device.productName, pages.product(device.productId)),
        state: stateText(t, device),
      }),
      ...facts(t, device).map(([name, text]) => `- ${name}${t.say('colon')}${text}`),
      '',
      linkTo(t.say('openDevice'), pages.device(device.id)),
    ]
    return {
      text: lines.join('\n'),
      cards: values.length > 0 ? [valuesTable(t, device, values)] : [],
      data: {
        ...brief(device),
        tags: device.tags,
        lastOfflineReason: device.lastOfflineReason,
        values: values.slice(0, 30).map(({ identifier, text, at }) => ({ identifier, value: text, at })),
      },
      mentions: [
        deviceMention(device),
        productMention({ id: device.productId, name: device.productName }),
        ...(device.groupId ? [groupMention({ id: device.groupId, name: device.groupName ?? '', kind: 'device' })] : []),
      ],
    }
  },
})

function facts(t: ToolContext, device: DeviceView): [string, string][] {
  const reason = device.lastOfflineReason
  return [
    [
      t.say('lastSeen'),
      device.lastSeenAt ? `${momentText(t, device.lastSeenAt)} (${agoText(t, device.lastSeenAt)})` : t.say('never'),
    ],
    ...(device.link === 'online' && device.onlineSince
      ? [[t.say('onlineFor'), spanText(t, t.now - Date.parse(device.onlineSince))] as [string, string]]
      : []),
    ...(device.link === 'offline' && device.lastOfflineAt
      ? [
          [
            t.say('offlineSince'),
            `${momentText(t, device.lastOfflineAt)}${reason ? ` (${reasonText(t, reason)})` : ''}`,
          ] as [string, string],
        ]
      : []),
    [t.say('group'), device.groupName ? quoted(device.groupName) : t.say('notInGroup')],
    ...(device.tags.length > 0 ? [[t.say('tags'), enumerated(t, device.tags.map(quoted))] as [string, string]] : []),
    ...(device.description ? [[t.say('description'), quoted(device.description)] as [string, string]] : []),
  ]
}

interface Latest {
  identifier: string
  name: string
  text: string
  at: number
}

/** The latest values in words, by the device's own model; none for those who may not see values. */
async function latestOf(t: ToolContext, id: string): Promise<Latest[]> {
  try {
    const [{ items }, { model }] = await Promise.all([
      t.call(telemetryContract.latest, { params: { id } }),
      t.call(thingModelsContract.deviceModel, { params: { id } }),
    ])
    const { properties } = modelOf(model)
    return items.map(({ identifier, value, ts }) => {
      const property = properties.find(each => each.identifier === identifier)
      return {
        identifier,
        name: property ? nameOf(property, t.locale) : identifier,
        text: property ? valueText(property, value, t.locale) : String(value),
        at: ts,
      }
    })
  } catch (error) {
    if (error instanceof AppError && error.code === 'permission.denied') return []
    throw error
  }
}

function valuesTable(t: ToolContext, device: DeviceView, values: readonly Latest[]): Card {
  return {
    kind: 'table',
    title: t.say('values', { name: device.name }),
    columns: [
      { key: 'name', title: t.say('property') },
      { key: 'value', title: t.say('value') },
      { key: 'at', title: t.say('time') },
    ],
    rows: values.slice(0, ROWS).map(each => ({
      name: { text: each.name },
      value: { text: each.text },
      at: { text: momentText(t, each.at) },
    })),
    total: values.length,
    link: { title: t.say('openDevice'), to: pages.device(device.id) },
  }
}

const silentDevices = defineTool({
  name: 'silent_devices',
  class: 'read',
  permission: 'device:read',
  description:
    'Devices that have sent nothing for at least so many hours, longest silent first, those that never connected told apart. Use it for "which devices have been silent for more than a day".',
  input: toolInput({
    hours: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100_000, description: 'How long, in hours; 24 when absent' }),
    ),
    days: Type.Optional(
      Type.Number({ minimum: 0, maximum: 4_000, description: 'How long, in days, instead of hours' }),
    ),
    product: narrowed.product,
    group: narrowed.group,
  }),
  words: withCommonTexts(words.silent_devices),
  async run(t, { hours, days, product, group }) {
    const span = (days !== undefined ? days * 24 : (hours ?? 24)) * 3_600_000
    const { query, parts, link, mentions } = await narrow(t, {
      ...(product ? { product } : {}),
      ...(group ? { group } : {}),
    })
    const before = t.now - span
    const silent: DeviceView[] = []
    let cursor: string | null = null
    let more = false
    // By last sight, oldest first: what comes after the first that was heard of lately was heard of lately too.
    for (const link of ['offline', 'online'] as const) {
      cursor = null
      for (let page = 0; page < 5; page++) {
        const part: { items: DeviceView[]; nextCursor: string | null } = await t.call(devicesContract.list, {
          query: { ...query, link, sort: 'lastSeenAt', limit: 100, ...(cursor ? { cursor } : {}) },
        })
        const old = part.items.filter(device => device.lastSeenAt && Date.parse(device.lastSeenAt) <= before)
        silent.push(...old)
        cursor = part.nextCursor
        if (old.length < part.items.length || !cursor) break
        if (page === 4) more = true
      }
    }
    silent.sort((a, b) => Date.parse(a.lastSeenAt!) - Date.parse(b.lastSeenAt!))
    const { total: never = 0 } = await t.call(devicesContract.list, {
      query: { ...query, link: 'never', limit: 1, total: '1' },
    })
    const what = parts.length > 0 ? t.say('narrowedBy', { parts: enumerated(t, parts) }) : ''
    const values = { span: spanText(t, span), total: `${silent.length}${more ? '+' : ''}`, never, what }
    return {
      text: t.say(silent.length > 0 ? 'silent' : 'allSpoke', values),
      cards:
        silent.length > 0 ? [deviceTable(t, t.say('title', values), silent.slice(0, ROWS), silent.length, link)] : [],
      data: { total: silent.length, never, devices: silent.slice(0, ROWS).map(brief) },
      mentions: [...(silent.length === 1 ? [deviceMention(silent[0]!)] : []), ...mentions],
    }
  },
})

/** What can be asked and done about devices. */
export const devicesTools: readonly Tool[] = [
  listDevices,
  countDevices,
  deviceOverview,
  silentDevices,
  howToConnect,
  ...changeDeviceTools,
]
