import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct } from '../../db/fixtures.ts'
import { type Company, company } from '../../db/testing/management.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { insertRows } from '../../ingest/testing/journal-rows.ts'
import { JournalKind } from '../../ingest/uplink.ts'
import { createTelemetryService, type TelemetryService } from './telemetry.service.ts'

let db: TestDatabase
let own: Company
let device: DeviceFixture
let telemetry: TelemetryService

const NOW = Date.now()
const at = (seconds: number) => NOW - 600_000 + seconds * 1_000

beforeAll(async () => {
  db = await testDatabase()
  own = await company(db)
  const product = await insertProduct(db.superuser, own)
  device = await insertDevice(db.superuser, product)
  const other = await insertDevice(db.superuser, product)
  telemetry = createTelemetryService({ database: db.database })
  const numbers = await insertRows(db, [
    { device: device.num, kind: JournalKind.online, values: { transport: 'mqtt' }, arrivedAt: at(0) },
    { device: device.num, values: { temperature: 21, note: 'Müller_1' }, arrivedAt: at(10) },
    { device: device.num, values: { temperature: 22 }, quality: 1, arrivedAt: at(20) },
    {
      device: device.num,
      kind: JournalKind.refused,
      values: { path: '', detail: 'x' },
      raw: Buffer.from('deadbeef', 'hex'),
      refusedReason: 'json_invalid',
      arrivedAt: at(40),
    },
    { device: other.num, values: { temperature: 99 }, arrivedAt: at(45) },
    { device: device.num, kind: JournalKind.online, values: { transport: 'simulator' }, arrivedAt: at(50) },
    { device: device.num, values: { temperature: 23 }, arrivedAt: at(60) },
    { device: device.num, kind: JournalKind.offline, values: { transport: 'simulator' }, arrivedAt: at(70) },
    { device: device.num, values: { temperature: 24 }, arrivedAt: at(80) },
  ])
  await db.superuser.query(
    `insert into device_connections (device, at, seq, kind, transport) values
     ($1, to_timestamp($2::float8 / 1000), $3, 'online', 'simulator'), ($1, to_timestamp($4::float8 / 1000), $5, 'offline', 'simulator')`,
    [device.num, at(50), numbers[5], at(70), numbers[7]],
  )
  await db.superuser.query(
    `insert into commands (id, tenant_id, device_id, device, kind, params, state, expires_at, sent_at)
     select gen_random_uuid(), $1, $2, $3, 'property_set', jsonb_build_object('switch', n = 1), 'succeeded', now() + interval '1 day',
       to_timestamp($4::float8 / 1000) + make_interval(secs => n * 30)
     from generate_series(1, 2) n order by n`,
    [own.id, device.id, device.num, at(0)],
  )
})

const log = (query: Parameters<TelemetryService['messages']>[2] = {}) => telemetry.messages(own.ctx, device.id, query)
const words = async (query: Parameters<TelemetryService['messages']>[2] = {}) =>
  (await log(query)).items.map(({ kind, values }) =>
    `${kind} ${(values as { temperature?: number }).temperature ?? ''}`.trim(),
  )

describe('the message log', () => {
  it('has what the device said and what it was told in one list, newest first', async () => {
    expect(await words()).toEqual([
      'property 24',
      'offline',
      // Sent at the same second as the row below it arrived.
      ...['property 23', 'command'].sort().reverse(),
      'online',
      'refused',
      'command',
      'property 22',
      'property 21',
      'online',
    ])
    expect((await log()).items.find(({ kind }) => kind === 'refused')).toMatchObject({
      hex: 'deadbeef',
      text: null,
      refusedReason: 'json_invalid',
      direction: 'up',
    })
  })

  it('marks what somebody simulated', async () => {
    const { items } = await log()
    expect(items.filter(({ simulated }) => simulated).map(({ kind }) => kind)).toEqual([
      'offline',
      'property',
      'online',
    ])
  })

  it('is read page by page without losing or repeating anything', async () => {
    const all = (await log()).items.map(({ id }) => id)
    const paged: string[] = []
    let cursor: string | undefined
    do {
      const page = await log({ limit: 3, ...(cursor ? { cursor } : {}) })
      paged.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor ?? undefined
    } while (cursor)
    expect(paged).toEqual(all)
  })

  it.each([
    [{ kind: 'command' as const }, ['command', 'command']],
    [{ kind: 'property' as const, quality: 'uncertain' as const }, ['property 22']],
    [{ q: 'müller_' }, ['property 21']],
    [{ q: 'm_ller' }, []],
    [{ q: 'json_inv' }, ['refused']],
    [{ q: '0xAD be' }, ['refused']],
    [{ q: '0xbead' }, []],
    [{ from: at(15), to: at(25) }, ['property 22']],
    [{ q: 'switch', to: at(45) }, ['command']],
  ])('filters by %o', async (query, expected) => expect(await words(query)).toEqual(expected))

  it('looks at a bounded number of rows for a search and goes on from there', async () => {
    const busy = await insertDevice(db.superuser, device.product)
    // It may be another hour than that of the rows above.
    await db.superuser.query('select ensure_journal_partition(to_timestamp($1::float8 / 1000))', [at(100)])
    await db.superuser.query(
      `insert into journal (lane, seq, arrived_at, device, kind, ts, values)
       select ($1::int % 2)::smallint, 1000000 + n, to_timestamp($2::float8 / 1000), $1, 1, $2::bigint, json_build_object('count', n)
       from generate_series(1, 21000) n`,
      [busy.num, at(100)],
    )
    const first = await telemetry.messages(own.ctx, busy.id, { q: '"count" : 7}' })
    expect(first.items).toEqual([])
    expect(first.searchedTo).not.toBeNull()
    const second = await telemetry.messages(own.ctx, busy.id, { q: '"count" : 7}', cursor: first.nextCursor! })
    expect(second).toMatchObject({ items: [{ values: { count: 7 } }], nextCursor: null, searchedTo: null })
  })

  it('is downloaded as lines and as a table', async () => {
    const lines = async (format: 'ndjson' | 'csv') =>
      (await text((await telemetry.exportMessages(own.ctx, device.id, { format })).body)).trimEnd().split(/\r?\n/)
    const all = (await log()).items
    expect((await lines('ndjson')).map(line => JSON.parse(line))).toEqual(all)
    const csv = await lines('csv')
    expect(csv).toHaveLength(all.length + 1)
    expect(csv[0]).toBe('\uFEFFarrivedAt,kind,direction,quality,ts,deviceTs,late,simulated,refusedReason,values,hex')
    expect(csv.find(line => line.includes('json_invalid'))).toContain('deadbeef')
  })

  it('is nobody else’s', async () => {
    const stranger = await company(db)
    await expect(telemetry.messages(stranger.ctx, device.id, {})).rejects.toMatchObject({ code: 'device.not_found' })
    await expect(telemetry.exportMessages(stranger.ctx, device.id, { format: 'csv' })).rejects.toMatchObject({
      code: 'device.not_found',
    })
    await expect(telemetry.availability(stranger.ctx, device.id, {})).rejects.toMatchObject({
      code: 'device.not_found',
    })
  })

  it('has the days of a device beside it', async () => {
    const { items } = await telemetry.availability(own.ctx, device.id, { days: 3 })
    expect(items).toHaveLength(3)
    const known = items.reduce((sum, day) => sum + day.onlineMs, 0)
    expect(known).toBe(20_000)
  })
})
