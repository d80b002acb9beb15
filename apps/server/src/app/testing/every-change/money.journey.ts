import { generateKeyPairSync } from 'node:crypto'
import type { ChangeHouse } from './house.ts'
import { proven } from './people.journey.ts'

/** What companies buy and operators do with their money; the operator of the platform's journey is there. */
export async function money(house: ChangeHouse): Promise<void> {
  const { go, db, tenantId } = house
  const as = await proven(house, 'operator')
  const item = (sku: string, kind: string, spec: object, priceFen: number) =>
    go('catalogue.create', {
      as,
      body: { sku, kind, name: sku, ename: sku, text: '', etext: '', spec, priceFen, state: 'published', position: 0 },
    })
  const plan = await item('basic', 'plan', { months: 1, quotas: { devices: 10 } }, 10_000)
  await item('sms-100', 'sms', { units: 100, gift: 0, months: 12 }, 800)
  await go('catalogue.update', { as, params: { id: plan.id }, body: { version: plan.version, priceFen: 20_000 } })
  const company = { as, params: { id: tenantId } }
  await go('moneyDesk.credit', { ...company, body: { giftFen: 100_000, reason: 'welcome' } })

  const sms = { items: [{ sku: 'sms-100' }] }
  await go('purchaseOrders.quote', { body: sms })
  const bought = await go('purchaseOrders.create', { body: sms })
  await go('purchaseOrders.pay', { params: { id: bought.id }, body: { provider: 'balance' } })
  await go('purchaseOrders.refund', { params: { id: bought.id }, body: { way: 'balance', reason: 'too many' } })
  const left = await go('purchaseOrders.create', { body: sms })
  await go('purchaseOrders.cancel', { params: { id: left.id } })
  const topUp = await go('purchaseOrders.recharge', { body: { amountFen: 5_000 } })
  const paying = await go('purchaseOrders.pay', { params: { id: topUp.id }, body: { provider: 'simulated' } })
  const [payment] = paying.payments as { id: string }[]
  await go('purchaseOrders.simulate', { params: { id: payment!.id }, body: { outcome: 'paid' } })

  const whole = await go('purchaseOrders.create', { body: { items: [{ sku: 'basic' }] } })
  await go('purchaseOrders.pay', { params: { id: whole.id }, body: { provider: 'balance' } })
  const { rows } = await db.superuser.query('select version from company_plans where tenant_id = $1', [tenantId])
  await go('purchaseOrders.cancelDowngrade', { query: { version: rows[0].version } })

  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const platform = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const keys = await go('paymentProviders.set', {
    as,
    params: { kind: 'alipay' },
    body: {
      version: 0,
      appId: '2021000122671080',
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      platformKey: platform.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      // Nobody listens there: what the provider says is a state of it.
      baseUrl: 'https://pay.invalid/gateway.do',
    },
  })
  if (keys.enabled) throw new Error('it is not offered before somebody says so')
  await go('paymentProviders.test', { as, params: { kind: 'alipay' } })
  await go('paymentProviders.remove', { as, params: { kind: 'alipay' } })

  const broken = await go('purchaseOrders.create', { body: sms })
  await house.arranged(
    db.superuser.query(`update purchase_orders set state = 'faulted', tries = 1 where id = $1`, [broken.id]),
  )
  await go('moneyDesk.retry', { as, params: { id: broken.id } })
}
