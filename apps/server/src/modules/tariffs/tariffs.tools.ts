import { meterAccountsContract, meterStatementsContract } from '@thingwright/contracts/meter-statements.contract'
import { STATEMENT_STATES, type StatementState } from '@thingwright/contracts/tariffs.words'
import { Type } from 'typebox'
import { defineTool, type Tool } from '../../lib/tools/tools.ts'
import { yuan } from '../wallets/index.ts'
import words from './tariffs.tools.json' with { type: 'json' }

const PAGE = '/cost/tariffs'
const SHOWN = 20
const closed = { additionalProperties: false } as const

const listMeterStatements = defineTool({
  name: 'list_meter_statements',
  class: 'read',
  permission: 'money:read',
  description: 'Lists what end users were billed by their meters: month, quantity, amount, state.',
  input: Type.Object(
    {
      q: Type.Optional(Type.String({ maxLength: 64, description: 'Number, meter or end user' })),
      month: Type.Optional(Type.String({ pattern: '^20\\d{2}-\\d{2}$', description: 'YYYY-MM' })),
      state: Type.Optional(
        Type.Unsafe<StatementState>({ type: 'string', enum: [...STATEMENT_STATES], description: 'State' }),
      ),
    },
    closed,
  ),
  words: words.list_meter_statements,
  async run(t, { q, month, state }) {
    const { items, total = 0 } = await t.call(meterStatementsContract.list, {
      query: {
        limit: 50,
        total: '1',
        ...(q ? { q } : {}),
        ...(month ? { month } : {}),
        ...(state ? { state } : {}),
      },
    })
    if (items.length === 0) return { text: t.say('none'), data: { total: 0, items: [] } }
    const shown = items.slice(0, SHOWN)
    return {
      text: t.say('count', { count: total }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'no', title: t.say('colNo') },
            { key: 'user', title: t.say('colUser') },
            { key: 'month', title: t.say('colMonth') },
            { key: 'amount', title: t.say('colAmount'), numeric: true },
            { key: 'state', title: t.say('colState') },
          ],
          rows: shown.map(item => ({
            no: { text: item.no, to: `${PAGE}?tab=statements&id=${item.id}` },
            user: { text: item.endUserName },
            month: { text: item.month },
            amount: { text: yuan(item.amountFen) },
            state: { text: t.say(item.state) },
          })),
          total,
          link: { title: t.say('page'), to: `${PAGE}?tab=statements` },
        },
      ],
      data: {
        total,
        items: shown.map(({ no, endUserName, month: of, quantity, unit, amountFen, state: is }) => ({
          no,
          endUserName,
          month: of,
          quantity,
          unit,
          amountFen,
          state: is,
        })),
      },
    }
  },
})

const whoOwesForMeters = defineTool({
  name: 'who_owes_for_meters',
  class: 'read',
  permission: 'money:read',
  description: 'Which end users owe money for what their meters counted, the most first.',
  input: Type.Object({}, closed),
  words: words.who_owes_for_meters,
  async run(t) {
    const { items } = await t.call(meterAccountsContract.list, { query: { limit: 50 } })
    const owing = items.filter(({ owedFen }) => owedFen > 0)
    const sum = owing.reduce((total, { owedFen }) => total + owedFen, 0)
    return {
      text: owing.length === 0 ? t.say('none') : t.say('count', { count: owing.length, amount: yuan(sum) }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'name', title: t.say('colName') },
            { key: 'owed', title: t.say('colOwed'), numeric: true },
          ],
          rows: owing.slice(0, SHOWN).map(item => ({ name: { text: item.name }, owed: { text: yuan(item.owedFen) } })),
          total: owing.length,
          link: { title: t.say('page'), to: `${PAGE}?tab=accounts` },
        },
      ],
      data: { items: owing.map(({ name, owedFen }) => ({ name, owedFen })) },
    }
  },
})

export const tariffsTools: readonly Tool[] = [listMeterStatements, whoOwesForMeters]
