import { text } from 'node:stream/consumers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type DeviceFixture,
  insertDevice,
  insertProduct,
  insertTenant,
  type ProductFixture,
} from '../../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { insertRows } from '../../ingest/testing/journal-rows.ts'
import { JournalKind } from '../../ingest/uplink.ts'
import type { Ctx } from '../../lib/context.ts'
import { createTelemetryModule, type TelemetryModule } from './index.ts'
import { HOUR_MS, toSegments } from './segments/segment.ts'

const NOW = Date.now()
let db: TestDatabase
let product: ProductFixture
let device: DeviceFixture
let telemetry: TelemetryModule
let ctx: Ctx

const contextOf = (tenantId: string) =>
  ({ tenantId, actor: { kind: 'system', name: 'test' }, locale: 'en', requestId: 'test', now: NOW }) as unknown as Ctx

beforeAll(async () => {
  db = await testDatabase()
  const tenant = await insertTenant(db.superuser)
  product = await insertProduct(db.superuser, tenant)
  ctx = contextOf(tenant.id)
  telemetry = createTelemetryModule({ database: db.database })
})
beforeEach(async () => {
  await db.superuser.query('truncate journal, consumer_cursors')
  device = await insertDevice(db.superuser, product)
})

const insert = (
  rows: { values?: unknown; kind?: number; ts?: number; arrivedAt?: number; raw?: Buffer; refusedReason?: string }[],
) =>
  insertRows(
    db,
    rows.map(row => ({ device: device.num, ...row })),
  )

describe('latest values', () => {
  it('are there at once, with time and quality in words', async () => {
    await insertRows(db, [{ device: device.num, values: { temperature: 21.5, note: '暖' }, ts: NOW, quality: 1 }])
    expect((await telemetry.service.latest(ctx, device.id)).items).toEqual([
      { identifier: 'temperature', value: 21.5, ts: NOW, quality: 'uncertain' },
      { identifier: 'note', value: '暖', ts: NOW, quality: 'uncertain' },
    ])
  })

  it('of a device that never reported are none', async () => {
    expect((await telemetry.service.latest(ctx, device.id)).items).toEqual([])
  })
})

describe('questions', () => {
  const range = { from: NOW - 1_000, to: NOW }

  it('about another company’s device are answered as if there were none', async () => {
    const stranger = contextOf((await insertTenant(db.superuser)).id)
    const { service } = telemetry
    for (const ask of [
      () => service.latest(stranger, device.id),
      () => service.series(stranger, device.id, { identifier: 'temperature', ...range }),
      () => service.raw(stranger, device.id, { identifier: 'temperature', ...range }),
      () => service.exportCsv(stranger, device.id, { identifier: 'temperature', ...range }),
      () => service.messages(stranger, device.id, {}),
      () => service.events(stranger, device.id, {}),
      () => service.connections(stranger, device.id, {}),
    ])
      await expect(ask()).rejects.toMatchObject({ code: 'device.not_found' })
  })

  it.each([
    [{ identifier: 'nope', ...range }, 'telemetry.property_unknown'],
    [{ identifier: ',', ...range }, 'request.validation'],
    [
      { identifier: Array.from({ length: 17 }, (_, i) => `p${i}`).join(','), ...range },
      'telemetry.too_many_identifiers',
    ],
    [{ identifier: 'temperature', from: NOW, to: NOW - 1 }, 'telemetry.range_invalid'],
    [{ identifier: 'temperature', from: 'yesterday', to: NOW }, 'telemetry.range_invalid'],
    [{ identifier: 'temperature', from: NOW - 401 * 86_400_000, to: NOW }, 'telemetry.range_invalid'],
  ])('that make no sense are refused: %j', async (query, code) => {
    await expect(telemetry.service.series(ctx, device.id, query)).rejects.toMatchObject({ code })
  })

  it('about positions bring back where the device was, a page at a time', async () => {
    const properties = [{ identifier: 'spot', name: 'spot', dataType: { type: 'geo' }, access: 'r' }]
    const moving = await insertProduct(
      db.superuser,
      { id: ctx.tenantId! },
      { model: { properties, events: [], services: [] } },
    )
    const { id, num } = await insertDevice(db.superuser, moving)
    const places = [119.3, 119.4, 119.5].map(lng => ({ lng, lat: 26.08 }))
    await insertRows(
      db,
      places.map((spot, n) => ({ device: num, values: { spot }, ts: NOW - 30 + n * 10 })),
    )
    const ask = { identifier: 'spot', ...range, limit: 2 }
    const first = await telemetry.service.raw(ctx, id, ask)
    expect(first.items).toEqual([
      [NOW - 30, places[0]],
      [NOW - 20, places[1]],
    ])
    const rest = await telemetry.service.raw(ctx, id, { ...ask, cursor: first.nextCursor! })
    expect(rest).toEqual({ items: [[NOW - 10, places[2]]], nextCursor: null })
  })

  it('take times as epoch ms, as digits and as ISO 8601, both ends included', async () => {
    await insert([
      { values: { count: 1 }, ts: NOW - 10 },
      { values: { count: 2 }, ts: NOW },
      { values: { count: 3 }, ts: NOW + 1 },
    ])
    for (const time of [(ms: number) => ms, (ms: number) => String(ms), (ms: number) => new Date(ms).toISOString()]) {
      const { items } = await telemetry.service.raw(ctx, device.id, {
        identifier: 'count',
        from: time(NOW - 10),
        to: time(NOW),
      })
      expect(items).toEqual([
        [NOW - 10, 1],
        [NOW, 2],
      ])
    }
  })
})

describe('a series', () => {
  it('of few values shows them as they are, of many at most as many columns as asked for', async () => {
    await insert(
      Array.from({ length: 300 }, (_, i) => ({
        values: { count: i, switch: i % 2 === 0, note: 'x' },
        ts: NOW - 300_000 + i * 1_000,
      })),
    )
    const ask = async (points: number, identifier = 'count') =>
      (await telemetry.service.series(ctx, device.id, { identifier, from: NOW - 300_000, to: NOW, points })).series[0]!
    expect(await ask(300)).toMatchObject({
      resolutionMs: 0,
      points: expect.arrayContaining([[NOW - 299_000, 1, 1, 1]]),
    })
    const columns = await ask(10)
    expect(columns.points.length).toBeLessThanOrEqual(10)
    expect(columns.resolutionMs).toBeGreaterThan(0)
    expect([columns.points[0]![2], columns.points.at(-1)![3]]).toEqual([0, 299])
    expect((await ask(1)).points.length).toBeLessThanOrEqual(2)
    expect((await ask(300, 'switch')).points.slice(0, 2).map(p => p[1])).toEqual([1, 0])
    // Text cannot be drawn.
    expect((await ask(300, 'note')).points).toEqual([])
  })
})

describe('a device at a moment in the past', () => {
  const HOUR = Math.floor(NOW / HOUR_MS) * HOUR_MS
  const temperature = () => product.properties.temperature!
  const seal = async (segment: number, readings: readonly (readonly [ts: number, value: number])[]) => {
    const rows = toSegments(
      { device: device.num, property: temperature(), segment },
      { times: readings.map(([ts]) => ts), values: readings.map(([, value]) => value), quality: null },
    )
    for (const { hour, n, body } of rows) {
      await db.superuser.query('select ensure_telemetry_partition($1)', [hour])
      await db.superuser.query(
        'insert into telemetry (segment, device, property, hour, n, body) values ($1, $2, $3, $4, $5, $6)',
        [segment, device.num, temperature(), hour, n, body],
      )
    }
  }
  const at = async (ts: number) =>
    (await telemetry.service.past(ctx, device.id, { identifiers: ['temperature', 'none'], ts })).values.get(
      'temperature',
    )
  const old = HOUR - 40 * 24 * HOUR_MS

  it('has the last sealed value at or before it, however long ago, and the later segment of equal times', async () => {
    await seal(1, [
      [old + 5, 1],
      [HOUR - HOUR_MS + 10, 2],
      [HOUR + 20, 3],
    ])
    await seal(2, [[HOUR - HOUR_MS + 10, 22]])
    expect(await at(old + 4)).toBeUndefined()
    expect(await at(old + 5)).toEqual({ ts: old + 5, value: 1, quality: 0 })
    // The hour of the moment has later values only: the hour before it ends with the one that counts.
    expect(await at(HOUR - HOUR_MS + 9)).toMatchObject({ ts: old + 5, value: 1 })
    expect(await at(HOUR + 19)).toMatchObject({ ts: HOUR - HOUR_MS + 10, value: 22 })
    expect(await at(HOUR + 20)).toMatchObject({ value: 3 })
  })

  it('takes what is not sealed yet over what is', async () => {
    await seal(1, [[HOUR - 100, 1]])
    await insert([
      { values: { temperature: 5 }, ts: HOUR - 100 },
      { values: { temperature: 6 }, ts: HOUR - 50 },
    ])
    expect(await at(HOUR - 51)).toMatchObject({ ts: HOUR - 100, value: 5 })
    expect(await at(HOUR)).toMatchObject({ value: 6 })
  })
})

describe('a CSV file', () => {
  it('has a mark, a head, one line per time, and no cell that a spreadsheet would run', async () => {
    // The company's clock is eight hours ahead.
    const local = (ts: number) => new Date(ts + 8 * 3_600_000).toISOString().replace('Z', '+08:00')
    await insert([
      { values: { count: 1, note: '=cmd()' }, ts: NOW - 2 },
      { values: { count: 2 }, ts: NOW - 1 },
      { values: { note: 'a"b,\nc' }, ts: NOW - 1 },
    ])
    const reply = await telemetry.service.exportCsv(ctx, device.id, {
      identifier: 'count,note',
      from: NOW - 100,
      to: NOW,
    })
    expect(await text(reply.body)).toBe(
      `\uFEFFtime (Asia/Shanghai),ts,count,note\r\n${local(NOW - 2)},${NOW - 2},1,'=cmd()\r\n${local(NOW - 1)},${NOW - 1},2,"a""b,\nc"\r\n`,
    )
    expect(reply.fileName).toBe(`${device.deviceNo}.csv`)
  })
})

describe('the message log', () => {
  it('shows no more than the hours that the company keeps', async () => {
    await insert([
      { values: { count: 1 }, arrivedAt: NOW - 2 * 3_600_000 },
      { values: { count: 2 }, arrivedAt: NOW - 60_000 },
    ])
    const short = createTelemetryModule({ database: db.database, messageLogHours: async () => 1 })
    expect((await short.service.messages(ctx, device.id, {})).items).toHaveLength(1)
    expect((await telemetry.service.messages(ctx, device.id, {})).items).toHaveLength(2)
  })

  it('shows everything the device sent, newest first, page by page, by kind, with the bytes of refusals', async () => {
    await insert([
      { kind: JournalKind.online, values: { transport: 'mqtt' }, arrivedAt: NOW - 3 },
      { values: { count: 1 }, arrivedAt: NOW - 2, ts: NOW - 50 },
      {
        kind: JournalKind.refused,
        values: { path: 'count', detail: 'expects int32, got string' },
        refusedReason: 'property_type',
        raw: Buffer.from('{"count":"值"}'),
        arrivedAt: NOW - 1,
      },
      {
        kind: JournalKind.refused,
        values: { path: '', detail: 'not UTF-8' },
        refusedReason: 'json_invalid',
        raw: Buffer.from([0xff, 0]),
        arrivedAt: NOW,
      },
    ])
    const first = await telemetry.service.messages(ctx, device.id, { limit: 3 })
    expect(first.items.map(item => [item.kind, item.hex, item.text, item.refusedReason])).toEqual([
      ['refused', 'ff00', null, 'json_invalid'],
      ['refused', Buffer.from('{"count":"值"}').toString('hex'), '{"count":"值"}', 'property_type'],
      ['property', null, null, null],
    ])
    expect(first.items[2]).toMatchObject({
      ts: NOW - 50,
      arrivedAt: new Date(NOW - 2).toISOString(),
      values: { count: 1 },
      late: false,
      quality: 'good',
      deviceTs: null,
    })
    const rest = await telemetry.service.messages(ctx, device.id, { limit: 3, cursor: first.nextCursor! })
    expect([rest.items.map(item => item.kind), rest.nextCursor]).toEqual([['online'], null])
    expect((await telemetry.service.messages(ctx, device.id, { kind: 'online' })).items).toHaveLength(1)
    for (const cursor of ['x', Buffer.from('["1; drop"]').toString('base64url')])
      await expect(telemetry.service.messages(ctx, device.id, { cursor })).rejects.toMatchObject({
        code: 'request.cursor_invalid',
      })
  })
})

describe('a device that is gone for good', () => {
  it('leaves nothing behind, and its neighbours everything', async () => {
    const neighbour = await insertDevice(db.superuser, product)
    for (const { num } of [device, neighbour]) {
      await insertRows(db, [{ device: num, values: { count: 1 } }])
      await db.superuser.query('select ensure_telemetry_partition($1)', [Math.floor(NOW / 3_600_000)])
      await db.superuser.query(
        'insert into telemetry (segment, device, property, hour, n, body) values (1, $1, 1, $2, 1, $3)',
        [num, Math.floor(NOW / 3_600_000), Buffer.from([1])],
      )
      await db.superuser.query(`insert into latest (device, values) values ($1, '{}')`, [num])
      await db.superuser.query(
        `insert into device_events (device, ts, lane, seq, identifier, level, params) values ($1, 1, 0, 1, 'e', 'info', '{}')`,
        [num],
      )
      await db.superuser.query(
        `insert into device_connections (device, at, seq, kind) values ($1, now(), 1, 'online')`,
        [num],
      )
      await db.superuser.query('insert into device_stats (device, hour) values ($1, 1)', [num])
      await db.superuser.query(
        `insert into refused_frames (product, device, at, lane, seq, reason) values (1, $1::int, now(), $2, $1::int, 'x')`,
        [num, num % 2],
      )
    }
    await telemetry.purge(device.num)
    await telemetry.purge(device.num)
    for (const table of [
      'journal',
      'telemetry',
      'latest',
      'device_events',
      'device_connections',
      'device_stats',
      'refused_frames',
    ]) {
      const { rows } = await db.superuser.query(`select device from ${table} where device = any($1)`, [
        [device.num, neighbour.num],
      ])
      expect([table, rows]).toEqual([table, [{ device: neighbour.num }]])
    }
  })
})
