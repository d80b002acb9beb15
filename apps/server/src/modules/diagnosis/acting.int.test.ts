import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, type ProductFixture } from '../../db/fixtures.ts'
import { type Company, company } from '../../db/testing/management.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { deviceRequest, mqttDevice, type TestGateway, testGateway, topicOf } from '../../ingest/process/testing.ts'
import { newId } from '../../lib/ids.ts'
import type { DiagnosisPort, Probe } from './diagnosis.port.ts'
import { createDiagnosisService, type DiagnosisService } from './diagnosis.service.ts'

let db: TestDatabase
let own: Company
let product: ProductFixture
let device: DeviceFixture
let gateway: TestGateway
let diagnosis: DiagnosisService

beforeAll(async () => {
  db = await testDatabase()
  own = await company(db)
  product = await insertProduct(db.superuser, own)
  gateway = await testGateway(db)
  const port: DiagnosisPort = {
    probe: async (probe, ask) => (await gateway.probe({ probe, ...ask } as Probe)) as never,
    watchFrames: devices => gateway.watchFrames(devices),
  }
  diagnosis = createDiagnosisService({
    database: db.database,
    gateway: port,
    addresses: () => ({
      host: '',
      mqttPort: 1,
      mqttsPort: null,
      tcpPort: null,
      udpPort: null,
      coapPort: null,
      wsUrl: '',
      httpUrl: '',
    }),
    behind: async () => null,
    messagesQuota: async () => null,
    passRaw: async () => undefined,
  })
})
afterAll(() => gateway.stop())
beforeEach(async () => {
  device = await insertDevice(db.superuser, product)
})

interface Row {
  kind: number
  values: Record<string, unknown>
}

async function journal(): Promise<Row[]> {
  const { rows } = await db.superuser.query<Row>('select kind, values from journal where device = $1 order by seq', [
    device.num,
  ])
  return rows
}
const audits = async (action: string) =>
  (
    await db.superuser.query('select result, after from audit_logs where action = $1 and object_id = $2 order by id', [
      action,
      device.id,
    ])
  ).rows
const act = (action: Parameters<DiagnosisService['simulate']>[2]) => diagnosis.simulate(own.ctx, device.id, action)

describe('acting as a device', () => {
  it('takes the way of every message, shows the device online, and stands once in the operation log', async () => {
    expect(await act({ kind: 'open' })).toEqual({ outcome: 'open', reason: null })
    expect(await act({ kind: 'property', values: { temperature: 21 } })).toEqual({ outcome: 'stored', reason: null })
    expect(await act({ kind: 'event', identifier: 'overheat', params: {} })).toMatchObject({ outcome: 'stored' })
    expect(await act({ kind: 'property', values: { nope: 1 } })).toEqual({
      outcome: 'refused',
      reason: 'property_unknown',
    })
    expect(gateway.session(device.num)).toMatchObject({ transport: 'simulator', messagesIn: 3 })
    expect(await act({ kind: 'close' })).toMatchObject({ outcome: 'closed' })
    await expect
      .poll(async () => (await journal()).map(({ kind, values }) => [kind, values.transport ?? null]))
      .toEqual([
        [4, 'simulator'],
        [1, null],
        [2, null],
        [6, null],
        [5, 'simulator'],
      ])
    expect(await audits('device.simulate')).toEqual([{ result: 'ok', after: { kind: 'open' } }])
    const { items } = await diagnosis.frames(own.ctx, device.id)
    expect(items.map(({ channel, note }) => [channel, note])).toEqual([
      ['property/post', 'simulated'],
      ['event/overheat/post', 'simulated'],
      ['property/post', 'simulated'],
    ])
  })

  it('speaks of values as they are shown: the device would send what the model’s lines make of them', async () => {
    const scaled = await insertProduct(db.superuser, own, {
      model: {
        properties: [
          {
            identifier: 'level',
            name: 'level',
            dataType: { type: 'double', min: -40, max: 125 },
            access: 'rw',
            mapping: { up: { x1: 0, y1: -40, x2: 4095, y2: 125 } },
          },
        ],
      },
    })
    const one = await insertDevice(db.superuser, scaled)
    const simulate = (action: Parameters<DiagnosisService['simulate']>[2]) =>
      diagnosis.simulate(own.ctx, one.id, action)
    await simulate({ kind: 'open' })
    expect(await simulate({ kind: 'property', values: { level: 42.5 } })).toMatchObject({ outcome: 'stored' })
    const { rows } = await db.superuser.query('select values from journal where device = $1 and kind = 1', [one.num])
    expect(rows).toEqual([{ values: { level: 42.5, 'level#raw': 2047.5 } }])
  })

  it('is given commands and answers them', async () => {
    await act({ kind: 'open' })
    const id = newId()
    await db.superuser.query(
      `insert into commands (id, tenant_id, device_id, device, kind, params, expires_at)
       values ($1, $2, $3, $4, 'property_set', '{"switch":true}', now() + interval '1 day')`,
      [id, own.id, device.id, device.num],
    )
    gateway.wake([device.num])
    const state = async () =>
      (await db.superuser.query('select state from commands where id = $1', [id])).rows[0].state as string
    await expect.poll(state).toBe('sent')
    expect(await act({ kind: 'reply', commandId: id, code: 0 })).toMatchObject({ outcome: 'stored' })
    await expect
      .poll(async () => (await journal()).at(-1))
      .toMatchObject({ kind: 3, values: { commandId: id, code: 0 } })
    expect((await diagnosis.frames(own.ctx, device.id)).items.map(({ direction }) => direction)).toEqual(['down', 'up'])
  })

  it('stands back for the real device, and cannot begin while that is there', async () => {
    await act({ kind: 'property', values: { temperature: 1 } })
    const mqtt = await mqttDevice(gateway.ports.mqtt, device)
    expect(gateway.session(device.num)).toMatchObject({ transport: 'mqtt' })
    await expect(act({ kind: 'property', values: { temperature: 2 } })).rejects.toMatchObject({
      code: 'diagnosis.connected',
    })
    await expect
      .poll(async () => (await journal()).map(({ kind, values }) => [kind, values.transport ?? values.temperature]))
      .toEqual([
        [4, 'simulator'],
        [1, 1],
        [5, 'simulator'],
        [4, 'mqtt'],
      ])
    await mqtt.endAsync()
    await expect.poll(() => gateway.session(device.num)).toBeNull()
    await act({ kind: 'open' })
    await deviceRequest(gateway.start, device, 'property', { body: '{"temperature":3}' })
    expect(gateway.session(device.num)).toMatchObject({ transport: 'http' })
  })

  it('is refused what a real device would be refused', async () => {
    await db.superuser.query("update devices set lifecycle = 'disabled' where id = $1", [device.id])
    await expect(act({ kind: 'open' })).rejects.toMatchObject({ code: 'device.disabled' })
  })
})

describe('the terminal', () => {
  const send = (hex: string) => diagnosis.send(own.ctx, device.id, { hex })

  it('says why bytes cannot go out, and writes every try into the operation log', async () => {
    await expect(send('0102')).rejects.toMatchObject({ code: 'diagnosis.offline' })
    const mqtt = await mqttDevice(gateway.ports.mqtt, device)
    await expect(send('0102')).rejects.toMatchObject({ code: 'diagnosis.not_subscribed' })
    const got = new Promise<[string, string]>(resolve =>
      mqtt.on('message', (topic, payload) => resolve([topic, payload.toString('hex')])),
    )
    await mqtt.subscribeAsync(topicOf(device, 'raw/down'), { qos: 1 })
    expect(await send('01030000')).toMatchObject({ size: 4 })
    expect(await got).toEqual([topicOf(device, 'raw/down'), '01030000'])
    expect(await audits('device.send_raw')).toMatchObject([
      { result: 'failed', after: { outcome: 'offline' } },
      { result: 'failed', after: { outcome: 'not_subscribed' } },
      { result: 'ok', after: { hex: '01030000', size: 4, outcome: 'sent' } },
    ])
    expect((await diagnosis.frames(own.ctx, device.id)).items).toMatchObject([
      { direction: 'down', hex: '01030000', channel: 'raw/down' },
    ])
    await mqtt.endAsync()
    await expect.poll(() => gateway.session(device.num)).toBeNull()
    await deviceRequest(gateway.start, device, 'property', { body: '{"temperature":3}' })
    await expect(send('01')).rejects.toMatchObject({ code: 'diagnosis.link_cannot' })
  })
})

describe('watching raw frames', () => {
  it('tells them as they come, of the watched device only', async () => {
    const other = await insertDevice(db.superuser, product)
    gateway.watchFrames([device.num])
    const post = (of: DeviceFixture, body: string) => deviceRequest(gateway.start, of, 'property', { body })
    await post(other, '{"temperature":1}')
    await post(device, '{"temperature":2}')
    await expect.poll(() => gateway.framed.length).toBe(1)
    const [num, frames, missed] = gateway.framed[0]!
    expect([num, missed]).toEqual([device.num, 0])
    expect(Buffer.from(frames[0]!.bytes).toString()).toBe('{"temperature":2}')
    gateway.watchFrames([])
  })
})
