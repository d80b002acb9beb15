import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant, type ProductFixture } from '../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { deviceRequest, mqttDevice, type TestGateway, testGateway, topicOf } from './process/testing.ts'
import { JournalKind, Quality } from './uplink.ts'

let db: TestDatabase
let gateway: TestGateway
let tenantId: string

beforeAll(async () => {
  db = await testDatabase()
  tenantId = (await insertTenant(db.superuser)).id
  gateway = await testGateway(db)
})
afterAll(() => gateway.stop())

const number = (identifier: string) => ({ identifier, name: identifier, dataType: { type: 'double' }, access: 'rw' })
const MODEL = {
  properties: [
    number('t'),
    number('h'),
    { identifier: 'note', name: 'note', dataType: { type: 'string' }, access: 'r' },
  ],
  events: [{ identifier: 'alarm', name: 'alarm', level: 'error', params: [number('code')] }],
}

async function productWith(format: object, model: object = MODEL): Promise<ProductFixture> {
  const product = await insertProduct(db.superuser, { id: tenantId }, { model })
  await setFormat(product, format)
  return product
}
async function setFormat(product: ProductFixture, format: object): Promise<void> {
  await db.superuser.query('update products set format = $2 where id = $1', [product.id, JSON.stringify(format)])
  gateway.forget({ product: product.num })
}
const aDevice = (product: ProductFixture, over = {}) => insertDevice(db.superuser, product, over)
/** Sends raw bytes. @returns the reason of a refusal, or the status */
async function send(device: DeviceFixture, body: string | Buffer, path = 'raw'): Promise<number | string> {
  const answer = await deviceRequest(gateway.start, device, path, { body })
  return (answer.body.params as { reason?: string } | undefined)?.reason ?? answer.status
}

interface Row {
  kind: number
  ts: number
  quality: number
  values: Record<string, unknown>
  refused_reason: string | null
  raw: Buffer | null
}
async function rowsOf(device: DeviceFixture): Promise<Row[]> {
  const { rows } = await db.superuser.query<Row>(
    `select kind, ts, quality, values, refused_reason, raw from journal
     where device = $1 and kind not in (${JournalKind.online}, ${JournalKind.offline}) order by seq`,
    [device.num],
  )
  return rows
}

const LABEL = { kind: 'label', label: '[H:#],[D?],[S:,],[D?],[T:#]', fields: ['t', 'h'] }
const CRC = {
  kind: 'label',
  frames: [
    {
      head: '68',
      checksum: { kind: 'crc16_modbus', at: -2 },
      fields: [{ type: 'int16', at: 1, scale: 0.1, identifier: 't' }],
    },
  ],
}
const script = (body: string) => ({ kind: 'script', source: `function decode(input) {\n${body}\n}` })

describe('frames in the product’s own format', () => {
  it('become values over HTTP and MQTT, and JSON topics stay JSON', async () => {
    const device = await aDevice(await productWith(LABEL))
    expect(await send(device, '#21.5,60#')).toBe(200)
    const client = await mqttDevice(gateway.ports.mqtt, device)
    await client.publishAsync(topicOf(device, 'raw/up'), '#22,61##23,62#', { qos: 1 })
    await client.publishAsync(topicOf(device, 'property/post'), '{"t":24}', { qos: 1 })
    await client.endAsync()
    expect((await rowsOf(device)).map(row => row.values)).toEqual([
      { t: 21.5, h: 60 },
      { t: 22, h: 61 },
      { t: 23, h: 62 },
      { t: 24 },
    ])
  })

  it('are JSON where the product has no format', async () => {
    const device = await aDevice(await productWith({ kind: 'json' }))
    expect(await send(device, '{"t":1}')).toBe(200)
    expect(await rowsOf(device)).toMatchObject([{ values: { t: 1 } }])
  })

  it('are read by the new format as soon as it is saved', async () => {
    const product = await productWith(LABEL)
    const device = await aDevice(product)
    expect(await send(device, '#1,2#')).toBe(200)
    await setFormat(product, { ...LABEL, label: '[H:*],[D?],[S:;],[D?],[T:*]' })
    expect(await send(device, '*3;4*')).toBe(200)
    expect(await send(device, '#5,6#')).toBe('format_mismatch')
    expect((await rowsOf(device)).map(row => row.values)).toMatchObject([
      { t: 1, h: 2 },
      { t: 3, h: 4 },
      { path: '@0' },
    ])
  })

  it('may carry events', async () => {
    const device = await aDevice(await productWith(script('return { event: "alarm", params: { code: 7 } }')))
    expect(await send(device, 'x')).toBe(200)
    expect(await rowsOf(device)).toMatchObject([
      { kind: JournalKind.event, values: { identifier: 'alarm', level: 'error', params: { code: 7 } } },
    ])
  })

  it('speak for the devices below a gateway; of an unknown one the frame is kept and the others’ values are taken', async () => {
    const format = {
      kind: 'json',
      rows: '$.list',
      device: 'sn',
      values: [{ path: 'v', identifier: 't' }],
    }
    const below = await productWith({ kind: 'json' })
    const [first, second] = [await aDevice(below), await aDevice(below)]
    const speaker = await aDevice(await productWith(format))
    await db.superuser.query('update devices set gateway = $1 where num = any ($2)', [
      speaker.num,
      [first.num, second.num],
    ])
    const list = [
      { sn: first.deviceNo, v: 1 },
      { sn: second.deviceNo, v: 2 },
      { sn: 'stranger', v: 3 },
      { sn: speaker.deviceNo, v: 4 },
    ]
    expect(await send(speaker, JSON.stringify({ list }))).toBe(200)
    expect(await rowsOf(first)).toMatchObject([{ values: { t: 1 } }])
    expect(await rowsOf(second)).toMatchObject([{ values: { t: 2 } }])
    const own = await rowsOf(speaker)
    expect(own).toMatchObject([
      { refused_reason: 'sub_device_unknown', values: { path: 'stranger' } },
      { values: { t: 4 } },
    ])
    expect(await send(speaker, '{"list":[{"sn":"stranger","v":3}]}')).toBe('sub_device_unknown')
  })
})

describe('what a device may send and must not', () => {
  it.each([
    ['an endless loop', script('for (;;) {}'), 'x', 'script_timeout'],
    ['an eater of memory', script('const a = []; for (;;) a.push(new Uint8Array(2e6))'), 'x', 'script_memory'],
    ['a mistake', script('return input.nothing.here'), 'x', 'script_error'],
    ['a wrong checksum', CRC, Buffer.from('6800d70000', 'hex'), 'checksum'],
    ['another frame', CRC, Buffer.from('ff', 'hex'), 'format_mismatch'],
    ['broken UTF-8 in a label', { ...LABEL, fields: ['note', 'h'] }, Buffer.from('23ff8023', 'hex'), 'format_mismatch'],
    [
      'broken UTF-8 in JSON',
      { kind: 'json', values: [{ path: 'a', identifier: 't' }] },
      Buffer.from('7b22ff22', 'hex'),
      'json_invalid',
    ],
    ['text that cannot be stored', script('return { note: "a\\u0000b" }'), 'x', 'text_not_storable'],
  ])('%s is refused with its reason and its bytes', async (_name, format, payload, reason) => {
    const device = await aDevice(await productWith(format))
    expect(await send(device, payload)).toBe(reason)
    expect(await rowsOf(device)).toMatchObject([
      { kind: JournalKind.refused, refused_reason: reason, raw: Buffer.from(payload as string) },
    ])
  })

  it('10,000 unknown properties are refused', async () => {
    const device = await aDevice(
      await productWith({ kind: 'json', unmapped: 'take', values: [{ path: 'a', identifier: 't' }] }),
    )
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`p${i}`, 1]))
    expect(
      await send(
        device,
        JSON.stringify(many)
          .slice(0, 65_536)
          .replace(/,"p\d*"?:?1?$/, '}'),
      ),
    ).toBe('property_unknown')
    const whole = await deviceRequest(gateway.start, device, 'raw', { body: JSON.stringify(many) })
    expect(whole.status).toBe(413)
    const scripted = await aDevice(
      await productWith(script('const o = {}; for (let i = 0; i < 10000; i++) o["p" + i] = 1; return o')),
    )
    expect(await send(scripted, 'x')).toBe('property_unknown')
  })

  it('a frame of 10 MB is refused over HTTP, and over MQTT its connection ends; the device comes back', async () => {
    const device = await aDevice(await productWith(LABEL))
    const huge = Buffer.alloc(10 * 2 ** 20, 0x23)
    const answer = await deviceRequest(gateway.start, device, 'raw', { body: huge }).catch(() => ({ status: 413 }))
    expect(answer.status).toBe(413)
    const client = await mqttDevice(gateway.ports.mqtt, device)
    const closed = new Promise<void>(resolve => client.once('close', () => resolve()))
    client.on('error', () => undefined)
    client.publish(topicOf(device, 'raw/up'), huge, { qos: 1 }, () => undefined)
    await closed
    client.end(true)
    expect(await send(device, '#1,2#')).toBe(200)
  })

  it('a clock ten years ahead is taken, with the time of arrival and uncertain quality', async () => {
    const format = { kind: 'json', values: [{ path: 't', identifier: 't' }], time: { path: 'at' } }
    const device = await aDevice(await productWith(format))
    const ahead = Date.now() + 10 * 365.25 * 86_400_000
    const before = Date.now()
    expect(await send(device, JSON.stringify({ t: 1, at: ahead }))).toBe(200)
    const [row] = await rowsOf(device)
    expect(row).toMatchObject({ values: { t: 1 }, quality: Quality.uncertain })
    expect(row!.ts).toBeGreaterThanOrEqual(before - 1)
    expect(row!.ts).toBeLessThanOrEqual(Date.now())
  })
})

describe('while a script runs over again and again', () => {
  it('other devices go on, other scripts too, and each device’s messages keep their order', async () => {
    const bad = await aDevice(await productWith(script('for (;;) {}')))
    const good = await aDevice(await productWith(script('return { t: input.bytes[0] }')))
    const plain = await aDevice(await productWith({ kind: 'json' }))
    const badClient = await mqttDevice(gateway.ports.mqtt, bad)
    const goodClient = await mqttDevice(gateway.ports.mqtt, good)
    const plainClient = await mqttDevice(gateway.ports.mqtt, plain)
    const refused = Array.from({ length: 200 }, () => badClient.publishAsync(topicOf(bad, 'raw/up'), 'x', { qos: 1 }))
    const taken: Promise<unknown>[] = []
    for (let i = 0; i < 100; i++) {
      taken.push(goodClient.publishAsync(topicOf(good, 'raw/up'), Buffer.from([i]), { qos: 1 }))
      // In between a message that no script reads: it waits for those before it.
      taken.push(goodClient.publishAsync(topicOf(good, 'property/post'), `{"h":${i}}`, { qos: 1 }))
      taken.push(plainClient.publishAsync(topicOf(plain, 'property/post'), `{"t":${i}}`, { qos: 1 }))
    }
    await Promise.all(taken)
    const expected = Array.from({ length: 100 }, (_, i) => [{ t: i }, { h: i }]).flat()
    expect((await rowsOf(good)).map(row => row.values)).toEqual(expected)
    expect((await rowsOf(plain)).map(row => row.values.t)).toEqual(Array.from({ length: 100 }, (_, i) => i))
    await Promise.all(refused)
    const reasons = new Set((await rowsOf(bad)).map(row => row.refused_reason))
    expect(reasons).toEqual(new Set(['script_timeout']))
    for (const client of [badClient, goodClient, plainClient]) await client.endAsync()
  })
})
