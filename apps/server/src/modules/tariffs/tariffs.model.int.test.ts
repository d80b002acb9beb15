import { describe, expect, it } from 'vitest'
import { at, tariffHouse, ZONE } from '../../app/testing/tariff-house.ts'
import { newId } from '../../lib/ids.ts'
import fc from '../../lib/testing/fast-check.ts'
import { createPrices } from './billing.service.ts'
import type { SwitchPort } from './cutoffs.service.ts'

type Step =
  | { do: 'use'; meter: number; more: number }
  | { do: 'work' }
  | { do: 'record'; user: number; fen: number; twice: boolean }
  | { do: 'pay'; user: number; fen: number; outcome: 'paid' | 'failed' }
  | { do: 'bill'; month: string; twice: boolean }
  | { do: 'void'; meter: number }
  | { do: 'crash'; after: number }

const user = fc.integer({ min: 0, max: 1 })
const meter = fc.integer({ min: 0, max: 2 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('use' as const), meter, more: fc.integer({ min: 0, max: 40_000 }) }),
  fc.record({ do: fc.constant('work' as const) }),
  fc.record({
    do: fc.constant('record' as const),
    user,
    fen: fc.integer({ min: 100, max: 9_999 }),
    twice: fc.boolean(),
  }),
  fc.record({
    do: fc.constant('pay' as const),
    user,
    fen: fc.integer({ min: 100, max: 9_999 }),
    outcome: fc.constantFrom('paid' as const, 'failed' as const),
  }),
  fc.record({ do: fc.constant('bill' as const), month: fc.constantFrom('2026-04', '2026-05'), twice: fc.boolean() }),
  fc.record({ do: fc.constant('void' as const), meter }),
  fc.record({ do: fc.constant('crash' as const), after: fc.integer({ min: 0, max: 6 }) }),
)

/** The device path: what was told, and that it was done. It dies when it is told to. */
class Dying implements SwitchPort {
  left = Number.POSITIVE_INFINITY
  use(): void {
    if (this.left-- <= 0) throw new Error('crash')
  }
  async create() {
    this.use()
    return { id: newId() }
  }
  async get() {
    this.use()
    return { state: 'succeeded', errorCode: null }
  }
}

describe('money of end users', () => {
  it('is what they paid less what they used, over readings, payments, repeated bills and crashes in any order', async () => {
    const dying = new Dying()
    const real = await tariffHouse()
    const { service } = real.telemetry
    const h = await tariffHouse({
      commands: { service: dying },
      telemetry: {
        service: {
          ...service,
          // Between reading and writing is where a process dies.
          readings: async (...asked) => {
            const found = await service.readings(...asked)
            dying.use()
            return found
          },
        },
      },
      database: real.db.database,
      tasks: { ...real.tasks, register: () => undefined },
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async steps => {
        dying.left = Number.POSITIVE_INFINITY
        const ctx = () => ({ ...real.ctx(), now: h.clock.now })
        const rates = { kind: 'fixed' as const, price: '0.3333' }
        const { id: tariffId } = await h.house.tariffs.create(ctx(), {
          name: newId(),
          unit: 'kWh',
          validFrom: '2026-01-01',
          rates,
        })
        await h.house.payments.setSettings(ctx(), {
          online: 'simulated',
          drawMinutes: 1,
          waitMinutes: 0,
          version: (await h.house.payments.settings(ctx())).version,
        })
        const users = [await real.endUser('a'), await real.endUser('b')]
        const registers = [1_000, 2_000, 3_000]
        const paid = [0, 0]
        let hours = 1
        h.clock.now = at('2026-04-01', hours)
        const meters = []
        for (const place of [0, 1, 2]) {
          const device = await real.device()
          await real.read(device, '2026-04-01', [[0, registers[place]! / 1000]])
          const made = await h.house.meters.create(ctx(), {
            name: `m${place}`,
            deviceId: device.id,
            property: 'energy',
            endUserId: users[place % 2]!,
            tariffId,
            mode: place === 2 ? 'postpaid' : 'prepaid',
            fromDay: '2026-04-01',
            gapMinutes: 44_640,
            ...(place === 2 ? {} : { cutProperty: 'relay', cutValue: 0, restoreValue: 1 }),
          })
          meters.push({ id: made.id, device })
        }
        const survive = (work: Promise<unknown>) =>
          work.catch((error: Error & { code?: string }) => {
            if (error.message !== 'crash' && !error.code?.startsWith('meter')) throw error
          })
        for (const one of steps) {
          hours += 40
          h.clock.now = Math.max(h.clock.now, at('2026-04-01', hours))
          if (one.do === 'crash') dying.left = one.after
          else if (one.do === 'use') {
            registers[one.meter]! += one.more
            await real.read(meters[one.meter]!.device, '2026-04-01', [[hours, registers[one.meter]! / 1000]])
          } else if (one.do === 'work') {
            await survive(h.house.cutoffs.workFor(real.own.id, h.clock.now))
            dying.left = Number.POSITIVE_INFINITY
          } else if (one.do === 'record') {
            const ask = { amountFen: one.fen, remark: 'cash', key: newId() }
            for (let n = 0; n < (one.twice ? 2 : 1); n++) await h.house.payments.record(ctx(), users[one.user]!, ask)
            paid[one.user]! += one.fen
          } else if (one.do === 'pay') {
            const as = { ...real.as(users[one.user]!), now: h.clock.now }
            const { id } = await h.house.payments.pay(as, { amountFen: one.fen })
            await h.house.payments.simulate(as, id, one.outcome)
            await survive(h.house.payments.simulate(as, id, 'paid'))
            if (one.outcome === 'paid') paid[one.user]! += one.fen
          } else if (one.do === 'void') {
            const own = await h.house.statements.list(ctx(), { meterId: meters[one.meter]!.id })
            const last = own.items.find(({ state }) => state !== 'voided')
            if (last) await survive(h.house.statements.void(ctx(), last.id, { reason: 'model' }))
          } else {
            for (let n = 0; n < (one.twice ? 2 : 1); n++)
              for (const { id } of meters)
                await survive(
                  h.house.billing.bill(ctx(), id, {
                    month: one.month,
                    zone: ZONE,
                    runId: null,
                    prices: createPrices(ZONE),
                  }),
                )
            dying.left = Number.POSITIVE_INFINITY
          }
          // Work that a payment began in the background dies with nothing half done, or ends.
          for (const [place, id] of users.entries()) {
            const { rows } = await real.db.superuser.query(
              `select coalesce((select available_fen from wallets where holder_id = $1), 0)::int as balance,
                coalesce((select sum(e.amount_fen) from wallets w join ledger_entries e on e.wallet_id = w.id where w.holder_id = $1), 0)::int as entries,
                (select coalesce(sum(amount_fen), 0) from meter_statements where end_user_id = $1 and state <> 'voided')::int as billed,
                (select coalesce(sum(drawn_fen), 0) from meters where end_user_id = $1)::int as drawn,
                (select count(*) from (select 1 from meter_statements where end_user_id = $1 and state <> 'voided'
                  group by meter_id, month having count(*) > 1) twice)::int as twice`,
              [id],
            )
            const found = rows[0] as { balance: number; entries: number; billed: number; drawn: number; twice: number }
            expect(found).toMatchObject({ entries: found.balance, twice: 0 })
            expect(found.balance).toBe(paid[place]! - found.billed - found.drawn)
          }
        }
      }),
      { numRuns: 12 },
    )
    for (const { stop } of h.house.runs ?? []) await stop()
    const { rows } = await real.db.superuser.query(
      'select transaction_id from ledger_entries group by transaction_id having sum(amount_fen) <> 0',
    )
    expect(rows).toEqual([])
  }, 300_000)
})
