import { MESSAGE_KINDS, type MessageView, telemetryContract } from '@thingwright/contracts/telemetry.contract'
import { thingModelsContract } from '@thingwright/contracts/thing-models.contract'
import { Type } from 'typebox'
import { linkTo, momentText, pages, said, strong, toolInput, withCommonTexts } from '../../lib/tools/thing-kit.ts'
import {
  type Card,
  defineTool,
  type Mention,
  quoted,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../../lib/tools/tools.ts'
import { modelOf, nameOf, partsNamed } from '../products/index.ts'
import words from './telemetry.tools.json' with { type: 'json' }

const whichDevice = said('Name, number or id of the device')
const ROWS = 20

const deviceEvents = defineTool({
  name: 'device_events',
  class: 'read',
  permission: 'telemetry:read',
  description: 'Events that a device reported (alarms, faults and other announcements of its model), newest first.',
  input: toolInput({ device: whichDevice, event: said('Only events of this name or identifier') }),
  words: withCommonTexts(words.device_events),
  async run(t, input): Promise<ToolResult> {
    const device = await t.find('device', input.device)
    const { model } = await t.call(thingModelsContract.deviceModel, { params: { id: device.id } })
    const { events } = modelOf(model)
    const only = input.event ? partsNamed(events, input.event)[0] : undefined
    const { items } = await t.call(telemetryContract.events, {
      params: { id: device.id },
      query: { limit: 50, ...(only ? { identifier: only.identifier } : {}) },
    })
    const nameFor = (identifier: string) => {
      const event = events.find(each => each.identifier === identifier)
      return event ? nameOf(event, t.locale) : identifier
    }
    const values = {
      name: strong(device.name),
      count: items.length,
      event: only ? quoted(nameFor(only.identifier)) : '',
    }
    if (items.length === 0) return { text: t.say('none', values), data: { events: [] }, mentions: [device] }
    return {
      text: t.say('some', { ...values, last: strong(nameFor(items[0]!.identifier)), at: momentText(t, items[0]!.ts) }),
      cards: [
        {
          kind: 'table',
          title: t.say('title', { name: device.name }),
          columns: [
            { key: 'at', title: t.say('time') },
            { key: 'event', title: t.say('event') },
            { key: 'level', title: t.say('level') },
            { key: 'params', title: t.say('params') },
          ],
          rows: items.slice(0, ROWS).map(item => ({
            at: { text: momentText(t, item.ts) },
            event: { text: nameFor(item.identifier) },
            level: { text: t.say(`level_${item.level}`) },
            params: { text: short(item.params) },
          })),
          total: items.length,
          link: { title: t.say('openEvents'), to: pages.device(device.id, 'events') },
        },
      ],
      data: items.slice(0, 15).map(item => ({
        event: item.identifier,
        level: item.level,
        at: new Date(item.ts).toISOString(),
        params: short(item.params),
      })),
      mentions: [device],
    }
  },
})

/** A value of data in one line. */
const short = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? '')).slice(0, 160)

async function messagesOf(
  t: ToolContext,
  device: Mention,
  query: { kind?: MessageView['kind']; q?: string; period?: string | undefined },
): Promise<MessageView[]> {
  const { kind, q, period } = query
  const span = period === undefined ? null : t.period(period)
  const found: MessageView[] = []
  let cursor: string | null = null
  // A search looks at so many rows at once and may find few of them.
  for (let page = 0; page < 5 && found.length < ROWS; page++) {
    const part: { items: MessageView[]; nextCursor: string | null } = await t.call(telemetryContract.messages, {
      params: { id: device.id },
      query: {
        limit: 50,
        ...(kind ? { kind } : {}),
        ...(q ? { q } : {}),
        ...(span ? { from: span.from, to: span.to } : {}),
        ...(cursor ? { cursor } : {}),
      },
    })
    found.push(...part.items)
    cursor = part.nextCursor
    if (!cursor) break
  }
  return found
}

function messageTable(t: ToolContext, device: Mention, items: readonly MessageView[]): Card {
  return {
    kind: 'table',
    title: t.say('title', { name: device.name }),
    columns: [
      { key: 'at', title: t.say('time') },
      { key: 'kind', title: t.say('kind') },
      { key: 'content', title: t.say('content') },
    ],
    rows: items.slice(0, ROWS).map(item => ({
      at: { text: momentText(t, item.arrivedAt) },
      kind: { text: t.say(`kind_${item.kind}`) },
      content: { text: contentOf(item) },
    })),
    total: items.length,
    link: { title: t.say('openLog'), to: pages.device(device.id, 'messages') },
  }
}

function contentOf({ refusedReason, values, text, hex }: MessageView): string {
  const body = values !== null ? short(values) : (text ?? hex ?? '').slice(0, 160)
  return refusedReason ? `${refusedReason} ${body}`.trim() : body
}

const searchMessages = defineTool({
  name: 'search_messages',
  class: 'read',
  permission: 'telemetry:read',
  description:
    'The message log of a device, newest first: what it sent, what was sent to it, when it came and went. Narrowed by a text (0x… searches bytes), a kind or a span of time.',
  input: toolInput({
    device: whichDevice,
    text: Type.Optional(
      Type.String({ maxLength: 128, description: 'Text in values or bytes; hex digits after 0x: bytes' }),
    ),
    kind: Type.Optional(
      Type.Unsafe<MessageView['kind']>({
        type: 'string',
        enum: [...MESSAGE_KINDS],
        description: 'Only messages of this kind',
      }),
    ),
    period: said('The span of time; the newest messages when absent'),
  }),
  words: withCommonTexts(words.search_messages),
  async run(t, input): Promise<ToolResult> {
    const device = await t.find('device', input.device)
    const items = await messagesOf(t, device, {
      ...(input.kind ? { kind: input.kind } : {}),
      ...(input.text ? { q: input.text } : {}),
      period: input.period,
    })
    const values = {
      name: strong(device.name),
      count: items.length,
      text: input.text ? t.say('holding', { text: quoted(input.text) }) : '',
    }
    if (items.length === 0) return { text: t.say('none', values), data: { messages: [] }, mentions: [device] }
    return {
      text: t.say('some', { ...values, at: momentText(t, items[0]!.arrivedAt) }),
      cards: [messageTable(t, device, items)],
      data: items.slice(0, 15).map(item => ({ kind: item.kind, at: item.arrivedAt, content: contentOf(item) })),
      mentions: [device],
    }
  },
})

const refusedMessages = defineTool({
  name: 'refused_messages',
  class: 'read',
  permission: 'telemetry:read',
  description: 'Messages of a device that the platform refused, newest first, with the reason and the content.',
  input: toolInput({ device: whichDevice, period: said('The span of time; the newest ones when absent') }),
  words: withCommonTexts(words.refused_messages),
  async run(t, input): Promise<ToolResult> {
    const device = await t.find('device', input.device)
    const items = await messagesOf(t, device, { kind: 'refused', period: input.period })
    const reasons = new Map<string, number>()
    for (const { refusedReason } of items)
      if (refusedReason) reasons.set(refusedReason, (reasons.get(refusedReason) ?? 0) + 1)
    const values = { name: strong(device.name), count: items.length }
    if (items.length === 0) return { text: t.say('none', values), data: { messages: [] }, mentions: [device] }
    const why = [...reasons].sort((a, b) => b[1] - a[1])
    return {
      text: [
        t.say('some', values),
        ...why.slice(0, 5).map(([reason, n]) => `- ${refusalText(t, reason)} × ${n}`),
        '',
        linkTo(t.say('openDoctor'), pages.device(device.id, 'diagnose')),
      ].join('\n'),
      cards: [messageTable(t, device, items)],
      data: {
        reasons: Object.fromEntries(why),
        messages: items.slice(0, 10).map(item => ({ at: item.arrivedAt, content: contentOf(item) })),
      },
      mentions: [device],
    }
  },
})

/** Why a message was refused, in words; `property_type: temperature` tells the place behind the word. */
function refusalText(t: ToolContext, reason: string): string {
  const [word = '', ...rest] = reason.split(':')
  const key = `refusal_${word.trim()}`
  if (!(key in words.refused_messages.texts)) return quoted(reason)
  return `${t.say(key)}${rest.length > 0 ? ` (${quoted(rest.join(':').trim())})` : ''}`
}

/** What can be asked about the log of a device. */
export const logTools: readonly Tool[] = [deviceEvents, searchMessages, refusedMessages]
