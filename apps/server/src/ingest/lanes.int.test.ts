import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { systemClock } from '../lib/clock.ts'
import { silentLogger } from '../lib/log.ts'
import { decodeBatch, type EncodedBatch } from './feed.ts'
import { LANES } from './lanes.port.ts'
import { createLanes, type LanesOptions } from './lanes.ts'
import { aDevice, aPost } from './testing/entries.ts'
import { type JournalEntry, JournalKind } from './uplink.ts'

let db: TestDatabase
const running: { stop(): Promise<void> }[] = []

beforeAll(async () => {
  db = await testDatabase()
})
afterEach(async () => {
  for (const lanes of running.splice(0)) await lanes.stop()
  await db.superuser.query('truncate journal, latest, mqtt_inbound, consumer_cursors')
})

async function startLanes(over: Partial<LanesOptions> = {}) {
  const lanes = createLanes({ database: db.access.telemetry, logger: silentLogger, clock: systemClock, ...over })
  running.push(lanes)
  await lanes.start()
  return lanes
}

type Lanes = Awaited<ReturnType<typeof startLanes>>

const store = (lanes: Lanes, entries: JournalEntry[], qos2?: { device: number; packetId: number }) =>
  new Promise<void>(resolve => lanes.append(entries, resolve, qos2))

async function journal() {
  const { rows } = await db.superuser.query<{
    lane: number
    seq: number
    device: number
    values: Record<string, unknown> | null
    refused_reason: string | null
    raw: Buffer | null
    kind: number
  }>('select lane, seq, device, kind, values, refused_reason, raw from journal order by lane, seq')
  return rows
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(5)
}

async function endBackends(): Promise<number> {
  const { rowCount } = await db.superuser.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'thingwright lane%'`,
  )
  return rowCount ?? 0
}

/** Numbers of each lane run from 1 without a gap. */
function expectGapless(rows: { lane: number; seq: number }[]): void {
  for (let lane = 0; lane < LANES; lane++) {
    const numbers = rows.filter(row => row.lane === lane).map(row => row.seq)
    expect(numbers).toEqual(numbers.map((_, i) => i + 1))
  }
}

describe('lanes', () => {
  it('acknowledge after the commit, in order, with every column stored as handed in', async () => {
    const lanes = await startLanes()
    const order: number[] = []
    const full: JournalEntry = {
      ...aPost(
        2,
        { temperature: 21.5, note: '温度 😀' },
        { arrivedAt: Date.now(), ts: 1_767_225_600_000, deviceTs: 99, quality: 1, late: true },
      ),
      raw: Buffer.from([0, 255, 1]),
      refusedReason: 'json_invalid',
      kind: JournalKind.refused,
    }
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
      device_ts: 99,
      device: 2,
      kind: JournalKind.refused,
      quality: 1,
      late: true,
      values: { temperature: 21.5, note: '温度 😀' },
      raw: Buffer.from([0, 255, 1]),
      refused_reason: 'json_invalid',
    })
  })
})
