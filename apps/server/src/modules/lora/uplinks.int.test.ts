import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChirpStackSimulator, startChirpStack } from '../../../../../tools/simulators/chirpstack/chirpstack.ts'
import type { SimulatedDevice } from '../../../../../tools/simulators/chirpstack/device-service.ts'
import { createLns, createLnsFeeds } from '../../app/lns.ts'
import { type DeviceFixture, insertDevice, insertProduct } from '../../db/fixtures.ts'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import { type TestGateway, testGateway } from '../../ingest/process/testing.ts'
import { inBackground } from '../../lib/background.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { isAppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import { NO_TASKS } from './lora.fixtures.ts'
import { createLoraModule, type LoraModule } from './lora.module.ts'

const ALLOW = ['127.0.0.1/32']
const EUI = '0102030405060708'
let m: Management
let server: ChirpStackSimulator
let gateway: TestGateway
let lora: LoraModule
let own: Company
let device: DeviceFixture
let connectionId: string
let meter: SimulatedDevice
const http = createServer()

beforeAll(async () => {
  m = await management()
  server = await startChirpStack()
  gateway = await testGateway(m.db)
  const port: Pick<GatewayPort, 'lora'> = {
    lora: async (ours, act) => (await gateway.probe({ probe: 'lora', ...ours, act })) as never,
  }
  lora = createLoraModule({
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
  own = await company(m.db)
  const product = await insertProduct(m.db.superuser, own)
  await m.db.superuser.query(`update products set link_type = 'lorawan' where id = $1`, [product.id])
  device = await insertDevice(m.db.superuser, product)
  await m.db.superuser.query('update devices set device_no = $2 where id = $1', [device.id, EUI.toUpperCase()])
  const made = await lora.connections.create(own.ctx, {
    name: 'North',
    url: server.url,
    remoteTenantId: server.tenantId,
    apiKey: server.apiKey,
  })
  connectionId = made.id
  const { path, value } = await lora.connections.rotateCallback(own.ctx, made.id)
  http.on('request', (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url!, 'http://here')
      const taken = lora.uplinks
        .take(
          url.pathname.split('/').at(-1)!,
          request.headers.authorization,
          url.searchParams.get('event')!,
          JSON.parse(Buffer.concat(chunks).toString()),
        )
        .then(
          () => response.writeHead(200).end('{}'),
          error => response.writeHead(isAppError(error) && error.code === 'lora_event.unauthorized' ? 401 : 422).end(),
        )
      inBackground('an event of the simulator', taken)
    })
  })
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  server.integrate({
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}${path}`,
    headers: { Authorization: value },
  })
  meter = { devEui: EUI, name: 'Meter', profileId: 'p', fCnt: 0, queue: [] }
  server.devices.set(EUI, meter)
})
afterAll(async () => {
  lora.close()
  http.close()
  await gateway.stop()
  await server.close()
})

const latest = async () => {
  const { rows } = await m.db.superuser.query(
    'select values from journal where device = $1 and kind = 1 order by seq',
    [device.num],
  )
  return rows.map(row => row.values as Record<string, unknown>)
}
/** What ends a command: rows that the reader of replies takes. */
const replies = async () => {
  const { rows } = await m.db.superuser.query(
    'select values from journal where device = $1 and kind = 3 order by seq',
    [device.num],
  )
  return rows.map(row => row.values as Record<string, unknown>)
}
const command = async (id: string) =>
  (await m.db.superuser.query('select state, error_code from commands where id = $1', [id])).rows[0] as {
    state: string
    error_code: string | null
  }

async function queue(chosen: object | null = null, confirm = 'auto'): Promise<string> {
  const id = newId()
  await m.db.superuser.query(
    `insert into commands (id, tenant_id, device_id, device, kind, identifier, params, state, timeout_ms, expires_at, lora, confirm)
     values ($1, $2, $3, $4, 'property_set', null, '{"switch": true}', 'queued', 60000, now() + interval '1 day', $5, $6)`,
    [id, device.tenantId, device.id, device.num, chosen, confirm],
  )
  gateway.wake([device.num])
  await expect.poll(async () => (await command(id)).state).toBe('sent')
  await lora.downlinks.serve([device.num])
  return id
}

describe('a device behind ChirpStack', () => {
  it('is heard: an uplink by the HTTP integration becomes values, with how well it was received', async () => {
    expect(await server.events.join(meter)).toBe(200)
    expect(await server.events.up(meter, { bytes: Uint8Array.of(1, 2), object: { temperature: 21.5 } })).toBe(200)
    await expect.poll(latest).toEqual([{ temperature: 21.5 }])
    expect(await server.events.status(meter, 87.5)).toBe(200)
    const [seen] = (await lora.devices.list(own.ctx, { connectionId })).items
    expect(seen).toMatchObject({
      devEui: EUI,
      deviceId: device.id,
      gatewayId: '0016c001f1500812',
      rssi: -57,
      snr: 9.5,
      dr: 5,
      frequency: 486_300_000,
      fPort: 2,
      battery: 87.5,
      margin: 12,
      uplinks: 1,
    })
  })

  it('is told: a command goes into ChirpStack’s queue and ends with the device’s acknowledgement', async () => {
    const id = await queue()
    const [item] = meter.queue.splice(0)
    expect(item).toMatchObject({ devEui: EUI, confirmed: true, port: 2, object: { switch: true } })
    await server.events.ack(meter, item!.id, true)
    await expect.poll(async () => (await command(id)).state).toBe('delivered')
    await expect.poll(replies).toMatchObject([{ commandId: id, code: 0 }])
  })

  it('is told on the port, without acknowledgement and until when it was chosen; a gateway’s word ends the command', async () => {
    const expiresAt = new Date(Date.now() + 600_000).toISOString()
    const id = await queue({ port: 10, confirmed: false, expiresAt }, 'none')
    const [item] = meter.queue.splice(0)
    expect(item).toMatchObject({
      port: 10,
      confirmed: false,
      expiresAt: Date.parse(expiresAt),
      object: { switch: true },
    })
    await server.events.txack(meter, item!.id)
    await expect.poll(async () => (await command(id)).state).toBe('succeeded')
  })

  it('that acknowledges is not done when a gateway has sent the frame', async () => {
    const id = await queue()
    const [item] = meter.queue.splice(0)
    expect(item).not.toHaveProperty('expiresAt')
    await server.events.txack(meter, item!.id)
    expect((await command(id)).state).toBe('sent')
    // Its item is still waited for.
    const waiting = await m.db.superuser.query('select from lora_downlinks where command_id = $1', [id])
    expect(waiting.rowCount).toBe(1)
    await server.events.ack(meter, item!.id, true)
    await expect.poll(async () => (await command(id)).state).toBe('delivered')
  })

  it('that was not asked in time is named: ChirpStack dropped the frame', async () => {
    const expiresAt = new Date(Date.now() + 1_000).toISOString()
    const id = await queue({ port: null, confirmed: true, expiresAt })
    const [item] = meter.queue.splice(0)
    expect(item).toMatchObject({ port: 2, confirmed: true })
    const answers = (await replies()).length
    await server.events.log(meter, 'EXPIRED', 'Device queue-item discarded because it has expired', item!.id)
    await expect.poll(async () => (await command(id)).state).toBe('expired')
    const { rows } = await m.db.superuser.query(
      'select error_code, error_message, reply, finished_at is not null as over from commands where id = $1',
      [id],
    )
    expect(rows).toEqual([
      {
        error_code: 'expired',
        error_message: 'EXPIRED: Device queue-item discarded because it has expired',
        reply: null,
        over: true,
      },
    ])
    // The device said nothing.
    expect(await replies()).toHaveLength(answers)
  })

  it('goes on being told after more frames were lost than may be on their way at once', async () => {
    for (let n = 0; n < 17; n++) {
      const id = await queue()
      const [item] = meter.queue.splice(0)
      if (n % 2 === 0) await server.events.log(meter, 'EXPIRED', 'Too late', item!.id)
      else await server.events.log(meter, 'DOWNLINK_PAYLOAD_SIZE', 'Too large', item!.id)
      if (n % 2 === 0) await expect.poll(async () => (await command(id)).state).toBe('expired')
    }
  })

  it('names why a command failed', async () => {
    const id = await queue()
    const [item] = meter.queue.splice(0)
    await server.events.log(meter, 'DOWNLINK_PAYLOAD_SIZE', 'Downlink payload size is too large', item!.id)
    await expect
      .poll(async () => (await replies()).at(-1))
      .toMatchObject({
        commandId: id,
        code: 2,
        message: 'DOWNLINK_PAYLOAD_SIZE: Downlink payload size is too large',
      })
    const [seen] = (await lora.devices.list(own.ctx, { deviceId: device.id })).items
    expect(seen!.problem).toMatchObject({ code: 'DOWNLINK_PAYLOAD_SIZE' })
  })

  it('is not believed with another secret, and what cannot be read is refused', async () => {
    const body = { deviceInfo: { devEui: EUI } }
    await expect(lora.uplinks.take(connectionId, 'Bearer wrong', 'up', body)).rejects.toMatchObject({
      code: 'lora_event.unauthorized',
    })
    await expect(lora.uplinks.take(newId(), 'Bearer wrong', 'up', body)).rejects.toMatchObject({
      code: 'lora_event.unauthorized',
    })
    const { value } = await lora.connections.rotateCallback(own.ctx, connectionId)
    const take = (event: string, given: unknown) => lora.uplinks.take(connectionId, value, event, given)
    await expect(take('up', { deviceInfo: { devEui: 'short' } })).rejects.toMatchObject({
      code: 'lora_event.unreadable',
    })
    await expect(take('up', { ...body, data: 'no base 64!' })).rejects.toMatchObject({ code: 'lora_event.unreadable' })
    await expect(take('dance', body)).rejects.toMatchObject({ code: 'lora_event.unreadable' })
    // One that we do not have is kept by name, so that people see what they still have to add.
    await take('up', { deviceInfo: { devEui: 'FFFFFFFFFFFFFFFF', deviceName: 'Stranger' }, data: 'AQ==', fPort: 1 })
    const [stranger] = (await lora.devices.list(own.ctx, { bound: 'no' })).items
    expect(stranger).toMatchObject({ devEui: 'ffffffffffffffff', name: 'Stranger', deviceId: null })
  })
})
