import type { AlarmView } from '@thingwright/contracts/alarms.contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { laneOf } from '../ingest/lanes.port.ts'
import { JournalKind } from '../ingest/uplink.ts'
import { type TriggerHouse, triggerHouse } from './testing/trigger-house.ts'

let house: TriggerHouse
beforeAll(async () => {
  house = await triggerHouse()
  for (const run of house.container.triggers.runs ?? []) await run.start?.()
}, 120_000)
afterAll(async () => {
  for (const run of house.container.triggers.runs ?? []) await run.stop()
  await house.end()
})

const DEVICES = 5_000
/** Far above what a page needs when nothing else goes on; a list that waits for the storm takes longer. */
const USABLE_MS = 5_000

/** Devices of the house's product, by their numbers. */
async function manyDevices(): Promise<number[]> {
  const { rows } = await house.db.superuser.query<{ num: number }>(
    `insert into devices (id, tenant_id, product_id, product_num, device_no, name, secret_hash, secret_cipher)
     select gen_random_uuid(), p.tenant_id, p.id, p.num, 'S' || n, 'S' || n, sha256(('S' || n)::bytea), ''::bytea
     from products p, generate_series(1, $1::int) n where p.id = $2 returning num`,
    [DEVICES, house.productId],
  )
  return rows.map(({ num }) => num)
}

/** One message of each device, all within a second, in the journal at once. */
async function allSay(devices: readonly number[], temperature: number): Promise<void> {
  const at = house.now()
  await house.db.superuser.query('select ensure_journal_partition(to_timestamp($1::float8))', [at / 1_000])
  const byLane = new Map<number, number[]>()
  for (const device of devices) byLane.set(laneOf(device), [...(byLane.get(laneOf(device)) ?? []), device])
  for (const [lane, ofLane] of byLane)
    await house.db.superuser.query(
      `insert into journal (lane, seq, arrived_at, device, kind, quality, late, ts, values)
       select $1::smallint, coalesce((select max(seq) from journal where lane = $1), 0) + d.n,
         to_timestamp(($2::float8 + d.n * 1000 / cardinality($3::int[])) / 1000), d.num, $4, 0, false, $2 + d.n, $5
       from unnest($3::int[]) with ordinality as d (num, n)`,
      [lane, at - 1_000, ofLane, JournalKind.property, JSON.stringify({ temperature })],
    )
}

const page = async (query: string) => {
  const reply = await house.call<{ items: AlarmView[]; total?: number }>('GET', `/alarms?${query}`, house.owner)
  expect(reply.status, reply.text).toBe(200)
  return reply.body
}
const openAlarms = async () =>
  (
    await house.db.superuser.query<{ all: number; devices: number }>(
      'select count(*)::int as all, count(distinct device)::int as devices from alarms where active',
    )
  ).rows[0]!

describe('five thousand alarms in one second', () => {
  it('leave the page usable, are there once each, and are merged into the first', async () => {
    const devices = await manyDevices()
    const trigger = await house.trigger({
      scope: { productIds: [house.productId] },
      kind: 'above',
      property: 'temperature',
      high: 8,
      actions: [{ kind: 'notify' }],
    })
    await vi.waitUntil(() => house.container.triggers.catalogue.about(trigger.id)?.targets.length === DEVICES, {
      timeout: 30_000,
    })
    await allSay(devices, 9)
    await allSay(devices, 9.5)
    // People look at the page all the while.
    const waits: number[] = []
    await vi.waitUntil(
      async () => {
        const began = performance.now()
        await page('active=1&merged=1&limit=50')
        await house.call('GET', '/alarms/counts', house.owner)
        waits.push(performance.now() - began)
        return (await openAlarms()).all >= DEVICES
      },
      { timeout: 120_000, interval: 50 },
    )
    expect(Math.max(...waits)).toBeLessThan(USABLE_MS)
    expect(await openAlarms()).toEqual({ all: DEVICES, devices: DEVICES })
    // Of the storm the first five stand in the list, the first of them for all.
    const merged = await page('active=1&merged=1&limit=50&total=1')
    expect(merged.total).toBe(5)
    const head = merged.items.at(-1)!
    expect(head).toMatchObject({ merged: DEVICES - 5, stormId: null, triggerId: trigger.id })
    expect((await page(`stormId=${head.id}&limit=50&total=1`)).total).toBe(DEVICES - 4)
    expect((await page('active=1&limit=50&total=1')).total).toBe(DEVICES)
    expect((await house.call<{ active: number }>('GET', '/alarms/counts', house.owner)).body.active).toBe(DEVICES)
    // Whoever is told is told of the five.
    const told = async () =>
      (
        await house.db.superuser.query<{ result: string; message: string | null; n: number }>(
          'select result, message, count(*)::int as n from trigger_actions where trigger_id = $1 group by 1, 2 order by 1',
          [trigger.id],
        )
      ).rows
    await vi.waitUntil(async () => (await told()).every(({ result }) => result !== 'pending'), { timeout: 60_000 })
    expect(await told()).toEqual([
      { result: 'done', message: null, n: 5 },
      { result: 'skipped', message: 'in_storm', n: DEVICES - 5 },
    ])
    // When the first of it is over, those that are not stand for themselves.
    const { num } = (
      await house.db.superuser.query<{ num: number }>('select num from devices where id = $1', [head.deviceId])
    ).rows[0]!
    await allSay([num], 3)
    await house.until(`stormId=${head.id}&active=0`, items => items.length === 1)
    expect((await page('active=1&merged=1&limit=50&total=1')).total).toBe(DEVICES - 1)
  }, 300_000)
})
