import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertRows } from '../ingest/testing/journal-rows.ts'
import { type NarrowCompany, narrowCompany } from './testing/narrow-company.ts'

/**
 * The programs of an end user who was given a device without its history: an API key, and calls in the words of the TLINK
 * family. Each read is asked with the company's own key too, so that nothing is missed for being empty. What a device is
 * now (online, in alarm) is no history.
 */
const PASSWORD = 'A password 4 tests'
const HOUR = 3_600_000
const OLD = 4711
const NEW = 21.5
let house: NarrowCompany
let deviceId: string
let num: number
let deviceNo: string
let before: number
/** Keys, and tokens of the compatible interface. */
let company: { key: string; token: string }
let customer: { key: string; token: string }

beforeAll(async () => {
  house = await narrowCompany()
  const device = (await house.fleet())['inside/inside']
  deviceId = device.id
  deviceNo = device.deviceNo
  const { db } = house
  num = (await db.superuser.query<{ num: number }>('select num from devices where id = $1', [deviceId])).rows[0]!.num
  before = Math.floor((Date.now() - HOUR) / 1_000) * 1_000
  await say(OLD, before)
  await db.superuser.query(
    `insert into device_connections (device, at, seq, kind) values ($1, to_timestamp($2::float8), 1, 'online'),
       ($1, to_timestamp($2::float8) + interval '1 minute', 2, 'offline')`,
    [num, before / 1_000],
  )
  await db.superuser.query(
    `insert into device_events (device, ts, lane, seq, identifier, level, params) values ($1, $2, 0, 1, 'old', 'info', '{}')`,
    [num, before],
  )
  await db.superuser.query(
    `insert into alarms (id, tenant_id, trigger_name, origin, target_kind, target_id, device, device_id, level, raised_at, last_at)
     select gen_random_uuid(), tenant_id, 'old alarm', $1::text, 'device', $1::text, num, id, 3, to_timestamp($2::float8),
       to_timestamp($2::float8) from devices where id = $1::uuid`,
    [deviceId, before / 1_000],
  )
  const make = async (username: string) => {
    const rights = ['control', 'triggers', 'export', 'api']
    const made = await house.call<{ id: string }>('POST', '/end-users', house.owner, {
      ...{ username, name: username, password: PASSWORD, rights },
    })
    expect(made.status, made.text).toBe(201)
    return made.body.id
  }
  const [first, second] = [await make('first'), await make('second')]
  const given = await house.call('POST', `/end-users/${first}/devices`, house.owner, { deviceIds: [deviceId] })
  expect(given.status, given.text).toBeLessThan(300)
  const sent = await house.call('POST', `/devices/${deviceId}/commands`, await tokenOf('first'), {
    ...{ kind: 'property_set', params: { temperature: 1 } },
  })
  expect(sent.status, sent.text).toBe(201)
  await db.superuser.query(`update commands set state = 'succeeded' where device_id = $1`, [deviceId])
  const moved = await house.call('POST', `/end-users/${first}/transfer`, house.owner, {
    ...{ to: second, deviceIds: [deviceId], withHistory: false, withTriggers: false },
  })
  expect(moved.status, moved.text).toBeLessThan(300)
  company = { key: await keyOf(house.owner), token: house.owner }
  const token = await tokenOf('second')
  customer = { key: await keyOf(token), token }
}, 120_000)
afterAll(() => house.stop())

/** A report of the device, stored as the device path does it. */
async function say(temperature: number, ts: number): Promise<void> {
  await insertRows(house.db, [{ device: num, values: { temperature }, ts, arrivedAt: ts }])
  await house.db.superuser.query(
    `insert into latest (device, values) values ($1, $2) on conflict (device) do update set values = excluded.values`,
    [num, JSON.stringify({ temperature: [temperature, ts, 0] })],
  )
}

async function tokenOf(username: string): Promise<string> {
  const reply = await house.app.inject({
    method: 'POST',
    url: `/compat/tlink/oauth/token?grant_type=password&username=${username}&password=${encodeURIComponent(PASSWORD)}`,
  })
  return reply.json().access_token
}

async function keyOf(token: string): Promise<string> {
  await house.prove(token)
  const scopes = ['device:read', 'telemetry:read', 'telemetry:export', 'alarm:read']
  const made = await house.call<{ key: string }>('POST', '/api/v1/api-keys', token, { name: 'Warehouse', scopes })
  expect(made.status, made.text).toBe(201)
  return made.body.key
}

/** The reads of a device that a key with these permissions has. */
const readsOf = () => {
  const span = `from=${before - HOUR}&to=${Date.now() + HOUR}`
  return {
    'latest values': `/devices/${deviceId}/properties`,
    'latest values of many': `/device-values?ids=${deviceId}&identifiers=temperature`,
    series: `/devices/${deviceId}/telemetry?identifier=temperature&${span}`,
    'every value': `/devices/${deviceId}/telemetry/raw?identifier=temperature&${span}`,
    'history as a table': `/devices/${deviceId}/telemetry/export?identifier=temperature&${span}`,
    messages: `/devices/${deviceId}/messages`,
    'messages as a file': `/devices/${deviceId}/messages/export?format=ndjson`,
    events: `/devices/${deviceId}/events`,
    connections: `/devices/${deviceId}/connections`,
    commands: `/devices/${deviceId}/commands`,
    alarms: `/alarms?deviceId=${deviceId}`,
    'alarms as a table': `/alarms/export?format=csv&deviceId=${deviceId}`,
    'alarms counted': `/alarms/counts?deviceId=${deviceId}`,
    'alarms over time': '/alarms/statistics',
  }
}

/** What a read says of the time before: the old value, the old alarm, rows that there were, numbers above zero. */
function tellsOfBefore(name: string, text: string): boolean {
  if (text.includes(String(OLD)) || text.includes('old alarm')) return true
  if (!text.startsWith('{')) return false
  const body = JSON.parse(text) as { items?: unknown[] }
  if (['events', 'connections', 'commands', 'messages'].includes(name)) return (body.items?.length ?? 0) > 0
  if (name === 'alarms counted' || name === 'alarms over time') return /"(?:total|active|devices)":[1-9]/.test(text)
  return false
}

async function ask(path: string, body: object, token: string) {
  const reply = await house.app.inject({
    method: 'POST',
    url: `/compat/tlink/api/${path}`,
    headers: { authorization: `Bearer ${token}` },
    payload: body,
  })
  expect(reply.json(), path).toMatchObject({ flag: '00' })
  return reply
}

describe('a program of an end user who was given a device without history', () => {
  it('reads nothing from before with an API key, where the company’s reads all of it', async () => {
    for (const [name, path] of Object.entries(readsOf())) {
      const [all, his] = [await house.call('GET', path, company.key), await house.call('GET', path, customer.key)]
      expect([all.status, his.status], `${name}: ${all.text} ${his.text}`).toEqual([200, 200])
      expect([name, tellsOfBefore(name, all.text)]).toEqual([name, true])
      expect([name, tellsOfBefore(name, his.text), his.text]).toEqual([name, false, his.text])
    }
  }, 60_000)

  it.each(['key', 'token'] as const)(
    'reads nothing from before in the words of that family, with a %s',
    async way => {
      const sensorOf = async (token: string) => {
        const { device } = (await ask('device/getSingleDeviceDatas', { deviceNo }, token)).json()
        return device.sensorsList[0].id as number
      }
      const sensorId = await sensorOf(company[way])
      expect(await sensorOf(customer[way])).toBe(sensorId)
      const reads: [string, object][] = [
        ['device/getSingleDeviceDatas', { deviceNo }],
        ['device/getDeviceSensorDatas', { currPage: 1, pageSize: 100 }],
        ['device/getSingleSensorDatas', { sensorId }],
        ['device/getSensorHistroy', { sensorId, pageSize: 100 }],
        ['alarms/getAlarmsHistory', { deviceId: num }],
      ]
      for (const [path, body] of reads) {
        const [all, his] = [await ask(path, body, company[way]), await ask(path, body, customer[way])]
        expect([path, tellsOfBefore(path, all.body)]).toEqual([path, true])
        expect([path, tellsOfBefore(path, his.body), his.body]).toEqual([path, false, his.body])
      }
    },
    60_000,
  )

  it('reads the alarm level of now, in which an alarm from before counts until it clears, though its row stays unseen', async () => {
    const { superuser } = house.db
    await superuser.query(
      `insert into device_presence (device, tenant_id, link, first_seen_at, last_seen_at)
       select num, tenant_id, 'online', now(), now() from devices where id = $1 on conflict do nothing`,
      [deviceId],
    )
    const levels = async () => {
      await superuser.query('select refresh_alarm_levels(array[$1::int])', [num])
      const read = async (key: string) =>
        (await house.call<{ alarmLevel: number }>('GET', `/devices/${deviceId}`, key)).body.alarmLevel
      return [await read(company.key), await read(customer.key)]
    }
    expect(await levels()).toEqual([3, 3])
    const open = `/alarms?deviceId=${deviceId}&active=true`
    const rows = async (key: string) => (await house.call<{ items: unknown[] }>('GET', open, key)).body.items.length
    expect([await rows(company.key), await rows(customer.key)]).toEqual([1, 0])
    await superuser.query('update alarms set active = false, cleared_at = now() where device_id = $1', [deviceId])
    expect(await levels()).toEqual([0, 0])
    await superuser.query('update alarms set active = true, cleared_at = null where device_id = $1', [deviceId])
  })

  it('reads what comes from then on', async () => {
    await say(NEW, Date.now())
    const readings = readsOf()
    for (const name of ['latest values', 'every value', 'history as a table', 'messages'] as const) {
      const { text } = await house.call('GET', readings[name], customer.key)
      expect([name, text.includes(String(NEW)), text.includes(String(OLD))]).toEqual([name, true, false])
    }
    const { device } = (await ask('device/getSingleDeviceDatas', { deviceNo }, customer.key)).json()
    const [sensor] = device.sensorsList
    expect(sensor.value).toBe(String(NEW))
    const history = (await ask('device/getSensorHistroy', { sensorId: sensor.id }, customer.token)).json()
    expect(history.dataList).toMatchObject([{ val: String(NEW), value: String(NEW) }])
  }, 60_000)
})
