import type { CompanyTransferView, TransferItemView } from '@thingwright/contracts/company-transfers.contract'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { TEST_SECRET_KEY, type TestDatabase, testDatabase } from '../db/testing.ts'
import { createCryptoBox } from '../lib/crypto/crypto-box.ts'
import { openDeviceSecret } from '../lib/crypto/secrets.ts'
import { hashPassword } from '../modules/identity/index.ts'
import type { Container } from './container.ts'
import { NO_GATEWAY, testContainer, testHttp } from './testing/test-app.ts'

// Devices that go from one company of the installation to another.

const PASSWORD = 'A password 4 tests'
const MODEL = {
  properties: [
    { identifier: 'level', name: 'Level', dataType: { type: 'double' }, access: 'r' },
    { identifier: 'pump', name: 'Pump', dataType: { type: 'bool' }, access: 'rw' },
  ],
}
/** An hour of the past that is sealed. */
const PAST = Date.UTC(2026, 0, 10, 8)

interface Company {
  id: string
  token: string
}
// biome-ignore lint/suspicious/noExplicitAny: replies of many routes
type Any = any

let db: TestDatabase
let container: Container
let app: FastifyInstance
let giver: Company
let taker: Company
const kicked: number[] = []

beforeAll(async () => {
  db = await testDatabase()
  container = testContainer(db, { gateway: { ...NO_GATEWAY, kick: num => void kicked.push(num) } })
  app = await testHttp(container)
  container.tasks.runner.start()
  giver = await newCompany('giver')
  taker = await newCompany('taker')
}, 120_000)
afterAll(async () => {
  await container.tasks.runner.stop()
  await app.close()
  await db.drop()
})

async function newCompany(name: string): Promise<Company> {
  const passwordHash = await hashPassword(PASSWORD)
  const id = await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name, owner: { username: `${name}-owner`, passwordHash, displayName: name, kind: 'member' } }),
  )
  const token = await signIn(`${name}-owner`)
  // Offering devices needs a recent proof of identity.
  const proof = await call('POST', '/security/proof', { token }, { method: 'password', password: PASSWORD })
  expect(proof.status, proof.text).toBeLessThan(300)
  return { id, token }
}

async function signIn(username: string, over: Record<string, string> = {}): Promise<string> {
  const reply = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD, ...over }).toString(),
  })
  return reply.json().access_token
}

async function call(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT',
  path: string,
  { token }: { token: string },
  payload?: object,
): Promise<{ status: number; body: Any; text: string }> {
  const reply = await app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${token}`, 'accept-language': 'en' },
    ...(payload ? { payload } : {}),
  })
  const json = String(reply.headers['content-type']).includes('json')
  return { status: reply.statusCode, body: json ? reply.json() : reply.body, text: reply.body }
}

async function product(company: Company, name: string, over: object = {}): Promise<string> {
  const { status, body, text } = await call('POST', '/products', company, {
    name,
    linkType: 'mqtt',
    thingModel: MODEL,
    ...over,
  })
  expect(status, text).toBe(201)
  return body.id
}

async function device(company: Company, productId: string, name: string, over: object = {}): Promise<Any> {
  const { status, body, text } = await call('POST', '/devices', company, { productId, name, ...over })
  expect(status, text).toBe(201)
  return body
}

const numOf = async (id: string): Promise<number> =>
  (await db.superuser.query('select num from devices where id = $1', [id])).rows[0].num

/** A sealed value of the past, as an import stores it. */
async function past(deviceId: string, identifier: string, value: number): Promise<void> {
  const { rows } = await db.superuser.query(
    `select d.num, p.num as property from devices d join product_properties p on p.product_num = d.product_num
     where d.id = $1 and p.identifier = $2`,
    [deviceId, identifier],
  )
  await container.telemetry.storeImported(
    [
      {
        device: rows[0].num,
        property: rows[0].property,
        readings: { times: [PAST], values: [value], quality: null },
      },
    ],
    PAST,
    0,
  )
}

const valuesOf = async (company: Company, id: string): Promise<unknown> =>
  (
    await call(
      'GET',
      `/devices/${id}/telemetry/raw?identifier=level&from=${PAST - 1000}&to=${PAST + 1000}&limit=10`,
      company,
    )
  ).body.items

async function offer(ids: string[], over: object = {}): Promise<CompanyTransferView & { code: string }> {
  const { status, body, text } = await call('POST', '/company-transfers', giver, { target: { ids }, ...over })
  expect(status, text).toBe(201)
  return body
}

async function accept(code: string, products: { from: string; to: string | null }[]): Promise<CompanyTransferView> {
  const { status, body, text } = await call('POST', '/company-transfers/accept', taker, { code, products })
  expect(status, text).toBe(202)
  await expect
    .poll(async () => (await call('GET', `/company-transfers/${body.id}`, taker)).body.state, { timeout: 30_000 })
    .toBe('done')
  return (await call('GET', `/company-transfers/${body.id}`, taker)).body
}

const itemsOf = async (company: Company, id: string): Promise<TransferItemView[]> =>
  (await call('GET', `/company-transfers/${id}/devices?limit=100`, company)).body.items

describe('devices that go to another company', () => {
  it('leave with their history, and are known there by the same secret', async () => {
    const from = await product(giver, 'Pump')
    const one = await device(giver, from, 'one', { tags: ['north'] })
    await past(one.id, 'level', 7)
    expect(await valuesOf(giver, one.id)).toEqual([[PAST, 7]])
    const into = await product(taker, 'Their pump')
    const offered = await offer([one.id], { note: 'as agreed' })
    const seen = await call('POST', '/company-transfers/find', taker, { code: offered.code.toLowerCase() })
    expect(seen.body).toMatchObject({
      fromName: 'giver',
      note: 'as agreed',
      total: 1,
      products: [{ id: from, name: 'Pump', devices: 1, to: null }],
    })
    const done = await accept(offered.code, [{ from, to: into }])
    expect(done).toMatchObject({ direction: 'in', moved: 1, failed: 0, paused: [] })
    const [item] = await itemsOf(taker, done.id)
    expect(item).toMatchObject({ state: 'moved', name: 'one', deviceNo: one.deviceNo })
    const there = (await call('GET', `/devices/${item!.deviceId}`, taker)).body
    expect(there).toMatchObject({ name: 'one', deviceNo: one.deviceNo, productId: into, tags: ['north'], owner: null })
    expect(await valuesOf(taker, item!.deviceId!)).toEqual([[PAST, 7]])
    // Found by its name, in its new company alone.
    expect((await call('GET', '/devices?q=one', taker)).body.items).toHaveLength(1)
    expect((await call('GET', '/devices?q=one', giver)).body.items).toHaveLength(0)
    const { rows } = await db.superuser.query('select secret_cipher from devices where id = $1', [item!.deviceId])
    const box = createCryptoBox(TEST_SECRET_KEY, 'device-secret')
    expect(openDeviceSecret(box, item!.deviceId!, rows[0].secret_cipher)).toBe(one.deviceSecret)
    // The company that gave the device keeps the record of the transfer and no longer has the device.
    expect((await call('GET', `/devices/${one.id}`, giver)).body.lifecycle).toBe('recycled')
    expect((await call('POST', `/devices/${one.id}/restore`, giver, {})).body.code).toBe('device.left')
    expect(await valuesOf(giver, one.id)).not.toEqual([[PAST, 7]])
    expect((await call('GET', `/devices/${one.id}`, taker)).status).toBe(404)
    expect(kicked).toContain(await numOf(one.id))
    const mine = (await call('GET', '/company-transfers?direction=out', giver)).body.items
    expect(mine).toMatchObject([{ id: done.id, state: 'done', toName: 'taker', moved: 1, taskId: null }])
    const logOf = async (company: Company) =>
      (await call('GET', '/audit-logs?limit=100', company)).body.items.map((line: Any) => line.action)
    expect(await logOf(giver)).toEqual(
      expect.arrayContaining(['company_transfer.offer', 'device.leave', 'company_transfer.end']),
    )
    expect(await logOf(taker)).toEqual(
      expect.arrayContaining(['company_transfer.accept', 'device.arrive', 'company_transfer.end']),
    )
  })

  it('leave without their history: the new company sees no earlier value, also none that is written late', async () => {
    const from = await product(giver, 'Meter')
    const one = await device(giver, from, 'no past')
    await past(one.id, 'level', 4711)
    const offered = await offer([one.id], { withHistory: false })
    const done = await accept(offered.code, [{ from, to: null }])
    const [item] = await itemsOf(taker, done.id)
    expect(await valuesOf(taker, item!.deviceId!)).toEqual([])
    // The device has a new number, so rows that still arrive under the old one do not reach it.
    expect(await numOf(item!.deviceId!)).not.toBe(await numOf(one.id))
    await past(one.id, 'level', 4711)
    const seenBy = async (company: Company, id: string) => {
      const replies = await Promise.all(
        [
          `telemetry?identifier=level&from=${PAST - 1000}&to=${PAST + 1000}`,
          `telemetry/raw?identifier=level&from=${PAST - 1000}&to=${PAST + 1000}`,
          `telemetry/export?identifier=level&from=${PAST - 1000}&to=${PAST + 1000}&format=csv`,
          'properties',
        ].map(path => call('GET', `/devices/${id}/${path}`, company)),
      )
      for (const { status, text } of replies) expect(status, text).toBe(200)
      return replies.map(({ text }) => text).join()
    }
    expect(await seenBy(giver, one.id).catch(() => '')).toContain('4711')
    expect(await seenBy(taker, item!.deviceId!)).not.toContain('4711')
    // The product was copied along.
    const copy = (await call('GET', `/products/${done.products[0]!.to}`, taker)).body
    expect(copy).toMatchObject({ name: 'Meter', linkType: 'mqtt' })
  })

  it('pause pages and tasks of the old company, which the answer lists, and take triggers along', async () => {
    const from = await product(giver, 'Well')
    const [one, stays] = [await device(giver, from, 'well 1'), await device(giver, from, 'well 2')]
    const customer = (
      await call('POST', '/end-users', giver, { username: 'well-owner', name: 'Well owner', password: PASSWORD })
    ).body
    await call('POST', `/end-users/${customer.id}/devices`, giver, { deviceIds: [one.id] })
    const trigger = (name: string, deviceIds: string[]) =>
      call('POST', '/triggers', giver, {
        name,
        scope: { deviceIds },
        kind: 'above',
        property: 'level',
        high: 5,
        alarm: { level: 2 },
      })
    const [own, both, other] = [
      (await trigger('Goes along', [one.id])).body,
      (await trigger('Watches both', [one.id, stays.id])).body,
      (await trigger('Watches another', [stays.id])).body,
    ]
    const timed = await call('POST', '/timed-tasks', giver, {
      name: 'Nightly',
      schedule: { kind: 'daily', zone: 'UTC', times: ['03:00'] },
      actions: [
        { kind: 'command', scope: { deviceIds: [one.id] }, command: { kind: 'property_set', params: { pump: true } } },
      ],
    })
    expect(timed.status, timed.text).toBe(201)
    const offered = await offer([one.id], { withTriggers: true })
    const done = await accept(offered.code, [{ from, to: null }])
    const mine = (await call('GET', `/company-transfers/${done.id}`, giver)).body
    expect(mine.paused.map((each: Any) => each.name).sort()).toEqual(['Goes along', 'Nightly', 'Watches both'])
    const enabled = async (path: string) => (await call('GET', path, giver)).body
    expect((await enabled(`/triggers/${own.id}`)).state).toBe('disabled')
    expect((await enabled(`/triggers/${both.id}`)).state).toBe('disabled')
    expect((await enabled(`/triggers/${other.id}`)).state).toBe('enabled')
    expect((await enabled(`/timed-tasks/${timed.body.id}`)).state).not.toBe('enabled')
    // The end user no longer has the device.
    expect((await itemsOf(giver, done.id))[0]).toMatchObject({ ownerName: 'Well owner', deviceId: null })
    const there = (await call('GET', '/triggers', taker)).body.items
    expect(there.map((each: Any) => each.name)).toEqual(['Goes along'])
    const [item] = await itemsOf(taker, done.id)
    expect((await call('GET', `/triggers/${there[0].id}`, taker)).body.scope).toEqual({ deviceIds: [item!.deviceId] })
  })

  it('stay sub-devices of their gateway when it is transferred too', async () => {
    const gateways = await product(giver, 'Gateway', { nodeType: 'gateway' })
    const subs = await product(giver, 'Probe', { nodeType: 'sub_device' })
    const gateway = await device(giver, gateways, 'speaker')
    const sub = await device(giver, subs, 'spoken for')
    const left = await device(giver, subs, 'left behind')
    for (const each of [sub, left])
      await db.superuser.query('update devices set gateway = $2, sub_address = $3 where id = $1', [
        each.id,
        await numOf(gateway.id),
        each.id.slice(-6),
      ])
    const offered = await offer([sub.id, gateway.id])
    const done = await accept(offered.code, [
      { from: gateways, to: null },
      { from: subs, to: null },
    ])
    const items = await itemsOf(taker, done.id)
    const idOf = (name: string) => items.find(item => item.name === name)!.deviceId!
    const { rows } = await db.superuser.query(
      'select d.name, g.name as gateway, d.sub_address from devices d left join devices g on g.num = d.gateway where d.id = any ($1) order by d.name',
      [[idOf('spoken for'), left.id]],
    )
    expect(rows).toEqual([
      { name: 'left behind', gateway: null, sub_address: null },
      { name: 'spoken for', gateway: 'speaker', sub_address: sub.id.slice(-6) },
    ])
  })
})

/** Values, events and connections of a device, as the device path stores them. */
async function lived(deviceId: string, level: number): Promise<void> {
  const num = await numOf(deviceId)
  await past(deviceId, 'level', level)
  await db.superuser.query(
    `insert into device_connections (device, at, seq, kind) values ($1, now() - interval '1 hour', 1, 'online')`,
    [num],
  )
  await db.superuser.query(
    `insert into device_events (device, ts, lane, seq, identifier, level, params) values ($1, $2, 0, 1, 'leak', 'warning', '{"place":"cellar"}')`,
    [num, Date.now() - 3_600_000],
  )
  await db.superuser.query('insert into latest (device, values) values ($1, $2)', [
    num,
    JSON.stringify({ level: [level, PAST, 0], gone: [level, PAST, 0] }),
  ])
}

/** What the API returns to a company about a device. */
async function shownOf(company: Company, id: string) {
  const [events, connections, latest, messages, alarms, commands] = await Promise.all(
    ['events', 'connections', 'properties', 'messages', 'alarms', 'commands'].map(async part => {
      const path = part === 'alarms' ? `/alarms?deviceId=${id}` : `/devices/${id}/${part}`
      const { status, body, text } = await call('GET', path, company)
      expect(status, `${path} ${text}`).toBe(200)
      return body.items as Any[]
    }),
  )
  return {
    values: (await valuesOf(company, id)) as unknown[],
    events: events!.map(event => event.identifier),
    connections: connections!.map(each => each.kind),
    latest: latest!.map(({ identifier, value }) => [identifier, value]),
    others: messages!.length + alarms!.length + commands!.length,
  }
}

describe('what was before', () => {
  it('goes along with history: values, events, connections, latest values; alarms and commands stay', async () => {
    const from = await product(giver, 'With a past')
    const one = await device(giver, from, 'with a past')
    await lived(one.id, 21)
    await call('POST', `/devices/${one.id}/commands`, giver, { kind: 'property_set', params: { pump: true } })
    await db.superuser.query(
      `insert into alarms (id, tenant_id, trigger_name, origin, target_kind, target_id, device, device_id, level, raised_at, last_at)
       select gen_random_uuid(), tenant_id, 'old alarm', $1::text, 'device', $1::text, num, id, 3, now(), now() from devices where id = $1::uuid`,
      [one.id],
    )
    expect((await shownOf(giver, one.id)).others).toBe(2)
    const done = await accept((await offer([one.id])).code, [{ from, to: null }])
    const [item] = await itemsOf(taker, done.id)
    expect(await shownOf(taker, item!.deviceId!)).toEqual({
      values: [[PAST, 21]],
      events: ['leak'],
      connections: ['online'],
      latest: [['level', 21]],
      others: 0,
    })
    // The company that gave the device keeps its alarm and its command, but no values, events or connections.
    const left = await shownOf(giver, one.id)
    expect(left).toMatchObject({ values: [], events: [], connections: [] })
    expect((await call('GET', `/alarms?deviceId=${one.id}`, giver)).body.items).toHaveLength(1)
  })

  it('stays without history: the new company is shown nothing of it, the old one all', async () => {
    const from = await product(giver, 'Without a past')
    const one = await device(giver, from, 'without a past')
    await lived(one.id, 22)
    const done = await accept((await offer([one.id], { withHistory: false })).code, [{ from, to: null }])
    const [item] = await itemsOf(taker, done.id)
    expect(await shownOf(taker, item!.deviceId!)).toEqual({
      values: [],
      events: [],
      connections: [],
      latest: [],
      others: 0,
    })
    expect(await shownOf(giver, one.id)).toMatchObject({
      values: [[PAST, 22]],
      events: ['leak'],
      connections: ['online'],
    })
  })

  it('moves events and connections where the products have no property in common', async () => {
    const from = await product(giver, 'Speaks otherwise')
    const one = await device(giver, from, 'speaks otherwise')
    await lived(one.id, 23)
    const into = await product(taker, 'No such property', { thingModel: { properties: [] } })
    const done = await accept((await offer([one.id])).code, [{ from, to: into }])
    const [item] = await itemsOf(taker, done.id)
    const num = await numOf(item!.deviceId!)
    const counts = await db.superuser.query(
      `select (select count(*)::int from device_events where device = $1) as events,
         (select count(*)::int from device_connections where device = $1) as connections,
         (select count(*)::int from latest where device = $1) as latest`,
      [num],
    )
    expect(counts.rows[0]).toEqual({ events: 1, connections: 1, latest: 0 })
  })

  it('that is sealed after the move is copied by the hourly sweep for a day, only in transfers with history', async () => {
    const sweep = container.modules
      .flatMap(module => module.sweeps ?? [])
      .find(each => /after their device/.test(each.name))!
    const from = await product(giver, 'Sealed late')
    const [kept, hidden] = [await device(giver, from, 'late and kept'), await device(giver, from, 'late and hidden')]
    const moved = async (id: string, withHistory: boolean) => {
      const done = await accept((await offer([id], { withHistory })).code, [{ from, to: null }])
      return { transfer: done.id, id: (await itemsOf(taker, done.id))[0]!.deviceId! }
    }
    const [along, without] = [await moved(kept.id, true), await moved(hidden.id, false)]
    for (const { id } of [kept, hidden]) await past(id, 'level', 31)
    expect(await valuesOf(taker, along.id)).toEqual([])
    await sweep.run(Date.now())
    expect(await valuesOf(taker, along.id)).toEqual([[PAST, 31]])
    expect(await valuesOf(taker, without.id)).toEqual([])
    expect(await valuesOf(giver, hidden.id)).toEqual([[PAST, 31]])
    // A second sweep changes nothing, and transfers older than a day are left out.
    await sweep.run(Date.now())
    expect(await valuesOf(taker, along.id)).toEqual([[PAST, 31]])
    await db.superuser.query(
      `update company_transfer_items set moved_at = now() - interval '27 hours' where transfer_id = $1`,
      [along.transfer],
    )
    await past(kept.id, 'level', 32)
    await sweep.run(Date.now())
    expect(await valuesOf(giver, kept.id)).toEqual([[PAST, 32]])
  })
})

describe('an offer', () => {
  it('is refused as a whole where a device cannot leave, is offered twice, or is not there', async () => {
    const from = await product(giver, 'Offered')
    const [one, two] = [await device(giver, from, 'offered 1'), await device(giver, from, 'offered 2')]
    const lora = await device(giver, await product(giver, 'Node', { linkType: 'lorawan' }), 'node')
    const refused = async (ids: string[]) =>
      (await call('POST', '/company-transfers', giver, { target: { ids } })).body.code
    expect(await refused([one.id, lora.id])).toBe('company_transfer.link_type')
    const foreign = await device(taker, await product(taker, 'Foreign'), 'foreign')
    expect(await refused([one.id, foreign.id])).toBe('device.not_found')
    const offered = await offer([one.id])
    expect(await refused([two.id, one.id])).toBe('company_transfer.offered')
    expect((await call('POST', `/company-transfers/${offered.id}/withdraw`, taker, {})).status).toBe(404)
    expect((await call('POST', `/company-transfers/${offered.id}/withdraw`, giver, {})).body.state).toBe('withdrawn')
    expect((await call('POST', '/company-transfers/find', taker, { code: offered.code })).body.code).toBe(
      'company_transfer.code_unknown',
    )
    // The device can be offered again.
    const again = await offer([two.id, one.id])
    expect(again.total).toBe(2)
    // The company that made the offer cannot take it, and another company can take it only once.
    expect((await call('POST', '/company-transfers/find', giver, { code: again.code })).body.code).toBe(
      'company_transfer.code_unknown',
    )
    const missing = await call('POST', '/company-transfers/accept', taker, { code: again.code, products: [] })
    expect(missing.body.code).toBe('company_transfer.product_missing')
    const http = await product(taker, 'By HTTP', { linkType: 'http' })
    const differs = await call('POST', '/company-transfers/accept', taker, {
      code: again.code,
      products: [{ from, to: http }],
    })
    expect(differs.body.code).toBe('company_transfer.product_differs')
    await accept(again.code, [{ from, to: null }])
    expect((await call('POST', '/company-transfers/find', taker, { code: again.code })).status).toBe(404)
  })

  it('can be taken until it expires', async () => {
    const from = await product(giver, 'Late')
    const one = await device(giver, from, 'late')
    const offered = await offer([one.id], { hours: 1 })
    await db.superuser.query(`update company_transfers set expires_at = now() - interval '1 minute' where id = $1`, [
      offered.id,
    ])
    expect((await call('POST', '/company-transfers/find', taker, { code: offered.code })).status).toBe(404)
    const sweep = container.modules.flatMap(module => module.sweeps ?? []).find(each => /nobody took/.test(each.name))
    await sweep!.run(Date.now())
    expect((await call('GET', `/company-transfers/${offered.id}`, giver)).body.state).toBe('expired')
    expect((await call('GET', `/devices/${one.id}`, giver)).body.lifecycle).toBe('inactive')
    expect((await offer([one.id])).total).toBe(1)
  })

  it('ends when its task ended early: devices that did not move stay and can be offered again', async () => {
    const from = await product(giver, 'Abandoned')
    const one = await device(giver, from, 'abandoned')
    const offered = await offer([one.id])
    // The state after a task was cancelled in the task centre before its first step.
    await db.superuser.query(
      `update company_transfers set state = 'running', to_tenant = $2, to_name = 'taker', accepted_at = now() - interval '2 hours' where id = $1`,
      [offered.id, taker.id],
    )
    await db.superuser.query('update company_transfer_items set to_tenant = $2 where transfer_id = $1', [
      offered.id,
      taker.id,
    ])
    const sweep = container.modules.flatMap(module => module.sweeps ?? []).find(each => /nobody took/.test(each.name))!
    await sweep.run(Date.now() - 2 * 3_600_000)
    expect((await call('GET', `/company-transfers/${offered.id}`, giver)).body.state).toBe('running')
    await sweep.run(Date.now())
    expect((await call('GET', `/company-transfers/${offered.id}`, giver)).body).toMatchObject({
      state: 'done',
      moved: 0,
    })
    expect(await itemsOf(giver, offered.id)).toMatchObject([{ state: 'withdrawn', deviceId: one.id }])
    expect((await offer([one.id])).total).toBe(1)
  })

  it('is found by the name of the other company, by its note and by its code, in these two companies alone', async () => {
    const from = await product(giver, 'Found')
    const one = await device(giver, from, 'found')
    const offered = await offer([one.id], { note: 'Harbour project' })
    const found = async (company: Company, q: string) =>
      (await call('GET', `/search?q=${encodeURIComponent(q)}`, company)).body.groups.find(
        (group: Any) => group.kind === 'company_transfer',
      )?.items ?? []
    const link = `/manage/company-transfers?transfer=${offered.id}`
    for (const q of ['Harbour', offered.code, offered.code.toLowerCase().replaceAll('-', ' ')])
      expect(await found(giver, q), q).toMatchObject([{ link, subtitle: '1 device · Harbour project' }])
    // Before it is accepted, only the company that made the offer finds it.
    for (const q of ['Harbour', offered.code]) expect(await found(taker, q)).toEqual([])
    await accept(offered.code, [{ from, to: null }])
    expect(await found(taker, 'Harbour')).toMatchObject([{ link, title: 'Taken · giver' }])
    const stranger = await newCompany('stranger')
    for (const q of ['Harbour', 'giver', offered.code]) expect(await found(stranger, q)).toEqual([])
  })

  it('does not go beyond the quota of the company that takes, and says which devices could not come', async () => {
    const from = await product(giver, 'Many')
    const [one, two] = [
      await device(giver, from, 'many 1', { deviceNo: 'MANY-1' }),
      await device(giver, from, 'many 2'),
    ]
    const into = await product(taker, 'Of the quota')
    const offered = await offer([one.id, two.id])
    await db.superuser.query(
      `update tenants set settings = jsonb_set(settings, '{quotas}', '{"devices": 1}') where id = $1`,
      [taker.id],
    )
    const full = await call('POST', '/company-transfers/accept', taker, {
      code: offered.code,
      products: [{ from, to: into }],
    })
    expect(full.body.code).toBe('quota.exceeded')
    await db.superuser.query(`update tenants set settings = settings - 'quotas' where id = $1`, [taker.id])
    // A device whose number exists in the product already stays with its company.
    await device(taker, into, 'has the number', { deviceNo: 'MANY-1' })
    const done = await accept(offered.code, [{ from, to: into }])
    expect(done).toMatchObject({ moved: 1, failed: 1 })
    expect(await itemsOf(giver, done.id)).toMatchObject([
      { name: 'many 1', state: 'failed', reason: 'device.number_taken', deviceId: one.id },
      { name: 'many 2', state: 'moved', deviceId: null },
    ])
    expect((await call('GET', `/devices/${one.id}`, giver)).body.lifecycle).toBe('inactive')
  })
})
