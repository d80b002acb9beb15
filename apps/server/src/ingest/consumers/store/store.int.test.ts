import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant } from '../../../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../../../db/testing.ts'
import { ManualClock } from '../../../lib/clock.ts'
import type { Ctx } from '../../../lib/context.ts'
import { silentLogger } from '../../../lib/log.ts'
import fc from '../../../lib/testing/fast-check.ts'
import { createTelemetryModule, HOUR_MS } from '../../../modules/telemetry/index.ts'
import { compactHours } from '../../journal/compaction.ts'
import { insertRows, type RowFixture, until } from '../../testing/journal-rows.ts'
import { JournalKind } from '../../uplink.ts'
import { createConsumerRunner } from '../consumer-runner.ts'
import { createJournalStream } from '../journal-stream.ts'
import { createStoreConsumer, type StoreLimits } from './store.consumer.ts'

let db: TestDatabase
let devices: DeviceFixture[]
let ctx: Ctx
const NOW = Math.floor(Date.now() / HOUR_MS) * HOUR_MS + 20 * 60_000
const clock = new ManualClock(NOW)
const properties = ['t', 'n', 'on', 'note', 'big', 'doc', 'fleeting'] as const

beforeAll(async () => {
  db = await testDatabase()
  const tenant = await insertTenant(db.superuser)
  const type = { t: 'double', n: 'int32', on: 'bool', note: 'string', big: 'int64', doc: 'json', fleeting: 'double' }
  const product = await insertProduct(db.superuser, tenant, {
    model: {
      properties: properties.map(identifier => ({
        identifier,
        name: identifier,
        access: 'r',
        dataType: { type: type[identifier] },
        ...(identifier === 'fleeting' ? { history: false } : {}),
      })),
      events: [],
      services: [],
    },
  })
  devices = [await insertDevice(db.superuser, product), await insertDevice(db.superuser, product)]
  ctx = {
    tenantId: tenant.id,
    actor: { kind: 'system', name: 'test' },
    locale: 'en',
    requestId: 'test',
    now: NOW,
  } as unknown as Ctx
})

const clear = () =>
  db.superuser.query(
    'truncate journal, telemetry, telemetry_unmerged, device_events, consumer_cursors, consumer_dead_letters',
  )
afterEach(clear)

/** Seals everything there is, as one or more segments. */
async function seal(limits: Partial<StoreLimits> = { values: 1 }): Promise<void> {
  const pool = db.database.telemetry
  const store = createStoreConsumer({ db: pool, clock, logger: silentLogger, limits })
  const runner = createConsumerRunner({
    consumers: [store],
    stream: createJournalStream(pool),
    db: pool,
    logger: silentLogger,
  })
  await runner.start()
  await until(async () => (await unsealed()) === 0)
  await runner.stop()
}

async function unsealed(): Promise<number> {
  const { rows } = await db.superuser.query(
    `select count(*)::int as n from journal j where seq > coalesce((select seq from consumer_cursors c where consumer = 'store' and c.lane = j.lane), 0)`,
  )
  return rows[0].n
}

const segments = async () =>
  (await db.superuser.query('select count(*)::int as n, sum(n)::int as values from telemetry')).rows[0]

const service = () => createTelemetryModule({ database: db.database }).service

/** What a plain map makes of the same posts: of equal times the last counts. */
class PlainModel {
  private readonly values = new Map<string, Map<number, unknown>>()

  add(row: RowFixture): void {
    for (const [property, value] of Object.entries(row.values as object)) {
      const key = `${row.device}/${property}`
      const known = this.values.get(key) ?? new Map()
      this.values.set(key, known)
      known.set(row.ts!, value)
    }
  }

  points(device: number, property: string, from: number, to: number): [number, unknown][] {
    return [...(this.values.get(`${device}/${property}`) ?? [])]
      .filter(([ts]) => ts >= from && ts <= to)
      .sort((a, b) => a[0] - b[0])
  }

  columns(device: number, property: string, from: number, to: number, width: number): number[][] {
    const columns = new Map<number, number[]>()
    for (const [ts, value] of this.points(device, property, from, to)) {
      const number =
        typeof value === 'boolean'
          ? Number(value)
          : typeof value === 'string' && /^-?\d{16,}$/.test(value)
            ? Number(value)
            : value
      if (typeof number !== 'number') continue
      const start = Math.floor(ts / width) * width
      columns.set(start, [...(columns.get(start) ?? []), number])
    }
    return [...columns]
      .sort((a, b) => a[0] - b[0])
      .map(([ts, list]) => [ts, list.reduce((a, b) => a + b) / list.length, Math.min(...list), Math.max(...list)])
  }
}

async function rawOf(
  device: DeviceFixture,
  property: string,
  from: number,
  to: number,
  limit: number,
): Promise<[number, unknown][]> {
  const items: [number, unknown][] = []
  let cursor: string | undefined
  do {
    const page = await service().raw(ctx, device.id, {
      identifier: property,
      from,
      to,
      limit,
      ...(cursor ? { cursor } : {}),
    })
    expect(page.items.length).toBeLessThanOrEqual(limit)
    items.push(...(page.items as [number, unknown][]))
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  return items
}

const value = {
  t: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }).map(v => v + 0),
    fc.integer({ min: -500, max: 500 }).map(v => v / 10),
  ),
  n: fc.integer({ min: -100, max: 100 }),
  on: fc.boolean(),
  note: fc.string({ unit: 'grapheme', maxLength: 12 }).filter(text => !text.includes('\0')),
  big: fc.constantFrom(7, '9007199254740993', '-9223372036854775808'),
  doc: fc.constantFrom<unknown>(null, 5, 'x', { a: [1, { b: '值' }] }, [], true),
}
// Few different times, so that many coincide; some are weeks late.
const time = fc.oneof(
  fc.integer({ min: -40, max: 40 }).map(step => NOW + step * 97_000),
  fc.integer({ min: 0, max: 3 }).map(step => NOW - 20 * 86_400_000 + step * 1_700_000),
)
const post = fc.record({
  device: fc.integer({ min: 0, max: 1 }),
  ts: time,
  quality: fc.constantFrom(0, 0, 1),
  values: fc.record(value, { requiredKeys: [] }),
})

describe('history', () => {
  it('read before, while and after it is sealed and merged is what a plain model says', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(post, fc.constantFrom('', '', '', '', '', '', 'seal', 'merge')), {
          minLength: 1,
          maxLength: 40,
        }),
        fc.integer({ min: 4, max: 30 }),
        async (steps, limit) => {
          await clear()
          const model = new PlainModel()
          const check = async () => {
            for (const device of devices) {
              for (const property of ['t', 'n', 'on', 'note', 'big', 'doc']) {
                for (const [from, to] of [
                  [NOW - 30 * 86_400_000, NOW + HOUR_MS],
                  [NOW - 1_000_000, NOW + 500_000],
                ] as const) {
                  const expected = model.points(device.num, property, from, to)
                  expect(await rawOf(device, property, from, to, limit)).toEqual(expected)
                  const { series } = await service().series(ctx, device.id, {
                    identifier: property,
                    from,
                    to,
                    points: 5,
                  })
                  const [{ points, resolutionMs }] = series as unknown as [{ points: number[][]; resolutionMs: number }]
                  if (resolutionMs === 0) continue
                  const aligned = resolutionMs % 300_000 === 0
                  const start = aligned ? Math.floor(from / resolutionMs) * resolutionMs : from
                  const end = aligned ? Math.ceil((to + 1) / resolutionMs) * resolutionMs - 1 : to
                  const columns = model.columns(device.num, property, start, end, resolutionMs)
                  expect(points.map(([ts, , min, max]) => [ts, min, max])).toEqual(
                    columns.map(([ts, , min, max]) => [ts, min, max]),
                  )
                  for (const [i, column] of columns.entries()) {
                    const scale = Math.max(1, Math.abs(column[2]!), Math.abs(column[3]!))
                    expect(Math.abs(points[i]![1]! - column[1]!) / scale).toBeLessThan(1e-9)
                  }
                }
              }
            }
          }
          for (const [{ device, ...rest }, then] of steps) {
            const row = { ...rest, device: devices[device]!.num, arrivedAt: NOW }
            await insertRows(db, [row])
            model.add(row)
            if (then !== '') await seal()
            if (then === 'merge')
              await compactHours(db.database.telemetry, Number.MAX_SAFE_INTEGER % 2 ** 31, new AbortController().signal)
          }
          await check()
          await seal()
          await check()
          await compactHours(db.database.telemetry, 2 ** 31 - 1, new AbortController().signal)
          await check()
          const { rows } = await db.superuser.query(
            'select from telemetry group by device, property, hour having count(*) > 1',
          )
          expect(rows).toEqual([])
        },
      ),
      { numRuns: 5, endOnFailure: true },
    )
  })

  it('uses roll-ups where it can, and they say the same as the values', async () => {
    const [device] = devices
    const start = NOW - 3 * HOUR_MS
    const rows = Array.from({ length: 1_000 }, (_, i) => ({
      device: device!.num,
      ts: start + i * 10_000,
      arrivedAt: NOW,
      values: { t: i % 50, on: i % 3 === 0 },
    }))
    await insertRows(db, rows)
    const model = new PlainModel()
    for (const row of rows) model.add(row)
    const read = async (points: number) =>
      (await service().series(ctx, device!.id, { identifier: 't,on', from: start, to: NOW, points })).series
    const before = [await read(2), await read(20), await read(100)]
    // The last is finer than the roll-ups.
    expect(
      before.map(([series]) => [series!.resolutionMs % HOUR_MS === 0, series!.resolutionMs % 300_000 === 0]),
    ).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ])
    await seal()
    expect([await read(2), await read(20), await read(100)]).toEqual(before)
    // The same question answered without the values: they are gone, only the roll-ups are left.
    await db.superuser.query(`update telemetry set body = '\\x00' where slots is not null`)
    expect([await read(2), (await read(20)).map(s => s.points.length)]).toEqual([
      before[0],
      before[1]!.map(s => s.points.length),
    ])
  })

  it('of a property of which only the latest is kept is empty, sealed or not', async () => {
    const [device] = devices
    await insertRows(db, [{ device: device!.num, values: { fleeting: 1, t: 2 }, ts: NOW - 1_000, arrivedAt: NOW }])
    const read = async () => [
      await rawOf(device!, 'fleeting', NOW - HOUR_MS, NOW, 10),
      await rawOf(device!, 't', NOW - HOUR_MS, NOW, 10),
    ]
    expect(await read()).toEqual([[], [[NOW - 1_000, 2]]])
    await seal()
    expect(await read()).toEqual([[], [[NOW - 1_000, 2]]])
    expect(await segments()).toEqual({ n: 1, values: 1 })
  })

  it('of events is whole before and after sealing, newest first', async () => {
    const [device] = devices
    const event = (n: number) => ({
      device: device!.num,
      kind: JournalKind.event,
      ts: NOW - n * 1_000,
      arrivedAt: NOW,
      values: { identifier: n % 2 ? 'odd' : 'even', level: 'warning', params: { n } },
    })
    await insertRows(db, [event(3), event(1)])
    await seal()
    await insertRows(db, [event(2), event(0)])
    const read = async (query = {}) => {
      const found: unknown[] = []
      let cursor: string | undefined
      do {
        const page = await service().events(ctx, device!.id, { limit: 1, ...query, ...(cursor ? { cursor } : {}) })
        found.push(...page.items.map(item => item.params.n))
        cursor = page.nextCursor ?? undefined
      } while (cursor)
      return found
    }
    expect([await read(), await read({ identifier: 'odd' })]).toEqual([
      [0, 1, 2, 3],
      [1, 3],
    ])
    await seal()
    expect([await read(), await read({ identifier: 'odd' })]).toEqual([
      [0, 1, 2, 3],
      [1, 3],
    ])
  })
})

describe('sealing', () => {
  it('waits for the end of the hour, for many values, or for many messages per device', async () => {
    const pool = db.database.telemetry
    const lane = devices[0]!.num % 2
    const open = (limits: Partial<StoreLimits>) =>
      createStoreConsumer({ db: pool, clock: new ManualClock(NOW), logger: silentLogger, limits }).open(lane)
    const stream = createJournalStream(pool)
    await insertRows(
      db,
      Array.from({ length: 10 }, (_, n) => ({ device: devices[0]!.num, values: { n, t: n }, arrivedAt: NOW, ts: NOW })),
    )
    const rows = await stream.read(stream.start(lane), 100)
    const due = (limits: Partial<StoreLimits>) => {
      const store = open(limits)
      expect(store.dueInMs()).toBeNull()
      store.take(rows)
      return store.dueInMs()
    }
    expect(due({})).toBe(40 * 60_000 + 60_000 + lane * 20_000)
    // Every second lane is sealed at half of it the first time.
    const early = lane % 2 === 1 ? 2 : 1
    expect(due({ values: 20 * early })).toBe(0)
    expect(due({ values: 21 * early })).toBeGreaterThan(0)
    expect(due({ leastRows: 10, rowsPerDevice: 10 })).toBe(0)
    expect(due({ leastRows: 10, rowsPerDevice: 11 })).toBeGreaterThan(0)
  })

  it('and its cursor are one: what fails half way is sealed once by the next try', async () => {
    await insertRows(
      db,
      Array.from({ length: 30 }, (_, n) => ({
        device: devices[n % 2]!.num,
        values: { n },
        ts: NOW - n * 1_000,
        arrivedAt: NOW,
      })),
    )
    await db.superuser.query(
      `create sequence tries; grant usage on sequence tries to public;
       create function fail_twice() returns trigger language plpgsql as $$ begin if nextval('tries') <= 4 then raise exception 'no' using errcode = '40001'; end if; return new; end $$;
       create trigger fail_twice before update on consumer_cursors for each row when (new.consumer = 'store') execute function fail_twice()`,
    )
    try {
      await seal()
    } finally {
      await db.superuser.query('drop function fail_twice cascade; drop sequence tries')
    }
    expect(await segments()).toMatchObject({ values: 30 })
  })

  it('leaves out a device that is gone, and takes a property that has no number yet', async () => {
    const [device] = devices
    await db.superuser.query(`delete from product_properties where identifier = 'doc'`)
    await insertRows(db, [
      { device: 888_888, values: { t: 1 }, ts: NOW, arrivedAt: NOW },
      { device: device!.num, values: { doc: { a: 1 } }, ts: NOW, arrivedAt: NOW },
    ])
    await seal()
    expect(await rawOf(device!, 'doc', NOW - 1_000, NOW, 10)).toEqual([[NOW, { a: 1 }]])
    expect(await segments()).toEqual({ n: 1, values: 1 })
  })
})
