import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant, type ProductFixture } from '../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import type { Ctx } from '../lib/context.ts'
import { createTelemetryModule, type TelemetryModule } from '../modules/telemetry/index.ts'
import { deviceRequest, type TestGateway, testGateway } from './process/testing.ts'
import { JournalKind } from './uplink.ts'

let db: TestDatabase
let product: ProductFixture
let gateway: TestGateway
let telemetry: TelemetryModule
let ctx: Ctx

const number = (identifier: string, over: object = {}, dataType: object = {}) => ({
  identifier,
  dataType: { type: 'double', ...dataType },
  ...over,
})

beforeAll(async () => {
  db = await testDatabase()
  const tenant = await insertTenant(db.superuser)
  product = await insertProduct(db.superuser, tenant, {
    model: {
      properties: [
        number('level', { mapping: { up: { x1: 0, y1: 0, x2: 4095, y2: 100 } } }),
        number('quiet', { store: { mode: 'deadband', band: 1 } }),
        number('strict', { outOfRange: 'bad' }, { max: 10 }),
      ],
    },
  })
  ctx = {
    tenantId: tenant.id,
    actor: { kind: 'system', reason: 'test' },
    locale: 'en',
    requestId: 'test',
    now: Date.now(),
  } as Ctx
  telemetry = createTelemetryModule({ database: db.database })
  gateway = await testGateway(db)
})
afterAll(() => gateway.stop())

const post = async (device: DeviceFixture, body: unknown) =>
  (await deviceRequest(gateway.start, device, 'property', { body: JSON.stringify(body) })).status
const rowsOf = async (device: DeviceFixture) =>
  (
    await db.superuser.query<{ kind: number; quality: number; values: Record<string, unknown> }>(
      'select kind, quality, values from journal where device = $1 and kind in (1, 7) order by seq',
      [device.num],
    )
  ).rows.map(row => [row.kind, row.quality, row.values])
const history = async (device: DeviceFixture, identifier: string) =>
  (
    await telemetry.service.raw(ctx, device.id, {
      identifier,
      from: ctx.now - 60_000,
      to: ctx.now + 600_000,
      detail: '1',
    })
  ).items.map(item => (item as unknown[]).slice(1))
const latest = async (device: DeviceFixture) =>
  (await telemetry.service.latest(ctx, device.id)).items.map(({ ts: _, ...item }) => item)

describe('what a thing model does with values, from the socket to the reader', () => {
  it('maps them, keeps the raw ones beside them, and tells both', async () => {
    const device = await insertDevice(db.superuser, product)
    expect(await post(device, { level: 819 })).toBe(200)
    expect(await latest(device)).toEqual([{ identifier: 'level', value: 20, quality: 'good', raw: 819 }])
    expect(await history(device, 'level')).toEqual([[20, 'good', 819]])
  })

  it('leaves small changes out of history; the latest value and the log have them', async () => {
    const device = await insertDevice(db.superuser, product)
    for (const quiet of [10, 10.4, 11.5]) expect(await post(device, { quiet })).toBe(200)
    expect(await rowsOf(device)).toEqual([
      [JournalKind.property, 0, { quiet: 10 }],
      [JournalKind.latest, 0, { quiet: 10.4 }],
      [JournalKind.property, 0, { quiet: 11.5 }],
    ])
    expect((await history(device, 'quiet')).map(([value]) => value)).toEqual([10, 11.5])
    await post(device, { quiet: 11.6 })
    expect(await latest(device)).toMatchObject([{ identifier: 'quiet', value: 11.6 }])
    const { items } = await telemetry.service.messages(ctx, device.id, { kind: 'property' })
    expect(items.map(item => (item.values as { quiet: number }).quiet)).toEqual([11.6, 11.5, 10.4, 10])
  })

  it('records what is out of range as bad, without the rest of the message', async () => {
    const device = await insertDevice(db.superuser, product)
    expect(await post(device, { strict: 12, quiet: 1 })).toBe(200)
    expect(await latest(device)).toEqual([
      { identifier: 'strict', value: 12, quality: 'bad' },
      { identifier: 'quiet', value: 1, quality: 'good' },
    ])
    expect(await history(device, 'strict')).toEqual([[12, 'bad', null]])
  })

  it('takes a clock ten years ahead, of uncertain quality, at the time of arrival', async () => {
    const device = await insertDevice(db.superuser, product)
    expect(await post(device, { ts: ctx.now + 10 * 365 * 86_400_000, values: { quiet: 1 } })).toBe(200)
    expect(await history(device, 'quiet')).toEqual([[1, 'uncertain', null]])
  })

  it('refuses 10,000 unknown properties with the reason', async () => {
    const device = await insertDevice(db.superuser, product)
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 1]))
    expect(await post(device, many)).toBe(413)
    const some = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, 1]))
    expect(await post(device, some)).toBe(422)
    const { rows } = await db.superuser.query(
      'select refused_reason from journal where device = $1 and kind = 6 order by seq',
      [device.num],
    )
    expect(rows.map(row => row.refused_reason)).toEqual(['too_large', 'property_unknown'])
  })

  it('is a device’s own where it has one, from the next message on, and only there', async () => {
    const device = await insertDevice(db.superuser, product)
    const other = await insertDevice(db.superuser, product)
    expect(await post(device, { door: true })).toBe(422)
    const overlay = {
      changed: { level: { mapping: { up: { x1: 0, y1: 0, x2: 10, y2: 100 } } } },
      added: [{ identifier: 'door', name: 'door', dataType: { type: 'bool' }, access: 'r' }],
    }
    await db.superuser.query(`update devices set overrides = jsonb_build_object('model', $2::jsonb) where id = $1`, [
      device.id,
      JSON.stringify(overlay),
    ])
    gateway.forget({ device: device.num })
    await expect.poll(() => post(device, { door: true, level: 5 })).toBe(200)
    expect(await history(device, 'level')).toEqual([[50, 'good', 5]])
    expect((await history(device, 'door')).map(([value]) => value)).toEqual([true])
    expect(await post(other, { door: true })).toBe(422)
    expect(await post(other, { level: 4095 })).toBe(200)
    expect(await history(other, 'level')).toEqual([[100, 'good', 4095]])
  })
})
