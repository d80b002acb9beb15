import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { insertDevice, insertProduct, insertTenant, type ProductFixture } from '../../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { openPool } from '../../lib/database/pool.ts'
import { silentLogger } from '../../lib/log.ts'
import { decodeBatch, encodeEntries } from '../feed.ts'
import type { JournalRow } from '../lanes.port.ts'
import { aPost } from '../testing/entries.ts'
import { insertRows, until } from '../testing/journal-rows.ts'
import { JournalKind } from '../uplink.ts'
import { type Consumer, rowsConsumer } from './consumer.ts'
import { createConsumerRunner } from './consumer-runner.ts'
import { createJournalStream } from './journal-stream.ts'
import { createPresenceConsumer } from './presence.consumer.ts'
import { createShadowConsumer } from './shadow.consumer.ts'
import { createStatsConsumer } from './stats.consumer.ts'

let db: TestDatabase
let product: ProductFixture
let pool: pg.Pool
const running: { stop(): Promise<void> }[] = []

beforeAll(async () => {
  db = await testDatabase()
  product = await insertProduct(db.superuser, await insertTenant(db.superuser))
  pool = openPool({ ...db.access.telemetry, max: 6, application_name: 'consumers' }, () => {})
  await db.superuser.query(
    'create table effects (id bigint generated always as identity, consumer text, lane int, seq bigint); grant select, insert on effects to tw_telemetry',
  )
  return () => pool.end()
})
afterEach(async () => {
  await Promise.all(running.splice(0).map(runner => runner.stop()))
  await db.superuser.query('truncate journal, consumer_cursors, consumer_dead_letters, effects')
})

async function run(...consumers: Consumer[]) {
  const runner = createConsumerRunner({
    consumers,
    stream: createJournalStream(pool),
    db: pool,
    logger: silentLogger,
    headsEveryMs: 20,
  })
  running.push(runner)
  await runner.start()
  return runner
}

/** Notes every row it handles in the transaction of the cursor. */
function noting(
  name: string,
  over: { everyMs?: number; spoil?: (row: JournalRow) => void; outside?: pg.Pool } = {},
): Consumer {
  return rowsConsumer({
    name,
    everyMs: over.everyMs ?? 0,
    wants: row => row.kind === JournalKind.property,
    async handle(client, lane, rows) {
      for (const row of rows) over.spoil?.(row)
      await (over.outside ?? client).query(
        'insert into effects (consumer, lane, seq) select $1, $2, unnest($3::bigint[])',
        [name, lane, rows.map(row => row.seq)],
      )
      return undefined
    },
  })
}

async function effects(consumer: string, lane = 0): Promise<number[]> {
  const { rows } = await db.superuser.query<{ seq: number }>(
    'select seq from effects where consumer = $1 and lane = $2 order by id',
    [consumer, lane],
  )
  return rows.map(row => row.seq)
}

async function cursor(consumer: string, lane = 0): Promise<number> {
  const { rows } = await db.superuser.query('select seq from consumer_cursors where consumer = $1 and lane = $2', [
    consumer,
    lane,
  ])
  return rows[0]?.seq ?? 0
}

const posts = (count: number, device = 2) => Array.from({ length: count }, (_, n) => ({ device, values: { n } }))
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)
const endBackends = () =>
  db.superuser.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'consumers' and datname = current_database()`,
  )

describe('a consumer', () => {
  it('finds in the journal what came before it, and what the feed did not bring', async () => {
    await insertRows(db, posts(5))
    const runner = await run(noting('a'))
    await until(async () => (await cursor('a')) === 5)
    // 6 and 7 come by the feed, 8 is lost on the way, 9 shows the gap.
    const arrivedAt = Date.now()
    await insertRows(
      db,
      posts(4).map(row => ({ ...row, arrivedAt })),
    )
    const feed = (first: number, count: number) => {
      const entries = posts(count).map(({ values }) => aPost(2, values, { arrivedAt }))
      runner.feed(decodeBatch(encodeEntries(0, first, entries).buffer))
    }
    feed(6, 2)
    feed(9, 1)
    await until(async () => (await cursor('a')) === 9)
    // What is fed again is not handled again.
    feed(8, 2)
    await insertRows(db, posts(1))
    await until(async () => (await cursor('a')) === 10)
    expect(await effects('a')).toEqual(upTo(10))
  })

  it('that nobody feeds still sees everything', async () => {
    await run(noting('a'))
    await insertRows(db, [...posts(3), ...posts(3, 3)])
    await until(async () => (await cursor('a', 0)) === 3 && (await cursor('a', 1)) === 3)
    expect([await effects('a', 0), await effects('a', 1)]).toEqual([upTo(3), upTo(3)])
  })

  it('moves its cursor over rows it does not want', async () => {
    await insertRows(db, [...posts(1), ...posts(50).map(row => ({ ...row, kind: JournalKind.online }))])
    await run(noting('a'))
    await until(async () => (await cursor('a')) === 51)
    expect(await effects('a')).toEqual([1])
  })

  it('handles every row once though its connections end between effect and commit', async () => {
    await insertRows(db, posts(300))
    let handled = 0
    const consumer = noting('a', { spoil: () => void handled++ })
    await run(consumer)
    for (let i = 0; i < 15; i++) {
      await delay(10 + Math.random() * 20)
      await endBackends()
      await insertRows(db, posts(5))
    }
    await until(async () => (await cursor('a')) === 375)
    expect(await effects('a')).toEqual(upTo(375))
    expect(handled).toBeGreaterThan(0)
  })

  it('control: with effects outside the cursor’s transaction the same rows are handled twice', async () => {
    await insertRows(db, posts(50))
    const outside = openPool({ ...db.access.telemetry, max: 2 }, () => {})
    try {
      let cut = false
      const consumer = rowsConsumer({
        name: 'a',
        everyMs: 0,
        wants: () => true,
        async handle(client, lane, rows) {
          await outside.query('insert into effects (consumer, lane, seq) select $1, $2, unnest($3::bigint[])', [
            'a',
            lane,
            rows.map(row => row.seq),
          ])
          if (!cut) {
            cut = true
            await client.query('select pg_terminate_backend(pg_backend_pid())')
          }
          return undefined
        },
      })
      await run(consumer)
      await until(async () => (await cursor('a')) === 50)
      expect((await effects('a')).length).toBeGreaterThan(50)
    } finally {
      await outside.end()
    }
  })

  it('in two processes at once handles every row once', async () => {
    await insertRows(db, posts(500))
    await run(noting('a'))
    await run(noting('a'))
    for (let i = 0; i < 10; i++) await insertRows(db, posts(10))
    await until(async () => (await cursor('a')) === 600)
    expect(await effects('a')).toEqual(upTo(600))
  })

  it('sets aside the rows that cannot be handled, and the rows around them and other consumers flow', async () => {
    await insertRows(db, posts(400))
    const bad = new Set([1, 137, 138, 400])
    await run(
      noting('poisoned', {
        spoil: row => {
          if (bad.has(row.seq)) throw new TypeError(`bad row ${row.seq}\0`)
        },
      }),
      noting('healthy'),
    )
    await until(async () => (await cursor('poisoned')) === 400 && (await cursor('healthy')) === 400)
    expect(await effects('poisoned')).toEqual(upTo(400).filter(seq => !bad.has(seq)))
    expect(await effects('healthy')).toEqual(upTo(400))
    const { rows } = await db.superuser.query(
      'select consumer, lane, seq, error from consumer_dead_letters order by seq',
    )
    expect(rows).toEqual([...bad].map(seq => ({ consumer: 'poisoned', lane: 0, seq, error: `bad row ${seq}` })))
  })

  it('waits out a database that refuses for a while, and sets nothing aside', async () => {
    await insertRows(db, posts(20))
    await db.superuser.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'full' using errcode = '53100'; end $$;
       create trigger refuse before insert on effects for each row execute function refuse()`,
    )
    await run(noting('a'))
    await delay(600)
    await db.superuser.query('drop function refuse cascade')
    await until(async () => (await cursor('a')) === 20)
    expect(await effects('a')).toEqual(upTo(20))
    expect((await db.superuser.query('select from consumer_dead_letters')).rowCount).toBe(0)
  })

  it('writes what it gathered when it stops', async () => {
    await insertRows(db, posts(3))
    const taken: number[] = []
    const consumer = noting('a', { everyMs: 60_000 })
    const runner = await run({
      name: 'a',
      open(lane) {
        const inner = consumer.open(lane)
        return {
          ...inner,
          take(rows) {
            inner.take(rows)
            taken.push(...rows.map(row => row.seq))
          },
        }
      },
    })
    await until(() => taken.length === 3)
    expect(await effects('a')).toEqual([])
    await runner.stop()
    expect([await cursor('a'), await effects('a')]).toEqual([3, upTo(3)])
  })
})

describe('presence', () => {
  const state = async (device: number) =>
    (
      await db.superuser.query(
        'select link, first_seen_at, last_seen_at, online_since, last_offline_at, last_offline_reason from device_presence where device = $1',
        [device],
      )
    ).rows[0]

  it('follows connections, keeps their history, and is not written once per message', async () => {
    const device = (await insertDevice(db.superuser, product)).num
    const lane = device % 2
    const t = Date.now() - 100_000
    const at = (s: number) => new Date(t + s * 1_000)
    const online = { device, kind: JournalKind.online, values: { transport: 'mqtt', address: '10.0.0.1:1' } }
    await run(createPresenceConsumer(() => {}))
    await insertRows(db, [
      { ...online, arrivedAt: t },
      { device, values: { n: 1 }, arrivedAt: t + 1_000 },
      { device, values: { n: 2 }, arrivedAt: t + 20_000 },
    ])
    await until(async () => (await cursor('presence', lane)) === 3)
    expect(await state(device)).toMatchObject({
      link: 'online',
      first_seen_at: at(0),
      last_seen_at: at(20),
      online_since: at(0),
      last_offline_at: null,
    })
    await insertRows(db, [
      { device, values: { n: 3 }, arrivedAt: t + 30_000 },
      { device, kind: JournalKind.refused, refusedReason: 'wrong_secret', arrivedAt: t + 35_000 },
      {
        device,
        kind: JournalKind.offline,
        values: { reason: 'keep_alive_timeout', transport: 'mqtt', address: '10.0.0.1:1' },
        arrivedAt: t + 45_000,
      },
    ])
    await until(async () => (await cursor('presence', lane)) === 6)
    // Last seen is the last message, not the end of the connection nor what a stranger sent.
    expect(await state(device)).toMatchObject({
      link: 'offline',
      last_seen_at: at(30),
      online_since: null,
      last_offline_at: at(45),
      last_offline_reason: 'keep_alive_timeout',
    })
    const { rows } = await db.superuser.query(
      'select at, kind, reason, transport, address from device_connections where device = $1 order by at',
      [device],
    )
    expect(rows).toEqual([
      { at: at(0), kind: 'online', reason: null, transport: 'mqtt', address: '10.0.0.1:1' },
      { at: at(45), kind: 'offline', reason: 'keep_alive_timeout', transport: 'mqtt', address: '10.0.0.1:1' },
    ])
  })

  it('activates a device by its first message, not by a connection or a refusal', async () => {
    // One after the other: their numbers rise in this order.
    const quiet = await insertDevice(db.superuser, product)
    const talking = await insertDevice(db.superuser, product)
    const disabled = await insertDevice(db.superuser, product, { lifecycle: 'disabled' })
    const activated: number[] = []
    await run(createPresenceConsumer(devices => activated.push(...devices)))
    const t = Date.now()
    await insertRows(db, [
      { device: quiet.num, kind: JournalKind.online },
      { device: quiet.num, kind: JournalKind.refused, refusedReason: 'json_invalid' },
      { device: talking.num, values: { n: 1 }, arrivedAt: t },
      { device: disabled.num, values: { n: 1 } },
      // Deleted meanwhile.
      { device: 999_999, values: { n: 1 } },
    ])
    await until(() => activated.length === 1)
    const { rows } = await db.superuser.query(
      'select num, lifecycle, activated_at from devices where num = any($1) order by num',
      [[quiet.num, talking.num, disabled.num]],
    )
    expect(rows).toEqual([
      { num: quiet.num, lifecycle: 'inactive', activated_at: null },
      { num: talking.num, lifecycle: 'active', activated_at: new Date(t) },
      { num: disabled.num, lifecycle: 'disabled', activated_at: null },
    ])
    expect(activated).toEqual([talking.num])
  })
})

describe('counts and refusals', () => {
  it('are kept per device and hour, once each, over a restart', async () => {
    const device = (await insertDevice(db.superuser, product)).num
    const hour = Math.floor(Date.now() / 3_600_000)
    const row = (kind: number, at: number) => ({
      device,
      kind,
      values: {},
      arrivedAt: at,
      ...(kind === JournalKind.refused ? { refusedReason: 'json_invalid' } : {}),
    })
    const before = hour * 3_600_000 - 1
    const after = hour * 3_600_000
    await insertRows(db, [
      row(JournalKind.property, before),
      row(JournalKind.event, before),
      row(JournalKind.refused, after),
      row(JournalKind.property, after),
      row(JournalKind.online, after),
    ])
    const first = await run(createStatsConsumer())
    await until(async () => (await cursor('stats', device % 2)) === 5)
    await first.stop()
    await insertRows(db, [row(JournalKind.reply, after)])
    const second = await run(createStatsConsumer())
    await until(() => second.behind().stats === 0)
    await delay(100)
    await second.stop()
    const { rows } = await db.superuser.query(
      'select hour, messages, refused from device_stats where device = $1 order by hour',
      [device],
    )
    expect(rows).toEqual([
      { hour: hour - 1, messages: 2, refused: 0 },
      { hour, messages: 2, refused: 1 },
    ])
  })

  it('of refused messages a product keeps the last hundred, with reason, detail and bytes', async () => {
    const other = await insertProduct(db.superuser, await insertTenant(db.superuser))
    const [a, b] = [await insertDevice(db.superuser, other), await insertDevice(db.superuser, other)]
    const rows = Array.from({ length: 130 }, (_, n) => ({
      device: n % 2 ? a.num : b.num,
      kind: JournalKind.refused,
      refusedReason: 'property_type',
      values: { path: 't', detail: `n ${n}` },
      raw: Buffer.from([n]),
    }))
    await insertRows(db, rows)
    await run(createStatsConsumer())
    await until(async () => (await cursor('stats', 0)) + (await cursor('stats', 1)) === 130)
    const kept = await db.superuser.query(
      'select detail, bytes, reason from refused_frames where product = $1 order by id desc',
      [other.num],
    )
    expect(kept.rowCount).toBe(100)
    expect(kept.rows[0]).toMatchObject({ reason: 'property_type', detail: { path: 't' } })
  })
})

describe('the shadow', () => {
  it('no longer wants what the device has reached, and late data reaches nothing', async () => {
    const device = (await insertDevice(db.superuser, product)).num
    await db.superuser.query(
      `insert into shadow_desired (device, tenant_id, desired) values ($1, $2, '{"switch": true, "level": 5, "mode": {"a": [1, 2]}}')`,
      [device, product.tenantId],
    )
    await run(createShadowConsumer())
    const desired = async () =>
      (await db.superuser.query('select desired, version from shadow_desired where device = $1', [device])).rows[0]
    await insertRows(db, [
      { device, values: { level: 5 }, late: true },
      { device, values: { switch: true, mode: { a: [1, 3] }, level: 4 } },
    ])
    await until(async () => (await cursor('shadow', device % 2)) === 2)
    expect(await desired()).toEqual({ desired: { level: 5, mode: { a: [1, 2] } }, version: 2 })
    await insertRows(db, [{ device, values: { mode: { a: [1, 2] }, level: 5.0 } }])
    await until(async () => (await cursor('shadow', device % 2)) === 3)
    expect(await desired()).toEqual({ desired: {}, version: 3 })
  })
})
