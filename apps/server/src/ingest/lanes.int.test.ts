import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { ManualClock, systemClock } from '../lib/clock.ts'
import { readLatestValues } from '../lib/journal/latest-values.ts'
import { silentLogger } from '../lib/log.ts'
import { decodeBatch, type EncodedBatch } from './feed.ts'
import { LANES, type Lanes } from './lanes.port.ts'
import { createLanes, type LanesOptions } from './lanes.ts'
import { cuttingProxy } from './testing/cutting-proxy.ts'
import { aPost } from './testing/entries.ts'
import { type JournalEntry, JournalKind } from './uplink.ts'

let db: TestDatabase
const running: { stop(): Promise<void> }[] = []

beforeAll(async () => {
  db = await testDatabase()
})
afterEach(async () => {
  await Promise.all(running.splice(0).map(lanes => lanes.stop()))
  await db.superuser.query('truncate journal, latest, mqtt_inbound, consumer_cursors')
})

async function startLanes(over: Partial<LanesOptions> = {}) {
  const lanes = createLanes({
    database: db.access.telemetry,
    logger: silentLogger,
    clock: systemClock,
    // Only against hanging: what stopping has to write may take its time here.
    stopTimeoutMs: 60_000,
    ...over,
  })
  running.push(lanes)
  await lanes.start()
  return lanes
}

const store = (lanes: Lanes, entries: JournalEntry[], qos2?: { device: number; packetId: number }) =>
  new Promise<void>(resolve => lanes.append(entries, resolve, qos2))

interface Row {
  lane: number
  seq: number
  device: number
  kind: number
  values: Record<string, unknown> | null
  refused_reason: string | null
  raw: Buffer | null
  at: number
}

async function journal(): Promise<Row[]> {
  const { rows } = await db.superuser.query<Row>(
    `select lane, seq, device, kind, values, refused_reason, raw, (extract(epoch from arrived_at) * 1000)::float8 as at
     from journal order by lane, seq`,
  )
  return rows
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(5)
}

const endBackends = () =>
  db.superuser.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'thingwright lane%'`,
  )

/** Numbers of each lane run from 1 without a gap, and time does not run backwards. */
function expectInOrder(rows: Row[]): void {
  for (let lane = 0; lane < LANES; lane++) {
    const own = rows.filter(row => row.lane === lane)
    expect(own.map(row => row.seq)).toEqual(own.map((_, i) => i + 1))
    for (let i = 1; i < own.length; i++) expect(own[i]!.at).toBeGreaterThanOrEqual(own[i - 1]!.at)
  }
}

/** Posts numbered messages of some devices as long as `run` takes; acknowledged numbers in order of acknowledgement. */
async function underLoad(
  lanes: Lanes,
  run: (acknowledged: readonly number[]) => Promise<void>,
): Promise<{ sent: number; acknowledged: number[] }> {
  const acknowledged: number[] = []
  let sent = 0
  let done = false
  const load = (async () => {
    while (!done) {
      for (let i = 0; i < 50; i++) {
        const n = ++sent
        if (lanes.hasRoom(n % LANES)) lanes.append([aPost(n % 20, { n })], () => acknowledged.push(n))
        else sent--
      }
      await delay(1)
    }
  })()
  await run(acknowledged)
  done = true
  await load
  return { sent, acknowledged }
}

describe('lanes', () => {
  it('acknowledge after the commit, in order, with every column stored as handed in', async () => {
    const lanes = await startLanes()
    const order: number[] = []
    const full = aPost(
      2,
      { temperature: 21.5, note: '温度 😀' },
      {
        kind: JournalKind.refused,
        arrivedAt: Date.now(),
        ts: 1_767_225_600_000,
        deviceTs: -8.64e15,
        quality: 1,
        late: true,
        raw: Buffer.from([0, 255, 1]),
        refusedReason: 'json_invalid',
      },
    )
    await new Promise<void>(resolve => {
      lanes.append([full], () => order.push(1))
      lanes.append([aPost(2, { a: 1 }), aPost(2, { a: 2 })], () => order.push(2))
      lanes.append([aPost(4, { a: 3 })], () => {
        order.push(3)
        resolve()
      })
    })
    expect(order).toEqual([1, 2, 3])
    const { rows } = await db.superuser.query(
      'select *, (extract(epoch from arrived_at) * 1000)::float8 as at from journal where lane = 0 order by seq',
    )
    expect(rows.map(row => row.seq)).toEqual([1, 2, 3, 4])
    expect(rows[0]).toMatchObject({
      at: full.arrivedAt,
      ts: 1_767_225_600_000,
      device_ts: -8.64e15,
      device: 2,
      kind: JournalKind.refused,
      quality: 1,
      late: true,
      values: { temperature: 21.5, note: '温度 😀' },
      raw: Buffer.from([0, 255, 1]),
      refused_reason: 'json_invalid',
    })
  })

  it('hand every flush on as one batch that says the same as the journal', async () => {
    const batches: EncodedBatch[] = []
    const lanes = await startLanes({ onBatch: batch => batches.push(batch) })
    await Promise.all(
      [1, 2, 3, 4].map(n => store(lanes, [aPost(n, { n }), aPost(n, { n, text: '值' }, { deviceTs: n })])),
    )
    const fed = batches.flatMap(batch =>
      decodeBatch(batch.buffer).rows.map(row => ({ ...pick(row), lane: batch.lane })),
    )
    const { rows } = await db.superuser.query(
      `select lane, seq, (extract(epoch from arrived_at) * 1000)::float8 as "arrivedAt", ts, device_ts as "deviceTs", device, kind, quality, late, values from journal`,
    )
    const sorted = (list: { lane: number; seq: number }[]) => list.sort((a, b) => a.lane - b.lane || a.seq - b.seq)
    expect(sorted(fed)).toEqual(sorted(rows))
  })

  it('share one transaction among messages that come together', async () => {
    const lanes = await startLanes()
    await Promise.all(Array.from({ length: 500 }, (_, n) => store(lanes, [aPost(2, { n })])))
    expect(lanes.counters()).toMatchObject({ rows: 500, flushes: 1, retries: 0, queued: 0 })
  })

  it('store packet ids of QoS 2 publishes with their rows', async () => {
    const lanes = await startLanes()
    await Promise.all([
      store(lanes, [aPost(2, { n: 1 })], { device: 2, packetId: 65_535 }),
      store(lanes, [aPost(2, { n: 2 })], { device: 2, packetId: 65_535 }),
      store(lanes, [aPost(4, { n: 3 })], { device: 4, packetId: 1 }),
    ])
    const { rows } = await db.superuser.query('select device, packet_id from mqtt_inbound order by device')
    expect(rows).toEqual([
      { device: 2, packet_id: 65_535 },
      { device: 4, packet_id: 1 },
    ])
  })

  it('never let the time of arrival run backwards, whatever the clock does', async () => {
    const lanes = await startLanes()
    const now = Date.now()
    await store(lanes, [aPost(2, { n: 1 }, { arrivedAt: now })])
    await store(lanes, [aPost(2, { n: 2 }, { arrivedAt: now - 5_400_000 })])
    await lanes.stop()
    const again = await startLanes()
    await store(again, [aPost(2, { n: 3 }, { arrivedAt: now - 3_600_000 })])
    expect((await journal()).map(row => row.at)).toEqual([now, now, now])
  })

  it('make the partition that is missing', async () => {
    const lanes = await startLanes()
    await db.superuser.query(
      `do $$ declare p record; begin for p in select inhrelid::regclass as name from pg_inherits where inhparent = 'journal'::regclass loop execute 'drop table ' || p.name; end loop; end $$`,
    )
    await store(lanes, [aPost(2, { n: 1 })])
    // Queued over an outage: rows of several hours in one flush.
    const now = Date.now()
    await Promise.all([
      store(lanes, [aPost(4, { n: 2 }, { arrivedAt: now })]),
      store(lanes, [aPost(4, { n: 3 }, { arrivedAt: now + 2 * 3_600_000 })]),
    ])
    expect(await journal()).toHaveLength(3)
  })

  it('go on numbering behind the cursors when every row is gone', async () => {
    const first = await startLanes()
    await store(first, [aPost(2, { n: 1 })])
    await first.stop()
    await db.superuser.query('truncate journal')
    await db.superuser.query(
      `insert into consumer_cursors (consumer, lane, seq, arrived_at) values ('store', 0, 1, now())`,
    )
    const again = await startLanes()
    await store(again, [aPost(2, { n: 2 })])
    expect((await journal()).map(row => row.seq)).toEqual([2])
  })

  it('wait for a lane that another process holds', async () => {
    const first = await startLanes()
    const second = createLanes({ database: db.access.telemetry, logger: silentLogger, clock: systemClock })
    running.push(second)
    let started = false
    const starting = second.start().then(() => {
      started = true
    })
    await store(first, [aPost(2, { n: 1 })])
    expect(started).toBe(false)
    await first.stop()
    await starting
    await store(second, [aPost(2, { n: 2 })])
    expect((await journal()).map(row => row.seq)).toEqual([1, 2])
  })
})

describe('faults', () => {
  it('ending the backends in the middle of flushes loses nothing, doubles nothing, leaves no gap', async () => {
    const lanes = await startLanes()
    const { acknowledged, sent } = await underLoad(lanes, async acknowledged => {
      for (let i = 0; i < 12; i++) {
        // Each time they write again, and then at some moment of a flush.
        const before = acknowledged.length
        await until(() => acknowledged.length > before + 50)
        await delay(Math.random() * 30)
        await endBackends()
      }
    })
    await until(() => acknowledged.length === sent)
    const rows = await journal()
    expectInOrder(rows)
    expect(acknowledged.length).toBeGreaterThan(500)
    expect(rows.map(row => row.values!.n).sort((a, b) => Number(a) - Number(b))).toEqual(
      acknowledged.toSorted((a, b) => a - b),
    )
    for (let lane = 0; lane < LANES; lane++) {
      const stored = rows.filter(row => row.lane === lane).map(row => row.values!.n)
      expect(acknowledged.filter(n => (n % 20) % LANES === lane)).toEqual(stored)
    }
  })

  it('control: acknowledging before the commit loses messages in the same test', async () => {
    const lanes = await startLanes()
    const early: Lanes = {
      ...lanes,
      append(entries, committed) {
        lanes.append(entries, () => {})
        committed()
      },
    }
    let stored: unknown[] = []
    const { acknowledged } = await underLoad(early, async () => {
      await delay(30)
      // What is durable at this moment, and then the process would be gone.
      await db.superuser.query(`create table crash as select values::text from journal`)
      stored = (await db.superuser.query('select values from crash')).rows
    })
    const atTheCrash = acknowledged.length
    await db.superuser.query('drop table crash')
    expect(stored.length).toBeLessThan(atTheCrash)
  })

  it('a commit whose reply was lost is not made twice', async () => {
    const { host, port } = db.access.telemetry as { host: string; port: number }
    const proxy = await cuttingProxy({ host, port })
    try {
      const lanes = await startLanes({ database: { ...db.access.telemetry, host: proxy.host } })
      await store(lanes, [aPost(2, { n: 1 })])
      for (let n = 2; n <= 6; n++) {
        // "COPY 1" and ReadyForQuery: the transaction is committed.
        proxy.loseNextAnswer(bytes => bytes.includes('COPY ') && bytes.at(-6) === 0x5a)
        await store(lanes, [aPost(2, { n })], { device: 2, packetId: n })
      }
      expect(proxy.lost()).toBe(5)
      const rows = await journal()
      expectInOrder(rows)
      expect(rows.map(row => row.values!.n)).toEqual([1, 2, 3, 4, 5, 6])
      expect(lanes.counters().retries).toBe(5)
    } finally {
      await Promise.all(running.splice(0).map(lanes => lanes.stop()))
      await proxy.close()
    }
  })

  it('a value that cannot be stored in the middle of a batch costs nobody else a message', async () => {
    const lanes = await startLanes()
    // Validation refuses such bytes; here they slip through, once as one of an array.
    const poison = (n: number) => aPost(2, {}, { values: `{"n":${n},"text":"\0"}` })
    const entries = Array.from({ length: 40 }, (_, n) =>
      n === 17 ? [aPost(2, { n: -1 }), poison(17)] : n === 23 ? [poison(23)] : [aPost(2, { n })],
    )
    const order: number[] = []
    await Promise.all(
      entries.map((list, n) => store(lanes, list, { device: 2, packetId: n + 1 }).then(() => order.push(n))),
    )
    expect(order).toEqual(entries.map((_, n) => n))
    const rows = await journal()
    expectInOrder(rows)
    expect(rows).toHaveLength(40)
    expect(rows.filter(row => row.kind === JournalKind.refused)).toMatchObject([
      {
        seq: 18,
        refused_reason: 'not_storable',
        values: { path: '', detail: 'SQLSTATE 22021' },
        raw: Buffer.from('{"n":-1}\n{"n":17,"text":"\0"}'),
      },
      { seq: 24, refused_reason: 'not_storable', raw: Buffer.from('{"n":23,"text":"\0"}') },
    ])
    expect((await db.superuser.query('select from mqtt_inbound')).rowCount).toBe(40)
    expect(lanes.counters()).toMatchObject({ refused: 2, rows: 40 })
  })

  it('while the disk is full nothing is acknowledged and no socket read; then everything goes on by itself', async () => {
    const alarms: string[] = []
    const logger = pino({ level: 'error', base: null }, { write: line => void alarms.push(JSON.parse(line).msg) })
    const lanes = await startLanes({ logger })
    await store(lanes, [aPost(2, { n: 1 })])
    await db.superuser.query(
      `create function disk_full() returns trigger language plpgsql as $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$;
       create trigger disk_full before insert on journal for each row execute function disk_full()`,
    )
    let acknowledged = false
    const waiting = store(lanes, [aPost(2, { n: 2 })]).then(() => {
      acknowledged = true
    })
    await until(() => !lanes.hasRoom(0))
    let resumed = false
    lanes.onDrain(0, () => {
      resumed = true
    })
    await until(() => lanes.counters().retries >= 5)
    expect([acknowledged, resumed, lanes.hasRoom(1)]).toEqual([false, false, true])
    // At once, a moment later, and then with every tenth try.
    expect(alarms).toEqual(Array(2).fill('ALARM: the disk is full; nothing is acknowledged'))
    await db.superuser.query('drop function disk_full cascade')
    await waiting
    await until(() => resumed)
    expect(lanes.hasRoom(0)).toBe(true)
    expectInOrder(await journal())
  })

  it('with the disk nearly full nothing is written until there is room', async () => {
    let free = 0.5
    const lanes = await startLanes({ freeDiskRatio: () => free, diskProbeMs: 5 })
    await store(lanes, [aPost(2, { n: 1 })])
    free = 0.049
    await until(() => !lanes.hasRoom(0) && !lanes.hasRoom(1))
    const waiting = store(lanes, [aPost(2, { n: 2 })])
    await delay(50)
    expect(await journal()).toHaveLength(1)
    free = 0.06
    await waiting
    expect(lanes.hasRoom(0)).toBe(true)
    expect(await journal()).toHaveLength(2)
  })

  it('a full queue holds the sockets and lets them go on in their order', async () => {
    const lanes = await startLanes({ maxRows: 10 })
    const stored = Array.from({ length: 12 }, (_, n) => store(lanes, [aPost(2, { n })]))
    expect(lanes.hasRoom(0)).toBe(false)
    expect(lanes.hasRoom(1)).toBe(true)
    const resumed: number[] = []
    for (const n of [1, 2, 3]) {
      lanes.onDrain(0, () => {
        resumed.push(n)
        // Each fills half of the room again, so the next has to wait for another flush.
        for (let i = 0; i < 6; i++) lanes.append([aPost(2, { n, i })], () => {})
      })
    }
    await Promise.all(stored)
    await until(() => resumed.length === 3)
    expect(resumed).toEqual([1, 2, 3])
    await until(async () => (await journal()).length === 30)
  })

  it('stopping stores what was taken, and gives up when it cannot', async () => {
    const lanes = await startLanes({ collectMs: 10_000 })
    await store(lanes, [aPost(2, { n: 1 })])
    const taken = store(lanes, [aPost(2, { n: 2 })])
    await lanes.stop()
    await taken
    expect(await journal()).toHaveLength(2)
    const { rows } = await db.superuser.query('select values from latest')
    expect(rows).toMatchObject([{ values: { n: [2, expect.any(Number), 0] } }])

    const stuck = await startLanes({ stopTimeoutMs: 100, freeDiskRatio: () => 0 })
    stuck.append([aPost(2, { n: 3 })], () => expect.unreachable())
    await stuck.stop()
    expect(await journal()).toHaveLength(2)
  })
})

describe('latest', () => {
  const reported = async (device: number) =>
    Object.fromEntries((await readLatestValues(db.database.telemetry, [device])).get(device) ?? [])
  const stored = async () => (await db.superuser.query('select device, values from latest order by device')).rows

  it('is read rightly before, between and after checkpoints, and over a restart', async () => {
    const clock = new ManualClock(Date.now())
    const start = () => startLanes({ clock, latestEveryMs: 60_000 })
    const t = clock.now()
    const first = await start()
    await store(first, [aPost(2, { a: 1, b: 1 }, { ts: t })])
    expect(await stored()).toEqual([])
    expect(await reported(2)).toEqual({ a: [1, t, 0], b: [1, t, 0] })
    // An older value goes to history only; of equal times the later counts.
    await store(first, [
      aPost(2, { a: 2 }, { ts: t - 1, quality: 1 }),
      aPost(2, { b: 2, c: 'x' }, { ts: t, quality: 1 }),
    ])
    expect(await reported(2)).toEqual({ a: [1, t, 0], b: [2, t, 1], c: ['x', t, 1] })
    await first.stop()
    expect(await stored()).toEqual([{ device: 2, values: { a: [1, t, 0], b: [2, t, 1], c: ['x', t, 1] } }])

    const second = await start()
    await store(second, [aPost(2, { a: 3 }, { ts: t + 1 }), aPost(4, { z: { deep: [1, null] } }, { ts: t })])
    expect(await reported(2)).toEqual({ a: [3, t + 1, 0], b: [2, t, 1], c: ['x', t, 1] })
    // A crash: nothing was written behind. The next life takes it from the journal.
    await endBackends()
    await store(second, [aPost(2, { a: 3 }, { ts: t + 1 })])
    await second.stop()
    expect(await stored()).toEqual([
      { device: 2, values: { a: [3, t + 1, 0], b: [2, t, 1], c: ['x', t, 1] } },
      { device: 4, values: { z: [{ deep: [1, null] }, t, 0] } },
    ])
    expect(await reported(99)).toEqual({})
  })

  it('is written behind once per device however often it reports, and its cursor follows', async () => {
    await db.superuser.query(
      `create sequence latest_writes; create function count_writes() returns trigger language plpgsql security definer as
       $$ begin perform nextval('latest_writes'); return null; end $$;
       create trigger count_writes after insert or update on latest for each row execute function count_writes()`,
    )
    const lanes = await startLanes({ latestEveryMs: 100 })
    const began = performance.now()
    for (let n = 1; n <= 30; n++) await store(lanes, [aPost(2, { n })])
    await until(async () => (await stored())[0]?.values.n[0] === 30)
    const periods = Math.ceil((performance.now() - began) / 100)
    const { rows } = await db.superuser.query(`select seq from consumer_cursors where consumer = 'latest' and lane = 0`)
    expect(rows).toEqual([{ seq: 30 }])
    const written = (await db.superuser.query('select last_value::int as n from latest_writes')).rows[0].n
    await db.superuser.query('drop function count_writes cascade; drop sequence latest_writes')
    expect(written).toBeLessThanOrEqual(periods)
  })
})

function pick(row: ReturnType<typeof decodeBatch>['rows'][number]) {
  const { seq, arrivedAt, ts, deviceTs, device, kind, quality, late } = row
  return { seq, arrivedAt, ts, deviceTs, device, kind, quality, late, values: row.values && JSON.parse(row.values) }
}
