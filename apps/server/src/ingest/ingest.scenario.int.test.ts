import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant, type ProductFixture } from '../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { decodeBatch } from './feed.ts'
import { deviceRequest, mqttDevice, type TestGateway, testGateway, topicOf } from './process/testing.ts'
import { JournalKind } from './uplink.ts'

let db: TestDatabase
let product: ProductFixture
let gateway: TestGateway
let device: DeviceFixture

beforeAll(async () => {
  db = await testDatabase()
  const tenant = await insertTenant(db.superuser)
  product = await insertProduct(db.superuser, tenant)
  gateway = await testGateway(db)
})
afterAll(() => gateway.stop())
beforeEach(async () => {
  device = await insertDevice(db.superuser, product)
})

interface Row {
  kind: number
  values: Record<string, unknown> | null
  refused_reason: string | null
  raw: Buffer | null
}

/** What the journal has of the device, in order. */
async function rowsOf(of: DeviceFixture = device): Promise<Row[]> {
  const { rows } = await db.superuser.query<Row>(
    'select kind, values, refused_reason, raw from journal where device = $1 order by seq',
    [of.num],
  )
  return rows
}
const values = async (kind: number) => (await rowsOf()).filter(row => row.kind === kind).map(row => row.values)

describe('a device over HTTP', () => {
  const post = (path: string, body: string | Buffer, over: Parameters<typeof deviceRequest>[3] = {}) =>
    deviceRequest(gateway.start, device, path, { body, ...over })

  it('has its values in the journal when it gets 200, and is online', async () => {
    expect(await post('property', '{"temperature":21.5}')).toMatchObject({ status: 200, body: { ok: true } })
    expect(await post('event/overheat', '{"params":{}}')).toMatchObject({ status: 200 })
    expect(await rowsOf()).toMatchObject([
      { kind: JournalKind.online, values: { transport: 'http' } },
      { kind: JournalKind.property, values: { temperature: 21.5 } },
      { kind: JournalKind.event, values: { identifier: 'overheat', level: 'warning' } },
    ])
    expect(gateway.session(device.num)).toMatchObject({ transport: 'http', messagesIn: 2 })
    const fed = gateway.batches.flatMap(buffer => decodeBatch(buffer).rows).filter(row => row.device === device.num)
    expect(fed.map(row => row.kind)).toEqual([JournalKind.online, JournalKind.property, JournalKind.event])
  })

  it('is told what was wrong in its language, and the message is kept', async () => {
    const answer = await post('property', '{"nope":1}', { headers: { 'accept-language': 'en' } })
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: 'device_path.refused',
        message: 'The message was refused: property_unknown (nope)',
        params: { reason: 'property_unknown', path: 'nope' },
      },
    })
    expect(answer.body.requestId).toMatch(/^[0-9a-f-]{36}$/)
    expect((await post('property', '{"temperature":"hot"')).body).toMatchObject({
      message: '消息被拒绝：json_invalid',
    })
    const refused = (await rowsOf()).filter(row => row.kind === JournalKind.refused)
    expect(refused.map(row => row.refused_reason)).toEqual(['property_unknown', 'json_invalid'])
    expect(refused[0]!.raw!.toString()).toBe('{"nope":1}')
  })

  it('is refused a message over 64 KB, whose first 8 KB are kept, and can go on', async () => {
    const body = `{"note":"${'x'.repeat(70_000)}"}`
    expect(await post('property', body)).toMatchObject({ status: 413, body: { code: 'request.too_large' } })
    expect(await post('property', '{"temperature":1}')).toMatchObject({ status: 200 })
    const [refused] = (await rowsOf()).filter(row => row.kind === JournalKind.refused)
    expect(refused).toMatchObject({ refused_reason: 'too_large' })
    expect(refused!.raw!.toString()).toBe(body.slice(0, 8_192))
    expect(await post('property', Buffer.alloc(3_000_000, 0x20))).toMatchObject({ status: 413 })
  })

  it.each([
    ['a wrong secret', 'property', { secret: 'x'.repeat(43) }, 401, 'device_path.unauthorised'],
    ['no secret', 'property', { headers: { authorization: '' } }, 401, 'device_path.unauthorised'],
    ['an unknown path', 'properties', {}, 404, 'device_path.unknown_path'],
    ['a path that goes on', 'property/x', {}, 404, 'device_path.unknown_path'],
    ['bad percent encoding', 'event/%ff', {}, 404, 'device_path.unknown_path'],
    [
      'a form of several parts',
      'property',
      { headers: { 'content-type': 'multipart/form-data' } },
      415,
      'request.media_type',
    ],
    ['a compressed body', 'property', { headers: { 'content-encoding': 'gzip' } }, 415, 'request.media_type'],
    ['an unknown command', 'commands/0190f0f0-0000-7000-8000-000000000000/reply', {}, 404, 'command.not_found'],
  ] as const)('is refused %s', async (_, path, over, status, code) => {
    expect(await post(path, '{"temperature":1}', over)).toMatchObject({ status, body: { code } })
    expect(await values(JournalKind.property)).toEqual([])
  })

  it('looks the same from outside whether its name or its secret is wrong', async () => {
    const wrongSecret = await post('property', '{}', { secret: 'nope' })
    const unknown = await deviceRequest(gateway.start, { ...device, deviceNo: 'nobody' }, 'property', { body: '{}' })
    const strip = ({ status, body }: typeof unknown) => ({ status, code: body.code, message: body.message })
    expect(strip(wrongSecret)).toEqual(strip(unknown))
  })

  it('has a line in its log for a wrong secret, one however often it is tried', async () => {
    for (let i = 0; i < 5; i++) await post('property', '{}', { secret: `guess-${i}` })
    await expect
      .poll(() => rowsOf())
      .toMatchObject([
        {
          kind: JournalKind.refused,
          refused_reason: 'sign_in_refused',
          values: { reason: 'wrong_secret', transport: 'http' },
        },
      ])
  })
})

describe('a device over MQTT', () => {
  it('has its message in the journal when it gets the PUBACK, with online and offline around it', async () => {
    const client = await mqttDevice(gateway.ports.mqtt, device)
    await client.publishAsync(topicOf(device, 'property/post'), '{"temperature":21.5}', { qos: 1 })
    expect(await values(JournalKind.property)).toEqual([{ temperature: 21.5 }])
    await client.publishAsync(
      topicOf(device, 'property/post'),
      '[{"ts":1,"values":{"count":1}},{"values":{"count":2}}]',
      { qos: 2 },
    )
    expect(await values(JournalKind.property)).toEqual([{ temperature: 21.5 }, { count: 1 }, { count: 2 }])
    expect(gateway.session(device.num)).toMatchObject({ transport: 'mqtt', clientId: `test-${device.deviceNo}` })
    await client.endAsync()
    await expect
      .poll(async () => (await rowsOf()).map(row => row.kind))
      .toEqual([
        JournalKind.online,
        JournalKind.property,
        JournalKind.property,
        JournalKind.property,
        JournalKind.offline,
      ])
    expect(await values(JournalKind.offline)).toMatchObject([{ reason: 'client', transport: 'mqtt' }])
  })

  it('keeps a row about its session while it is connected', async () => {
    const sessions = () =>
      db.superuser.query('select transport, client_id, subscriptions from device_sessions where device = $1', [
        device.num,
      ])
    const client = await mqttDevice(gateway.ports.mqtt, device)
    await client.subscribeAsync(topicOf(device, 'property/set'), { qos: 1 })
    await expect
      .poll(async () => (await sessions()).rows)
      .toMatchObject([{ transport: 'mqtt', client_id: `test-${device.deviceNo}`, subscriptions: [{ qos: 1 }] }])
    await client.endAsync()
    await expect.poll(async () => (await sessions()).rows).toEqual([])
  })

  it('goes on after a refused message, which is kept and acknowledged', async () => {
    const client = await mqttDevice(gateway.ports.mqtt, device, { protocolVersion: 5 })
    const code = await client.publishAsync(topicOf(device, 'property/post'), '{"nope":1}', { qos: 1 }).then(
      () => 0,
      (error: { code: number }) => error.code,
    )
    expect(code).toBe(0x99)
    await client.publishAsync(topicOf(device, 'property/post'), '{"count":7}', { qos: 1 })
    expect(await values(JournalKind.property)).toEqual([{ count: 7 }])
    expect((await rowsOf()).map(row => row.refused_reason)).toContain('property_unknown')
    await client.endAsync()
  })

  it('reads its shadow as of its last message, and the time', async () => {
    await db.superuser.query(
      `insert into shadow_desired (device, tenant_id, desired, version) values ($1, $2, '{"switch":true}', 4)`,
      [device.num, device.tenantId],
    )
    const client = await mqttDevice(gateway.ports.mqtt, device)
    const replies = new Map<string, Record<string, unknown>>()
    client.on('message', (topic, payload) =>
      replies.set(topic.split('/').slice(-2).join('/'), JSON.parse(payload.toString())),
    )
    await client.subscribeAsync(topicOf(device, '#'))
    await client.publishAsync(topicOf(device, 'property/post'), '{"count":1,"temperature":3}', { qos: 1 })
    await client.publishAsync(topicOf(device, 'property/post'), '{"count":2}', { qos: 1 })
    await client.publishAsync(topicOf(device, 'shadow/get'), '{}', { qos: 1 })
    await expect
      .poll(() => replies.get('shadow/get_reply'))
      .toEqual({
        reported: { count: 2, temperature: 3 },
        desired: { switch: true },
        version: 4,
      })
    const before = Date.now()
    await client.publishAsync(topicOf(device, 'ntp/request'), '{"t0":17}', { qos: 0 })
    await expect.poll(() => replies.get('ntp/response')).toMatchObject({ t0: 17 })
    const { t1, t2 } = replies.get('ntp/response') as { t1: number; t2: number }
    expect(t1).toBeGreaterThanOrEqual(before)
    expect(t2).toBeGreaterThanOrEqual(t1)
    await client.endAsync()
  })

  it('is refused with a wrong secret, which its log says', async () => {
    await expect(mqttDevice(gateway.ports.mqtt, { ...device, secret: 'nope' })).rejects.toThrow(/Not authorized/i)
    await expect
      .poll(() => rowsOf())
      .toMatchObject([{ refused_reason: 'sign_in_refused', values: { reason: 'wrong_secret', transport: 'mqtt' } }])
  })

  it('of a company that is frozen is refused with that reason, in its log too, and comes back with it', async () => {
    const company = device.product.tenantId
    await db.superuser.query(`update tenants set status = 'frozen' where id = $1`, [company])
    gateway.forget({ device: device.num })
    expect(await deviceRequest(gateway.start, device, 'property', { body: '{}' })).toMatchObject({
      status: 403,
      body: { code: 'device_path.company_closed' },
    })
    await db.superuser.query(`update tenants set status = 'active' where id = $1`, [company])
    gateway.forget({ device: device.num })
    const again = await mqttDevice(gateway.ports.mqtt, device)
    await again.endAsync()
  })

  it('is put out at once when it is disabled, and let in when it is enabled again', async () => {
    const client = await mqttDevice(gateway.ports.mqtt, device)
    const gone = new Promise<void>(resolve => client.once('close', () => resolve()))
    await db.superuser.query(`update devices set lifecycle = 'disabled' where num = $1`, [device.num])
    gateway.forget({ device: device.num })
    await gone
    await expect(mqttDevice(gateway.ports.mqtt, device)).rejects.toThrow()
    expect(await deviceRequest(gateway.start, device, 'property', { body: '{}' })).toMatchObject({
      status: 403,
      body: { code: 'device_path.disabled' },
    })
    await db.superuser.query(`update devices set lifecycle = 'active' where num = $1`, [device.num])
    gateway.forget({ device: device.num })
    const again = await mqttDevice(gateway.ports.mqtt, device)
    await again.endAsync()
    await expect.poll(() => values(JournalKind.offline)).toMatchObject([{ reason: 'kicked' }, { reason: 'client' }])
  })

  it('is checked against a thing model from the moment it is published', async () => {
    const fresh = await insertProduct(db.superuser, { id: product.tenantId })
    const mine = await insertDevice(db.superuser, fresh)
    const client = await mqttDevice(gateway.ports.mqtt, mine)
    const model = { properties: [{ identifier: 'speed', name: 'speed', dataType: { type: 'double' }, access: 'r' }] }
    await db.superuser.query('update products set published_model = $2, model_version = 2 where id = $1', [
      fresh.id,
      JSON.stringify(model),
    ])
    gateway.forget({ product: fresh.num })
    await client.publishAsync(topicOf(mine, 'property/post'), '{"speed":1}', { qos: 1 })
    expect((await rowsOf(mine)).at(-1)).toMatchObject({ kind: JournalKind.property, values: { speed: 1 } })
    await client.endAsync()
  })
})
