import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { insertDevice, insertProduct, insertTenant } from '../../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { ManualClock } from '../../lib/clock.ts'
import { openPool } from '../../lib/database/pool.ts'
import { silentLogger } from '../../lib/log.ts'
import { insertRows } from '../testing/journal-rows.ts'
import { createMaintenance } from './maintenance.ts'
import type { RetentionLimits } from './retention.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The present hour; partitions are made and dropped around it. */
const NOW = Math.floor(Date.now() / HOUR_MS) * HOUR_MS + 30 * 60_000
let db: TestDatabase

beforeAll(async () => {
  db = await testDatabase()
})
afterEach(async () => {
  await db.superuser.query('truncate consumer_cursors, journal')
  for (const name of await partitions('journal')) await db.superuser.query(`drop table ${name}`)
})

async function partitions(of: 'journal' | 'telemetry'): Promise<string[]> {
  const { rows } = await db.superuser.query<{ name: string }>(
    `select relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where inhparent = $1::regclass order by 1`,
    [of],
  )
  return rows.map(row => row.name)
}

const nameOf = (hoursAgo: number) =>
  `journal_${new Date(NOW - hoursAgo * HOUR_MS).toISOString().slice(0, 13).replace(/\D/g, '')}`

/** One row per lane in each of these hours, oldest first; every consumer has seen the first `seen` of each lane. */
async function journalOf(hoursAgo: number[], seen: Record<string, number>): Promise<void> {
  for (const hours of hoursAgo)
    await insertRows(
      db,
      [2, 3].map(device => ({ device, arrivedAt: NOW - hours * HOUR_MS })),
    )
  for (const [consumer, seq] of Object.entries(seen))
    await db.superuser.query('insert into consumer_cursors (consumer, lane, seq) values ($1, 0, $2), ($1, 1, $2)', [
      consumer,
      seq,
    ])
}

async function run(limits: Partial<RetentionLimits> = {}, now = NOW): Promise<void> {
  const maintenance = createMaintenance({
    db: db.database.telemetry,
    clock: new ManualClock(now),
    logger: silentLogger,
    consumers: ['store', 'stats'],
    limits,
  })
  await maintenance.run()
  await maintenance.stop()
}

const ALL = { store: 9, stats: 9, latest: 9 }

describe('the journal', () => {
  it('keeps the recorder’s window and drops what is older and settled', async () => {
    await journalOf([30, 26, 25, 23, 1, 0], ALL)
    await run()
    // 25 hours ago the partition began, 24 and a half ago it ended.
    expect(await partitions('journal')).toEqual([23, 1, 0].map(nameOf))
  })

  it.each(['store', 'stats', 'latest'])('keeps every row that %s has not seen', async consumer => {
    await journalOf([40, 30, 28], { ...ALL, [consumer]: 1 })
    await run()
    expect(await partitions('journal')).toEqual([30, 28].map(nameOf))
  })

  it('keeps everything while a consumer has no cursor, or has one in another lane only', async () => {
    await journalOf([40, 0], { store: 9, latest: 9 })
    await run()
    expect(await partitions('journal')).toHaveLength(2)
    await db.superuser.query(`insert into consumer_cursors (consumer, lane, seq) values ('stats', 0, 9)`)
    await run()
    expect(await partitions('journal')).toHaveLength(2)
  })

  it('drops the oldest sealed hours early when they take more room than allowed, never the one in use', async () => {
    await journalOf([5, 4, 3, 0], ALL)
    await run({ recorderBytes: 0 })
    expect(await partitions('journal')).toEqual([nameOf(0)])
  })

  it('lets readers finish: a partition somebody reads is dropped another time, and nobody waits long', async () => {
    await journalOf([40, 0], ALL)
    const reader = await db.superuser.connect()
    await reader.query('begin; select count(*) from journal')
    // It ends although the reader does not.
    await run()
    expect(await partitions('journal')).toHaveLength(2)
    await reader.query('commit')
    reader.release()
    await run()
    expect(await partitions('journal')).toEqual([nameOf(0)])
  })

  it('gets its next partitions without waiting for readers or writers', async () => {
    await journalOf([0], {})
    const busy = await db.superuser.connect()
    await busy.query(
      `begin; select count(*) from journal; insert into journal (seq, arrived_at, ts, device, lane, kind) values (99, to_timestamp(${NOW / 1_000}), 0, 2, 0, 4)`,
    )
    await db.database.telemetry.query(
      `begin; set local lock_timeout = '1ms'; select ensure_journal_partition(to_timestamp(${NOW / 1_000}) + interval '1 hour'); commit`,
    )
    await busy.query('rollback')
    busy.release()
    expect((await partitions('journal')).length).toBeGreaterThan(1)
  })
})

describe('what companies set', () => {
  const companyWith = async (retention: object) => {
    const tenant = await insertTenant(db.superuser)
    await db.superuser.query('update tenants set settings = $2 where id = $1', [
      tenant.id,
      JSON.stringify({ retention }),
    ])
    return tenant
  }
  afterEach(async () => {
    await db.superuser.query(`update tenants set kind = 'platform'`)
  })

  it('keeps the journal as long as the company that wants it longest, and shorter when all want less', async () => {
    await companyWith({ messageLogHours: 2 })
    await companyWith({ messageLogHours: 30 })
    await journalOf([40, 29, 5, 1, 0], ALL)
    await run()
    expect(await partitions('journal')).toEqual([29, 5, 1, 0].map(nameOf))
    await db.superuser.query(`update tenants set settings = '{"retention": {"messageLogHours": 2}}'`)
    await run()
    expect(await partitions('journal')).toEqual([1, 0].map(nameOf))
  })

  it('deletes the history of the company that keeps less, and nobody else’s', async () => {
    const { telemetry } = db.database
    const nums: Record<string, number> = {}
    for (const [name, retention] of Object.entries({ short: { telemetryDays: 10 }, long: {} })) {
      const device = await insertDevice(db.superuser, await insertProduct(db.superuser, await companyWith(retention)))
      nums[name] = device.num
      for (const days of [20, 11, 9, 0]) {
        const ms = NOW - days * DAY_MS
        const hour = Math.floor(ms / HOUR_MS)
        await telemetry.query('select ensure_telemetry_partition($1)', [hour])
        await telemetry.query(
          `insert into telemetry (segment, device, property, hour, n, body) values (1, $1, 1, $2, 1, '')`,
          [device.num, hour],
        )
        await telemetry.query(
          `insert into device_events (device, ts, lane, seq, identifier, level, params) values ($1, $2, 0, 1, 'x', 'info', '{}')`,
          [device.num, ms],
        )
        await telemetry.query(
          `insert into device_connections (device, at, seq, kind) values ($1, to_timestamp($2::float8 / 1000), 1, 'online')`,
          [device.num, ms],
        )
        await telemetry.query('insert into device_stats (device, hour, messages) values ($1, $2, 1)', [
          device.num,
          hour,
        ])
      }
    }
    await run()
    for (const table of ['telemetry', 'device_events', 'device_connections', 'device_stats']) {
      const count = async (num: number) =>
        (await db.superuser.query(`select count(*)::int as n from ${table} where device = $1`, [num])).rows[0].n
      expect([await count(nums.short!), await count(nums.long!)], table).toEqual([2, 4])
    }
  })
})

describe('what a thing model says', () => {
  it('deletes the history of properties that are kept shorter, with their raw values, and no other', async () => {
    const { telemetry } = db.database
    const product = await insertProduct(db.superuser, await insertTenant(db.superuser), {
      model: {
        properties: [
          { identifier: 'brief', dataType: { type: 'double' }, retentionDays: 10 },
          { identifier: 'usual', dataType: { type: 'double' } },
        ],
      },
    })
    const device = await insertDevice(db.superuser, product)
    const { rows } = await db.superuser.query<{ num: number }>(
      `insert into product_properties (product_num, identifier) values ($1, 'brief#raw') returning num`,
      [product.num],
    )
    const numbers: Record<string, number> = { ...product.properties, raw: rows[0]!.num }
    for (const days of [20, 9]) {
      const hour = Math.floor((NOW - days * DAY_MS) / HOUR_MS)
      await telemetry.query('select ensure_telemetry_partition($1)', [hour])
      for (const property of Object.values(numbers))
        await telemetry.query(
          `insert into telemetry (segment, device, property, hour, n, body) values (1, $1, $2, $3, 1, '')`,
          [device.num, property, hour],
        )
    }
    await run()
    const left = await db.superuser.query<{ property: number; n: number }>(
      'select property, count(*)::int as n from telemetry where device = $1 group by property',
      [device.num],
    )
    const of = (num: number | undefined) => left.rows.find(row => row.property === num)?.n
    expect([of(numbers.brief), of(numbers.raw), of(numbers.usual)]).toEqual([1, 1, 2])
  })
})

describe('history', () => {
  const hourOf = (ms: number) => Math.floor(ms / HOUR_MS)

  it('is dropped by whole months, and not before the retention is over for all of the month', async () => {
    const { telemetry } = db.database
    const month = (ago: number) => Date.UTC(new Date(NOW).getUTCFullYear(), new Date(NOW).getUTCMonth() - ago, 15)
    for (const ago of [13, 12, 1, 0])
      await telemetry.query('select ensure_telemetry_partition($1)', [hourOf(month(ago))])
    const names = [13, 12, 1, 0].map(
      ago => `telemetry_${new Date(month(ago)).toISOString().slice(0, 7).replace('-', '')}`,
    )
    const endOf12 = Date.UTC(new Date(month(12)).getUTCFullYear(), new Date(month(12)).getUTCMonth() + 1, 1)
    await run({ historyDays: 100 }, endOf12 + 100 * DAY_MS - 1)
    expect(await partitions('telemetry')).toEqual(names.slice(1))
    await run({ historyDays: 100 }, endOf12 + 100 * DAY_MS)
    expect(await partitions('telemetry')).toEqual(names.slice(2))
  })

  it('refuses months nobody can mean', async () => {
    for (const at of [NOW - 500 * DAY_MS, NOW + 100 * DAY_MS])
      await expect(
        db.database.telemetry.query('select ensure_telemetry_partition($1)', [hourOf(at)]),
      ).rejects.toMatchObject({ code: '22003' })
  })

  it('refuses to drop what is no partition', async () => {
    for (const name of ['devices', 'journal_1; drop table devices', 'telemetry'])
      for (const drop of ['drop_journal_partition', 'drop_telemetry_partition'])
        await expect(db.database.telemetry.query(`select ${drop}($1)`, [name])).rejects.toMatchObject({ code: 'P0001' })
  })
})

describe('a database that is not there', () => {
  it('ends a round and nothing else; the next one works', async () => {
    const warned: unknown[] = []
    const nowhere = openPool({ host: '/nowhere', user: 'nobody' }, () => {})
    const maintenance = createMaintenance({
      db: nowhere,
      clock: new ManualClock(NOW),
      logger: { ...silentLogger, warn: (line: unknown) => warned.push(line) } as never,
      consumers: ['store'],
    })
    await maintenance.run()
    expect(warned).toHaveLength(1)
    await maintenance.run()
    expect(warned).toHaveLength(2)
    await maintenance.stop()
    await nowhere.end()
  })
})
