import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LONG_MS, serverProcess } from './testing/server-process.ts'

// A real server process, killed with SIGKILL: what was paid is given by the next one, once.

let server: Awaited<ReturnType<typeof serverProcess>>
beforeAll(async () => {
  server = await serverProcess('money_after_kill')
}, LONG_MS)
afterAll(() => server.end(), LONG_MS)

interface Order {
  id: string
  state: string
  payments: { id: string; state: string }[]
}

describe('kill -9 between a payment and what was bought', () => {
  it(
    'gives it exactly once after the restart, however often the server dies and the payment is told of',
    async () => {
      const { api } = server
      await server.start()
      const client = await server.asAdministrator()
      await client.query(
        `insert into catalogue_items (id, sku, kind, name_zh, name_en, spec, price_fen, state)
         values (gen_random_uuid(), 'sms-100', 'sms', '短信包', 'Text messages', '{"units": 100, "gift": 10, "months": 12}', 800, 'published')`,
      )
      const order = await api<Order>('/orders', { items: [{ sku: 'sms-100' }] })
      const { payments } = await api<Order>(`/orders/${order.id}/pay`, { provider: 'simulated' })
      const stateOf = async () => {
        const { rows } = await client.query<{ state: string }>('select state from purchase_orders where id = $1', [
          order.id,
        ])
        return rows[0]?.state
      }
      const waits = async () => {
        const { rows } = await client.query<{ n: number }>(
          // Not joined with pg_stat_activity: a transaction sees the connections of its first look at it, not later ones.
          `select count(*)::int as n from pg_locks where not granted and relation = 'unit_batches'::regclass
           and database = (select oid from pg_database where datname = current_database())`,
        )
        return rows[0]!.n
      }

      // What is bought cannot be written: the money is booked, the process stands right behind it and dies there.
      await client.query('begin; lock table unit_batches in access exclusive mode')
      const answer = api(`/payments/${payments[0]!.id}/simulate`, { outcome: 'paid' }).catch(() => 'lost')
      await expect.poll(waits, { timeout: LONG_MS }).toBeGreaterThan(0)
      expect(await stateOf()).toBe('paid')
      await server.kill()
      expect(await answer).toBe('lost')
      await client.query('commit')
      expect(await stateOf()).toBe('paid')

      // The next one dies in the middle of giving it.
      await client.query('begin; lock table unit_batches in access exclusive mode')
      await server.start()
      await expect.poll(waits, { timeout: LONG_MS }).toBeGreaterThan(0)
      await server.kill()
      await client.query('commit')
      expect(await stateOf()).toBe('paid')

      await server.start()
      await expect.poll(stateOf, { timeout: LONG_MS }).toBe('completed')
      // The provider tells again; so does somebody who presses the button twice.
      await api(`/payments/${payments[0]!.id}/simulate`, { outcome: 'paid' }).catch(() => undefined)
      const { rows } = await client.query(
        `select (select count(*) from unit_batches where order_id = $1)::int as batches,
           (select sum(total) from unit_batches where order_id = $1)::int as units,
           (select count(*) from ledger_transactions where key = 'payment:' || $2)::int as booked,
           (select count(*) from consumptions where order_id = $1)::int as charges,
           (select coalesce(sum(amount_fen), 0) from ledger_entries where account = 'income')::int as income`,
        [order.id, payments[0]!.id],
      )
      expect(rows[0]).toEqual({ batches: 2, units: 110, booked: 1, charges: 1, income: 800 })
      expect(await api<Order>(`/orders/${order.id}`)).toMatchObject({
        state: 'completed',
        payments: [{ state: 'succeeded' }],
      })
      await client.end()
    },
    4 * LONG_MS,
  )
})
