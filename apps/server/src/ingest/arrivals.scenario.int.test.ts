import { connect } from 'node:net'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant, type TenantFixture } from '../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import type { Ctx } from '../lib/context.ts'
import { createTelemetryModule } from '../modules/telemetry/index.ts'
import { MOST_AHEAD_MS } from './arrivals.ts'
import { deviceRequest, mqttDevice, type TestGateway, testGateway, topicOf } from './process/testing.ts'

let db: TestDatabase
let tenant: TenantFixture
let device: DeviceFixture
let gateway: TestGateway
const running: TestGateway[] = []

beforeAll(async () => {
  db = await testDatabase()
  tenant = await insertTenant(db.superuser)
})
beforeEach(async () => {
  device = await insertDevice(db.superuser, await insertProduct(db.superuser, tenant))
  gateway = await start()
})
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

async function start(): Promise<TestGateway> {
  const made = await testGateway(db)
  running.push(made)
  return made
}

/** What history has of a property, as the programs that read it get it. */
async function history(identifier = 'count'): Promise<[number, unknown][]> {
  const { service } = createTelemetryModule({ database: db.database })
  const now = Date.now()
  const ctx = { tenantId: tenant.id, actor: { kind: 'system', name: 'test' }, locale: 'en', requestId: 'test', now }
  const items: [number, unknown][] = []
  let cursor: string | undefined
  do {
    const range = { identifier, from: now - 86_400_000, to: now + 86_400_000, limit: 10_000 }
    const page = await service.raw(ctx as unknown as Ctx, device.id, { ...range, ...(cursor ? { cursor } : {}) })
    items.push(...(page.items as [number, unknown][]))
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  return items
}
const numbers = async () => (await history()).map(([, value]) => value)
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i)
const post = (body: unknown, path = 'property') =>
  deviceRequest(gateway.start, device, path, { body: JSON.stringify(body) })

/** Remaining length of a packet, as the standard writes it. */
function packet(type: number, body: Buffer): Buffer {
  const length: number[] = []
  let left = body.length
  do {
    length.push((left % 128) | (left >= 128 ? 128 : 0))
    left = Math.floor(left / 128)
  } while (left > 0)
  return Buffer.concat([Buffer.from([type, ...length]), body])
}
const text = (value: string) => {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
}

describe('messages whose device says no time', () => {
  it('are all in history when 500 of them come in one write', async () => {
    const socket = connect(gateway.ports.mqtt, '127.0.0.1')
    const name = `${device.product.productKey}/${device.deviceNo}`
    const head = Buffer.concat([text('MQTT'), Buffer.from([4, 0b11000010, 0, 60])])
    socket.write(packet(0x10, Buffer.concat([head, text('raw'), text(name), text(device.secret)])))
    await new Promise<void>(resolve => socket.once('data', () => resolve()))
    let answered = 0
    const all = new Promise<void>(resolve =>
      socket.on('data', data => {
        answered += data.length
        // A PUBACK has four bytes.
        if (answered === 4 * 500) resolve()
      }),
    )
    const publishes = upTo(500).map(n => {
      const id = Buffer.from([(n + 1) >> 8, (n + 1) & 255])
      const body = Buffer.concat([text(topicOf(device, 'property/post')), id, Buffer.from(`{"count":${n}}`)])
      return packet(0x32, body)
    })
    socket.write(Buffer.concat(publishes))
    await all
    socket.destroy()
    expect(await numbers()).toEqual(upTo(500))
  })

  it('are all in history when they come as one list, beside those that have a time', async () => {
    expect((await post(upTo(100).map(count => ({ count })))).status).toBe(200)
    const ts = Date.now() - 60_000
    expect((await post([{ ts, values: { count: -1 } }, { values: { count: 100 } }, { count: 101 }])).status).toBe(200)
    expect(await numbers()).toEqual([-1, ...upTo(102)])
    expect((await history())[0]![0]).toBe(ts)
  })

  it('are all in history when their clock is wild: the time of arrival stands in', async () => {
    expect((await post(upTo(50).map(count => ({ ts: 1_000, values: { count } })))).status).toBe(200)
    expect(await numbers()).toEqual(upTo(50))
  })

  it('keep the last one as the latest value', async () => {
    await post(upTo(300).map(count => ({ count })))
    await post({ count: 7 })
    const { service } = createTelemetryModule({ database: db.database })
    const ctx = { tenantId: tenant.id, actor: { kind: 'system', name: 'test' }, locale: 'en', requestId: 'test' }
    const { items } = await service.latest({ ...ctx, now: Date.now() } as unknown as Ctx, device.id)
    expect(items.find(item => item.identifier === 'count')).toMatchObject({ value: 7 })
  })

  it('get no time twice when the gateway begins anew while their device is ahead of the clock', async () => {
    for (let i = 0; i < 8; i++) await post(upTo(1_000).map(n => ({ count: i * 1_000 + n })))
    await running.pop()!.stop()
    gateway = await start()
    await post(upTo(500).map(n => ({ count: 8_000 + n })))
    expect(await numbers()).toEqual(upTo(8_500))
  })

  it('are slowed down when they are minutes ahead of the clock', async () => {
    let answer = await post({ count: 0 })
    while (answer.status === 200) answer = await post(upTo(1_000).map(count => ({ count })))
    expect(answer).toMatchObject({ status: 429, body: { code: 'rate.limited' } })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    // A connection is read more slowly instead, and nothing is lost.
    const client = await mqttDevice(gateway.ports.mqtt, device)
    await client.publishAsync(topicOf(device, 'property/post'), '{"temperature":5}', { qos: 1 })
    await client.endAsync()
    expect(await history('temperature')).toMatchObject([[expect.any(Number), 5]])
    const last = (await history()).at(-1)!
    expect(last[0] - Date.now()).toBeLessThan(MOST_AHEAD_MS + 2_000)
  })
})
