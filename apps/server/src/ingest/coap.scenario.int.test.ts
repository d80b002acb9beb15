import { createSocket } from 'node:dgram'
import coap from 'coap'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant, type ProductFixture } from '../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { newId } from '../lib/ids.ts'
import { type TestGateway, testGateway } from './process/testing.ts'
import { JournalKind } from './uplink.ts'

let db: TestDatabase
let product: ProductFixture
let gateway: TestGateway
let device: DeviceFixture
// Another people's client: node-coap.
const agent = new coap.Agent({ type: 'udp4' })

beforeAll(async () => {
  db = await testDatabase()
  product = await insertProduct(db.superuser, await insertTenant(db.superuser))
  gateway = await testGateway(db)
})
afterAll(async () => {
  agent.close()
  await gateway.stop()
})
beforeEach(async () => {
  device = await insertDevice(db.superuser, product)
})

interface Said {
  code: string
  body: string
}

function ask(
  path: string,
  options: { method?: 'GET' | 'POST'; body?: string | Buffer; secret?: string; confirmable?: boolean } = {},
): Promise<Said> {
  return new Promise((resolve, reject) => {
    const request = agent.request({
      hostname: '127.0.0.1',
      port: gateway.ports.coap!,
      method: options.method ?? (options.body === undefined ? 'GET' : 'POST'),
      pathname: `/device/v1/${product.productKey}/${device.deviceNo}/${path}`,
      query: `token=${options.secret ?? device.secret}`,
      confirmable: options.confirmable ?? true,
    })
    request.on('error', reject)
    request.on('response', response => resolve({ code: response.code, body: response.payload.toString() }))
    // Asks node-coap to cut what is long into blocks of 1024 bytes.
    if ((options.body?.length ?? 0) > 1_000) request.setOption('Block1', Buffer.from([6]))
    request.end(options.body)
  })
}

async function queue(): Promise<string> {
  const id = newId()
  await db.superuser.query(
    `insert into commands (id, tenant_id, device_id, device, kind, params, timeout_ms, expires_at)
     values ($1, $2, $3, $4, 'property_set', '{"switch":true}', 60000, now() + interval '1 day')`,
    [id, device.tenantId, device.id, device.num],
  )
  gateway.wake([device.num])
  return id
}
const commandState = async (id: string) =>
  (await db.superuser.query<{ state: string }>('select state from commands where id = $1', [id])).rows[0]?.state

const values = async (kind: number) =>
  (
    await db.superuser.query<{ values: unknown }>(
      'select values from journal where device = $1 and kind = $2 order by seq',
      [device.num, kind],
    )
  ).rows.map(row => row.values)

describe('a device over CoAP', () => {
  it('posts, and is answered once the message is durable', async () => {
    expect(await ask('property', { body: '{"temperature":2}' })).toEqual({ code: '2.04', body: '' })
    expect(await values(JournalKind.property)).toEqual([{ temperature: 2 }])
    expect(await ask('event/overheat', { body: '{"params":{}}', confirmable: false })).toMatchObject({ code: '2.04' })
    expect(await ask('raw', { body: '{"count":1}' })).toMatchObject({ code: '2.04' })
    expect(await ask('property', { body: '{"unknown":2}' })).toEqual({
      code: '4.22',
      body: '{"reason":"property_unknown"}',
    })
    expect(gateway.session(device.num)).toMatchObject({ transport: 'coap' })
  })

  it('is refused with a wrong secret, on a wrong path, and with a body that is too large', async () => {
    expect((await ask('property', { body: '{}', secret: 'wrong' })).code).toBe('4.01')
    expect((await ask('elsewhere', { body: '{}' })).code).toBe('4.04')
    const large = JSON.stringify({ note: 'x'.repeat(70_000) })
    expect((await ask('property', { body: large })).code).toBe('4.13')
    expect(await values(JournalKind.property)).toEqual([])
  })

  it('sends a long message in blocks', async () => {
    const note = 'x'.repeat(3_000)
    expect(await ask('property', { body: JSON.stringify({ note }) })).toMatchObject({ code: '2.04' })
    expect(await values(JournalKind.property)).toEqual([{ note }])
  })

  it('fetches its commands, a long list in blocks, and answers them', async () => {
    const ids: string[] = []
    for (let i = 0; i < 14; i++) ids.push(await queue())
    const { code, body } = await ask('commands')
    expect(code).toBe('2.05')
    expect(body.length).toBeGreaterThan(1_024)
    expect((JSON.parse(body) as { commands: { id: string }[] }).commands.map(command => command.id)).toEqual(ids)
    expect(JSON.parse((await ask('commands')).body)).toEqual({ commands: [] })
    expect(await ask(`commands/${ids[0]}/reply`, { body: '{"code":0}' })).toMatchObject({ code: '2.04' })
    expect(await values(JournalKind.reply)).toMatchObject([{ commandId: ids[0], code: 0 }])
  })

  it('observes its commands: told of each, confirmed by the acknowledgement', async () => {
    const told: string[] = []
    const stream = await new Promise<coap.ObserveReadStream>((resolve, reject) => {
      const request = agent.request({
        hostname: '127.0.0.1',
        port: gateway.ports.coap!,
        pathname: `/device/v1/${product.productKey}/${device.deviceNo}/commands`,
        query: `token=${device.secret}`,
        observe: true,
      })
      request.on('error', reject)
      request.on('response', response => resolve(response as coap.ObserveReadStream))
      request.end()
    })
    stream.on('data', (data: Buffer) => told.push(data.toString()))
    await expect.poll(() => told).toEqual(['{"commands":[]}'])
    const id = await queue()
    // Where its acknowledgement was slow it may be told again.
    await expect.poll(() => told[1]).toBeDefined()
    expect(JSON.parse(told[1]!)).toEqual({ commands: [{ kind: 'property_set', id, params: { switch: true } }] })
    await expect.poll(() => commandState(id)).toBe('delivered')
    stream.close()
  })

  it('repeats itself and is stored once; bytes that are no message do no harm', async () => {
    const socket = createSocket('udp4')
    const answers: string[] = []
    socket.on('message', bytes => answers.push(bytes.toString('hex')))
    const path = ['device', 'v1', product.productKey, device.deviceNo, 'property']
    const parts: Buffer[] = [Buffer.from('41021234', 'hex'), Buffer.from([0xaa])]
    let last = 0
    for (const [number, text] of [
      ...path.map(level => [11, level] as const),
      [15, `token=${device.secret}`] as const,
    ]) {
      const length = Buffer.byteLength(text)
      parts.push(
        Buffer.from(length < 13 ? [((number - last) << 4) | length] : [((number - last) << 4) | 13, length - 13]),
      )
      parts.push(Buffer.from(text))
      last = number
    }
    const message = Buffer.concat([...parts, Buffer.from([0xff]), Buffer.from('{"count":9}')])
    const send = (bytes: Buffer) =>
      new Promise(resolve => socket.send(bytes, gateway.ports.coap!, '127.0.0.1', resolve))
    for (const bytes of ['', '00', 'ffffffff', '40011111b', '4f0112340000', '410212ffaa'])
      await send(Buffer.from(bytes, 'hex'))
    const acknowledged = () => answers.filter(answer => answer === '61441234aa').length
    // While it is being stored a repetition is not answered; afterwards with the same acknowledgement.
    await send(message)
    await send(message)
    await expect.poll(acknowledged).toBe(1)
    await send(message)
    await expect.poll(acknowledged).toBe(2)
    expect(await values(JournalKind.property)).toEqual([{ count: 9 }])
    socket.close()
  })
})
