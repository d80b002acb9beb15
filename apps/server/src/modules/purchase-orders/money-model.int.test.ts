import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { company, type Management, management } from '../../db/testing/management.ts'
import type { Ctx } from '../../lib/context.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { MODEL_PRICE, MODEL_SKU, moneyModel, type Step } from './money-model.fixtures.ts'
import { moneyFixture } from './purchase-orders.fixtures.ts'

/** Steps of all runs together; a million as `MONEY_MODEL_STEPS=1000000` says, which takes hours. */
const STEPS = Number(process.env.MONEY_MODEL_STEPS ?? 800)
/** Long runs reach states that short ones do not. */
const STEPS_PER_RUN = STEPS >= 10_000 ? 200 : 40

const seal = (purpose: string) => createCryptoBox('a secret of the installation, long enough', purpose)
let m: Management
let operator: Ctx
beforeAll(async () => {
  m = await management()
  const desk = await company(m.db)
  operator = { ...desk.ctx, actor: { ...desk.ctx.actor, kind: 'operator' } as Ctx['actor'] }
  const money = moneyFixture(m.database, { now: Date.now, seal })
  await money.catalogue.create(operator, {
    sku: MODEL_SKU,
    kind: 'sms',
    spec: { units: 20, gift: 0, months: 36 },
    priceFen: MODEL_PRICE,
    name: 'model',
    ename: 'model',
    text: '',
    etext: '',
    state: 'published',
    position: 0,
  })
  // What the keys are does not matter: the providers of the model are in memory.
  for (const kind of ['wechat', 'alipay'])
    await m.db.superuser.query(
      `insert into payment_providers (kind, enabled, base_url, settings, secrets_cipher) values ($1, true, '', '{}', $2)`,
      [kind, seal('payment-providers').seal('{}', `payment-provider:${kind}`)],
    )
}, 120_000)

const on = fc.nat(50)
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('order' as const), on }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('topUp' as const), on: fc.nat(5_000) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('balance' as const), on }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('online' as const),
      on,
      provider: fc.constantFrom('wechat' as const, 'alipay' as const),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('scan' as const), on, told: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('notify' as const, 'forge' as const), on }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), on }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      on,
      part: fc.boolean(),
      way: fc.constantFrom('balance' as const, 'origin' as const),
      accept: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('reserve' as const, 'settle' as const, 'release' as const), on }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('provider' as const),
      way: fc.constantFrom('well' as const, 'silent' as const, 'slow' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(1, 5, 31) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), after: fc.nat(4) }) },
)

describe('money', () => {
  it(
    'is conserved whatever is paid, told, forged, refunded, used and cut off',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(steps, { minLength: STEPS_PER_RUN, maxLength: STEPS_PER_RUN }),
          fc.constantFrom(0, 1_000, 5_000),
          async (all, gift) => {
            const model = await moneyModel(m, await company(m.db), operator, seal)
            if (gift > 0) await model.gift(gift)
            for (const step of all) {
              await model.step(step)
              expect(await model.faults(), JSON.stringify(step)).toEqual([])
            }
            await model.settle()
            expect([...(await model.faults()), ...(await model.ends())]).toEqual([])
          },
        ),
        { numRuns: Math.ceil(STEPS / STEPS_PER_RUN), endOnFailure: true, interruptAfterTimeLimit: 3_600_000 * 24 },
      )
    },
    3_600_000 * 24,
  )
})
