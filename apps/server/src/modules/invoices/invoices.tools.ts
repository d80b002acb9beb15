import { invoicesContract } from '@thingwright/contracts/invoices.contract'
import { INVOICE_STAGES, type InvoiceStage } from '@thingwright/contracts/money.words'
import { Type } from 'typebox'
import { showTime } from '../../lib/tools/tool-kit.ts'
import { defineTool, type Tool } from '../../lib/tools/tools.ts'
import { yuan } from '../wallets/index.ts'
import words from './invoices.tools.json' with { type: 'json' }

const PAGE = '/invoice/InvoiceList'
const SHOWN = 20
const closed = { additionalProperties: false } as const

const listInvoices = defineTool({
  name: 'list_invoices',
  class: 'read',
  permission: 'money:read',
  description: 'Lists invoices that were asked for, with state, amount and number.',
  input: Type.Object(
    {
      q: Type.Optional(Type.String({ maxLength: 64, description: 'Number or title' })),
      state: Type.Optional(
        Type.Unsafe<InvoiceStage>({ type: 'string', enum: [...INVOICE_STAGES], description: 'State' }),
      ),
    },
    closed,
  ),
  words: words.list_invoices,
  async run(t, { q, state }) {
    const { items, total = 0 } = await t.call(invoicesContract.list, {
      query: { limit: 50, total: '1', ...(q ? { q } : {}), ...(state ? { state } : {}) },
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
            { key: 'name', title: t.say('colTitle') },
            { key: 'amount', title: t.say('colAmount'), numeric: true },
            { key: 'state', title: t.say('colState') },
            { key: 'at', title: t.say('colAt') },
          ],
          rows: items.slice(0, SHOWN).map(item => ({
            no: { text: item.number ?? item.no, to: `${PAGE}?id=${item.id}` },
            name: { text: item.title },
            amount: { text: yuan(item.redOf ? -item.amountFen : item.amountFen) },
            state: { text: t.say(item.state) },
            at: { text: showTime(t, item.createdAt) },
          })),
          total,
          link: { title: t.say('page'), to: PAGE },
        },
      ],
      data: {
        total,
        items: items
          .slice(0, SHOWN)
          .map(({ id, no, number, title, amountFen, state: is }) => ({ id, no, number, title, amountFen, state: is })),
      },
    }
  },
})

const openInvoiceAmount = defineTool({
  name: 'open_invoice_amount',
  class: 'read',
  permission: 'money:read',
  description: 'How much money the company can still have invoiced.',
  input: Type.Object({}, closed),
  words: words.open_invoice_amount,
  async run(t) {
    const { openFen, limitFen } = await t.call(invoicesContract.account, {})
    const fen = Math.min(openFen, limitFen)
    return {
      text: t.say('open', { amount: yuan(fen) }),
      cards: [
        { kind: 'links', title: t.say('title'), items: [{ title: t.say('page'), to: '/invoice/InvoiceRequest' }] },
      ],
      data: { openFen: fen },
    }
  },
})

export const invoicesTools: readonly Tool[] = [listInvoices, openInvoiceAmount]
