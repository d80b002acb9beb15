import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant, type TenantFixture } from '../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { newId } from '../lib/ids.ts'
import { deviceRequest, mqttDevice, type TestGateway, testGateway, topicOf } from './process/testing.ts'
import { JournalKind } from './uplink.ts'

let db: TestDatabase
let tenant: TenantFixture
let gateway: TestGateway

beforeAll(async () => {
  db = await testDatabase()
  tenant = await insertTenant(db.superuser)
  gateway = await testGateway(db)
})
afterAll(() => gateway.stop())

/** A device of a product of its own. @param set columns of the product */
async function device(unknownKeys: string, set = ''): Promise<DeviceFixture> {
  const product = await insertProduct(db.superuser, tenant, { unknownKeys })
  if (set) await db.superuser.query(`update products set ${set} where id = $1`, [product.id])
  return insertDevice(db.superuser, product)
}
const post = (of: DeviceFixture, body: unknown, path = 'property') =>
  deviceRequest(gateway.start, of, path, { body: JSON.stringify(body), headers: { 'accept-language': 'en' } })
async function stored(of: DeviceFixture): Promise<unknown[]> {
  const { rows } = await db.superuser.query('select values from journal where device = $1 and kind = 1 order by seq', [
    of.num,
  ])
  return rows.map(row => row.values)
}
async function collected(of: DeviceFixture) {
  const { rows } = await db.superuser.query(
    'select key, samples, seen::int, device_no from product_unknown_keys where product_id = $1 order by key',
    [of.product.id],
  )
  return rows
}

describe('a message with a value that cannot be taken', () => {
  it('keeps the others; what was left out is listed with its bytes, and counts as no message', async () => {
    const of = await device('collect', "bad_values = 'drop'")
    expect(await post(of, { temperature: 21.5, count: null })).toMatchObject({ status: 200 })
    expect(await post(of, { temperature: 22, count: 1.5 })).toMatchObject({ status: 200 })
    const client = await mqttDevice(gateway.ports.mqtt, of)
    await client.publishAsync(topicOf(of, 'property/post'), '[{"temperature":"x"},{"count":2}]', { qos: 1 })
    await client.endAsync()
    expect(await stored(of)).toEqual([{ temperature: 21.5 }, { temperature: 22 }, { count: 2 }])
    const { rows } = await db.superuser.query(
      'select refused_reason as reason, values from journal where device = $1 and kind = 6 order by seq',
      [of.num],
    )
    expect(rows).toMatchObject([
      { reason: 'property_type', values: { path: 'count', part: true } },
      { reason: 'property_type', values: { path: '[0].temperature' } },
    ])
  })
})

describe('a message with a key that the model does not know', () => {
  it('keeps its known values, and the key is listed with its last values', async () => {
    const of = await device('collect')
    for (const volts of [3.1, 3.2, 3.2, 3.3, 3.4])
      expect(await post(of, { temperature: 21, volts, more: { a: 1 } })).toMatchObject({ status: 200 })
    const client = await mqttDevice(gateway.ports.mqtt, of)
    await client.publishAsync(topicOf(of, 'property/post'), '[{"count":1,"volts":3.5},{"count":2}]', { qos: 1 })
    await client.endAsync()
    expect(await stored(of)).toEqual([...Array(5).fill({ temperature: 21 }), { count: 1 }, { count: 2 }])
    await expect
      .poll(() => collected(of))
      .toMatchObject([
        { key: 'more', samples: ['{"a":1}'], seen: 5, device_no: of.deviceNo },
        { key: 'volts', samples: ['3.3', '3.4', '3.5'], seen: 6 },
      ])
  })

  it('is taken without it where it is ignored, and nothing is listed', async () => {
    const of = await device('ignore')
    expect(await post(of, { temperature: 21, volts: 3 })).toMatchObject({ status: 200 })
    expect(await stored(of)).toEqual([{ temperature: 21 }])
  })

  it('is refused where the product says so, and the answer names the key', async () => {
    const of = await device('refuse')
    expect(await post(of, { temperature: 21, volts: 3 })).toMatchObject({
      status: 422,
      body: {
        message: 'The message was refused: property_unknown (volts)',
        params: { reason: 'property_unknown', path: 'volts' },
      },
    })
    expect((await post(of, [{ count: 1 }, { count: 'x' }])).body.params).toMatchObject({ path: '[1].count' })
    expect(await stored(of)).toEqual([])
  })

  it('is refused still where a known value is wrong', async () => {
    const of = await device('collect')
    expect((await post(of, { volts: 1, count: 1.5 })).body.params).toMatchObject({ path: 'count' })
    expect((await post(of, { temperature: '21' })).body.params).toMatchObject({ reason: 'property_type' })
  })

  it('cannot fill the list: of a product 200 keys are kept, long values are cut', async () => {
    const of = await device('collect')
    const keys = (from: number) => Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`k${from + i}`, 1]))
    await post(of, { ...keys(0), long: 'x'.repeat(5_000) })
    await expect.poll(async () => (await collected(of)).length).toBe(151)
    await post(of, keys(1_000))
    await post(of, { k0: 2 })
    await expect.poll(async () => (await collected(of)).find(row => row.key === 'k0')?.samples).toEqual(['1', '2'])
    expect((await collected(of)).length).toBeLessThanOrEqual(301)
    expect((await collected(of)).find(row => row.key === 'long')!.samples[0].length).toBeLessThan(300)
  })
})

describe('an event or an answer with a key that the model does not know', () => {
  const field = (identifier: string) => ({ identifier, name: identifier, dataType: { type: 'double' } })
  const MODEL = {
    properties: [],
    events: [{ identifier: 'hot', name: 'hot', level: 'warning', params: [field('degrees')] }],
    services: [{ identifier: 'measure', name: 'measure', input: [], output: [field('result')] }],
  }
  async function withEvents(unknownKeys: string, set = ''): Promise<DeviceFixture> {
    const product = await insertProduct(db.superuser, tenant, { unknownKeys, model: MODEL })
    if (set) await db.superuser.query(`update products set ${set} where id = $1`, [product.id])
    return insertDevice(db.superuser, product)
  }
  const events = async (of: DeviceFixture) =>
    (await db.superuser.query('select values from journal where device = $1 and kind = 2 order by seq', [of.num])).rows
  async function asked(of: DeviceFixture): Promise<string> {
    const id = newId()
    await db.superuser.query(
      `insert into commands (id, tenant_id, device_id, device, kind, identifier, params, timeout_ms, expires_at)
       values ($1, $2, $3, $4, 'service', 'measure', '{}', 60000, now() + interval '1 day')`,
      [id, of.tenantId, of.id, of.num],
    )
    gateway.wake([of.num])
    return id
  }

  it('keeps what is known, and the key is listed where it belongs', async () => {
    const of = await withEvents('collect')
    expect(await post(of, { params: { degrees: 91, zone: 'a', more: { x: 1 } } }, 'event/hot')).toMatchObject({
      status: 200,
    })
    const client = await mqttDevice(gateway.ports.mqtt, of)
    await client.publishAsync(topicOf(of, 'event/hot/post'), '{"params":{"degrees":92,"zone":"b"}}', { qos: 1 })
    const id = await asked(of)
    const answer = JSON.stringify({ id, code: 0, data: { result: 3, spread: 0.5 } })
    await client.publishAsync(topicOf(of, 'service/measure/invoke_reply'), answer, { qos: 1 })
    await client.endAsync()
    expect(await events(of)).toMatchObject([
      { values: { identifier: 'hot', params: { degrees: 91 } } },
      { values: { identifier: 'hot', params: { degrees: 92 } } },
    ])
    const replies = 'select values from journal where device = $1 and kind = $2'
    expect((await db.superuser.query(replies, [of.num, JournalKind.reply])).rows).toMatchObject([
      { values: { commandId: id, code: 0, data: { result: 3 } } },
    ])
    await expect
      .poll(() => collected(of))
      .toMatchObject([
        { key: 'event/hot/more', samples: ['{"x":1}'], seen: 1 },
        { key: 'event/hot/zone', samples: ['"a"', '"b"'], seen: 2, device_no: of.deviceNo },
        { key: 'service/measure/spread', samples: ['0.5'], seen: 1 },
      ])
  })

  it('is taken without it where it is ignored, and refused where the product says so', async () => {
    const ignoring = await withEvents('ignore')
    expect(await post(ignoring, { params: { degrees: 91, zone: 'a' } }, 'event/hot')).toMatchObject({ status: 200 })
    expect(await events(ignoring)).toMatchObject([{ values: { params: { degrees: 91 } } }])
    expect(await collected(ignoring)).toEqual([])
    const refusing = await withEvents('refuse')
    expect((await post(refusing, { params: { degrees: 91, zone: 'a' } }, 'event/hot')).body.params).toMatchObject({
      reason: 'property_unknown',
      path: 'zone',
    })
    expect(await events(refusing)).toEqual([])
  })

  it('may hold texts of numbers beside it, and is still refused for a wrong value or an unknown event', async () => {
    const of = await withEvents('collect', 'lenient_types = true')
    expect(await post(of, { params: { degrees: '91.5', zone: 'a' } }, 'event/hot')).toMatchObject({ status: 200 })
    expect(await events(of)).toMatchObject([{ values: { params: { degrees: 91.5 } } }])
    expect((await post(of, { params: { degrees: 'hot', zone: 'a' } }, 'event/hot')).body.params).toMatchObject({
      path: 'degrees',
    })
    expect((await post(of, { params: { zone: 'a' } }, 'event/nope')).status).toBe(422)
  })
})

describe('a text where a number belongs', () => {
  it('is taken where the product says so', async () => {
    const of = await device('refuse', 'lenient_types = true')
    expect(await post(of, { temperature: '26.5', count: '3', switch: 'true' })).toMatchObject({ status: 200 })
    expect(await stored(of)).toEqual([{ temperature: 26.5, count: 3, switch: true }])
    expect((await post(of, { temperature: 'hot' })).body.params).toMatchObject({ path: 'temperature' })
  })

  it('is taken where the product’s devices run firmware of another platform, unless it says otherwise', async () => {
    const of = await device('refuse', `dialects = '{"thingsboard":true}'`)
    const strict = await device('refuse', `dialects = '{"thingsboard":true}', lenient_types = false`)
    expect(await post(of, { temperature: '26.5' })).toMatchObject({ status: 200 })
    expect(await stored(of)).toEqual([{ temperature: 26.5 }])
    expect(await post(strict, { temperature: '26.5' })).toMatchObject({ status: 422 })
  })
})
