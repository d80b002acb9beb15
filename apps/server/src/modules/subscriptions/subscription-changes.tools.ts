import { productsContract } from '@thingwright/contracts/products.contract'
import {
  type SubscriptionView,
  type SubscriptionWithCredentials,
  subscriptionsContract,
  type TrialOutcome,
} from '@thingwright/contracts/subscriptions.contract'
import { Type } from 'typebox'
import { listed, mention, same } from '../../lib/tools/tool-kit.ts'
import {
  defineTool,
  type Mention,
  type PlannedCall,
  plannedCall,
  quoted,
  type Tool,
  type ToolContext,
  ToolProblem,
} from '../../lib/tools/tools.ts'
import words from './subscriptions.tools.json' with { type: 'json' }

const closed = { additionalProperties: false } as const
const Subscription = Type.Optional(Type.String({ maxLength: 64, description: 'Name of the subscription' }))
const linkOf = (id: string) => `/develop/DataSubscription?id=${id}`

const linked = ({ id, name }: { id: string; name: string }): Mention => mention('subscription', id, name, linkOf(id))

async function asked(t: ToolContext, text: string | undefined): Promise<SubscriptionView> {
  const found = await t.find('subscription', text)
  return t.call(subscriptionsContract.get, { params: { id: found.id } })
}

const pageCard = (t: ToolContext, id: string, name: string) => ({
  kind: 'links' as const,
  title: name,
  items: [{ title: t.say('page'), to: linkOf(id) }],
})

const createWebhook = defineTool({
  name: 'create_webhook_subscription',
  class: 'write',
  permission: 'subscription:write',
  description:
    'Makes a webhook subscription: data of devices (all that the caller sees, or of one product) goes to an address by HTTP POST, signed.',
  input: Type.Object(
    {
      url: Type.String({ minLength: 8, maxLength: 1024, description: 'https:// address of the receiver' }),
      name: Type.Optional(Type.String({ maxLength: 64, description: 'What it is called' })),
      product: Type.Optional(Type.String({ maxLength: 64, description: 'Only devices of this product' })),
      events: Type.Optional(Type.Boolean({ description: 'Events of devices too' })),
    },
    closed,
  ),
  words: words.create_webhook_subscription,
  async prepare(t, input) {
    const text = input.url.trim().replace(/[\u3002\uff0c,;]+$/u, '')
    const url = URL.canParse(text) ? new URL(text) : null
    if (!url || !['https:', 'http:'].includes(url.protocol) || url.username || url.password || !url.hostname)
      throw new ToolProblem(t.say('badUrl', { url: quoted(text) }))
    const { items, total = 0 } = await t.call(subscriptionsContract.list, { query: { limit: 100, total: '1' } })
    const { maxSubscriptions } = await t.call(subscriptionsContract.options, {})
    if (total >= maxSubscriptions) throw new ToolProblem(t.say('limit', { limit: maxSubscriptions }))
    const name = (input.name?.trim() || t.say('defaultName', { host: url.hostname })).slice(0, 64)
    if (items.some(item => same(item.name, name))) throw new ToolProblem(t.say('taken', { name: quoted(name) }))
    const product = input.product ? await t.find('product', input.product) : null
    // The name as it is now, also where "it" was said.
    const of = product ? await t.call(productsContract.get, { params: { id: product.id } }) : null
    const kinds = input.events ? (['property', 'event'] as const) : (['property'] as const)
    return {
      calls: [
        plannedCall(subscriptionsContract.create, {
          body: {
            name,
            kinds: [...kinds],
            target: { kind: 'webhook', url: url.href },
            ...(product ? { filter: { productIds: [product.id] } } : {}),
          },
        }),
      ],
      effects: [
        t.say('effect', {
          url: quoted(url.href),
          kinds: listed(
            t,
            kinds.map(kind => t.say(`kind_${kind}`)),
          ),
          scope: of ? t.say('ofProduct', { product: quoted(of.name) }) : t.say('allDevices'),
        }),
        t.say('secret'),
      ],
      changes: [{ field: t.say('field'), before: null, after: `${name} (${url.href})` }],
      ...(product ? { object: product } : {}),
    }
  },
  async finish(t, { results }) {
    const { id, name, target } = results[0] as SubscriptionWithCredentials
    return {
      result: {
        text: t.say('done', { name: quoted(name), url: quoted(target.url ?? '') }),
        cards: [pageCard(t, id, name)],
        mentions: [linked({ id, name })],
        data: { id, name },
      },
      undo: [plannedCall(subscriptionsContract.remove, { params: { id } })],
    }
  },
})

/** Pausing and its opposite take each other back. */
function switching(
  name: 'pause_subscription' | 'resume_subscription',
  description: string,
  way: {
    route: 'pause' | 'resume'
    back: 'pause' | 'resume'
    from: SubscriptionView['state']
    to: SubscriptionView['state']
  },
): Tool {
  return defineTool({
    name,
    class: 'write',
    permission: 'subscription:write',
    description,
    input: Type.Object({ subscription: Subscription }, closed),
    words: words[name],
    async prepare(t, input) {
      const item = await asked(t, input.subscription)
      if (item.state !== way.from) throw new ToolProblem(t.say('already', { name: quoted(item.name) }))
      return {
        calls: [plannedCall(subscriptionsContract[way.route], { params: { id: item.id } })],
        effects: [t.say('effect', { cap: item.backlogCap, count: item.backlog })],
        changes: [{ field: t.say('stateField'), before: t.say(way.from), after: t.say(way.to) }],
        object: linked(item),
      }
    },
    async finish(t, { results }) {
      const item = results[0] as SubscriptionView
      return {
        result: {
          text: t.say('done', { name: quoted(item.name) }),
          mentions: [linked(item)],
          data: { id: item.id, state: item.state },
        },
        undo: [plannedCall(subscriptionsContract[way.back], { params: { id: item.id } })],
      }
    },
  })
}

const pauseSubscription = switching('pause_subscription', 'Stops delivering; items queue up to the cap.', {
  route: 'pause',
  back: 'resume',
  from: 'active',
  to: 'paused',
})
const resumeSubscription = switching('resume_subscription', 'Delivers again, what waits first.', {
  route: 'resume',
  back: 'pause',
  from: 'paused',
  to: 'active',
})

const testSubscription = defineTool({
  name: 'test_subscription',
  class: 'write',
  permission: 'subscription:write',
  description: 'Sends one marked sample to the receiver of a subscription and tells what came of it.',
  input: Type.Object({ subscription: Subscription }, closed),
  words: words.test_subscription,
  async prepare(t, input) {
    const item = await asked(t, input.subscription)
    return {
      calls: [plannedCall(subscriptionsContract.test, { params: { id: item.id } })],
      effects: [t.say('effect')],
      object: linked(item),
      memo: { id: item.id, name: item.name },
    }
  },
  async finish(t, { results, memo }) {
    const outcome = results[0] as TrialOutcome
    const { id, name } = memo as { id: string; name: string }
    const status = outcome.status === null ? '' : t.say('status', { status: outcome.status })
    const detail = [outcome.reason, outcome.status, outcome.detail]
      .filter(part => part !== null && part !== '')
      .join(' \u00b7 ')
    return {
      result: {
        text:
          outcome.result === 'ok'
            ? t.say('ok', { ms: outcome.latencyMs ?? 0, status })
            : t.say('bad', {
                result: t.say(`result_${outcome.result}`),
                detail: detail ? quoted(detail) : t.say('noDetail'),
              }),
        cards: [pageCard(t, id, name)],
        mentions: [linked({ id, name })],
        data: { result: outcome.result, status: outcome.status, latencyMs: outcome.latencyMs, reason: outcome.reason },
      },
    }
  },
})

const retrySubscription = defineTool({
  name: 'retry_subscription',
  class: 'write',
  permission: 'subscription:write',
  description: 'Delivers what waits at once, and puts dead letters into the queue again.',
  input: Type.Object({ subscription: Subscription }, closed),
  words: words.retry_subscription,
  async prepare(t, input) {
    const item = await asked(t, input.subscription)
    if (item.backlog === 0 && item.deadLetters === 0)
      throw new ToolProblem(t.say('nothing', { name: quoted(item.name) }))
    const params = { id: item.id }
    const calls: PlannedCall[] = []
    const effects: string[] = []
    if (item.deadLetters > 0) {
      calls.push(plannedCall(subscriptionsContract.replayDeadLetters, { params, body: {} }))
      effects.push(t.say('dead', { count: item.deadLetters }))
    }
    calls.push(plannedCall(subscriptionsContract.resume, { params }))
    if (item.backlog > 0) effects.push(t.say('now', { count: item.backlog }))
    if (item.state === 'paused') effects.push(t.say('resumes'))
    return { calls, effects, object: linked(item) }
  },
  async finish(t, { results }) {
    const item = results.at(-1) as SubscriptionView
    return {
      result: {
        text: t.say('done', { name: quoted(item.name) }),
        cards: [pageCard(t, item.id, item.name)],
        mentions: [linked(item)],
        data: { id: item.id, backlog: item.backlog },
      },
    }
  },
})

const deleteSubscription = defineTool({
  name: 'delete_subscription',
  class: 'delete',
  permission: 'subscription:write',
  description: 'Deletes a subscription; what waits in it is thrown away.',
  input: Type.Object({ subscription: Subscription }, closed),
  words: words.delete_subscription,
  async prepare(t, input) {
    const item = await asked(t, input.subscription)
    const lost = item.backlog + item.deadLetters > 0
    return {
      calls: [plannedCall(subscriptionsContract.remove, { params: { id: item.id } })],
      effects: [t.say('effect'), ...(lost ? [t.say('lost', { count: item.backlog, dead: item.deadLetters })] : [])],
      changes: [{ field: t.say('field'), before: item.name, after: null }],
      object: linked(item),
      memo: { name: item.name },
    }
  },
  async finish(t, { memo }) {
    return { result: { text: t.say('done', { name: quoted((memo as { name: string }).name) }) } }
  },
})

export const subscriptionChangeTools: readonly Tool[] = [
  createWebhook,
  pauseSubscription,
  resumeSubscription,
  testSubscription,
  retrySubscription,
  deleteSubscription,
]
