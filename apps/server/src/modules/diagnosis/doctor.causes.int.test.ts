import { X509Certificate } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import coap from 'coap'
import mqtt from 'mqtt'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { doctorOf, PORTS } from '../../app/testing/doctor.ts'
import { type DeviceFixture, insertDevice, insertProduct, type ProductFixture } from '../../db/fixtures.ts'
import { type Company, company } from '../../db/testing/management.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { createConsumerRunner } from '../../ingest/consumers/consumer-runner.ts'
import { createJournalStream } from '../../ingest/consumers/journal-stream.ts'
import { createPresenceConsumer } from '../../ingest/consumers/presence.consumer.ts'
import { deviceRequest, mqttDevice, type TestGateway, testGateway, topicOf } from '../../ingest/process/testing.ts'
import { SmallSlaves } from '../../ingest/transports/modbus/testing/small-slave.ts'
import { subjectHash } from '../../lib/crypto/client-certificate.ts'
import { openPool } from '../../lib/database/pool.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { authority } from '../../lib/testing/authority.ts'

let db: TestDatabase
let own: Company
let product: ProductFixture
let device: DeviceFixture
let gateway: TestGateway
let pool: pg.Pool
let runner: ReturnType<typeof createConsumerRunner>
const ends: (() => unknown)[] = []

beforeAll(async () => {
  db = await testDatabase()
  own = await company(db)
  product = await insertProduct(db.superuser, own)
  gateway = await testGateway(db)
  pool = openPool({ ...db.access.telemetry, max: 3 }, () => undefined)
  runner = createConsumerRunner({
    consumers: [createPresenceConsumer(() => undefined)],
    stream: createJournalStream(pool),
    db: pool,
    logger: silentLogger,
    headsEveryMs: 20,
  })
  await runner.start()
})
afterAll(async () => {
  await runner.stop()
  await gateway.stop()
  await pool.end()
})
beforeEach(async () => {
  device = await insertDevice(db.superuser, product)
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const LATER_MS = 60_000
const examine = (of: DeviceFixture = device, laterMs = 0) =>
  doctorOf(db, gateway, { addresses: () => ({ ...PORTS, tcpPort: gateway.ports.tcp }) }).device(
    { ...own.ctx, now: Date.now() + laterMs },
    of.id,
  )
const findings = async (of: DeviceFixture = device, laterMs = 0) =>
  (await examine(of, laterMs)).steps.flatMap(step => step.findings.map(each => ({ ...each, step: step.step })))
/** The first finding of the cause that the doctor names, once it does: the journal follows the device by some milliseconds. */
async function named(cause: string, of: DeviceFixture = device, laterMs = 0) {
  await expect.poll(async () => (await examine(of, laterMs)).cause).toBe(cause)
  const { verdict } = await examine(of, laterMs)
  return { verdict, ...(await findings(of, laterMs)).find(each => each.cause === cause)! }
}
async function signIn(of: DeviceFixture = device): Promise<mqtt.MqttClient> {
  const client = await mqttDevice(gateway.ports.mqtt, of)
  client.on('error', () => undefined)
  ends.push(() => client.end(true))
  return client
}

describe('certificate_revoked', () => {
  /** A device's certificate of an authority that the company brought. */
  async function certificate(deviceNo = device.deviceNo) {
    const plant = await authority(`Plant ${newId()}`)
    const leaf = await plant.sign(deviceNo)
    const ca = new X509Certificate(plant.pem)
    const caId = newId()
    await db.superuser.query(
      `insert into device_cas (id, tenant_id, name, certificate, subject, subject_hash, fingerprint, not_before, not_after, state)
       values ($1, $2, 'plant', $3, $4, $5, $6, now() - interval '1 day', now() + interval '1 year', 'active')`,
      [caId, own.id, plant.pem, ca.subject, subjectHash(ca), ca.fingerprint256],
    )
    const revoke = () =>
      db.superuser.query(
        `insert into device_certificates (id, tenant_id, ca_id, device_id, serial, subject, state, revoked_at)
         values ($1, $2, $3, $4, $5, 'CN', 'revoked', '2026-01-02T03:04:05Z')`,
        [newId(), own.id, caId, device.id, new X509Certificate(leaf.pem).serialNumber],
      )
    return { leaf, revoke }
  }
  const comeIn = ({ pem, key }: { pem: string; key: string }, username?: string) =>
    mqtt.connectAsync(`mqtts://127.0.0.1:${gateway.ports.mqtts}`, {
      cert: pem,
      key,
      rejectUnauthorized: false,
      reconnectPeriod: 0,
      connectTimeout: 60_000,
      clientId: 'tls',
      ...(username ? { username } : {}),
    })

  it.each([
    ['without a user name', false],
    ['with one', true],
  ])('is named of a device that shows it %s, with where from, how often and since when', async (_, says) => {
    const { leaf, revoke } = await certificate()
    const username = says ? `${product.productKey}/${device.deviceNo}` : undefined
    const before = await comeIn(leaf, username)
    await before.endAsync()
    await revoke()
    for (let n = 0; n < 2; n++) await expect(comeIn(leaf, username)).rejects.toThrow('Not authorized')
    await expect
      .poll(() => named('certificate_revoked'))
      .toMatchObject({
        verdict: 'broken',
        step: 'sign_in',
        fixes: ['open_device_link'],
        params: {
          reason: 'certificate_revoked',
          address: '127.0.0.1',
          transport: 'mqtts',
          count: 2,
          active: 0,
          revokedAt: Date.parse('2026-01-02T03:04:05Z'),
        },
      })
    const { rows } = await db.superuser.query('select values from journal where device = $1 and refused_reason = $2', [
      device.num,
      'sign_in_refused',
    ])
    expect(rows[0]).toMatchObject({ values: { reason: 'certificate_revoked', transport: 'mqtts' } })
  })

  it('says nothing of a device of another company that it names', async () => {
    const theirs = await company(db)
    const other = await insertDevice(db.superuser, await insertProduct(db.superuser, theirs))
    const { leaf, revoke } = await certificate(other.deviceNo)
    await revoke()
    await expect(comeIn(leaf)).rejects.toThrow('Not authorized')
    expect((await doctorOf(db, gateway).device(theirs.ctx, other.id)).cause).toBe('never_connected')
    const { rows } = await db.superuser.query('select 1 from journal where device = $1', [other.num])
    expect(rows).toEqual([])
  })
})

describe('not_subscribed', () => {
  const queue = () =>
    db.superuser.query(
      `insert into commands (id, tenant_id, device_id, device, kind, params, expires_at)
       values (gen_random_uuid(), $1, $2, $3, 'property_set', '{"switch":true}', now() + interval '1 day')`,
      [own.id, device.id, device.num],
    )

  it('is named of a device that listens elsewhere, with what it asked for instead', async () => {
    const client = await signIn()
    await client.publishAsync(topicOf(device, 'property/post'), '{"temperature":21}', { qos: 1 })
    await client.subscribeAsync(topicOf(device, 'service/+/invoke'), { qos: 1 })
    const [refused] = await client.subscribeAsync('property/set', { qos: 1 }).catch(error => [error])
    expect(refused).toBeTruthy()
    // The refusal reaches the journal later than the subscription that was allowed.
    await expect
      .poll(() => named('not_subscribed'))
      .toMatchObject({
        verdict: 'warning',
        step: 'commands',
        params: {
          queued: 0,
          topics: ['property/set'],
          subscriptions: [topicOf(device, 'service/+/invoke')],
          refused: 'property/set',
        },
      })
    await queue()
    await expect.poll(() => named('not_subscribed')).toMatchObject({ verdict: 'broken', params: { queued: 1 } })
    await client.subscribeAsync(topicOf(device, 'property/set'), { qos: 1 })
    await expect.poll(async () => (await findings()).map(({ cause }) => cause)).not.toContain('not_subscribed')
  })

  it('does not ask a device of a dialect for topics that it does not need', async () => {
    await db.superuser.query(`update products set dialects = '{"thingsboard":true}' where id = $1`, [product.id])
    gateway.forget({ product: product.num })
    const client = await signIn()
    await client.subscribeAsync(['v1/devices/me/attributes', 'v1/devices/me/rpc/request/+'])
    await client.publishAsync(topicOf(device, 'property/post'), '{"temperature":21}', { qos: 1 })
    await expect.poll(async () => (await examine()).verdict).toBe('healthy')
  })

  it('is named of a device below a gateway that listens for itself alone', async () => {
    const below = await insertDevice(db.superuser, product)
    await db.superuser.query('update devices set gateway = $2 where id = $1', [below.id, device.num])
    const client = await signIn()
    await client.subscribeAsync(topicOf(device, 'property/set'))
    await client.publishAsync(topicOf(device, `sub/${below.deviceNo}/property/post`), '{"temperature":21}', { qos: 1 })
    await expect
      .poll(() => named('not_subscribed', below))
      .toMatchObject({
        params: { topics: ['property/set', 'service/+/invoke'] },
      })
    await client.subscribeAsync(topicOf(device, 'sub/+/#'))
    await expect.poll(async () => (await examine(below)).cause).toBeNull()
  })
})

describe('slave_not_polled', () => {
  const REGISTERS = [{ identifier: 'temperature', function: 3, address: 0, dataType: 'uint16' }]

  async function busProduct(format: object, linkType = 'modbus_rtu'): Promise<ProductFixture> {
    const made = await insertProduct(db.superuser, own, { linkType })
    const modbus = { cycleSeconds: 1, slave: 5, timeoutMs: 10_000, retries: 1, maxGap: 8, pauseMs: 0 }
    await db.superuser.query('update products set link = $2, format = $3 where id = $1', [made.id, { modbus }, format])
    return made
  }
  /** A DTU that says who it is and then waits to be asked. */
  async function dtu(of: ProductFixture): Promise<{ gate: DeviceFixture; bus: SmallSlaves }> {
    const gate = await insertDevice(db.superuser, of)
    const bus = new SmallSlaves('rtu', gateway.ports.tcp!, `${of.productKey}/${gate.deviceNo}/${gate.secret}\r\n`)
    ends.push(() => bus.close())
    await expect.poll(() => gateway.session(gate.num)).toMatchObject({ transport: 'tcp' })
    return { gate, bus }
  }
  const bind = (sub: DeviceFixture, gate: DeviceFixture, address: string) =>
    db.superuser.query('update devices set gateway = $2, sub_address = $3 where id = $1', [sub.id, gate.num, address])

  it('is named of a slave whose product has no register table', async () => {
    const { gate } = await dtu(await busProduct({ kind: 'json' }))
    await expect
      .poll(() => named('slave_not_polled', gate, LATER_MS))
      .toMatchObject({
        verdict: 'broken',
        step: 'frames',
        params: { reason: 'slave_no_table', slaves: 0 },
        fixes: ['open_format'],
      })
  })

  it('is named of a slave whose table is empty', async () => {
    const { gate } = await dtu(await busProduct({ kind: 'modbus', registers: [] }))
    // As long as the bus is looked up it is not on it.
    await expect
      .poll(async () => (await named('slave_not_polled', gate, LATER_MS)).params)
      .toMatchObject({ reason: 'slave_no_registers', address: 5 })
  })

  it('is named of a bound slave behind a gateway that speaks no Modbus', async () => {
    const sub = await insertDevice(db.superuser, await busProduct({ kind: 'modbus', registers: REGISTERS }))
    await bind(sub, device, '7')
    await signIn()
    await expect
      .poll(async () => (await findings(sub, LATER_MS)).find(({ cause }) => cause === 'slave_not_polled'))
      .toMatchObject({
        params: { reason: 'slave_gateway_no_bus', gatewayId: device.id, gatewayNo: device.deviceNo },
        fixes: ['open_gateway'],
      })
  })

  it('is not said of slaves that are polled, nor of the DTU before them', async () => {
    const slaves = await busProduct({ kind: 'modbus', registers: REGISTERS })
    const carrier = await busProduct({ kind: 'json' })
    const { gate, bus } = await dtu(carrier)
    const sub = await insertDevice(db.superuser, slaves)
    bus.slave(7, { 0: 21 })
    await bind(sub, gate, '7')
    gateway.forget({ device: sub.num })
    await expect.poll(() => bus.asked.length).toBeGreaterThan(0)
    await expect
      .poll(async () => (await findings(sub, LATER_MS)).map(({ cause }) => cause))
      .not.toContain('slave_not_polled')
    expect((await findings(gate, LATER_MS)).map(({ cause }) => cause)).not.toContain('slave_not_polled')
  })
})

describe('message_too_large', () => {
  const LARGE = `{"note":"${'x'.repeat(70_000)}"}`

  it('is named over MQTT, with the size and what is allowed', async () => {
    const client = await signIn()
    await client.publishAsync(topicOf(device, 'property/post'), LARGE, { qos: 1 })
    await expect
      .poll(() => named('message_too_large'))
      .toMatchObject({
        verdict: 'broken',
        step: 'frames',
        params: { reason: 'too_large', count: 1, detail: `${LARGE.length} bytes, at most 65536` },
      })
    await client.publishAsync(topicOf(device, 'property/post'), '{"temperature":21}', { qos: 1 })
    await expect.poll(async () => (await examine()).verdict).toBe('warning')
  })

  it('is named of a packet that ended the connection, before the absence that followed', async () => {
    const client = await signIn()
    await client.publishAsync(topicOf(device, 'property/post'), '{"temperature":21}', { qos: 1 })
    client.publish(topicOf(device, 'property/post'), 'x'.repeat(1_100_000), { qos: 0 })
    const { params } = await named('message_too_large')
    expect(params).toMatchObject({ detail: expect.stringMatching(/^1100\d{3} bytes, at most 1048576$/) })
    expect(params).toMatchObject({ transport: 'mqtt', address: expect.stringMatching(/^127\.0\.0\.1:\d+$/) })
    await expect.poll(() => gateway.session(device.num)).toBeNull()
    expect((await examine()).cause).toBe('message_too_large')
  })

  it('is named over HTTP', async () => {
    expect(await deviceRequest(gateway.start, device, 'property', { body: LARGE })).toMatchObject({ status: 413 })
    await expect.poll(async () => (await named('message_too_large')).params).toMatchObject({ reason: 'too_large' })
  })

  it('is named over a WebSocket', async () => {
    const socket = new WebSocket(`ws+unix://${gateway.start.socketPath}:/device/ws`)
    ends.push(() => socket.terminate())
    socket.on('error', () => undefined)
    await new Promise(resolve => socket.once('open', resolve))
    const heard = new Promise(resolve => socket.once('message', resolve))
    socket.send(JSON.stringify({ username: `${product.productKey}/${device.deviceNo}`, password: device.secret }))
    await heard
    socket.send('x'.repeat(1_100_000))
    await expect
      .poll(async () => (await named('message_too_large')).params)
      .toMatchObject({
        transport: 'websocket',
        detail: 'more than 1048576 bytes',
      })
  })

  it('is named over CoAP, whose blocks stop at the limit', async () => {
    const agent = new coap.Agent({ type: 'udp4' })
    ends.push(() => agent.close())
    const code = await new Promise<string>((resolve, reject) => {
      const request = agent.request({
        hostname: '127.0.0.1',
        port: gateway.ports.coap!,
        method: 'POST',
        pathname: `/device/v1/${product.productKey}/${device.deviceNo}/property`,
        query: `token=${device.secret}`,
      })
      request.on('error', reject)
      request.on('response', response => resolve(response.code))
      request.setOption('Block1', Buffer.from([6]))
      request.end(Buffer.from(LARGE))
    })
    expect(code).toBe('4.13')
    await expect
      .poll(async () => (await named('message_too_large')).params)
      .toMatchObject({
        transport: 'coap',
        detail: 'more than 65536 bytes',
      })
  })

  it('is named of a ThingsBoard device over HTTP', async () => {
    await db.superuser.query(`update products set dialects = '{"thingsboard":true}' where id = $1`, [product.id])
    const token = `tb-${newId()}`
    await db.superuser.query('update devices set access_token_hash = sha256($2::bytea) where id = $1', [
      device.id,
      Buffer.from(token),
    ])
    gateway.forget({ device: device.num, product: product.num })
    const response = await new Promise<Socket>((resolve, reject) => {
      const socket = connect(gateway.start.socketPath, () => resolve(socket))
      socket.on('error', reject)
    })
    ends.push(() => response.destroy())
    response.write(
      `POST /api/v1/${token}/telemetry HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${LARGE.length}\r\n\r\n${LARGE}`,
    )
    const head = await new Promise<string>(resolve => response.once('data', bytes => resolve(bytes.toString())))
    expect(head).toContain('413')
    await expect.poll(async () => (await named('message_too_large')).params).toMatchObject({ transport: 'http' })
  })
})
