import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { company } from '../db/testing/management.ts'
import { testDatabase } from '../db/testing.ts'
import { INVOICE_TRANSITIONS } from '../modules/invoices/invoice-states.ts'
import { PAYMENT_TRANSITIONS, REFUND_TRANSITIONS } from '../modules/purchase-orders/payment-states.ts'
import { CUTOFF_TRANSITIONS, METER_PAYMENT_TRANSITIONS } from '../modules/tariffs/cutoff-states.ts'

const DOCUMENT = join(import.meta.dirname, '../../../../docs/money.md')

type Table = Record<string, { from: readonly string[]; to: string }>
/** By the table of the database; `initial`: the states in which a row begins, and what makes it. */
const MACHINES: Record<string, { table: Table; initial: Record<string, string> }> = {
  payments: {
    table: PAYMENT_TRANSITIONS,
    initial: { created: 'online', pending: 'simulated', in_review: 'transfer', succeeded: 'balance' },
  },
  refunds: { table: REFUND_TRANSITIONS, initial: { requested: 'request' } },
  invoices: { table: INVOICE_TRANSITIONS, initial: { submitted: 'request' } },
  meter_payments: { table: METER_PAYMENT_TRANSITIONS, initial: { pending: 'begin' } },
  meter_cutoffs: { table: CUTOFF_TRANSITIONS, initial: { noticed: 'notice' } },
}

/** The table as a diagram of states (Mermaid). */
function diagram({ table, initial }: (typeof MACHINES)[string]): string {
  return [
    '```mermaid',
    'stateDiagram-v2',
    ...Object.entries(initial).map(([state, event]) => `  [*] --> ${state}: ${event}`),
    ...Object.entries(table).flatMap(([event, { from, to }]) => from.map(state => `  ${state} --> ${to}: ${event}`)),
    '```',
  ].join('\n')
}

describe('the states of what money moves with', () => {
  it('are drawn in the document as the tables have them', () => {
    // `STATE_DIAGRAMS=write` draws them anew.
    let text = readFileSync(DOCUMENT, 'utf8')
    for (const [name, machine] of Object.entries(MACHINES)) {
      const place = new RegExp(`<!-- states: ${name} -->\n[\\s\\S]*?<!-- end -->`)
      const drawn = `<!-- states: ${name} -->\n${diagram(machine)}\n<!-- end -->`
      expect(text, name).toMatch(place)
      if (process.env.STATE_DIAGRAMS === 'write') text = text.replace(place, () => drawn)
      else expect(place.exec(text)![0]).toBe(drawn)
    }
    if (process.env.STATE_DIAGRAMS === 'write') writeFileSync(DOCUMENT, text)
  })

  it('are those that the database lets through, and no others', async () => {
    const { superuser } = await testDatabase()
    for (const [name, { table }] of Object.entries(MACHINES)) {
      const { rows } = await superuser.query<{ args: string }>(
        `select encode(tgargs, 'escape') as args from pg_trigger where tgname = 'check_transition' and tgrelid = $1::regclass`,
        [name],
      )
      const allowed = rows[0]!.args.split('\\000').filter(Boolean).sort()
      const wanted = Object.values(table)
        .flatMap(({ from, to }) => from.filter(state => state !== to).map(state => `${state}>${to}`))
        .sort()
      expect(allowed, name).toEqual([...new Set(wanted)])
    }
  })

  it('cannot be left by a statement that the tables do not have', async () => {
    const db = await testDatabase()
    const { superuser } = db
    const own = await company(db)
    await superuser.query(
      `insert into invoices (id, no, tenant_id, type, buyer, amount_fen, state)
       values (gen_random_uuid(), 'states-1', $1, 'ordinary', '{}', 1000, 'voided')`,
      [own.id],
    )
    await expect(superuser.query(`update invoices set state = 'delivered' where no = 'states-1'`)).rejects.toThrow(
      'a row of invoices does not go from voided to delivered',
    )
  })
})
