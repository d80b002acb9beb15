import type { DryRunView } from '@thingwright/contracts/triggers.contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { laneOf } from '../ingest/lanes.port.ts'
import { JournalKind } from '../ingest/uplink.ts'
import { newId } from '../lib/ids.ts'
import { type TriggerHouse, triggerHouse } from './testing/trigger-house.ts'

let house: TriggerHouse
beforeAll(async () => {
  house = await triggerHouse()
}, 120_000)
afterAll(() => house.end())

const DEVICES = 100
const HOUR = 3_600_000
const MINUTE = 60_000

const dryRun = (body: object, token = house.owner) => house.call<DryRunView>('POST', '/triggers/dry-run', token, body)

/** A value a minute of many devices over some hours, in the journal at once; ten minutes of each hour are too warm. */
async function manyDevices(from: number, hours: number): Promise<string[]> {
  const { rows } = await house.db.superuser.query<{ id: string; num: number }>(
    `insert into devices (id, tenant_id, product_id, product_num, device_no, name, secret_hash, secret_cipher)
     select gen_random_uuid(), p.tenant_id, p.id, p.num, 'D' || n, 'D' || n, sha256(('D' || n)::bytea), ''::bytea
     from products p, generate_series(1, $1::int) n where p.id = $2 returning id, num`,
    [DEVICES, house.productId],
  )
  for (let hour = 0; hour <= hours; hour++)
    await house.db.superuser.query('select ensure_journal_partition(to_timestamp($1::float8))', [
      (from + hour * HOUR) / 1_000,
    ])
  const byLane = new Map<number, number[]>()
  for (const { num } of rows) byLane.set(laneOf(num), [...(byLane.get(laneOf(num)) ?? []), num])
  for (const [lane, nums] of byLane)
    await house.db.superuser.query(
      `insert into journal (lane, seq, arrived_at, device, kind, quality, late, ts, values)
       select $1::smallint, coalesce((select max(seq) from journal where lane = $1), 0) + row_number() over (order by m, d.n),
         to_timestamp(($2::float8 + m * 60000) / 1000), d.num, $4, 0, false, $2::float8 + m * 60000,
         (case when m % 60 < 10 then '{"temperature":9}' else '{"temperature":5}' end)::json
       from unnest($3::int[]) with ordinality as d (num, n), generate_series(0, $5::int - 1) m`,
      [lane, from, nums, JournalKind.property, hours * 60],
    )
  return rows.map(({ id }) => id)
}

describe('a dry run over what many devices said', () => {
  it('returns the alarms it would have raised, while other requests are served', async () => {
    const hours = 24
    const from = Math.floor(Date.now() / HOUR) * HOUR - (hours + 2) * HOUR
    await manyDevices(from, hours)
    const rule = {
      scope: { productIds: [house.productId] },
      kind: 'above_for',
      property: 'temperature',
      high: 8,
      minutes: 3,
      alarm: { level: 2 },
    }
    let isOver = false
    const running = dryRun({ trigger: rule, from, to: from + hours * HOUR }).finally(() => {
      isOver = true
    })
    let served = 0
    let longest = 0
    while (!isOver) {
      const began = performance.now()
      expect((await house.call('GET', '/me', house.owner)).status).toBe(200)
      longest = Math.max(longest, performance.now() - began)
      served++
    }
    const { status, text, body } = await running
    expect(status, text).toBe(200)
    expect(body).toMatchObject({ devices: DEVICES, rows: DEVICES * hours * 60, moreDevices: 0, missing: ['arrival'] })
    expect(body.alarms.length + body.moreAlarms).toBe(DEVICES * hours)
    expect([body.alarms[0]!.raisedAt - from, body.alarms[0]!.clearedAt! - from]).toEqual([3 * MINUTE, 10 * MINUTE])
    // Other requests wait for single pages of the read, never for the whole run.
    expect(served).toBeGreaterThan(5)
    expect(longest).toBeLessThan(2_000)
  }, 180_000)
})

describe('a dry run of a trigger about cards, gateways or cameras', () => {
  const rule = (source: object, over: object = {}) => ({
    scope: {},
    kind: 'object',
    source,
    alarm: { level: 4 },
    actions: [{ kind: 'notify' }],
    ...over,
  })

  it('answers from the current state, and lists what is not recorded', async () => {
    const [account, connection] = [newId(), newId()]
    const { superuser } = house.db
    await superuser.query(
      `insert into carrier_accounts (id, tenant_id, name, carrier, kind, base_url, account, secrets_cipher)
       values ($1, $2, 'North', 'cmcc', 'onelink', 'https://carrier.test', 'n', ''::bytea)`,
      [account, house.tenantId],
    )
    const card = (iccid: string, state: string, monthKb: number, synced = true) =>
      superuser.query(
        `insert into sim_cards (id, tenant_id, account_id, account_name, carrier, kind, iccid, state, plan_kb, month_kb, synced_at)
         values ($1, $2, $3, 'North', 'cmcc', 'onelink', $4, $5, 1000, $6, case when $7 then now() end)`,
        [newId(), house.tenantId, account, iccid, state, monthKb, synced],
      )
    await card('89860000000000000001', 'active', 800)
    await card('89860000000000000002', 'stopped', 799)
    await card('89860000000000000003', 'stopped', 999, false)
    await superuser.query(
      `insert into lora_connections (id, tenant_id, name, url, remote_tenant_id, secrets_cipher)
       values ($1, $2, 'Lora', 'https://lora.test', $1, ''::bytea)`,
      [connection, house.tenantId],
    )
    for (const [n, state] of ['online', 'offline', 'never_seen'].entries())
      await superuser.query(
        `insert into lora_gateways (id, tenant_id, connection_id, gateway_id, name, state) values ($1, $2, $3, $4, $5, $6)`,
        [newId(), house.tenantId, connection, `00000000000000a${n}`, `Mast ${n}`, state],
      )
    const now = async (source: object, more: object = {}) => {
      const { status, text, body } = await dryRun({ trigger: rule(source), ...more })
      expect(status, text).toBe(200)
      return body
    }
    // The card that is exactly at its threshold counts; the card below it and the card that was never synced do not.
    expect(await now({ type: 'sim.usage', percent: 80 })).toMatchObject({
      objects: { kind: 'sim', looked: 2 },
      alarms: [
        {
          deviceName: '89860000000000000001',
          level: 4,
          clearedAt: null,
          raiseValues: expect.arrayContaining([expect.objectContaining({ property: 'percent', value: 80 })]),
        },
      ],
      notices: 1,
      missing: [],
    })
    expect((await now({ type: 'sim.status', state: 'stopped' })).alarms.map(one => one.deviceName)).toEqual([
      '89860000000000000002',
    ])
    expect(await now({ type: 'lora.gateway', state: 'offline' })).toMatchObject({
      objects: { kind: 'lora_gateway', looked: 2 },
      alarms: [{ deviceName: 'Mast 1' }],
    })
    // Their past is not recorded, so the answer gives the current state and says that it is only this.
    const past = await now({ type: 'lora.gateway', state: 'offline' }, { from: Date.now() - HOUR })
    expect(past).toMatchObject({ alarms: [{ deviceName: 'Mast 1' }], missing: ['objects'] })
    expect(past.from).toBe(past.to)
    for (const source of [{ type: 'sim.imei_changed' }, { type: 'camera.alarm' }])
      expect(await now(source)).toMatchObject({ alarms: [], missing: ['moments'] })
  }, 60_000)

  it('is available only to members who see the whole company', async () => {
    const member = await house.member(['trigger:read', 'sim-card:read'])
    const refused = await dryRun({ trigger: rule({ type: 'sim.usage', percent: 80 }) }, member.token)
    expect(refused.status, refused.text).toBe(422)
  })
})
