import type pg from 'pg'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import { newId } from '../../lib/ids.ts'
import { refreshLevels } from './alarm-effects.repo.ts'

let m: Management
let own: Company
let productId: string
beforeAll(async () => {
  m = await management()
  own = await company(m.db)
  productId = (await m.products.service.create(own.ctx, { name: 'P', linkType: 'mqtt' })).id
})

const open: pg.PoolClient[] = []
afterEach(async () => {
  for (const client of open.splice(0)) {
    await client.query('rollback')
    client.release()
  }
})

async function begun(): Promise<pg.PoolClient> {
  const client = await m.db.superuser.connect()
  open.push(client)
  await client.query('begin')
  return client
}

async function device(): Promise<{ id: string; num: number }> {
  const { id } = await m.devices.service.create(own.ctx, { name: 'One', productId })
  const { rows } = await m.db.superuser.query<{ num: number }>('select num from devices where id = $1', [id])
  return { id, num: rows[0]!.num }
}

const raise = (client: pg.ClientBase, { id, num }: { id: string; num: number }) =>
  client.query(
    `insert into alarms (id, tenant_id, trigger_name, origin, target_kind, target_id, device, device_id, level, active,
       raised_at, last_at, raise_values)
     values ($1, $2, 'rule', $5, 'device', $5, $4, $3, 4, true, now(), now(), '[]')`,
    [newId(), own.id, id, num, id],
  )
const see = (client: pg.ClientBase, num: number) =>
  client.query(
    `insert into device_presence (device, tenant_id, link, first_seen_at, last_seen_at)
     values ($1, $2, 'online', now(), now())`,
    [num, own.id],
  )
const levelOf = async (num: number) =>
  (await m.db.superuser.query('select alarm_level from device_presence where device = $1', [num])).rows[0]?.alarm_level

/** Until a statement of that connection waits for a lock. */
async function waiting(pid: number): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await m.db.superuser.query(
        `select 1 from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`,
        [pid],
      )
      return rows.length
    })
    .toBe(1)
}

describe('a first message that raises an alarm', () => {
  it('gives its device the level when the alarm is committed first', async () => {
    const { id, num } = await device()
    const [alarms, presence] = [await begun(), await begun()]
    const { pid } = (await presence.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!
    await raise(alarms, { id, num })
    expect(await refreshLevels(alarms, [num])).toEqual([])
    const seen = see(presence, num)
    await waiting(pid)
    await alarms.query('commit')
    await seen
    await presence.query('commit')
    expect(await levelOf(num)).toBe(4)
  })

  it('gives its device the level when the presence is committed first', async () => {
    const { id, num } = await device()
    const [alarms, presence] = [await begun(), await begun()]
    const { pid } = (await alarms.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!
    await see(presence, num)
    await raise(alarms, { id, num })
    const levels = refreshLevels(alarms, [num])
    await waiting(pid)
    await presence.query('commit')
    expect(await levels).toEqual([{ device: num, level: 4 }])
    await alarms.query('commit')
    expect(await levelOf(num)).toBe(4)
  })

  it('gives no level to a device that sent nothing yet', async () => {
    const { num } = await device()
    expect(await refreshLevels(m.db.superuser as unknown as pg.ClientBase, [num])).toEqual([])
    expect(await levelOf(num)).toBeUndefined()
  })

  it('gives its device the level when the presence is written while levels are being refreshed', async () => {
    const { id, num } = await device()
    // Holds up the refresh where it updates presences, after it has taken its view of them.
    await m.db.superuser.query(`
      create function hold_update() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock(4711); return null; end';
      create trigger hold_update before update on device_presence for each statement
        when (current_setting('application_name') = 'refresh') execute function hold_update()`)
    const [gate, alarms, presence] = [await begun(), await begun(), await begun()]
    await gate.query('select pg_advisory_xact_lock(4711)')
    await alarms.query(`set local application_name = 'refresh'`)
    const pidOf = async (client: pg.ClientBase) =>
      (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid
    const [refreshing, seeing] = [await pidOf(alarms), await pidOf(presence)]
    await raise(alarms, { id, num })
    const refreshed = refreshLevels(alarms, [num])
    await waiting(refreshing)
    let isSeen = false
    const seen = see(presence, num)
      .then(() => presence.query('commit'))
      .then(() => {
        isSeen = true
      })
    // It is written, or waits for the refresh.
    await expect
      .poll(async () => {
        const { rows } = await m.db.superuser.query(
          `select 1 from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`,
          [seeing],
        )
        return isSeen || rows.length === 1
      })
      .toBe(true)
    await gate.query('rollback')
    await refreshed
    await alarms.query('commit')
    await seen
    expect(await levelOf(num)).toBe(4)
    await m.db.superuser.query('drop function hold_update cascade')
  })
})
