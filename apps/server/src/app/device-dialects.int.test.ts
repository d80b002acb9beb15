import { createHmac } from 'node:crypto'
import coap from 'coap'
import mqtt, { type MqttClient } from 'mqtt'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Company, company } from '../db/testing/management.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { plainRequest, type TestGateway, testGateway } from '../ingest/process/testing.ts'
import { deriveKey } from '../lib/crypto/crypto-box.ts'
import type { Container } from './container.ts'
import { testContainer } from './testing/test-app.ts'

/** Firmware of other platforms where it needs both processes: signatures, provisioning, sub-devices that sign in. */
const SECRET_KEY = 'k'.repeat(64)
const MODEL = { properties: [{ identifier: 't', name: 't', dataType: { type: 'double' }, access: 'r' }] }
let db: TestDatabase
let gateway: TestGateway
let container: Container
let mine: Company
const clients: MqttClient[] = []

beforeAll(async () => {
  db = await testDatabase()
  gateway = await testGateway(db, {
    deviceSecretKey: deriveKey(SECRET_KEY, 'device-secret').toString('base64'),
    register: request =>
      'sub' in request
        ? container.devices.subDevices.make(request)
        : container.deviceIdentity.registrations.answer(request),
  })
  container = testContainer(db, {
    secretKey: SECRET_KEY,
    gateway: {
      wake: () => {},
      forget: what => gateway.forget(what),
      kick: num => gateway.kick(num),
      session: async num => gateway.session(num),
    },
  })
  mine = await company(db)
})
afterAll(() => gateway.stop())
afterEach(async () => {
  for (const client of clients.splice(0)) await client.endAsync(true)
})

async function product(dialects: { thingsboard?: boolean; alibaba?: boolean }, nodeType = 'device') {
  const made = (await container.products.service.create(mine.ctx, {
    name: 'product',
    linkType: 'mqtt',
    nodeType,
    thingModel: MODEL,
  } as never)) as { id: string; productKey: string }
  await container.products.dialects.set(mine.ctx, made.id, dialects)
  return made
}

async function connect(options: mqtt.IClientOptions) {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${gateway.ports.mqtt}`, { reconnectPeriod: 0, ...options })
  clients.push(client)
  const heard: { topic: string; body: Record<string, unknown> }[] = []
  client.on('message', (topic, payload) => heard.push({ topic, body: JSON.parse(payload.toString()) }))
  return { client, heard }
}

async function values(deviceId: string): Promise<unknown[]> {
  const { rows } = await db.superuser.query<{ values: unknown }>(
    'select j.values from journal j join devices d on d.num = j.device where d.id = $1 and j.kind = 1 order by j.seq',
    [deviceId],
  )
  return rows.map(row => row.values)
}

describe('ThingsBoard’s provisioning', () => {
  async function open() {
    const of = await product({ thingsboard: true })
    await container.deviceIdentity.products.set(mine.ctx, of.id, { registration: 'allow_new' })
    const { productSecret } = await container.deviceIdentity.products.rotateSecret(mine.ctx, of.id, {})
    const ask = (deviceName: string, secret = productSecret) =>
      JSON.stringify({ deviceName, provisionDeviceKey: of.productKey, provisionDeviceSecret: secret })
    return { of, ask }
  }

  it('over MQTT: user “provision”, one question, the token that then signs in', async () => {
    const { ask } = await open()
    const { client, heard } = await connect({ username: 'provision' })
    await client.subscribeAsync('/provision/response')
    await client.publishAsync('/provision/request', ask('board-1'), { qos: 1 })
    await expect
      .poll(() => heard)
      .toEqual([
        {
          topic: '/provision/response',
          body: {
            status: 'SUCCESS',
            credentialsType: 'ACCESS_TOKEN',
            credentialsValue: expect.stringMatching(/^twt_/),
          },
        },
      ])
    const device = await connect({ username: heard[0]!.body.credentialsValue as string })
    await device.client.publishAsync('v1/devices/me/telemetry', '{"t":1}', { qos: 1 })
    const { items } = await container.devices.service.list(mine.ctx, { q: 'board-1' })
    expect(await values(items[0]!.id)).toEqual([{ t: 1 }])
  })

  it('over CoAP, where the token then speaks for the device under ThingsBoard’s paths', async () => {
    const { of, ask } = await open()
    const agent = new coap.Agent({ type: 'udp4' })
    const send = (method: 'GET' | 'POST', pathname: string, body?: string, query = '') =>
      new Promise<{ code: string; body: string }>((resolve, reject) => {
        const request = agent.request({ hostname: '127.0.0.1', port: gateway.ports.coap!, method, pathname, query })
        request.on('error', reject)
        request.on('response', response => resolve({ code: response.code, body: response.payload.toString() }))
        request.end(body)
      })
    try {
      const said = JSON.parse((await send('POST', '/api/v1/provision', ask('board-coap'))).body)
      expect(said).toMatchObject({ status: 'SUCCESS', credentialsType: 'ACCESS_TOKEN' })
      const base = `/api/v1/${said.credentialsValue}`
      expect(await send('POST', `${base}/telemetry`, '{"t":21}')).toMatchObject({ code: '2.04' })
      expect(await send('POST', `${base}/attributes`, '{"t":22}')).toMatchObject({ code: '2.04' })
      expect(await send('POST', `${base}/telemetry`, 'no json')).toEqual({
        code: '4.22',
        body: '{"reason":"json_invalid"}',
      })
      const asked = await send('GET', `${base}/attributes`, undefined, 'clientKeys=t')
      expect({ ...asked, body: JSON.parse(asked.body) }).toEqual({ code: '2.05', body: { client: { t: 22 } } })
      expect((await send('POST', '/api/v1/twt_nobody/telemetry', '{}')).code).toBe('4.01')
      expect((await send('POST', `${base}/nowhere`, '{}')).code).toBe('4.04')
      const { items } = await container.devices.service.list(mine.ctx, { productId: of.id })
      expect(await values(items[0]!.id)).toEqual([{ t: 21 }, { t: 22 }])
    } finally {
      agent.close()
    }
  })

  it('over HTTP; a wrong secret and another question are refused', async () => {
    const { ask } = await open()
    const post = async (body: string) =>
      (await plainRequest({ socketPath: gateway.start.socketPath }, 'POST', '/api/v1/provision', body)).body
    expect(await post(ask('board-2'))).toMatchObject({ status: 'SUCCESS', credentialsType: 'ACCESS_TOKEN' })
    expect(await post(ask('board-3', 'twp_wrong'))).toMatchObject({ status: 'NOT_FOUND' })
    expect(await post('[]')).toMatchObject({ status: 'FAILURE' })
    const { client } = await connect({ username: 'provision' })
    const closed = new Promise(resolve => client.once('close', () => resolve('closed')))
    client.publish('v1/devices/me/telemetry', '{"t":1}')
    expect(await closed).toBe('closed')
  })
})

describe('an Alibaba gateway', () => {
  it('signs its devices in with their own secrets and speaks on their topics', async () => {
    const of = await product({ alibaba: true }, 'gateway')
    const sensors = await product({}, 'sub_device')
    const make = (productId: string, name: string) => container.devices.service.create(mine.ctx, { productId, name })
    const box = await make(of.id, 'box')
    const [meter, foreign] = [await make(sensors.id, 'meter'), await make(sensors.id, 'foreign')]
    await container.devices.subDevices.bind(mine.ctx, box.id, { items: [{ deviceId: meter.id }] })
    const sign = (secret: string, deviceNo: string, productKey: string) =>
      createHmac('sha1', secret)
        .update(`clientIdc1deviceName${deviceNo}productKey${productKey}timestamp789`)
        .digest('hex')
    const { client, heard } = await connect({
      clientId: 'c1|securemode=3,signmethod=hmacsha1,timestamp=789|',
      username: `${box.deviceNo}&${of.productKey}`,
      password: sign(box.deviceSecret, box.deviceNo, of.productKey),
    })
    const login = (device: typeof meter, secret = device.deviceSecret) => ({
      productKey: sensors.productKey,
      deviceName: device.deviceNo,
      clientId: 'c1',
      timestamp: '789',
      signMethod: 'hmacsha1',
      sign: sign(secret, device.deviceNo, sensors.productKey),
    })
    const topic = `/ext/session/${of.productKey}/${box.deviceNo}/combine/login`
    const params = [login(meter), login(meter, 'guess'), login(foreign)]
    for (const [i, each] of params.entries())
      await client.publishAsync(topic, JSON.stringify({ id: String(i), params: each }), { qos: 1 })
    await expect
      .poll(() => heard.map(({ body }) => [body.id, body.code, body.message]))
      .toEqual([
        ['0', 200, 'success'],
        ['1', 460, 'wrong_signature'],
        ['2', 460, 'sub_device_unknown'],
      ])
    const post = `/sys/${sensors.productKey}/${meter.deviceNo}/thing/event/property/post`
    await client.publishAsync(post, JSON.stringify({ id: '9', params: { t: { value: 5, time: Date.now() } } }), {
      qos: 1,
    })
    expect(await values(meter.id)).toEqual([{ t: 5 }])
    await expect.poll(() => heard[3]).toMatchObject({ topic: `${post}_reply`, body: { id: '9', code: 200 } })
    // Another company's or product's name in the topic is no way around the binding.
    await client.publishAsync(
      `/sys/${of.productKey}/${meter.deviceNo}/thing/event/property/post`,
      '{"id":"1","params":{"t":1}}',
      {
        qos: 1,
      },
    )
    expect(await values(meter.id)).toEqual([{ t: 5 }])
  })
})
