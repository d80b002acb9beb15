import {
  type API_KEY_STATES,
  type ApiKeyView,
  apiKeysContract,
  developerContract,
} from '@thingwright/contracts/developer.contract'
import { identityContract } from '@thingwright/contracts/identity.contract'
import { Type } from 'typebox'
import { isUuid } from '../../lib/ids.ts'
import { bestOf, mention, NOTHING, showTime } from '../../lib/tools/tool-kit.ts'
import {
  type Card,
  defineTool,
  type EntityFinder,
  type Mention,
  plannedCall,
  quoted,
  type Tool,
  type ToolContext,
  ToolProblem,
} from '../../lib/tools/tools.ts'
import words from './developer.tools.json' with { type: 'json' }

const PAGE = '/develop/LinkInterface'
const KEYS = `${PAGE}?tab=keys`
const SOON_MS = 30 * 86_400_000
const closed = { additionalProperties: false } as const
type KeyState = (typeof API_KEY_STATES)[number]

const mentionOf = (key: ApiKeyView): Mention => mention('api_key', key.id, key.name, KEYS)

/** API keys by their name or beginning; living ones before those that ended. Never a key itself. */
export const apiKeyFinder: EntityFinder = {
  kind: 'api_key',
  async find(call, text, limit) {
    if (isUuid(text)) return [mentionOf(await call(apiKeysContract.get, { params: { id: text } }))]
    // Whoever pastes a key means the one that begins so; the rest of it goes nowhere.
    const q = text.trim().replace(/^(twk_[^_]{1,12})_.*$/, '$1')
    const { items } = await call(apiKeysContract.list, { query: { ...(q ? { q: q.slice(0, 64) } : {}), limit: 100 } })
    const living = items.filter(key => key.state !== 'revoked')
    return bestOf(living.length > 0 ? living : items, q, limit, key => [key.name, key.prefix]).map(mentionOf)
  },
}

const expiresSoon = (key: ApiKeyView, now: number): boolean => {
  const left = key.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(key.expiresAt) - now
  return key.state === 'active' && left < SOON_MS
}

const listApiKeys = defineTool({
  name: 'list_api_keys',
  class: 'read',
  permission: 'developer:read',
  description:
    'Lists API keys: name, beginning, state, maker, expiry, last use (never the key itself). `expiring`: only those that end within 30 days.',
  input: Type.Object(
    {
      q: Type.Optional(Type.String({ maxLength: 64, description: 'Part of a name' })),
      state: Type.Optional(
        Type.Unsafe<KeyState>({
          type: 'string',
          enum: ['active', 'expired', 'revoked', 'maker_frozen', 'maker_left'],
          description: 'State',
        }),
      ),
      expiring: Type.Optional(Type.Boolean({ description: 'Only those that end within 30 days' })),
    },
    closed,
  ),
  words: words.list_api_keys,
  async run(t, { q, state, expiring }) {
    const { items: found, total = 0 } = await t.call(apiKeysContract.list, {
      query: { ...(q ? { q } : {}), ...(state ? { state } : {}), limit: 100, total: '1' },
    })
    const soon = found.filter(key => expiresSoon(key, t.now))
    const items = (expiring ? soon : found).slice(0, 20)
    const count = expiring ? soon.length : total
    if (items.length === 0) return { text: t.say(expiring ? 'noneSoon' : 'none'), data: { total: 0, items: [] } }
    const about = state ? t.say('about', { state: t.say(`st_${state}`) }) : ''
    return {
      text: expiring ? t.say('countSoon', { count }) : t.say('count', { count, about, soon: soon.length }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: ['Name', 'Prefix', 'State', 'Maker', 'Expires', 'Used'].map(key => ({
            key,
            title: t.say(`col${key}`),
          })),
          rows: items.map(key => ({
            Name: { text: key.name, to: KEYS },
            Prefix: { text: key.prefix },
            State: { text: t.say(`st_${key.state}`) },
            Maker: { text: key.madeBy.displayName || key.madeBy.username },
            Expires: { text: key.expiresAt ? showTime(t, key.expiresAt) : t.say('never') },
            Used: { text: showTime(t, key.lastUsedAt) },
          })),
          total: count,
          link: { title: t.say('page'), to: KEYS },
        },
      ],
      data: {
        total: count,
        items: items.map(key => ({
          id: key.id,
          name: key.name,
          state: key.state,
          madeBy: key.madeBy.username,
          rights: key.effectiveScopes,
          expiresAt: key.expiresAt,
          lastUsedAt: key.lastUsedAt,
        })),
      },
      mentions: items.length === 1 ? [mentionOf(items[0]!)] : [],
    }
  },
})

const newApiKey = defineTool({
  name: 'new_api_key',
  class: 'read',
  permission: 'signed-in',
  description:
    'Tells how an API key is made or rotated: on its page, because it is shown once and asks for a fresh proof of who it is. Makes none.',
  input: Type.Object(
    { api_key: Type.Optional(Type.String({ maxLength: 64, description: 'Name of the key to be rotated' })) },
    closed,
  ),
  words: words.new_api_key,
  async run(t) {
    const me = await t.call(identityContract.me, {})
    const may = me.permissions.includes('api-key:write')
    return {
      text: may ? t.say('text') : t.say('lack'),
      cards: may ? [pageCard(t, KEYS)] : [],
      data: { done: false, page: KEYS, allowed: may },
    }
  },
})

const pageCard = (t: ToolContext, to: string): Card => ({
  kind: 'links',
  title: t.say('page'),
  items: [{ title: t.say('page'), to }],
})

const revokeApiKey = defineTool({
  name: 'revoke_api_key',
  class: 'delete',
  permission: 'api-key:write',
  description: 'Revokes an API key for good, at once.',
  input: Type.Object(
    { api_key: Type.Optional(Type.String({ maxLength: 64, description: 'Name or beginning of the key' })) },
    closed,
  ),
  words: words.revoke_api_key,
  async prepare(t, input) {
    const found = await t.find('api_key', input.api_key)
    const key = await t.call(apiKeysContract.get, { params: { id: found.id } })
    if (key.state === 'revoked')
      throw new ToolProblem(t.say('already', { name: quoted(key.name), state: t.say(`st_${key.state}`) }))
    return {
      calls: [plannedCall(apiKeysContract.revoke, { params: { id: key.id } })],
      effects: [
        t.say('effect', { name: quoted(key.name), prefix: quoted(key.prefix) }),
        t.say('used', { at: showTime(t, key.lastUsedAt) }),
        t.say('forGood'),
      ],
      changes: [{ field: t.say('field'), before: t.say(`st_${key.state}`), after: t.say('st_revoked') }],
      object: mentionOf(key),
    }
  },
  async finish(t, { results }) {
    const key = results[0] as ApiKeyView
    return {
      result: {
        text: t.say('done', { name: quoted(key.name) }),
        mentions: [mentionOf(key)],
        data: { id: key.id, state: key.state },
      },
    }
  },
})

const apiUsage = defineTool({
  name: 'api_usage',
  class: 'read',
  permission: 'developer:read',
  description: 'Calls of API keys in the last 24 hours: how many, failures, 95th percentile, most called routes.',
  input: Type.Object({}, closed),
  words: words.api_usage,
  async run(t) {
    const { total, routes } = await t.call(developerContract.statistics, { query: { hours: 24 } })
    if (total.calls === 0) return { text: t.say('none'), cards: [pageCard(t, `${PAGE}?tab=calls`)], data: total }
    const p95 = (ms: number | null) => (ms === null ? NOTHING : String(Math.round(ms)))
    return {
      text: t.say('head', { calls: total.calls, errors: total.errors, limited: total.limited, p95: p95(total.p95Ms) }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'route', title: t.say('colRoute') },
            { key: 'calls', title: t.say('colCalls'), numeric: true },
            { key: 'errors', title: t.say('colErrors'), numeric: true },
            { key: 'p95', title: t.say('colP95'), numeric: true },
          ],
          rows: routes.slice(0, 10).map(route => ({
            route: { text: route.route },
            calls: { text: String(route.calls) },
            errors: { text: String(route.errors) },
            p95: { text: p95(route.p95Ms) },
          })),
          total: routes.length,
          link: { title: t.say('page'), to: `${PAGE}?tab=calls` },
        },
      ],
      data: { total, routes: routes.slice(0, 10) },
    }
  },
})

const connectionAddresses = defineTool({
  name: 'connection_addresses',
  class: 'read',
  permission: 'developer:read',
  description: 'Addresses and ports of this installation for devices (MQTT, TCP, UDP, CoAP, HTTP) and programs (API).',
  input: Type.Object({}, closed),
  words: words.connection_addresses,
  async run(t) {
    const { host, devices, api } = await t.call(developerContract.endpoints, {})
    const named = host.includes(':') ? `[${host}]` : host
    const port = (key: string, number: number | null) =>
      number === null ? [] : [t.say(key, { host: named, port: number })]
    return {
      text: [
        t.say('head'),
        ...port('mqtt', devices.mqttPort),
        ...port('mqtts', devices.mqttsPort),
        t.say('ws', { url: devices.mqttWebSocketUrl }),
        ...port('tcp', devices.tcpPort),
        ...port('udp', devices.udpPort),
        ...port('coap', devices.coapPort),
        t.say('http', { url: devices.httpUrl }),
        t.say('api', { url: api.baseUrl, doc: api.openApiUrl }),
      ].join('\n'),
      cards: [pageCard(t, PAGE)],
      data: { host, devices, api: { baseUrl: api.baseUrl, openApiUrl: api.openApiUrl } },
    }
  },
})

export const developerTools: readonly Tool[] = [listApiKeys, newApiKey, revokeApiKey, apiUsage, connectionAddresses]
