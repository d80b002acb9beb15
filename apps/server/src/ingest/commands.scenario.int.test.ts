import type { MqttClient } from 'mqtt'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant, type ProductFixture } from '../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { newId } from '../lib/ids.ts'
import { deviceRequest, mqttDevice, type TestGateway, testGateway, topicOf } from './process/testing.ts'
import { JournalKind } from './uplink.ts'

let db: TestDatabase
let product: ProductFixture
let gateway: TestGateway
let device: DeviceFixture
const clients: MqttClient[] = []

beforeAll(async () => {
  db = await testDatabase()
  product = await insertProduct(db.superuser, await insertTenant(db.superuser))
  gateway = await testGateway(db)
})
afterAll(() => gateway.stop())
beforeEach(async () => {
  device = await insertDevice(db.superuser, product)
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.endAsync(true)
})

/** What the commands module writes. */
async function queue(
  over: { kind?: string; params?: object; state?: string; expiresIn?: string; timeoutMs?: number } = {},
): Promise<string> {
  const id = newId()
  await db.superuser.query(
    `insert into commands (id, tenant_id, device_id, device, kind, identifier, params, state, timeout_ms, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + $10::interval)`,
    [
      id,
      device.tenantId,
      device.id,
      device.num,
      over.kind ?? 'property_set',
      over.kind === 'service' ? 'restart' : null,
      JSON.stringify(over.params ?? { switch: true }),
      over.state ?? 'queued',
      over.timeoutMs ?? 60_000,
      over.expiresIn ?? '1 day',
    ],
  )
  return id
}

const row = async (id: string) =>
  (
    await db.superuser.query('select state, attempt, error_code, sent_at, delivered_at from commands where id = $1', [
      id,
    ])
  ).rows[0] as {
    state: string
    attempt: number
    error_code: string | null
    sent_at: Date | null
    delivered_at: Date | null
  }
const state = async (id: string) => (await row(id)).state

async function connect(over: Parameters<typeof mqttDevice>[2] = {}) {
  const client = await mqttDevice(gateway.ports.mqtt, device, over)
  clients.push(client)
  const received: { topic: string; id: string; params: unknown; qos: number }[] = []
  client.on('message', (topic, payload, packet) => {
    const suffix = topic.split('/').slice(3).join('/')
    received.push({
      topic: suffix,
      qos: packet.qos,
      ...(JSON.parse(payload.toString()) as { id: string; params: unknown }),
    })
  })
  return { client, received, ids: () => received.map(message => message.id) }
}

describe('commands to a device over MQTT', () => {
  it('go queued → sent → delivered with the PUBACK, each change told to live subscribers', async () => {
    const { client, received } = await connect()
    await client.subscribeAsync(topicOf(device, 'property/set'), { qos: 1 })
    const id = await queue({ params: { switch: true, note: 'x' } })
    gateway.wake([device.num])
    await expect.poll(() => state(id)).toBe('delivered')
    expect(received).toEqual([{ topic: 'property/set', id, params: { switch: true, note: 'x' }, qos: 1 }])
    expect(await row(id)).toMatchObject({ attempt: 1, sent_at: expect.any(Date), delivered_at: expect.any(Date) })
    await expect.poll(() => gateway.changed.filter(c => c.id === id).length).toBe(2)
  })

  it('wait for a device that is away and come in their order when it is back', async () => {
    const ids: string[] = []
    for (let i = 0; i < 40; i++) ids.push(await queue({ kind: i % 2 ? 'service' : 'property_set' }))
    gateway.wake([device.num])
    const { client, ids: received } = await connect()
    expect(await state(ids[0]!)).toBe('queued')
    await client.subscribeAsync(topicOf(device, '#'), { qos: 1 })
    await expect.poll(received).toEqual(ids)
    await expect.poll(async () => new Set(await Promise.all(ids.map(state)))).toEqual(new Set(['delivered']))
  })

  it('stay queued until the device has subscribed to their topic', async () => {
    const { client, ids } = await connect()
    await client.subscribeAsync(topicOf(device, 'service/+/invoke'), { qos: 1 })
    const set = await queue()
    const service = await queue({ kind: 'service', params: {} })
    gateway.wake([device.num])
    await expect.poll(ids).toEqual([service])
    // It was tried, and is put back a moment after the others have left.
    await expect.poll(() => row(set)).toMatchObject({ state: 'queued', attempt: 0, sent_at: null })
    await client.subscribeAsync(topicOf(device, 'property/set'), { qos: 1 })
    await expect.poll(ids).toEqual([service, set])
  })

  it('go out without a wake-up: the sweep finds them', async () => {
    const { client, ids } = await connect()
    await client.subscribeAsync(topicOf(device, '#'), { qos: 1 })
    const id = await queue()
    await expect.poll(ids).toEqual([id])
  })

  it('are sent but not delivered to a device that subscribed at QoS 0', async () => {
    const { client, ids } = await connect()
    await client.subscribeAsync(topicOf(device, '#'), { qos: 0 })
    const id = await queue()
    gateway.wake([device.num])
    await expect.poll(ids).toEqual([id])
    expect(await state(id)).toBe('sent')
  })

  it('time out without a reply, and expire unsent', async () => {
    const { client, ids } = await connect()
    await client.subscribeAsync(topicOf(device, 'property/set'), { qos: 1 })
    const unanswered = await queue({ timeoutMs: 500 })
    const late = await queue({ kind: 'service', expiresIn: '1 second' })
    gateway.wake([device.num])
    await expect.poll(() => row(unanswered)).toMatchObject({ state: 'timed_out', error_code: 'no_reply' })
    await expect.poll(() => row(late)).toMatchObject({ state: 'expired', error_code: 'expired' })
    expect(ids()).toEqual([unanswered])
    await expect.poll(() => gateway.changed.map(c => c.id)).toContain(late)
    // A cancelled command is never sent.
    await queue({ state: 'cancelled' })
    gateway.wake([device.num])
    const next = await queue()
    gateway.wake([device.num])
    await expect.poll(ids).toEqual([unanswered, next])
  })

  it('are answered by an uplink that stands in the journal with the command’s id', async () => {
    const { client } = await connect()
    client.on('message', (topic, payload) => {
      const { id } = JSON.parse(payload.toString()) as { id: string }
      if (topic.endsWith('property/set'))
        client.publish(topicOf(device, 'property/set_reply'), JSON.stringify({ id, code: 5, message: 'stuck' }), {
          qos: 1,
        })
      else
        client.publish(topicOf(device, 'service/restart/invoke_reply'), JSON.stringify({ id, code: 0, data: {} }), {
          qos: 1,
        })
    })
    await client.subscribeAsync(topicOf(device, '#'), { qos: 1 })
    const set = await queue()
    const service = await queue({ kind: 'service', params: {} })
    gateway.wake([device.num])
    const replies = async () =>
      (
        await db.superuser.query('select values from journal where device = $1 and kind = $2 order by seq', [
          device.num,
          JournalKind.reply,
        ])
      ).rows.map(r => r.values)
    await expect.poll(replies).toMatchObject([
      { commandId: set, code: 5, message: 'stuck' },
      { commandId: service, code: 0 },
    ])
  })
})

describe('commands to a device over HTTP', () => {
  it('come with the next poll, at once or while it waits, and are answered by a request', async () => {
    const first = await queue()
    const poll = (wait: number) => deviceRequest(gateway.start, device, `commands?wait=${wait}`)
    expect(await poll(0)).toMatchObject({
      status: 200,
      body: { commands: [{ id: first, kind: 'property_set', params: { switch: true } }] },
    })
    expect((await poll(0)).body).toEqual({ commands: [] })
    const held = poll(55)
    await expect.poll(() => gateway.metrics().gateway_polls_state).toBe(1)
    const second = await queue({ kind: 'service', params: {} })
    gateway.wake([device.num])
    expect((await held).body).toEqual({
      commands: [{ id: second, kind: 'service', identifier: 'restart', params: {} }],
    })
    expect(await state(second)).toBe('sent')

    const reply = (id: string, body: object) =>
      deviceRequest(gateway.start, device, `commands/${id}/reply`, { body: JSON.stringify(body) })
    expect(await reply(second, { code: 0, data: {} })).toMatchObject({ status: 200 })
    expect(await reply(first, { code: 'ok' })).toMatchObject({ status: 422 })
    expect(await reply(newId(), { code: 0 })).toMatchObject({ status: 404 })
    const other = await insertDevice(db.superuser, product)
    expect(await deviceRequest(gateway.start, other, `commands/${first}/reply`, { body: '{"code":0}' })).toMatchObject({
      status: 404,
    })
  })

  it('go to the newest poll of a device only; the one before ends empty-handed', async () => {
    const poll = () => deviceRequest(gateway.start, device, 'commands?wait=55')
    const older = poll()
    await expect.poll(() => gateway.metrics().gateway_polls_state).toBe(1)
    const newer = poll()
    expect((await older).body).toEqual({ commands: [] })
    const id = await queue()
    gateway.wake([device.num])
    expect((await newer).body).toMatchObject({ commands: [{ id }] })
  })
})

describe('after the gateway ended', () => {
  it('by a crash, devices that do not come back go offline, and what was sent to them is given up', async () => {
    const away = await insertDevice(db.superuser, product)
    const polling = await insertDevice(db.superuser, product)
    await db.superuser.query(
      `insert into device_sessions (device, node, epoch, transport, client_id, address, protocol_version, keep_alive_seconds, connected_at)
       values ($1, 'test', 1, 'mqtt', 'c', '10.0.0.1:1', '5.0', 60, now()), ($2, 'test', 1, 'http', '', '10.0.0.2', '1.1', 300, now()),
              ($3, 'test', 1, 'mqtt', 'c', '10.0.0.3:1', '5.0', 60, now())`,
      [away.num, polling.num, device.num],
    )
    const id = newId()
    await db.superuser.query(
      `insert into commands (id, tenant_id, device_id, device, kind, state, attempt, sent_at, timeout_ms, reply_due_at, expires_at)
       values ($1, $2, $3, $4, 'property_set', 'sent', 1, now(), 600000, now() + interval '10 minutes', now() + interval '1 day')`,
      [id, away.tenantId, away.id, away.num],
    )
    await gateway.stop()
    gateway = await testGateway(db, { graceMs: 700 })
    clients.push(await mqttDevice(gateway.ports.mqtt, device))
    const last = async (num: number) =>
      (await db.superuser.query('select kind, values from journal where device = $1 order by seq desc limit 1', [num]))
        .rows[0]
    await expect
      .poll(() => last(away.num))
      .toMatchObject({
        kind: JournalKind.offline,
        values: { reason: 'server_stopping', transport: 'mqtt', address: '10.0.0.1:1' },
      })
    await expect.poll(() => row(id)).toMatchObject({ state: 'timed_out', error_code: 'connection_lost' })
    // The one that came back and the one that needs no connection are still there.
    await expect.poll(() => last(device.num)).toMatchObject({ kind: JournalKind.online })
    expect(await last(polling.num)).toBeUndefined()
    expect(gateway.session(polling.num)).toMatchObject({ transport: 'http', address: '10.0.0.2' })
    const before = () => db.superuser.query('select device from device_sessions where epoch = 1')
    await expect.poll(async () => (await before()).rows).toEqual([])
  })

  it('of a clean stop, connections are said to be offline and short links go on', async () => {
    const polling = await insertDevice(db.superuser, product)
    await mqttDevice(gateway.ports.mqtt, device)
    await deviceRequest(gateway.start, polling, 'property', { body: '{"count":1}' })
    await gateway.stop()
    const { rows } = await db.superuser.query(
      `select device, kind, values ->> 'reason' as reason from journal where device = any ($1) and kind = $2`,
      [[device.num, polling.num], JournalKind.offline],
    )
    expect(rows).toEqual([{ device: device.num, kind: JournalKind.offline, reason: 'server_stopping' }])
    const sessions = await db.superuser.query('select device from device_sessions where device = any ($1)', [
      [device.num, polling.num],
    ])
    expect(sessions.rows).toEqual([{ device: polling.num }])
    gateway = await testGateway(db)
    expect(gateway.session(polling.num)).toMatchObject({ transport: 'http' })
  })

  it('a command of a session that outlives connections is delivered though it was marked as sent', async () => {
    const lost = await queue()
    await db.superuser.query(
      `update commands set state = 'sent', attempt = 1, sent_at = now(), reply_due_at = now() + interval '1 minute' where id = $1`,
      [lost],
    )
    const subscriptions = [
      {
        filter: topicOf(device, '#'),
        qos: 1,
        noLocal: false,
        retainAsPublished: false,
        retainHandling: 0,
        identifier: 0,
      },
    ]
    await db.superuser.query(
      'insert into mqtt_sessions (device, expiry_seconds, subscriptions) values ($1, 3600, $2)',
      [device.num, JSON.stringify(subscriptions)],
    )
    await gateway.stop()
    gateway = await testGateway(db)
    expect(await state(lost)).toBe('queued')
    const { ids } = await connect({ clean: false })
    await expect.poll(ids).toEqual([lost])
    await expect.poll(() => row(lost)).toMatchObject({ state: 'delivered', attempt: 2 })
  })
})
