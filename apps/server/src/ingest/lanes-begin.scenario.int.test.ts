import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant } from '../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { freePort } from '../lib/testing/free-port.ts'
import { LANE_LOCK } from './journal/lane-owner.ts'
import { LANES, laneOf } from './lanes.port.ts'
import { startGateway } from './process/start.ts'
import { gatewayStart, mqttDevice, topicOf } from './process/testing.ts'

let db: TestDatabase
let device: DeviceFixture
const ends: (() => unknown)[] = []

beforeAll(async () => {
  db = await testDatabase()
  device = await insertDevice(db.superuser, await insertProduct(db.superuser, await insertTenant(db.superuser)))
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const stored = async () =>
  (
    await db.superuser.query<{ count: number; ts: string }>(
      `select (values ->> 'count')::int as count, ts from journal where kind = 1 order by seq`,
    )
  ).rows

describe('while the lanes do not know yet where they go on', () => {
  it('devices are let in; what they send is stored afterwards, in order, at times that nobody had', async () => {
    // As with very much to read again: the lanes stay somebody else's.
    const holder = await db.superuser.connect()
    ends.push(() => holder.release(true))
    for (let lane = 0; lane < LANES; lane++) await holder.query('select pg_advisory_lock($1, $2)', [LANE_LOCK, lane])
    // In the life before, the device got times that are still to come.
    const until = Date.now() + 90_000
    await db.superuser.query('insert into latest_arrivals (device, lane, until) values ($1, $2, $3)', [
      device.num,
      laneOf(device.num),
      until,
    ])
    const { remove, ...start } = gatewayStart(db)
    ends.push(remove)
    const port = await freePort()
    const starting = startGateway(
      { ...start, mqtt: { variable: 'MQTT_PORT', port, explicit: true } },
      { batch: () => undefined, commands: () => undefined, frames: () => undefined },
    )
    const isIn = () =>
      mqttDevice(port, device, { reconnectPeriod: 0 }).then(
        client => client,
        (error: Error) => error.message,
      )
    await expect.poll(isIn).toMatchObject({ connected: true })
    const client = await mqttDevice(port, device)
    ends.push(() => client.endAsync(true))
    const acknowledged: number[] = []
    const sent = [1, 2, 3].map(count =>
      client
        .publishAsync(topicOf(device, 'property/post'), `{"count":${count}}`, { qos: 1 })
        .then(() => acknowledged.push(count)),
    )
    expect(acknowledged).toEqual([])
    expect(await stored()).toEqual([])

    await holder.query('select pg_advisory_unlock_all()')
    const gateway = await starting
    ends.push(() => gateway.stop())
    await Promise.all(sent)
    expect(acknowledged).toEqual([1, 2, 3])
    const rows = await stored()
    expect(rows.map(row => row.count)).toEqual([1, 2, 3])
    const times = rows.map(row => Number(row.ts))
    expect(times[0]).toBeGreaterThan(until)
    expect(new Set(times).size).toBe(3)
  })
})
