import type pg from 'pg'
import { Installation } from '../lib/installation.ts'
import { CountingDevice } from './counting-device.ts'
import { compareHistory, type HistoryReport, historyOf } from './history.ts'

export interface KillRound {
  what: 'main' | 'gateway' | 'postgres' | 'everything'
  /** Milliseconds from the kill until the server was ready again. */
  backMs: number
}

export interface KillReport {
  rounds: KillRound[]
  acknowledged: number
  /** Acknowledged but not in the journal. */
  lost: number
  /** What the devices' histories hold, read over the API. */
  history: HistoryReport
  /** QoS 2 messages that are in the journal more than once. */
  duplicated: number
  /** Journal rows of the devices. */
  rows: number
  /** Messages the consumer `stats` has counted; equal to `rows` when it saw each exactly once. */
  counted: number
  /** Consumers whose cursor stands at the end of every lane. */
  consumers: { consumer: string; behind: number }[]
}

const TARGETS = ['gateway', 'postgres', 'main', 'everything'] as const

export interface KillOptions {
  rounds: number
  devices?: number
  seed?: number
  /** Messages to be acknowledged between two kills, at least. */
  between?: number
  onRound?(round: KillRound): void
}

/** QoS 1 and 2, with times and without, flowing while processes are killed at random moments; then everything acknowledged must be there once. */
export async function killRounds(options: KillOptions): Promise<KillReport> {
  const random = generator(options.seed ?? 1)
  const installation = await Installation.create()
  try {
    await installation.start()
    const made = await installation.devices(options.devices ?? 8)
    const devices = made.map(
      (device, i) =>
        new CountingDevice(device, i % 2 === 0 ? 1 : 2, installation.mqttPort, i % 4 < 2 ? 4 : 5, i % 8 >= 4),
    )
    const total = () => devices.reduce((sum, d) => sum + d.acknowledged.size, 0)
    const rounds: KillRound[] = []
    for (let i = 0; i < options.rounds; i++) {
      const target = total() + (options.between ?? 2000) + Math.floor(random() * 2000)
      await until(
        () => total() >= target,
        120_000,
        () => `messages stopped being acknowledged at ${total()}\n${installation.log}`,
      )
      const what = TARGETS[i % TARGETS.length]!
      const began = performance.now()
      if (installation.kill(what) === 0) throw new Error(`there is no process ${what}`)
      if (what === 'main' || what === 'everything') {
        await installation.exited()
        await installation.start()
      } else await installation.ready()
      // Ready, and devices are acknowledged again.
      const before = total()
      await until(
        () => total() > before,
        120_000,
        () => `nothing is acknowledged after ${what} was killed\n${installation.log}`,
      )
      const round = { what, backMs: Math.round(performance.now() - began) }
      rounds.push(round)
      options.onRound?.(round)
    }
    await withTimeout(Promise.all(devices.map(d => d.settle())), 120_000, 'some messages were never acknowledged')
    const report = await verify(installation, devices)
    await Promise.all(devices.map(d => d.close()))
    const code = await installation.stop()
    if (code !== 0) throw new Error(`the server stopped with ${code}\n${installation.log}`)
    return { rounds, ...report }
  } finally {
    installation.kill('everything')
    await installation.exited()
    installation.remove()
  }
}

async function verify(installation: Installation, devices: CountingDevice[]): Promise<Omit<KillReport, 'rounds'>> {
  const pool = installation.database()
  try {
    await databaseBack(pool)
    let lost = 0
    let duplicated = 0
    let rows = 0
    const history: HistoryReport = { lost: 0, points: 0, expected: 0 }
    for (const device of devices) {
      const found = await pool.query<{ n: number; times: number }>(
        `select (j.values ->> 'n')::int as n, count(*)::int as times from journal j join devices d on d.num = j.device where d.id = $1 and j.kind = 1 group by 1`,
        [device.device.id],
      )
      const times = new Map(found.rows.map(row => [row.n, row.times]))
      for (const n of device.acknowledged) if (!times.has(n)) lost += 1
      compareHistory(
        history,
        await historyOf(installation, device.device),
        device.acknowledged,
        times,
        device.givesTimes,
      )
      for (const [, count] of times) {
        rows += count
        if (device.qos === 2 && count > 1) duplicated += 1
      }
    }
    const lag = async () =>
      (
        await pool.query<{ consumer: string; behind: number }>(
          `select consumer, coalesce(sum(greatest(0, coalesce((select max(seq) from journal j where j.lane = c.lane), 0) - c.seq)), 0)::int as behind from consumer_cursors c where consumer not in ('latest', 'store') group by 1 order by 1`,
        )
      ).rows
    const counted = async () =>
      (
        await pool.query<{ n: number }>(
          `select coalesce(sum(s.messages), 0)::int as n from device_stats s join devices d on d.num = s.device where d.id = any($1::uuid[])`,
          [devices.map(d => d.device.id)],
        )
      ).rows[0]!.n
    const all = async () =>
      (
        await pool.query<{ n: number }>(
          `select count(*)::int as n from journal j join devices d on d.num = j.device where d.id = any($1::uuid[]) and j.kind in (1, 2, 3)`,
          [devices.map(d => d.device.id)],
        )
      ).rows[0]!.n
    // What is reported is what was seen at one look: a row that comes after it (a device that is online again) has yet
    // to be read by every consumer.
    const deadline = performance.now() + 120_000
    let consumers = await lag()
    let seen = await counted()
    while ((consumers.some(c => c.behind > 0) || seen < (await all())) && performance.now() < deadline) {
      await new Promise(resolve => setTimeout(resolve, 20))
      consumers = await lag()
      seen = await counted()
    }
    return {
      acknowledged: devices.reduce((sum, d) => sum + d.acknowledged.size, 0),
      lost,
      history,
      duplicated,
      rows,
      counted: seen,
      consumers,
    }
  } finally {
    await pool.end()
  }
}

/** What was acknowledged last may have been written by a database that had lost its first process already. */
async function databaseBack(pool: pg.Pool): Promise<void> {
  const deadline = performance.now() + 120_000
  for (;;) {
    try {
      await pool.query('select 1')
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
}

async function until(condition: () => boolean, ms: number, why: () => string): Promise<void> {
  const deadline = performance.now() + ms
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(why())
    await new Promise(resolve => setTimeout(resolve, 2))
  }
}

function withTimeout<T>(work: Promise<T>, ms: number, why: string): Promise<T> {
  let timer: NodeJS.Timeout
  return Promise.race([
    work,
    new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error(why)), ms))),
  ]).finally(() => clearTimeout(timer))
}

/** mulberry32: the same rounds for the same seed. */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
