import { createHash, randomBytes } from 'node:crypto'
import type { MqttClient } from 'mqtt'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant, type ProductFixture } from '../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { newId } from '../lib/ids.ts'
import { numberOf } from './dialects/dialect.ts'
import { deviceRequest, mqttDevice, plainRequest, type TestGateway, testGateway, topicOf } from './process/testing.ts'
import { JournalKind } from './uplink.ts'

let db: TestDatabase
let gateways: ProductFixture
let sensors: ProductFixture
let gateway: TestGateway
let box: DeviceFixture
let meter: DeviceFixture
let valve: DeviceFixture
const clients: MqttClient[] = []
/** Devices that gateways asked for. */
const asked: string[] = []

beforeAll(async () => {
  db = await testDatabase()
  const tenant = await insertTenant(db.superuser)
  gateways = await insertProduct(db.superuser, tenant)
  sensors = await insertProduct(db.superuser, tenant)
  await db.superuser.query(
    `update products set node_type = 'gateway', dialects = '{"thingsboard": true}' where num = $1`,
    [gateways.num],
  )
  gateway = await testGateway(db, {
    // What the API process does: the device is made and bound, and the gateway told to look again.
    async register(request) {
      if (!('sub' in request) || request.sub.startsWith('never')) return { ok: false, reason: 'registration_off' }
      asked.push(request.sub)
      const made = await insertDevice(db.superuser, sensors, { deviceNo: request.sub })
      await db.superuser.query('update devices set gateway = $2 where num = $1', [made.num, request.gateway])
      gateway.forget({ device: made.num })
      return { ok: true, deviceSecret: '' }
    },
  })
})
afterAll(() => gateway.stop())
beforeEach(async () => {
  box = await insertDevice(db.superuser, gateways)
  meter = await insertDevice(db.superuser, sensors)
  valve = await insertDevice(db.superuser, sensors)
  await bind(meter, box, null)
  await bind(valve, box, '07')
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.endAsync(true)
})

const bind = (device: DeviceFixture, to: DeviceFixture | null, address: string | null) =>
  db.superuser.query('update devices set gateway = $2, sub_address = $3 where num = $1', [
    device.num,
    to?.num ?? null,
    address,
  ])

async function token(device: DeviceFixture): Promise<string> {
  const text = `twt_${randomBytes(24).toString('base64url')}`
  await db.superuser.query('update devices set access_token_hash = $2 where num = $1', [
    device.num,
    createHash('sha256').update(text).digest(),
  ])
  return text
}

async function connect(device: DeviceFixture, over: Parameters<typeof mqttDevice>[2] = {}) {
  const client = await mqttDevice(gateway.ports.mqtt, device, over)
  clients.push(client)
  const received: { topic: string; body: Record<string, unknown> }[] = []
  client.on('message', (topic, payload) => received.push({ topic, body: JSON.parse(payload.toString()) }))
  return { client, received }
}

/** What a device left in the journal: kind and values, in order. */
async function rows(device: DeviceFixture, kind?: number) {
  const { rows } = await db.superuser.query<{ kind: number; values: Record<string, unknown>; reason: string | null }>(
    'select kind, values, refused_reason as reason from journal where device = $1 and ($2::int is null or kind = $2) order by seq',
    [device.num, kind ?? null],
  )
  return rows
}
const properties = async (device: DeviceFixture) => (await rows(device, JournalKind.property)).map(row => row.values)

async function queue(device: DeviceFixture, kind: string, params: object, identifier: string | null = null) {
  const id = newId()
  await db.superuser.query(
    `insert into commands (id, tenant_id, device_id, device, kind, identifier, params, timeout_ms, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, 60000, now() + interval '1 day')`,
    [id, device.tenantId, device.id, device.num, kind, identifier, JSON.stringify(params)],
  )
  gateway.wake([device.num])
  return id
}

describe('a gateway', () => {
  it('speaks for the devices bound to it, by number and by address, each in its own journal', async () => {
    const { client } = await connect(box)
    await client.publishAsync(topicOf(box, `sub/${meter.deviceNo}/property/post`), '{"temperature":1.5}', { qos: 1 })
    await client.publishAsync(topicOf(box, 'sub/07/event/overheat/post'), '{"params":{}}', { qos: 2 })
    await client.publishAsync(
      topicOf(box, 'sub/post'),
      `{"${meter.deviceNo}":[{"count":1},{"count":2}],"07":{"count":3}}`,
      {
        qos: 1,
      },
    )
    expect(await properties(meter)).toEqual([{ temperature: 1.5 }, { count: 1 }, { count: 2 }])
    expect(await properties(valve)).toEqual([{ count: 3 }])
    expect(await rows(valve, JournalKind.event)).toMatchObject([{ values: { identifier: 'overheat' } }])
    expect(await properties(box)).toEqual([])
  })

  it('is refused what it says of devices that are not bound to it', async () => {
    const stranger = await insertDevice(db.superuser, sensors)
    const { client } = await connect(box)
    for (const name of ['nobody', stranger.deviceNo])
      await client.publishAsync(topicOf(box, `sub/${name}/property/post`), '{"count":1}', { qos: 1 })
    expect((await rows(box, JournalKind.refused)).map(row => row.reason)).toEqual([
      'sub_device_unknown',
      'sub_device_unknown',
    ])
    expect(await rows(stranger)).toEqual([])
  })

  it('takes its devices online and offline with it', async () => {
    const { client } = await connect(box)
    await expect.poll(async () => (await rows(valve)).map(row => row.kind)).toEqual([JournalKind.online])
    expect(gateway.session(valve.num)).toMatchObject({ transport: 'gateway' })
    await client.endAsync()
    await expect
      .poll(async () => (await rows(valve)).at(-1))
      .toMatchObject({ kind: JournalKind.offline, values: { reason: 'gateway_offline' } })
  })

  it('loses a device that is released, and gains one that is bound, while it is connected', async () => {
    await connect(box)
    await expect.poll(() => gateway.session(meter.num)).not.toBeNull()
    await bind(meter, null, null)
    gateway.forget({ device: meter.num })
    await expect.poll(() => gateway.session(meter.num)).toBeNull()
    // The session is gone before the line about it is committed.
    await expect.poll(async () => (await rows(meter)).at(-1)).toMatchObject({ values: { reason: 'unbound' } })
    await bind(meter, box, null)
    gateway.forget({ device: meter.num })
    await expect.poll(() => gateway.session(meter.num)).not.toBeNull()
  })

  it('waits for the word of each device where its product says so', async () => {
    const tenant = { id: gateways.tenantId }
    const product = await insertProduct(db.superuser, tenant)
    await db.superuser.query(
      `update products set node_type = 'gateway', sub_devices = '{"presence": "silence"}' where num = $1`,
      [product.num],
    )
    const quiet = await insertDevice(db.superuser, product)
    await bind(meter, quiet, null)
    const { client } = await connect(quiet)
    await client.publishAsync(topicOf(quiet, `sub/${meter.deviceNo}/property/post`), '{"count":1}', { qos: 1 })
    await expect.poll(() => gateway.session(meter.num)).not.toBeNull()
    await client.publishAsync(topicOf(quiet, `sub/${meter.deviceNo}/offline`), '', { qos: 1 })
    await expect.poll(() => gateway.session(meter.num)).toBeNull()
  })

  it('brings unknown devices along where its product lets it, each asked for once', async () => {
    const product = await insertProduct(db.superuser, { id: gateways.tenantId })
    await db.superuser.query(
      `update products set node_type = 'gateway', sub_devices = jsonb_build_object('autoCreateProductId', $2::text) where num = $1`,
      [product.num, sensors.id],
    )
    const { client } = await connect(await insertDevice(db.superuser, product, { deviceNo: 'open-box' }))
    const topic = (sub: string) => `things/${product.productKey}/open-box/sub/${sub}/property/post`
    const posts = ['1', '2', '3'].map(count => client.publishAsync(topic('new-1'), `{"count":${count}}`, { qos: 1 }))
    await Promise.all(posts)
    await client.publishAsync(topic('never-1'), '{"count":1}', { qos: 1 })
    expect(asked).toEqual(['new-1'])
    const { rows: stored } = await db.superuser.query(
      `select j.values from journal j join devices d on d.num = j.device where d.device_no = 'new-1' and j.kind = $1 order by seq`,
      [JournalKind.property],
    )
    expect(stored.map(row => row.values)).toEqual([{ count: 1 }, { count: 2 }, { count: 3 }])
  })

  it('carries commands to its devices and their answers back', async () => {
    const { client, received } = await connect(box)
    await client.subscribeAsync(topicOf(box, 'sub/+/property/set'), { qos: 1 })
    const id = await queue(valve, 'property_set', { switch: true })
    await expect
      .poll(() => received)
      .toEqual([{ topic: topicOf(box, 'sub/07/property/set'), body: { id, params: { switch: true } } }])
    await client.publishAsync(topicOf(box, 'sub/07/property/set_reply'), JSON.stringify({ id, code: 0 }), { qos: 1 })
    expect(await rows(valve, JournalKind.reply)).toMatchObject([{ values: { commandId: id, code: 0 } }])
  })

  it('speaks over HTTP too: messages, commands by long poll, and answers', async () => {
    const to = { socketPath: gateway.start.socketPath }
    const posted = await deviceRequest(to, box, `sub/${meter.deviceNo}/property`, { body: '{"count":4}' })
    expect(posted.status).toBe(200)
    expect(await properties(meter)).toEqual([{ count: 4 }])
    expect((await deviceRequest(to, box, 'sub/nobody/property', { body: '{"count":4}' })).body.params).toEqual({
      reason: 'sub_device_unknown',
      path: 'nobody',
      what: 'sub_device_unknown (nobody)',
    })
    const id = await queue(meter, 'property_set', { switch: true })
    const poll = await deviceRequest(to, box, 'commands?wait=55')
    expect(poll.body).toEqual({
      commands: [{ kind: 'property_set', sub: meter.deviceNo, id, params: { switch: true } }],
    })
    const reply = await deviceRequest(to, box, `sub/${meter.deviceNo}/commands/${id}/reply`, { body: '{"code":0}' })
    expect(reply.status).toBe(200)
    expect(await rows(meter, JournalKind.reply)).toMatchObject([{ values: { commandId: id, code: 0 } }])
  })
})

describe('a ThingsBoard client', () => {
  const over = async (device: DeviceFixture) => ({ username: await token(device), password: undefined })

  it('signs in with its token alone, sends telemetry and asks for attributes', async () => {
    const { client, received } = await connect(box, await over(box))
    await client.publishAsync('v1/devices/me/telemetry', '{"temperature":21.5}', { qos: 1 })
    await client.publishAsync('v1/devices/me/telemetry', '[{"ts":1,"values":{"count":1}},{"count":2}]', { qos: 1 })
    await client.publishAsync('v1/devices/me/telemetry', '{"unknown":1}', { qos: 1 })
    expect(await properties(box)).toEqual([{ temperature: 21.5 }, { count: 1 }, { count: 2 }])
    expect((await rows(box, JournalKind.refused)).map(row => row.reason)).toEqual(['property_unknown'])
    await client.subscribeAsync('v1/devices/me/attributes/response/+')
    await client.publishAsync('v1/devices/me/attributes/request/5', '{"clientKeys":"temperature"}')
    await expect
      .poll(() => received)
      .toEqual([{ topic: 'v1/devices/me/attributes/response/5', body: { client: { temperature: 21.5 } } }])
    await expect(client.subscribeAsync('v1/devices/other/attributes')).rejects.toThrow()
  })

  it('takes wanted properties as attributes and services as RPC, also for devices below it', async () => {
    const { client, received } = await connect(box, await over(box))
    await client.subscribeAsync(['v1/devices/me/attributes', 'v1/devices/me/rpc/request/+', 'v1/gateway/rpc'], {
      qos: 1,
    })
    const set = await queue(box, 'property_set', { switch: true })
    const service = await queue(box, 'service', {}, 'restart')
    const below = await queue(valve, 'service', {}, 'restart')
    await expect.poll(() => received.length).toBe(3)
    const byTopic = new Map(received.map(message => [message.topic, message.body]))
    expect(byTopic.get('v1/devices/me/attributes')).toEqual({ switch: true })
    expect(byTopic.get(`v1/devices/me/rpc/request/${numberOf(service)}`)).toEqual({ method: 'restart', params: {} })
    expect(byTopic.get('v1/gateway/rpc')).toEqual({
      device: '07',
      data: { id: numberOf(below), method: 'restart', params: {} },
    })
    await client.publishAsync(`v1/devices/me/rpc/response/${numberOf(service)}`, '{"success":true}', { qos: 1 })
    await client.publishAsync('v1/gateway/rpc', JSON.stringify({ device: '07', id: numberOf(below), data: {} }), {
      qos: 1,
    })
    await expect
      .poll(async () => (await rows(box, JournalKind.reply)).map(row => [row.values.commandId, row.values.code]))
      .toEqual(
        expect.arrayContaining([
          [set, 0],
          [service, 0],
        ]),
      )
    expect(await rows(valve, JournalKind.reply)).toMatchObject([{ values: { commandId: below, code: 0 } }])
  })

  it('speaks HTTP with its token in the path', async () => {
    const secret = await token(box)
    const ask = async (method: string, path: string, body?: string) => {
      const answer = await plainRequest(
        { socketPath: gateway.start.socketPath },
        method,
        `/api/v1/${secret}/${path}`,
        body,
      )
      return [answer.status, answer.body] as const
    }
    expect(await ask('POST', 'telemetry', '{"temperature":7}')).toEqual([200, {}])
    expect((await ask('POST', 'telemetry', '{"unknown":7}'))[0]).toBe(422)
    expect(await properties(box)).toEqual([{ temperature: 7 }])
    expect(await ask('GET', 'attributes?clientKeys=temperature')).toEqual([200, { client: { temperature: 7 } }])
    const polled = ask('GET', 'rpc?timeout=55000')
    await expect.poll(() => gateway.metrics().gateway_polls_state).toBe(1)
    const id = await queue(box, 'service', {}, 'restart')
    expect(await polled).toEqual([200, { id: numberOf(id), method: 'restart', params: {} }])
    expect(await ask('POST', `rpc/${numberOf(id)}`, '{"done":true}')).toEqual([200, {}])
    expect(await rows(box, JournalKind.reply)).toMatchObject([
      { values: { commandId: id, code: 0, data: { done: true } } },
    ])
    expect((await ask('GET', 'rpc?timeout=0'))[0]).toBe(408)
    expect(
      (
        await plainRequest(
          { socketPath: gateway.start.socketPath },
          'POST',
          '/api/v1/twt_nobodys-token/telemetry',
          '{}',
        )
      ).status,
    ).toBe(401)
  })

  it('is no such client where the product does not say so', async () => {
    const { client } = await connect(meter, { username: await token(meter), password: undefined })
    await client.publishAsync('v1/devices/me/telemetry', '{"count":1}', { qos: 1 })
    expect(await rows(meter, JournalKind.refused)).toMatchObject([{ reason: 'topic_unknown' }])
  })
})
