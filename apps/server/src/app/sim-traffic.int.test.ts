import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../lib/ids.ts'
import { type CustomerHouse, customerHouse, type Person } from './testing/customer-house.ts'

/** What a customer is shown of the SIM card in his device. */
const ICCID = { customer: '89860412102090000017', beside: '89860412102090000025' } as const
let house: CustomerHouse
beforeAll(async () => {
  house = await customerHouse()
  const account = newId()
  await house.db.superuser.query(
    `insert into carrier_accounts (id, tenant_id, name, carrier, kind, base_url, account, secrets_cipher)
     values ($1, $2, 'only-for-the-company', 'cmcc', 'onelink', 'https://carrier.invalid', '1', '')`,
    [account, house.tenantId],
  )
  for (const who of ['customer', 'beside'] as const)
    await house.db.superuser.query(
      `insert into sim_cards (id, tenant_id, account_id, account_name, carrier, kind, iccid, state, device_id, plan_kb, month_kb,
         shown_plan_kb, shown_percent, data_until)
       values ($1, $2, $3, 'only-for-the-company', 'cmcc', 'onelink', $4, 'active', $5, 4096, 1011, 2048, 50, '2030-01-31T00:00:00Z')`,
      [newId(), house.tenantId, account, ICCID[who], house.devices[who].id],
    )
}, 120_000)
afterAll(() => house.stop())

async function ask(who: Person, path: string) {
  const reply = await house.app.inject({
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${house.tokens[who]}` },
  })
  return { status: reply.statusCode, body: reply.json(), text: reply.body }
}
const of = (who: Person) => `/devices/${house.devices[who].id}/sim-traffic`

it('is the traffic that the company shows, of his own devices and those below him', async () => {
  const { status, body, text } = await ask('customer', of('customer'))
  expect(status, text).toBe(200)
  expect(body.card).toMatchObject({
    iccid: ICCID.customer,
    state: 'active',
    usedKb: 506,
    planKb: 2048,
    restKb: 1542,
    dataUntil: '2030-01-31T00:00:00.000Z',
  })
  // Neither the carrier's count and plan nor the account.
  for (const hidden of ['1011', '4096', 'only-for-the-company']) expect(text).not.toContain(hidden)
  expect((await ask('customer', of('below'))).body).toEqual({ card: null })
  expect(await ask('customer', of('beside'))).toMatchObject({ status: 404 })
  expect(await ask('below', of('customer'))).toMatchObject({ status: 404 })
})

it('is closed without the permission, and the cards themselves are closed to him with it', async () => {
  expect((await ask('customer', '/sim-cards')).status).toBe(403)
  const { version, id } = (await ask('company', `/end-users/${house.logins.beside}`)).body
  const changed = await house.app.inject({
    method: 'PATCH',
    url: `/api/v1/end-users/${id}`,
    headers: { authorization: `Bearer ${house.tokens.company}` },
    payload: { version, rights: ['control'] },
  })
  expect(changed.statusCode, changed.body).toBe(200)
  expect((await ask('beside', of('beside'))).status).toBe(403)
  expect((await ask('company', of('beside'))).body.card).toMatchObject({ iccid: ICCID.beside, usedKb: 506 })
})
