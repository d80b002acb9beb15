import { type SubscriptionView, subscriptionsContract } from '@thingwright/contracts/subscriptions.contract'
import { Type } from 'typebox'
import { isUuid } from '../../lib/ids.ts'
import { bestOf, listed, mention, NOTHING, showTime } from '../../lib/tools/tool-kit.ts'
import {
  defineTool,
  type EntityFinder,
  type Mention,
  quoted,
  type Tool,
  type ToolContext,
} from '../../lib/tools/tools.ts'
import { subscriptionChangeTools } from './subscription-changes.tools.ts'
import words from './subscriptions.tools.json' with { type: 'json' }

const PAGE = '/develop/DataSubscription'
const closed = { additionalProperties: false } as const
const SHOWN = 20

export const subscriptionLink = (id: string): string => `${PAGE}?id=${id}`

const mentionOf = ({ id, name }: Pick<SubscriptionView, 'id' | 'name'>): Mention =>
  mention('subscription', id, name, subscriptionLink(id))

/** Subscriptions by their name or a part of it. */
export const subscriptionFinder: EntityFinder = {
  kind: 'subscription',
  async find(call, text, limit) {
    if (isUuid(text)) return [mentionOf(await call(subscriptionsContract.get, { params: { id: text } }))]
    const { items } = await call(subscriptionsContract.list, { query: { ...(text ? { q: text } : {}), limit: 50 } })
    return bestOf(items, text, limit, item => [item.name]).map(mentionOf)
  },
}

/** Whether somebody should look at it. */
const isIll = (item: SubscriptionView): boolean =>
  item.health === 'degraded' ||
  item.health === 'down' ||
  (item.state === 'paused' && item.pausedReason !== 'user') ||
  item.deadLetters > 0 ||
  item.backlog > item.backlogCap / 2

const factsOf = (item: SubscriptionView) => ({
  id: item.id,
  name: item.name,
  target: item.target.kind,
  kinds: item.kinds,
  state: item.state,
  pausedReason: item.pausedReason,
  health: item.health,
  backlog: item.backlog,
  lagMs: item.lagMs,
  delivered: item.delivered,
  deadLetters: item.deadLetters,
  dropped: item.dropped,
  failures: item.failures,
  lastDeliveredAt: item.lastDeliveredAt,
  lastError: item.lastError,
})

const listSubscriptions = defineTool({
  name: 'list_subscriptions',
  class: 'read',
  permission: 'subscription:read',
  description:
    'Lists data subscriptions (webhook, MQTT, WebSocket, NATS, Kafka, pull) with state, health and backlog. `problems` shows only those that fail, fell behind or paused themselves.',
  input: Type.Object(
    {
      q: Type.Optional(Type.String({ maxLength: 64, description: 'Part of a name' })),
      state: Type.Optional(
        Type.Unsafe<'active' | 'paused'>({ type: 'string', enum: ['active', 'paused'], description: 'State' }),
      ),
      problems: Type.Optional(Type.Boolean({ description: 'Only those that have a problem' })),
    },
    closed,
  ),
  words: words.list_subscriptions,
  async run(t, { q, state, problems }) {
    const { items: found, total = 0 } = await t.call(subscriptionsContract.list, {
      query: { ...(q ? { q } : {}), ...(state ? { state } : {}), limit: 50, total: '1' },
    })
    const ill = found.filter(isIll)
    const items = problems ? ill : found
    const count = problems ? ill.length : total
    const about = state ? t.say(`about_${state}`) : ''
    if (items.length === 0)
      return { text: t.say(problems ? 'noneIll' : 'none', { about }), data: { total: 0, items: [] } }
    return {
      text: t.say(ill.length > 0 ? 'count' : 'fine', { count, about, ill: ill.length }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'name', title: t.say('colName') },
            { key: 'target', title: t.say('colTarget') },
            { key: 'state', title: t.say('colState') },
            { key: 'backlog', title: t.say('colBacklog'), numeric: true },
            { key: 'failures', title: t.say('colFailures'), numeric: true },
            { key: 'last', title: t.say('colLast') },
          ],
          rows: items.slice(0, SHOWN).map(item => ({
            name: { text: item.name, to: subscriptionLink(item.id) },
            target: { text: t.say(`target_${item.target.kind}`) },
            state: { text: `${t.say(item.state)} \u00b7 ${t.say(`health_${item.health}`)}` },
            backlog: { text: String(item.backlog) },
            failures: { text: String(item.failures) },
            last: { text: showTime(t, item.lastDeliveredAt) },
          })),
          total: count,
          link: { title: t.say('page'), to: PAGE },
        },
      ],
      data: { total: count, items: items.slice(0, SHOWN).map(factsOf) },
      mentions: items.length === 1 ? [mentionOf(items[0]!)] : [],
    }
  },
})

/** `3 hours` from milliseconds. */
function ageOf(t: ToolContext, ms: number): string {
  const steps = [
    ['ageDays', 86_400_000],
    ['ageHours', 3_600_000],
    ['ageMinutes', 60_000],
  ] as const
  const [key, unit] = steps.find(([, step]) => ms >= step) ?? (['ageSeconds', 1000] as const)
  return t.say(key, { n: Math.round(ms / unit) })
}

const subscriptionHealth = defineTool({
  name: 'subscription_health',
  class: 'read',
  permission: 'subscription:read',
  description:
    'How one data subscription is: state, why it paused, backlog and its age, failures with reasons, last error, dead letters, next try.',
  input: Type.Object(
    { subscription: Type.Optional(Type.String({ maxLength: 64, description: 'Name of the subscription' })) },
    closed,
  ),
  words: words.subscription_health,
  async run(t, input) {
    const found = await t.find('subscription', input.subscription)
    const params = { id: found.id }
    const item = await t.call(subscriptionsContract.get, { params })
    const { items: failures } = await t.call(subscriptionsContract.log, { params, query: { failed: '1', limit: 5 } })
    const lines = [
      t.say('head', { name: quoted(item.name), state: t.say(item.state), health: t.say(`health_${item.health}`) }),
      ...(item.state === 'paused' && item.pausedReason
        ? [t.say('reason', { reason: t.say(`paused_${item.pausedReason}`) })]
        : []),
      t.say('target', {
        target: quoted(
          [t.say(`target_${item.target.kind}`), item.target.url ?? item.target.topic ?? ''].join(' ').trim(),
        ),
      }),
      t.say('kinds', {
        kinds: listed(
          t,
          item.kinds.map(kind => t.say(`kind_${kind}`)),
        ),
      }),
      item.backlog > 0
        ? t.say('backlog', { count: item.backlog, cap: item.backlogCap, age: ageOf(t, item.lagMs) })
        : t.say('noBacklog'),
      t.say('delivered', { count: item.delivered, at: showTime(t, item.lastDeliveredAt) }),
      ...(item.failures > 0 ? [t.say('failures', { count: item.failures, at: showTime(t, item.lastFailedAt) })] : []),
      ...(item.lastError ? [t.say('error', { error: quoted(item.lastError) })] : []),
      ...(item.nextTryAt ? [t.say('next', { at: showTime(t, item.nextTryAt) })] : []),
      ...(item.deadLetters > 0 ? [t.say('dead', { count: item.deadLetters })] : []),
      ...(item.dropped > 0 ? [t.say('dropped', { count: item.dropped })] : []),
    ]
    const link = { title: t.say('page'), to: subscriptionLink(item.id) }
    return {
      text: lines.join('\n'),
      cards:
        failures.length === 0
          ? [{ kind: 'links', title: item.name, items: [link] }]
          : [
              {
                kind: 'table',
                title: t.say('failed'),
                columns: ['At', 'Status', 'Reason', 'Detail'].map(key => ({ key, title: t.say(`col${key}`) })),
                rows: failures.map(line => ({
                  At: { text: showTime(t, line.at) },
                  Status: { text: line.status === null ? NOTHING : String(line.status) },
                  Reason: { text: line.reason ?? NOTHING },
                  Detail: { text: (line.detail ?? NOTHING).slice(0, 200) },
                })),
                link,
              },
            ],
      data: {
        ...factsOf(item),
        recentFailures: failures.map(({ at, status, reason, detail }) => ({ at, status, reason, detail })),
      },
      mentions: [mentionOf(item)],
    }
  },
})

export const subscriptionsTools: readonly Tool[] = [listSubscriptions, subscriptionHealth, ...subscriptionChangeTools]
