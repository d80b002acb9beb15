import type { DryRunView } from '@thingwright/contracts/triggers.contract'
import { emptyScene, newNode } from '@thingwright/scene'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actorId } from '../lib/context.ts'
import { openPool } from '../lib/database/pool.ts'
import { readChains, readDevices } from '../modules/subscriptions/catalogue.repo.ts'
import { createLiveSnapshots } from './live-snapshots.ts'
import { type NarrowCompany, narrowCompany } from './testing/narrow-company.ts'

/**
 * An end user who was given a device without its history: dry runs, pages and the live socket show nothing from before,
 * also where the company asked for the same a moment ago. Reads, exports and messages: `end-users.int.test.ts`.
 */
const PASSWORD = 'A password 4 tests'
const HOUR = 3_600_000
let house: NarrowCompany
let user: string
let deviceId: string
let before: number

beforeAll(async () => {
  house = await narrowCompany()
  deviceId = (await house.fleet())['inside/inside'].id
  const { rows } = await house.db.superuser.query(
    `select d.num, p.num as property from devices d join product_properties p on p.product_num = d.product_num
     where d.id = $1 and p.identifier = 'temperature'`,
    [deviceId],
  )
  before = Date.now() - HOUR
  const hour = Math.floor(before / HOUR) * HOUR
  before = hour + 1_000
  await house.container.telemetry.storeImported(
    [{ device: rows[0].num, property: rows[0].property, readings: { times: [before], values: [4711], quality: null } }],
    hour,
    0,
  )
  await house.db.superuser.query('insert into latest (device, values) values ($1, $2)', [
    rows[0].num,
    JSON.stringify({ temperature: [4711, before, 0] }),
  ])
  const make = async (username: string) =>
    (
      await house.call<{ id: string }>('POST', '/end-users', house.owner, {
        username,
        name: username,
        password: PASSWORD,
        rights: ['control', 'triggers', 'pages', 'export'],
      })
    ).body.id
  const [first, second] = [await make('first'), await make('second')]
  const given = await house.call('POST', `/end-users/${first}/devices`, house.owner, { deviceIds: [deviceId] })
  expect(given.status, given.text).toBeLessThan(300)
  const moved = await house.call('POST', `/end-users/${first}/transfer`, house.owner, {
    to: second,
    deviceIds: [deviceId],
    withHistory: false,
    withTriggers: false,
  })
  expect(moved.status, moved.text).toBeLessThan(300)
  const reply = await house.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ grant_type: 'password', username: 'second', password: PASSWORD }).toString(),
  })
  user = reply.json().access_token
}, 120_000)
afterAll(() => house.stop())

describe('without history', () => {
  it('a dry run over the past and on the last values reads nothing from before', async () => {
    const trigger = {
      scope: { deviceIds: [deviceId] },
      kind: 'above',
      property: 'temperature',
      high: 8,
      alarm: { level: 2 },
    }
    const run = async (token: string, over: object) => {
      const reply = await house.call<DryRunView>('POST', '/triggers/dry-run', token, { trigger, ...over })
      expect(reply.status, reply.text).toBe(200)
      return reply.body.rows
    }
    const past = { from: before - HOUR, to: before + HOUR }
    expect([await run(house.owner, past), await run(house.owner, {})]).toEqual([1, 1])
    expect([await run(user, past), await run(user, {})]).toEqual([0, 0])
  }, 60_000)

  it('a page shows neither a value nor a sum from before, also when the company has just looked', async () => {
    const scene = {
      ...emptyScene('canvas'),
      roles: [{ key: 'room', name: 'Room', productId: null, deviceId, choices: [] }],
      nodes: [
        newNode('v', 'value', {
          bind: [{ prop: 'value', source: { from: 'property', role: 'room', point: 'temperature' } }],
        }),
        newNode('m', 'value', {
          bind: [
            {
              prop: 'value',
              source: { from: 'aggregate', role: 'room', point: 'temperature', fn: 'max', span: 'day' },
            },
          ],
        }),
      ],
    }
    const shown = async (token: string, suffix: string) => {
      const made = await house.call<{ id: string }>('POST', '/pages', token, { name: suffix, suffix, scene })
      expect(made.status, made.text).toBe(201)
      const published = await house.call('POST', `/pages/${made.body.id}/publish`, token, {})
      expect(published.status, published.text).toBe(200)
      const entered = await house.call<{ values: Record<string, { v: unknown }> }>(
        'POST',
        `/public/pages/${suffix}/enter`,
        '',
        {},
      )
      expect(entered.status, entered.text).toBe(200)
      return Object.values(entered.body.values).map(({ v }) => v)
    }
    expect(await shown(house.owner, 'of-the-company')).toEqual([4711, 4711])
    expect(await shown(user, 'of-the-second')).toEqual([])
  })

  it('the live socket’s first state holds no value from before', async () => {
    const first = async (token: string) => {
      const { actor, tenantId } = await house.container.identity.authenticate(token)
      expect(actorId(actor)).not.toBeNull()
      return createLiveSnapshots(house.container).properties(
        { tenantId, actor, locale: 'zh', requestId: 'live', now: Date.now() },
        deviceId,
      )
    }
    expect(await first(house.owner)).toMatchObject({ temperature: { value: 4711 } })
    expect(await first(user)).toEqual({})
  })

  it('a subscription narrowed to end users knows whose a device is now, and whose it was no longer', async () => {
    const pool = openPool({ ...house.db.access.telemetry, max: 1 }, () => {})
    try {
      const { rows } = await house.db.superuser.query(
        `select d.num, d.product_id, d.owner_id, (select id from logins where username = 'first') as former
         from devices d where d.id = $1`,
        [deviceId],
      )
      const [{ num, product_id: productId, owner_id: ownerId, former }] = rows
      const [facts] = await readDevices(pool, [num])
      expect(facts!.ownerPath).toEqual([ownerId])
      expect((await readChains(pool, null, productId, deviceId)).ownerPath).toEqual([ownerId])
      expect(facts!.ownerPath).not.toContain(former)
    } finally {
      await pool.end()
    }
  })
})
