import { randomUUID } from 'node:crypto'
import { parseModel } from '@thingwright/thing-model'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Fleet } from '../../../../tools/simulators/device-fleet/fleet.ts'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant } from '../db/fixtures.ts'
import { DEMO_PRODUCTS, type DemoProduct } from '../db/seeds/demo/catalogue.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { createFormatTools } from '../ingest/formats/format-tools.ts'
import { type TestGateway, testGateway } from '../ingest/process/testing.ts'
import { JournalKind } from '../ingest/uplink.ts'
import { silentLogger } from '../lib/log.ts'

/** The demo's devices without MQTT, at a real gateway: what the catalogue says of a product fits what they send. */
let db: TestDatabase
let gateway: TestGateway
let fleet: Fleet
let drive: DeviceFixture
let meter: DeviceFixture
const formats = createFormatTools(silentLogger)

const catalogue = (kind: string) => DEMO_PRODUCTS.find(product => product.kind === kind)!

async function made(kind: 'pump_drive' | 'flow_meter', tenant: { id: string }, link: object = {}) {
  const { linkType, thingModel, format, link: said } = catalogue(kind)
  // Key and number are the seed of a simulated life: it is always the same one.
  const product = await insertProduct(db.superuser, tenant, {
    linkType: linkType!,
    model: thingModel,
    productKey: kind.replace('_', ''),
  })
  await db.superuser.query('update products set link = $2, format = $3 where id = $1', [
    product.id,
    { ...said, ...link },
    format,
  ])
  return insertDevice(db.superuser, product, { deviceNo: `${kind}-1` })
}

const simulated = (kind: 'pump_drive' | 'flow_meter', { product, deviceNo, secret }: DeviceFixture) => ({
  kind,
  productKey: product.productKey,
  deviceNo,
  deviceSecret: secret,
  intervalMs: 100,
  // A drive trips every few days: not while it is looked at.
  traits: { steady: true },
})

beforeAll(async () => {
  db = await testDatabase()
  const tenant = await insertTenant(db.superuser)
  // Polled faster than in the demo: somebody waits for it here. No answer is given up that only comes late.
  const modbus = { ...catalogue('pump_drive').link!.modbus!, cycleSeconds: 1, timeoutMs: 10_000 }
  drive = await made('pump_drive', tenant, { modbus })
  meter = await made('flow_meter', tenant)
  gateway = await testGateway(db)
  fleet = new Fleet(
    {
      mqtt: { host: '127.0.0.1', port: gateway.ports.mqtt },
      tcp: { host: '127.0.0.1', port: gateway.ports.tcp! },
      devices: [simulated('pump_drive', drive), simulated('flow_meter', meter)],
    },
    {},
    { tickMs: 10 },
  )
  await fleet.start()
})
afterAll(async () => {
  await fleet?.stop()
  await gateway?.stop()
  await formats.stop()
})

async function rows(of: DeviceFixture, kind: number) {
  const result = await db.superuser.query<{ values: Record<string, unknown>; refused_reason: string | null }>(
    'select values, refused_reason from journal where device = $1 and kind = $2 order by seq',
    [of.num, kind],
  )
  return result.rows
}
const latest = async (of: DeviceFixture) => (await rows(of, JournalKind.property)).at(-1)?.values
const identifiers = ({ thingModel }: DemoProduct) =>
  (thingModel.properties as { identifier: string }[]).map(({ identifier }) => identifier).sort()

async function command(params: object): Promise<Record<string, unknown>> {
  const id = randomUUID()
  await db.superuser.query(
    `insert into commands (id, tenant_id, device_id, device, kind, params, state, timeout_ms, expires_at)
     values ($1, $2, $3, $4, 'property_set', $5, 'queued', 600000, now() + interval '1 hour')`,
    [id, drive.tenantId, drive.id, drive.num, params],
  )
  gateway.wake([drive.num])
  const reply = async () =>
    (await rows(drive, JournalKind.reply)).find(row => row.values.commandId === id)?.values ?? null
  await expect.poll(reply).not.toBeNull()
  return (await reply())!
}

describe('the demo’s devices behind DTUs', () => {
  it.each(['pump_drive', 'flow_meter'])('%s: its format is one that the platform takes', async kind => {
    const { thingModel, format } = catalogue(kind)
    const parsed = parseModel(thingModel)
    if (!parsed.ok) expect.fail(JSON.stringify(parsed.problems))
    expect((await formats.check(format!, [parsed.model])).problems).toEqual([])
  })

  it('the drive is polled: every property of its model, and nothing refused', async () => {
    await expect
      .poll(async () => Object.keys((await latest(drive)) ?? {}).sort())
      .toEqual(identifiers(catalogue('pump_drive')))
    const values = (await latest(drive))!
    expect(values).toMatchObject({ run: true, ramp_time: 20, fault_code: 0 })
    expect(values.frequency).toBe(values.speed_setpoint)
    for (const [identifier, low, high] of [
      ['speed_setpoint', 36, 46],
      ['bus_voltage', 500, 570],
      ['power', 2, 22],
      ['current', 5, 60],
      ['run_hours', 900, 20_000],
    ] as const) {
      expect(values[identifier], identifier).toBeGreaterThan(low - 0.01)
      expect(values[identifier], identifier).toBeLessThan(high)
    }
    expect(await rows(drive, JournalKind.refused)).toEqual([])
    expect(gateway.session(drive.num)).toMatchObject({ transport: 'tcp', protocolVersion: 'modbus-rtu' })
  })

  it('a write reaches it, stands when it is read back, and the drive obeys', async () => {
    expect(await command({ speed_setpoint: 12.5, ramp_time: 1 })).toMatchObject({
      code: 0,
      data: { speed_setpoint: 12.5, ramp_time: 1 },
    })
    await expect.poll(() => latest(drive)).toMatchObject({ frequency: 12.5, run: true })
    expect(await command({ run: false })).toMatchObject({ code: 0, data: { run: false } })
    await expect.poll(() => latest(drive)).toMatchObject({ frequency: 0, run: false, power: 0, current: 0 })
    expect(fleet.stats.commands).toBe(3)
  })

  it('what the drive cannot do it refuses', async () => {
    expect(await command({ speed_setpoint: 600 })).toMatchObject({
      code: 1,
      message: 'slave 1 answered exception 3 (illegal data value)',
    })
  })

  it('the flow meter is in, its heartbeat is answered, and its lines are values', async () => {
    await expect.poll(async () => (await rows(meter, JournalKind.property)).length).toBeGreaterThan(2)
    const frames = (await rows(meter, JournalKind.property)).map(row => row.values)
    for (const values of frames) expect(Object.keys(values).sort()).toEqual(identifiers(catalogue('flow_meter')))
    const totals = frames.map(values => values.total as number)
    expect(totals).toEqual(totals.toSorted((a, b) => a - b))
    expect(await rows(meter, JournalKind.refused)).toEqual([])
    expect(fleet.stats).toMatchObject({ devices: 2, connected: 2 })
  })
})
