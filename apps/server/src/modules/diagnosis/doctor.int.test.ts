import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { doctorOf } from '../../app/testing/doctor.ts'
import { type DeviceFixture, insertDevice, insertProduct, type ProductFixture } from '../../db/fixtures.ts'
import { type Company, company } from '../../db/testing/management.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { createConsumerRunner } from '../../ingest/consumers/consumer-runner.ts'
import { createJournalStream } from '../../ingest/consumers/journal-stream.ts'
import { createPresenceConsumer } from '../../ingest/consumers/presence.consumer.ts'
import { ownCertificate } from '../../ingest/process/certificate.ts'
import { startGateway } from '../../ingest/process/start.ts'
import {
  deviceRequest,
  gatewayStart,
  mqttDevice,
  type TestGateway,
  testGateway,
  topicOf,
} from '../../ingest/process/testing.ts'
import { secretHash } from '../../lib/crypto/secrets.ts'
import { openPool } from '../../lib/database/pool.ts'
import { silentLogger } from '../../lib/log.ts'
import type { DiagnosisDeps } from './diagnosis.service.ts'

// The faults that are injected here, and what the doctor must call them:
//  1 the gateway is down                                     gateway_down
//  2 the port of the product's link is closed                port_closed
//  3 the certificate of the TLS port has expired             certificate_expired
//  4 the company is frozen                                   company_closed
//  5 the product is taken back                               product_unpublished
//  6 the device is disabled                                  device_disabled
//  7 a wrong secret                                          secret_wrong
//  8 the secret from before a rotation                       secret_rotated
//  9 a number with a slip of the pen                         number_wrong
// 10 a device that never knocked                             never_connected
// 11 two devices with one identity                           identity_shared
// 12 a connection that was cut                               offline
// 13 a device that reports more rarely than its delay        offline_delay_short
// 14 a connection without a message                          no_frames
// 15 a topic that no device may use                          topic_wrong
// 16 broken JSON                                             payload_not_json
// 17 properties that the model does not have                 property_unknown
// 18 values of the wrong type                                value_refused
// 19 a clock ten years ahead                                 clock_wild
// 20 limits of flow                                          flow_limited
// 21 no subscription while commands wait                     not_subscribed
// 22 commands that nobody answers                            commands_unanswered
// 23 the journal cannot be written                           lanes_not_writing
// 24 the disk is full                                        disk_full
// 25 a consumer of the journal is far behind                 consumer_behind
// 26 the company's messages of the day are used up           quota_messages
// 27 a frame with a wrong checksum                           checksum_wrong
// 28 a script without an end                                 script_failed
// 29 a product's own port that is taken                      port_closed
// and in doctor.causes.int.test.ts:
// 30 a revoked certificate, with and without a user name     certificate_revoked
// 31 subscriptions, but not to where commands go             not_subscribed
// 32 a slave that is not polled                              slave_not_polled
// 33 an oversized message, over every listener               message_too_large

describe('the doctor', () => {
  let db: TestDatabase
  let own: Company
  let product: ProductFixture
  let device: DeviceFixture
  let gateway: TestGateway
  let pool: pg.Pool
  let runner: ReturnType<typeof createConsumerRunner>

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

  const examine = (over: { now?: number; deps?: Partial<DiagnosisDeps>; down?: boolean } = {}) =>
    doctorOf(db, over.down ? null : gateway, over.deps).device(
      { ...own.ctx, ...(over.now === undefined ? {} : { now: over.now }) },
      device.id,
    )
  /** What the doctor names, once it does: presence and journal follow the device by some milliseconds. */
  const names = async (cause: string, over: Parameters<typeof examine>[0] = {}) => {
    await expect.poll(async () => (await examine(over)).cause).toBe(cause)
    const diagnosis = await examine(over)
    const step = diagnosis.steps.find(each => each.step === diagnosis.step)!
    return { ...diagnosis, finding: step.findings[0]! }
  }
  const change = async (sql: string, params: unknown[]) => {
    await db.superuser.query(sql, params)
    gateway.forget({ device: device.num, product: product.num })
  }
  const signIn = (over: { secret?: string; deviceNo?: string } = {}) =>
    mqttDevice(gateway.ports.mqtt, { ...device, ...over })
  const refuse = (over: { secret?: string; deviceNo?: string } = {}) =>
    expect(signIn(over)).rejects.toThrow('Not authorized')
  const post = (body: string) => deviceRequest(gateway.start, device, 'property', { body })

  it('finds nothing wrong with a device that is well', async () => {
    const mqtt = await signIn()
    await mqtt.subscribeAsync(topicOf(device, '#'), { qos: 1 })
    await mqtt.publishAsync(topicOf(device, 'property/post'), '{"temperature":21}', { qos: 1 })
    // No trigger watches it: of alarms nothing is known.
    await expect
      .poll(async () => (await examine()).steps.map(step => step.state))
      .toEqual([...Array(7).fill('ok'), 'unknown'])
    expect(await examine()).toMatchObject({ verdict: 'healthy', cause: null, step: null })
    await mqtt.endAsync()
  })

  it('1 gateway_down', async () => {
    expect(await names('gateway_down', { down: true })).toMatchObject({ verdict: 'broken', step: 'port' })
  })

  it('2 port_closed', async () => {
    const meters = await insertProduct(db.superuser, own, { linkType: 'tcp' })
    device = await insertDevice(db.superuser, meters)
    const { finding } = await names('port_closed')
    expect(finding.params).toMatchObject({ variable: 'TCP_PORT', linkType: 'tcp' })
  })

  it('4 company_closed', async () => {
    await change("update tenants set status = 'frozen' where id = $1", [own.id])
    await refuse()
    expect((await names('company_closed')).finding.params).toEqual({ status: 'frozen' })
    await change("update tenants set status = 'active' where id = $1", [own.id])
  })

  it('5 product_unpublished', async () => {
    await change("update products set status = 'draft' where id = $1", [product.id])
    await refuse()
    expect((await names('product_unpublished')).finding.fixes).toEqual(['publish_product'])
    await change("update products set status = 'published' where id = $1", [product.id])
  })

  it('6 device_disabled', async () => {
    await change("update devices set lifecycle = 'disabled' where id = $1", [device.id])
    await refuse()
    expect((await names('device_disabled')).finding.fixes).toEqual(['enable_device'])
  })

  it('7 secret_wrong, with where from and how often; and forgets it when the device comes in', async () => {
    await refuse({ secret: 'not the secret' })
    await refuse({ secret: 'not the secret' })
    const { finding, step } = await names('secret_wrong')
    expect(step).toBe('sign_in')
    expect(finding.params).toMatchObject({ address: '127.0.0.1', transport: 'mqtt', count: 2 })
    const mqtt = await signIn()
    await expect.poll(async () => (await examine()).steps[1]!.state).toBe('ok')
    await mqtt.endAsync()
  })

  it('8 secret_rotated', async () => {
    await change(
      `update devices set previous_secret_hash = secret_hash, previous_secret_until = now() - interval '1 hour', secret_hash = $2
       where id = $1`,
      [device.id, secretHash('another')],
    )
    await refuse()
    const { finding } = await names('secret_rotated')
    expect(finding.params).toMatchObject({ reason: 'wrong_secret', until: expect.any(Number) })
    expect(finding.fixes).toContain('rotate_secret')
  })

  it('9 number_wrong, and the product lists who knocked', async () => {
    await refuse({ deviceNo: `${device.deviceNo}X` })
    const { finding } = await names('number_wrong')
    expect(finding.params).toMatchObject({ given: `${device.deviceNo}X`, expected: device.deviceNo })
    const { items } = await doctorOf(db, gateway).refusedSignIns(own.ctx, product.id)
    expect(items[0]).toMatchObject({ deviceNo: `${device.deviceNo}X`, deviceId: null, reason: 'unknown_device' })
  })

  it('10 never_connected', async () => {
    expect(await names('never_connected')).toMatchObject({ verdict: 'waiting', step: 'sign_in' })
  })

  it('11 identity_shared', async () => {
    const clients = []
    for (let n = 0; n < 4; n++) clients.push(await signIn())
    const { finding } = await names('identity_shared')
    expect(finding.params).toMatchObject({ count: 3, addresses: ['127.0.0.1'] })
    for (const client of clients) client.end(true)
  })

  it('12 offline', async () => {
    const mqtt = await signIn()
    await mqtt.publishAsync(topicOf(device, 'property/post'), '{"temperature":21}', { qos: 1 })
    mqtt.stream.destroy()
    expect((await names('offline')).finding.params).toMatchObject({ reason: 'connection_lost' })
  })

  it('13 offline_delay_short, with a delay that would do', async () => {
    await post('{"temperature":21}')
    const at = Date.now() - 3_600_000
    // Every ten minutes a message, and the default delay of five.
    for (let n = 0; n < 4; n++)
      await db.superuser.query(
        `insert into device_connections (device, at, seq, kind, reason, transport) values
         ($1, to_timestamp($2::float8 / 1000), $3, 'online', null, 'http'),
         ($1, to_timestamp($2::float8 / 1000) + interval '300 s', $3 + 1, 'offline', 'no_data', 'http')`,
        [device.num, at + n * 600_000, n * 2 - 100],
      )
    const { finding, step } = await names('offline_delay_short')
    expect(step).toBe('frames')
    expect(finding.params).toMatchObject({ delaySeconds: 300, usualSeconds: 600, suggestedSeconds: 1500 })
  })

  it('14 no_frames', async () => {
    const mqtt = await signIn()
    await expect.poll(async () => (await examine()).steps[1]!.state).toBe('ok')
    expect((await names('no_frames', { now: Date.now() + 180_000 })).step).toBe('frames')
    await mqtt.endAsync()
  })

  it('15 topic_wrong', async () => {
    const mqtt = await signIn()
    await mqtt.publishAsync(topicOf(device, 'data'), '{"temperature":21}', { qos: 1 })
    const { finding, step } = await names('topic_wrong')
    expect(step).toBe('frames')
    expect(finding.params.detail).toContain('/data')
    await mqtt.endAsync()
  })

  it('16 payload_not_json, with the bytes for the tester', async () => {
    await post('{"temperature":21')
    const { finding, step, steps } = await names('payload_not_json')
    expect(step).toBe('parsing')
    expect(Buffer.from(finding.hex!, 'hex').toString()).toBe('{"temperature":21')
    expect(finding.fixes).toContain('open_format')
    expect(steps.map(each => each.state).slice(0, 3)).toEqual(['ok', 'ok', 'ok'])
    // A message that was taken since makes it a thing of the past.
    await post('{"temperature":21}')
    await expect.poll(async () => (await examine()).verdict).toBe('warning')
  })

  it('17 property_unknown, with the whole list', async () => {
    await post('{"temp":21,"temperature":20,"volt":3}')
    await post('{"hum":50}')
    const { finding, step } = await names('property_unknown')
    expect(step).toBe('model')
    expect(finding.params.identifiers).toEqual(['hum', 'temp', 'volt'])
  })

  it('18 value_refused', async () => {
    await post('{"temperature":"hot"}')
    expect((await names('value_refused')).finding.params).toMatchObject({
      reason: 'property_type',
      identifiers: ['temperature'],
    })
  })

  it('19 clock_wild', async () => {
    const ahead = Date.now() + 10 * 365 * 86_400_000
    await post(JSON.stringify({ ts: ahead, values: { temperature: 21 } }))
    const { finding, verdict } = await names('clock_wild')
    expect(verdict).toBe('warning')
    expect(finding.params.deviceTs).toBe(ahead)
  })

  it('20 flow_limited', async () => {
    await post('{"temperature":21}')
    await db.superuser.query(
      'insert into device_flow (device, tenant_id, day, slowed, refused, last_at) values ($1, $2, current_date, 40, 7, now())',
      [device.num, own.id],
    )
    expect((await names('flow_limited')).finding.params).toEqual({ slowed: 40, refused: 7 })
  })

  it('21 not_subscribed', async () => {
    const mqtt = await signIn()
    await mqtt.publishAsync(topicOf(device, 'property/post'), '{"temperature":21}', { qos: 1 })
    await db.superuser.query(
      `insert into commands (id, tenant_id, device_id, device, kind, params, expires_at)
       values (gen_random_uuid(), $1, $2, $3, 'property_set', '{"switch":true}', now() + interval '1 day')`,
      [own.id, device.id, device.num],
    )
    const { finding, verdict } = await names('not_subscribed')
    expect(verdict).toBe('broken')
    expect(finding.params).toMatchObject({ queued: 1 })
    await mqtt.endAsync()
  })

  it('22 commands_unanswered', async () => {
    const mqtt = await signIn()
    await mqtt.subscribeAsync(topicOf(device, '#'))
    await mqtt.publishAsync(topicOf(device, 'property/post'), '{"temperature":21}', { qos: 1 })
    await db.superuser.query(
      `insert into commands (id, tenant_id, device_id, device, kind, params, state, expires_at)
       select gen_random_uuid(), $1, $2, $3, 'property_set', '{"switch":true}', 'timed_out', now() from generate_series(1, 3)`,
      [own.id, device.id, device.num],
    )
    expect((await names('commands_unanswered')).finding.params).toEqual({ count: 3 })
    await mqtt.endAsync()
  })

  it('25 consumer_behind', async () => {
    await post('{"temperature":21}')
    const { finding, step } = await names('consumer_behind', { deps: { behind: async () => ({ store: 90_000 }) } })
    expect(step).toBe('storage')
    expect(finding.params).toEqual({ consumer: 'store', waiting: 90_000 })
  })

  it('26 quota_messages', async () => {
    await post('{"temperature":21}')
    const over = { deps: { messagesQuota: async () => ({ used: 1_000, limit: 1_000 }) } }
    expect((await names('quota_messages', over)).finding.params).toEqual({ used: 1_000, limit: 1_000 })
  })

  it.each([
    [
      '27 checksum_wrong',
      {
        kind: 'label',
        frames: [
          {
            head: '68',
            checksum: { kind: 'crc16_modbus', at: -2 },
            fields: [{ type: 'int16', at: 1, identifier: 'count' }],
          },
        ],
      },
      Buffer.from('6800d70000', 'hex'),
    ],
    ['28 script_failed', { kind: 'script', source: 'function decode() { for (;;) {} }' }, Buffer.from('x')],
  ])('%s', async (title, format, bytes) => {
    const meters = await insertProduct(db.superuser, own)
    await db.superuser.query('update products set format = $2 where id = $1', [meters.id, JSON.stringify(format)])
    device = await insertDevice(db.superuser, meters)
    await deviceRequest(gateway.start, device, 'raw', { body: bytes })
    const { finding, step } = await names(title.split(' ')[1]!)
    expect(step).toBe('parsing')
    expect(finding.hex).toBe(bytes.toString('hex'))
  })

  it('29 port_closed: the own port of a product', async () => {
    const meters = await insertProduct(db.superuser, own, { linkType: 'tcp' })
    device = await insertDevice(db.superuser, meters)
    const state = { product: meters.num, port: 7001, state: 'failed' as const, error: 'EADDRINUSE' }
    const { finding } = await names('port_closed', { deps: { linkPorts: async () => [state] } })
    expect(finding.params).toMatchObject({ variable: '7001, EADDRINUSE' })
  })

  it('is blind for devices of another company', async () => {
    const stranger = await company(db)
    await expect(doctorOf(db, gateway).device(stranger.ctx, device.id)).rejects.toMatchObject({
      code: 'device.not_found',
    })
    await expect(doctorOf(db, gateway).frames(stranger.ctx, device.id)).rejects.toMatchObject({
      code: 'device.not_found',
    })
    await expect(doctorOf(db, gateway).refusedSignIns(stranger.ctx, product.id)).rejects.toMatchObject({
      code: 'product.not_found',
    })
  })
})

describe('the doctor of an installation in trouble', () => {
  const YEARS = 365 * 86_400_000
  let db: TestDatabase
  let own: Company
  let device: DeviceFixture
  let gateway: Awaited<ReturnType<typeof startGateway>>
  let start: ReturnType<typeof gatewayStart>
  let free = 0.5

  beforeAll(async () => {
    db = await testDatabase()
    own = await company(db)
    device = await insertDevice(db.superuser, await insertProduct(db.superuser, own))
    start = gatewayStart(db)
    await ownCertificate(start.keysDir, Date.now() - 11 * YEARS)
    const tls = { certFile: `${start.keysDir}/mqtts-cert.pem`, keyFile: `${start.keysDir}/mqtts-key.pem` }
    const outlet = { batch: () => undefined, commands: () => undefined, frames: () => undefined }
    const { remove, ...options } = start
    gateway = await startGateway({ ...options, tls }, outlet, { freeDiskRatio: async () => free, diskProbeMs: 50 })
  })
  afterAll(async () => {
    await gateway.stop()
    start.remove()
  })
  const examine = () => doctorOf(db, gateway).device(own.ctx, device.id)

  it('3 certificate_expired', async () => {
    expect(await examine()).toMatchObject({ verdict: 'broken', step: 'port', cause: 'certificate_expired' })
  })

  it('24 disk_full', async () => {
    const mqtt = await mqttDevice(gateway.ports.mqtt, device)
    free = 0.01
    await expect.poll(async () => (await examine()).steps[5]!.findings[0]?.cause).toBe('disk_full')
    expect((await examine()).steps[5]).toMatchObject({ state: 'broken', findings: [{ params: { freePercent: 1 } }] })
    free = 0.5
    await expect.poll(async () => (await examine()).steps[5]!.state).not.toBe('broken')
    await mqtt.endAsync()
  })

  it('23 lanes_not_writing', async () => {
    await db.superuser.query('revoke insert on journal from tw_telemetry')
    const mqtt = await mqttDevice(gateway.ports.mqtt, device)
    const sent = mqtt.publishAsync(topicOf(device, 'property/post'), '{"temperature":21}', { qos: 1 })
    await expect.poll(async () => (await examine()).steps[5]!.findings[0]?.cause).toBe('lanes_not_writing')
    const { verdict, step } = await examine()
    expect([verdict, step]).toEqual(['broken', 'storage'])
    await db.superuser.query('grant insert on journal to tw_telemetry')
    await sent
    await mqtt.endAsync()
  })
})
