import { generateKeyPairSync } from 'node:crypto'
import type { ChangeHouse } from './house.ts'
import type { Things } from './things.journey.ts'

/** Tariffs and meters of end users; their readings are looked at in `modules/tariffs/tariffs.int.test.ts`. */
export async function tariffs({ go }: ChangeHouse, things: Things): Promise<void> {
  const rates = { kind: 'fixed', price: '0.5' }
  const tariff = await go('tariffs.create', { body: { name: 'Power', unit: 'kWh', validFrom: '2020-01-01', rates } })
  const of = { id: tariff.id }
  const more = await go('tariffs.addVersion', { params: of, body: { validFrom: '2030-01-01', rates, endBefore: true } })
  const versions = more.versions as { id: string }[]
  await go('tariffs.removeVersion', { params: { ...of, versionId: versions[1]!.id } })
  const user = await go('endUsers.create', {
    body: { username: 'metered', name: 'metered', password: 'A password 4 tests' },
  })
  const meter = await go('meters.create', {
    body: {
      name: 'Meter',
      deviceId: things.deviceId,
      property: 'b',
      endUserId: user.id,
      tariffId: tariff.id,
      mode: 'postpaid',
      fromDay: '2020-01-01',
    },
  })
  await go('meters.update', { params: { id: meter.id }, body: { name: 'Meter 1', version: meter.version } })
  const withReset = await go('meters.addReset', { params: { id: meter.id }, body: { at: '2026-01-01T00:00:00.000Z' } })
  const [reset] = withReset.resets as { id: string }[]
  await go('meters.removeReset', { params: { id: meter.id, resetId: reset!.id } })
  await go('meterPayments.record', {
    params: { endUserId: user.id },
    body: { amountFen: 5_000, remark: 'cash' },
  })
  await go('meterSettings.set', { body: { online: 'simulated', version: 1 } })
  const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
  const [merchant, provider] = [pair(), pair()]
  const kind = { kind: 'alipay' }
  await go('merchantAccounts.set', {
    params: kind,
    body: {
      version: 0,
      appId: '2021000000000000',
      // Nobody listens there: what the provider says is a state of it.
      baseUrl: 'https://pay.invalid/gateway.do',
      privateKey: merchant.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      platformKey: provider.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    },
  })
  await go('merchantAccounts.test', { params: kind })
  await go('merchantAccounts.remove', { params: kind })
  const { access_token: as } = await go('endUsers.enter', { params: { id: user.id } })
  const payment = await go('ownPayments.pay', { as, body: { amountFen: 1_000 } })
  await go('ownPayments.simulate', { as, params: { id: payment.id }, body: { outcome: 'paid' } })
  await go('billingRuns.create', { body: { month: '2026-01' } })
  await go('meters.remove', { params: { id: meter.id } })
}
