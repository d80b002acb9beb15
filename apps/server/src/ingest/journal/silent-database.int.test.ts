import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { systemClock } from '../../lib/clock.ts'
import { silentLogger } from '../../lib/log.ts'
import { openPool } from '../../lib/pool.ts'
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

describe('a network that swallowed packets towards the database', () => {
  it('and is whole again: what lanes had taken is stored once and acknowledged', async () => {
    const lanes = createLanes({ database: await behindProxy(), logger: silentLogger, clock: systemClock })
    ends.push(() => lanes.stop())
    await lanes.start()
    const stored = new Set<number>()
    const post = (n: number) => lanes.append([aPost(n, { n })], () => stored.add(n))
    for (const n of [2, 3]) post(n)
    await expect.poll(() => stored.size).toBe(2)
    proxy.swallow(true)
    for (const n of [4, 5]) post(n)
    // Long enough for attempts to connect to be lost as well.
    await delay(4_000)
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
      (error: Error) => error.message,
    )
    await delay(500)
    proxy.swallow(false)
    expect(await lost).toBe('the database does not answer')
    expect((await pool.query<{ n: number }>('select 3 as n')).rows).toEqual([{ n: 3 }])
  })
})

it('a statement that takes long is not taken for a silent connection', async () => {
  const pool = openPool({ ...(await behindProxy()), max: 1 }, () => {})
  ends.push(() => pool.end())
  expect((await pool.query<{ n: number }>('select 1 as n from pg_sleep(6)')).rows).toEqual([{ n: 1 }])
})

describe('a lane that a connection of before still holds', () => {
  const open = (owner: LaneOwner | null, signal = new AbortController().signal) =>
    LaneConnection.open(db.access.telemetry, 0, silentLogger, signal, { owner })

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
      const waiting = open({ node: 'here', since: 2 }, control.signal)
      await delay(2_500)
      expect(holder.isAlive).toBe(true)
      control.abort()
      await expect(waiting).rejects.toThrow()
      await holder.close()
    }
  })
})
