import type pg from 'pg'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { systemClock } from '../../lib/clock.ts'
import { isConnectionLost } from '../../lib/database/database-errors.ts'
import { openPool } from '../../lib/database/pool.ts'
import { type Logger, silentLogger } from '../../lib/log.ts'
import { createLanes } from '../lanes.ts'
import { type CuttingProxy, cuttingProxy } from '../testing/cutting-proxy.ts'
import { aPost } from '../testing/entries.ts'
import { LaneConnection } from './lane-connection.ts'
import type { LaneOwner } from './lane-owner.ts'

let db: TestDatabase
let proxy: CuttingProxy
const ends: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  db = await testDatabase()
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function behindProxy() {
  const { host, port } = db.access.telemetry
  proxy = await cuttingProxy({ host: host!, port: port! })
  ends.push(() => proxy.close())
  return { ...db.access.telemetry, host: proxy.host }
}

function createLanesHere(database: pg.ClientConfig) {
  return createLanes({ database, logger: silentLogger, clock: systemClock })
}

describe('a network that swallowed packets towards the database', () => {
  it('and is whole again: what lanes had taken is stored once and acknowledged', async () => {
    const lanes = createLanesHere(await behindProxy())
    ends.push(() => lanes.stop())
    await lanes.start()
    const stored = new Set<number>()
    const post = (n: number) => lanes.append([aPost(n, { n })], () => stored.add(n))
    for (const n of [2, 3]) post(n)
    await expect.poll(() => stored.size).toBe(2)
    proxy.swallow(true)
    for (const n of [4, 5]) post(n)
    // Attempts to connect are lost as well.
    await expect.poll(() => proxy.swallowed().connections).toBeGreaterThan(1)
    expect(stored.size).toBe(2)
    proxy.swallow(false)
    await expect.poll(() => [...stored].sort()).toEqual([2, 3, 4, 5])
    const { rows } = await db.superuser.query('select (values ->> $1)::int as n from journal order by 1', ['n'])
    expect(rows.map(({ n }) => n)).toEqual([2, 3, 4, 5])
  })

  it('costs a pool the statement that was on its way, and not the next one', async () => {
    const pool = openPool({ ...(await behindProxy()), max: 1 }, () => {})
    ends.push(() => pool.end())
    await pool.query('select 1')
    proxy.swallow(true)
    const lost = pool.query('select 2').then(
      () => 'answered',
      (error: Error) => error,
    )
    await expect.poll(() => proxy.swallowed().chunks).toBeGreaterThan(0)
    proxy.swallow(false)
    const error = await lost
    expect(error).toMatchObject({ message: 'the database does not answer' })
    // No fault of what was asked: consumers must not blame their rows, and a caller is told to come again.
    expect(isConnectionLost(error)).toBe(true)
    expect((await pool.query<{ n: number }>('select 3 as n')).rows).toEqual([{ n: 3 }])
  })

  it('keeps nobody waiting whose attempt to connect was swallowed', async () => {
    const pool = openPool({ ...(await behindProxy()), max: 1 }, () => {})
    ends.push(() => pool.end())
    proxy.swallow(true)
    const waiting = pool.query<{ n: number }>('select 1 as n')
    waiting.catch(() => undefined)
    await expect.poll(() => proxy.swallowed()).toMatchObject({ connections: 1, chunks: 1 })
    proxy.swallow(false)
    // The attempt itself would hang until it is given up, with an error.
    expect((await waiting).rows).toEqual([{ n: 1 }])
  })

  it('ends with the first connection that was found those that nobody uses, of other pools too', async () => {
    const config = { ...(await behindProxy()), idleTimeoutMillis: 0 }
    const [one, other, lanes] = [openPool(config, () => {}), openPool(config, () => {}), createLanesHere(config)]
    ends.push(
      () => one.end(),
      () => other.end(),
      () => lanes.stop(),
    )
    await lanes.start()
    const used = await one.connect()
    await other.query('select 1')
    await one.query('select 1')
    proxy.forget()
    await expect(one.query('select 2')).rejects.toThrow('the database does not answer')
    await expect.poll(() => other.totalCount).toBe(0)
    // In somebody's hands: that one learns it with his next statement.
    expect(one.totalCount).toBe(1)
    await expect(used.query('select 2')).rejects.toThrow('the database does not answer')
    used.release(true)
    for (const pool of [one, other]) expect((await pool.query('select 3 as n')).rows).toEqual([{ n: 3 }])
    let stored = false
    lanes.append([aPost(8, { n: 8 })], () => {
      stored = true
    })
    await expect.poll(() => stored).toBe(true)
  })
})

it('a statement that takes long is not taken for a silent connection', async () => {
  const asked: number[] = []
  const pool = openPool({ ...(await behindProxy()), max: 1 }, () => {}, {
    everyMs: 20,
    onBusy: backends => asked.push(...backends),
  })
  ends.push(() => pool.end())
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  const holder = await db.superuser.connect()
  ends.push(async () => holder.release(true))
  await holder.query('select pg_advisory_lock(4711)')
  const slow = pool.query<{ n: number }>('select 1 as n from pg_advisory_lock(4711)')
  await expect.poll(() => asked.length).toBeGreaterThan(2)
  await holder.query('select pg_advisory_unlock(4711)')
  expect((await slow).rows).toEqual([{ n: 1 }])
  expect(new Set(asked)).toEqual(new Set([rows[0]!.pid]))
})

describe('a lane that a connection of before still holds', () => {
  const open = (owner: LaneOwner | null, signal = new AbortController().signal, logger: Logger = silentLogger) =>
    LaneConnection.open(db.access.telemetry, 0, logger, signal, { owner })

  it('is taken over by a later life of the same node', async () => {
    const before = await open({ node: 'here', since: 1 })
    ends.push(() => before.close())
    const after = await open({ node: 'here', since: 2 })
    ends.push(() => after.close())
    await before.lost
    expect([before.isAlive, after.isAlive]).toEqual([false, true])
  })

  it('stays with a stranger, and with a later life', async () => {
    for (const owner of [null, { node: 'there', since: 1 }, { node: 'here', since: 3 }]) {
      const holder = await open(owner)
      const control = new AbortController()
      const said: string[] = []
      const logger = { ...silentLogger, warn: (_: unknown, text: string) => said.push(text) } as unknown as Logger
      const waiting = open({ node: 'here', since: 2 }, control.signal, logger)
      waiting.catch(() => undefined)
      // By then it has twice looked for one of its own to end.
      await expect.poll(() => said).toEqual(['another process holds this lane, waiting for it'])
      expect(holder.isAlive).toBe(true)
      control.abort()
      await expect(waiting).rejects.toThrow()
      await holder.close()
    }
  })
})
