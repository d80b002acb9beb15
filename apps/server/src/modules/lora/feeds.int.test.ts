import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type SimulatedBroker, startBroker } from '../../../../../tools/simulators/chirpstack/broker.ts'
import { type ChirpStackSimulator, startChirpStack } from '../../../../../tools/simulators/chirpstack/chirpstack.ts'
import type { SimulatedDevice } from '../../../../../tools/simulators/chirpstack/device-service.ts'
import { createLns, createLnsFeeds } from '../../app/lns.ts'
import { type DeviceFixture, insertDevice, insertProduct } from '../../db/fixtures.ts'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import { type TestGateway, testGateway } from '../../ingest/process/testing.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import type { GatewayPort, LoraOutcome } from '../devices/gateway.port.ts'
import { NO_TASKS } from './lora.fixtures.ts'
import { createLoraModule, type LoraModule } from './lora.module.ts'

const ALLOW = ['127.0.0.1/32']
const EUI = '0102030405060708'
let m: Management
let server: ChirpStackSimulator
let broker: SimulatedBroker
let gateway: TestGateway
let lora: LoraModule
let own: Company
let device: DeviceFixture
let connectionId: string
let meter: SimulatedDevice
/** Answers of a device path that has no room. */
let busy = 0

function made(): LoraModule {
  const port: Pick<GatewayPort, 'lora'> = {
    lora: async (ours, act) => {
      if (act.kind === 'uplink' && busy > 0) {
        busy--
        return { outcome: 'unavailable', reason: 'overloaded' } satisfies LoraOutcome
      }
      return (await gateway.probe({ probe: 'lora', ...ours, act })) as never
    },
  }
  return createLoraModule({
    database: m.database,
    inbox: { notify: async () => undefined },
    gateway: port,
    runScript: async () => ({ ok: true }),
    lns: createLns({ outboundAllow: ALLOW, now: Date.now }),
    loraFeed: createLnsFeeds({ outboundAllow: ALLOW, pauseMs: 50 }),
    products: m.products,
    devices: m.devices,
    tasks: NO_TASKS,
    triggers: { objects: () => undefined },
    outboundAllow: ALLOW,
    seal: purpose => createCryptoBox('a secret of the installation, long enough', purpose),
    logger: silentLogger,
    now: Date.now,
  })
}

beforeAll(async () => {
  m = await management()
  server = await startChirpStack()
  broker = await startBroker()
  gateway = await testGateway(m.db)
  lora = made()
  own = await company(m.db)
  const product = await insertProduct(m.db.superuser, own)
  await m.db.superuser.query(`update products set link_type = 'lorawan' where id = $1`, [product.id])
  device = await insertDevice(m.db.superuser, product)
  await m.db.superuser.query('update devices set device_no = $2, location = null where id = $1', [
    device.id,
    EUI.toUpperCase(),
  ])
  const { host, port, username, password } = broker
  connectionId = (
    await lora.connections.create(own.ctx, {
      name: 'North',
      url: server.url,
      remoteTenantId: server.tenantId,
      apiKey: server.apiKey,
      mqtt: { host, port, tls: false, username, password, prefix: 'north' },
    })
  ).id
  meter = { devEui: EUI, name: 'Meter', profileId: 'p', fCnt: 0, queue: [] }
  server.devices.set(EUI, meter)
  await lora.feeds.tick()
})
afterAll(async () => {
  await lora.feeds.stop()
  lora.close()
  await gateway.stop()
  await server.close()
  await broker.close()
})
afterEach(() => {
  busy = 0
})

const publishing = (encoding: 'json' | 'protobuf', qos: 0 | 1 = 1) =>
  server.integrate({
    broker: `mqtt://${broker.host}:${broker.port}`,
    username: broker.username,
    password: broker.password,
    encoding,
    prefix: 'north/',
    qos,
  })
const values = async () => {
  const { rows } = await m.db.superuser.query(
    'select values from journal where device = $1 and kind = 1 order by seq',
    [device.num],
  )
  return rows.map(row => row.values as Record<string, unknown>)
}
const heard = async () => (await lora.devices.list(own.ctx, { connectionId, q: EUI })).items[0]!
const broken = async () => (await lora.connections.list(own.ctx)).items.find(({ id }) => id === connectionId)!.mqtt!
const command = async (id: string) =>
  (await m.db.superuser.query('select state from commands where id = $1', [id])).rows[0]!.state as string

describe('events of ChirpStack’s MQTT integration', () => {
  for (const encoding of ['json', 'protobuf'] as const)
    it(`become values and facts of the radio in ${encoding}, and commands end with their acknowledgement`, async () => {
      await expect.poll(() => broker.filters()).toEqual(['north/application/+/device/+/event/+'])
      publishing(encoding)
      const before = (await values()).length
      await server.events.join(meter)
      await server.events.up(meter, {
        bytes: Uint8Array.of(1, 2),
        object: { temperature: before + 0.5 },
        gatewayId: encoding === 'json' ? '0016c001f1500812' : '0016c001f1500813',
        rssi: -61,
        port: 7,
      })
      await expect.poll(async () => (await values()).slice(before)).toEqual([{ temperature: before + 0.5 }])
      await server.events.status(meter, 40 + before)
      await expect.poll(async () => (await heard()).battery).toBe(40 + before)
      expect(await heard()).toMatchObject({
        deviceId: device.id,
        gatewayId: encoding === 'json' ? '0016c001f1500812' : '0016c001f1500813',
        rssi: -61,
        snr: 9.5,
        dr: 5,
        frequency: 486_300_000,
        fPort: 7,
        class: 'A',
        devAddr: '01020304',
        margin: 12,
      })
      const id = newId()
      await m.db.superuser.query(
        `insert into commands (id, tenant_id, device_id, device, kind, identifier, params, state, timeout_ms, expires_at)
         values ($1, $2, $3, $4, 'property_set', null, '{"switch": true}', 'queued', 60000, now() + interval '1 day')`,
        [id, device.tenantId, device.id, device.num],
      )
      gateway.wake([device.num])
      await expect.poll(() => command(id)).toBe('sent')
      await lora.downlinks.serve([device.num])
      const [item] = meter.queue.splice(0)
      expect(item).toMatchObject({ port: 7, confirmed: true, object: { switch: true } })
      await server.events.txack(meter, item!.id)
      await server.events.ack(meter, item!.id, true)
      await expect.poll(() => command(id)).toBe('delivered')
      await server.events.log(meter, 'UPLINK_MIC', `MIC of ${encoding}`)
      await expect
        .poll(async () => (await heard()).problem)
        .toMatchObject({ level: 'error', code: 'UPLINK_MIC', text: `MIC of ${encoding}` })
      await expect.poll(() => broker.unacknowledged()).toBe(0)
    })

  it('puts a device where ChirpStack says that it is, unless a person chose a place', async () => {
    publishing('protobuf')
    const placed = async () =>
      (await m.db.superuser.query('select location from devices where id = $1', [device.id])).rows[0]!.location
    await server.events.location(meter, { latitude: 31.2, longitude: 121.5 })
    await expect.poll(placed).toEqual({ lat: 31.2, lng: 121.5 })
    expect(await heard()).toMatchObject({ location: { lat: 31.2, lng: 121.5 }, locationSource: 'geo_resolver_tdoa' })
    await server.events.location(meter, { latitude: 31.3, longitude: 121.6 }, 'GPS')
    await expect.poll(placed).toEqual({ lat: 31.3, lng: 121.6 })
    await m.db.superuser.query(`update devices set location = '{"lat": 30, "lng": 120}' where id = $1`, [device.id])
    await server.events.location(meter, { latitude: 31.4, longitude: 121.7 })
    await expect.poll(async () => (await heard()).location).toMatchObject({ lat: 31.4 })
    expect(await placed()).toEqual({ lat: 30, lng: 120 })
  })

  it('wait while the device path has no room, and are acknowledged when they are stored', async () => {
    publishing('json')
    const before = (await values()).length
    busy = 2
    await server.events.up(meter, { bytes: Uint8Array.of(1), object: { temperature: 1 } })
    await server.events.up(meter, { bytes: Uint8Array.of(1), object: { temperature: 2 } })
    expect(broker.unacknowledged()).toBeGreaterThan(0)
    await expect
      .poll(async () => (await values()).slice(before), { timeout: 5_000 })
      .toEqual([{ temperature: 1 }, { temperature: 2 }])
    await expect.poll(() => broker.unacknowledged()).toBe(0)
  })

  it('that came while the connection was cut are taken when it is there again', async () => {
    publishing('json')
    const before = (await values()).length
    await lora.feeds.stop()
    expect(broker.filters()).toEqual([])
    await server.events.up(meter, { bytes: Uint8Array.of(1), object: { temperature: 33 } })
    // Another process takes the lease over.
    lora.close()
    lora = made()
    await lora.feeds.tick()
    await expect.poll(async () => (await values()).slice(before)).toEqual([{ temperature: 33 }])
    broker.cut()
    await expect.poll(() => broker.filters().length).toBe(1)
  })

  it('of another tenant, of another topic and of no kind at all leave nothing and hold nothing up', async () => {
    publishing('json')
    const [before, uplinks] = [(await values()).length, (await heard()).uplinks]
    const info = { tenantId: newId(), applicationId: 'a', deviceProfileId: 'p', deviceName: 'x', devEui: EUI }
    const topic = (devEui: string, event: string) => `north/application/a/device/${devEui}/event/${event}`
    const event = { deviceInfo: info, fPort: 1, data: 'AQ==', object: { temperature: 99 } }
    broker.publish(topic(EUI, 'up'), Buffer.from(JSON.stringify(event)))
    const own = { ...event, deviceInfo: { ...info, tenantId: server.tenantId } }
    broker.publish(topic('ffffffffffffffff', 'up'), Buffer.from(JSON.stringify(own)))
    broker.publish(topic(EUI, 'up'), Buffer.from('{"no": json'))
    broker.publish(topic(EUI, 'up'), Buffer.from([0xff, 0xff, 0xff]))
    broker.publish(topic(EUI, 'dance'), Buffer.from([0x0a, 0x00]))
    await server.events.up(meter, { bytes: Uint8Array.of(1), object: { temperature: 5 } })
    await expect.poll(async () => (await values()).slice(before)).toEqual([{ temperature: 5 }])
    expect((await heard()).uplinks).toBe(uplinks + 1)
    await expect.poll(() => broker.unacknowledged()).toBe(0)
  })

  it('need the broker’s consent: what it says against us stands beside the connection, and a new password mends it', async () => {
    const { version } = (await lora.connections.list(own.ctx)).items.find(({ id }) => id === connectionId)!
    const { host, port, username, password } = broker
    const change = (given: number, secret?: string) =>
      lora.connections.update(own.ctx, connectionId, {
        version: given,
        mqtt: {
          host,
          port,
          tls: false,
          username,
          prefix: 'north',
          ...(secret === undefined ? {} : { password: secret }),
        },
      })
    const wrong = await change(version, 'wrong')
    expect(wrong.mqtt).toMatchObject({ host, state: 'waiting' })
    expect(JSON.stringify(wrong)).not.toContain('wrong')
    await lora.feeds.tick()
    await expect.poll(async () => (await broken()).state).toBe('failed')
    expect((await broken()).fault).toMatchObject({ kind: 'credentials', code: '135' })
    const right = await change(wrong.version, password)
    await lora.feeds.tick()
    await expect.poll(async () => (await broken()).state).toBe('connected')
    expect((await broken()).fault).toBeNull()
    // A password that is not given stays, as long as it goes to the same broker.
    const kept = await change(right.version)
    await lora.feeds.tick()
    await expect.poll(async () => (await broken()).state).toBe('connected')
    const gone = await lora.connections.update(own.ctx, connectionId, { version: kept.version, mqtt: null })
    expect(gone.mqtt).toBeNull()
    await lora.feeds.tick()
    await expect.poll(() => broker.filters()).toEqual([])
  })

  it('are read from a broker of MQTT 3.1.1 too, and an inner address is refused with its field', async () => {
    const old = await startBroker({ onlyMqtt3: true })
    try {
      const { version } = (await lora.connections.list(own.ctx)).items.find(({ id }) => id === connectionId)!
      const { host, port, username, password } = old
      await lora.connections.update(own.ctx, connectionId, {
        version,
        mqtt: { host, port, tls: false, username, password },
      })
      await lora.feeds.tick()
      await expect.poll(() => old.filters()).toEqual(['application/+/device/+/event/+'])
    } finally {
      await lora.feeds.stop()
      await old.close()
    }
    await expect(
      lora.connections.create(own.ctx, {
        name: 'Inside',
        url: server.url,
        remoteTenantId: server.tenantId,
        apiKey: 'k',
        mqtt: { host: '10.0.0.1' },
      }),
    ).rejects.toMatchObject({ fields: { mqtt: { code: 'outbound.internal' } } })
  })
})
