import { ORDER_STATES, type OrderState, UNIT_KINDS, type UnitKind } from '@thingwright/contracts/money.words'
import { purchaseOrdersContract } from '@thingwright/contracts/purchase-orders.contract'
import { walletsContract } from '@thingwright/contracts/wallets.contract'
import { Type } from 'typebox'
import { NOTHING, nameIn, showTime } from '../../lib/tools/tool-kit.ts'
import { defineTool, type Tool } from '../../lib/tools/tools.ts'
import { yuan } from '../wallets/index.ts'
import words from './purchase-orders.tools.json' with { type: 'json' }

const ORDERS = '/cost/order'
const SHOWN = 20
const DAY_MS = 86_400_000
const closed = { additionalProperties: false } as const

const accountAssets = defineTool({
  name: 'account_assets',
  class: 'read',
  permission: 'money:read',
  description: 'Balance, credit line, plan and its end, texts and calls left.',
  input: Type.Object({}, closed),
  words: words.account_assets,
  async run(t) {
    const { wallet, plan, term, units } = await t.call(purchaseOrdersContract.assets, {})
    const rows: [string, string][] = [
      [t.say('balance'), yuan(wallet.availableFen)],
      [t.say('frozen'), yuan(wallet.frozenFen)],
      [t.say('credit'), yuan(wallet.creditFen)],
      [t.say('plan'), plan ? nameIn(t, plan) : NOTHING],
      [t.say('ends'), showTime(t, term.expiresAt)],
      ...units.map(({ kind, left }): [string, string] => [t.say(kind), String(left)]),
    ]
    return {
      text: t.say('said', { amount: yuan(wallet.availableFen) }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'what', title: t.say('what') },
            { key: 'value', title: t.say('value'), numeric: true },
          ],
          rows: rows.map(([what, value]) => ({ what: { text: what }, value: { text: value } })),
          total: rows.length,
          link: { title: t.say('page'), to: '/cost/account/AccountAssets' },
        },
      ],
      data: {
        availableFen: wallet.availableFen,
        frozenFen: wallet.frozenFen,
        creditFen: wallet.creditFen,
        plan: plan ? nameIn(t, plan) : null,
        expiresAt: term.expiresAt,
        units: units.map(({ kind, left }) => ({ kind, left })),
      },
    }
  },
})

const unitsLeft = defineTool({
  name: 'units_left',
  class: 'read',
  permission: 'money:read',
  description: 'Texts and calls left, batch by batch with their ends.',
  input: Type.Object(
    { kind: Type.Optional(Type.Unsafe<UnitKind>({ type: 'string', enum: [...UNIT_KINDS], description: 'Kind' })) },
    closed,
  ),
  words: words.units_left,
  async run(t, { kind }) {
    const all = (await t.call(purchaseOrdersContract.assets, {})).units
    const units = all.filter(each => kind === undefined || each.kind === kind)
    const batches = units.flatMap(each => each.batches)
    return {
      text: units.map(each => t.say(`${each.kind}Left`, { count: each.left })).join(' '),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'kind', title: t.say('kind') },
            { key: 'left', title: t.say('left'), numeric: true },
            { key: 'ends', title: t.say('ends') },
          ],
          rows: batches.slice(0, SHOWN).map(batch => ({
            kind: { text: t.say(batch.kind) },
            left: { text: `${batch.left} / ${batch.total}` },
            ends: { text: showTime(t, batch.expiresAt) },
          })),
          total: batches.length,
          link: { title: t.say('page'), to: '/cost/account/MsgOrVmsBuy' },
        },
      ],
      data: { units: units.map(({ kind: of, left, used30 }) => ({ kind: of, left, used30 })) },
    }
  },
})

const listOrders = defineTool({
  name: 'list_orders',
  class: 'read',
  permission: 'money:read',
  description: 'Lists orders of plans, expansions, packs and SIM cards with amount and state. It pays nothing.',
  input: Type.Object(
    {
      state: Type.Optional(Type.Unsafe<OrderState>({ type: 'string', enum: [...ORDER_STATES], description: 'State' })),
    },
    closed,
  ),
  words: words.list_orders,
  async run(t, { state }) {
    const { items, total = 0 } = await t.call(purchaseOrdersContract.list, {
      query: { limit: 50, total: '1', ...(state ? { state } : {}) },
    })
    if (items.length === 0) return { text: t.say('none'), data: { total: 0, items: [] } }
    return {
      text: t.say('count', { count: total }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'no', title: t.say('colNo') },
            { key: 'what', title: t.say('colWhat') },
            { key: 'amount', title: t.say('colAmount'), numeric: true },
            { key: 'state', title: t.say('colState') },
            { key: 'at', title: t.say('colAt') },
          ],
          rows: items.slice(0, SHOWN).map(order => ({
            no: { text: order.no, to: `${ORDERS}/detail?id=${order.id}` },
            what: { text: order.items[0] ? nameIn(t, order.items[0]) : NOTHING },
            amount: { text: yuan(order.payableFen) },
            state: { text: t.say(order.state) },
            at: { text: showTime(t, order.createdAt) },
          })),
          total,
          link: { title: t.say('page'), to: ORDERS },
        },
      ],
      data: {
        total,
        items: items.slice(0, SHOWN).map(({ id, no, kind, state: is, payableFen, createdAt }) => ({
          id,
          no,
          kind,
          state: is,
          payableFen,
          createdAt,
        })),
      },
    }
  },
})

const charges = defineTool({
  name: 'charges',
  class: 'read',
  permission: 'money:read',
  description: 'What the company was charged in the last 30 days and this month, item by item.',
  input: Type.Object({}, closed),
  words: words.charges,
  async run(t) {
    const { charged } = await t.call(purchaseOrdersContract.assets, {})
    const query = {
      by: 'month' as const,
      split: 'item' as const,
      from: new Date(t.now - 30 * DAY_MS).toISOString(),
      to: new Date(t.now).toISOString(),
    }
    const { items } = await t.call(walletsContract.statements, { query })
    const sums = new Map<string, number>()
    for (const { key, amountFen } of items) sums.set(key, (sums.get(key) ?? 0) + amountFen)
    const rows = [...sums].toSorted((a, b) => b[1] - a[1])
    return {
      text: t.say('said', { month: yuan(charged.monthFen), last: yuan(charged.last30Fen) }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'item', title: t.say('colItem') },
            { key: 'amount', title: t.say('colAmount'), numeric: true },
          ],
          rows: rows.map(([item, fen]) => ({ item: { text: t.say(item) }, amount: { text: yuan(fen) } })),
          total: rows.length,
          link: { title: t.say('page'), to: '/cost/consume' },
        },
      ],
      data: { monthFen: charged.monthFen, last30Fen: charged.last30Fen, items: Object.fromEntries(sums) },
    }
  },
})

/** The assistant reads of money and moves none. */
export const purchaseOrdersTools: readonly Tool[] = [accountAssets, unitsLeft, listOrders, charges]
