import type { PageDetail } from '@thingwright/contracts/cloud-pages.contract'
import type { PageVisit } from '@thingwright/contracts/page-visits.contract'
import { emptyScene, newNode, type Scene } from '@thingwright/scene'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TriggerHouse, triggerHouse } from './testing/trigger-house.ts'

const PASSWORD = 'A password 4 tests'
const NOW = Math.floor(Date.now() / 1000) * 1000
const [FIRST, SECOND, THIRD] = [NOW - 3 * 3_600_000, NOW - 2 * 3_600_000, NOW - 3_600_000]

let house: TriggerHouse
let device: string
let appId: string
let count = 0
beforeAll(async () => {
  house = await triggerHouse()
  appId = (await signIn('owner')).thingwrightAppId!
  device = await house.device('Pump 1')
  await house.say(device, { temperature: 10, pump: false }, { ts: FIRST })
  await house.say(device, { temperature: 20 }, { ts: SECOND, quality: 1 })
  await house.say(device, { temperature: 30, pump: true }, { ts: THIRD })
  await house.db.superuser.query(
    `insert into device_connections (device, at, seq, kind) values ($1, to_timestamp($2), 1, 'online'), ($1, to_timestamp($3), 2, 'offline')`,
    [house.nums[device], FIRST / 1000, SECOND / 1000],
  )
  await house.db.superuser.query(
    `insert into alarms (id, tenant_id, trigger_name, origin, target_kind, target_id, device, device_id, level, raised_at, last_at, active, cleared_at, cleared_by, acknowledged_at)
     select gen_random_uuid(), tenant_id, 'Too warm', 'past', 'device', $1::text, num, id, 4, to_timestamp($2), to_timestamp($2), false, to_timestamp($3), 'condition', to_timestamp($3)
     from devices where id = $1::uuid`,
    [device, SECOND / 1000, THIRD / 1000],
  )
}, 120_000)
afterAll(() => house.end())

async function signIn(username: string, over: Record<string, string> = {}) {
  const reply = await house.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD, ...over }).toString(),
  })
  return reply.json() as { access_token: string; thingwrightAppId?: string }
}

const call = <T = Record<string, unknown>>(method: string, path: string, body?: object, token = house.owner) =>
  house.call<T & { code: string }>(method as 'GET', path, token, body)

async function customer(rights: string[]): Promise<{ id: string; token: string }> {
  const username = `customer-${++count}`
  const made = await call<{ id: string }>('POST', '/end-users', {
    username,
    name: username,
    password: PASSWORD,
    rights,
  })
  expect(made.status, made.text).toBe(201)
  return { id: made.body.id, token: (await signIn(username, { thingwrightAppId: appId })).access_token }
}

const property = (point: string) => ({ from: 'property', role: 'pump', point }) as const
function scene(of: string, more: Scene['nodes'] = []): Scene {
  return {
    ...emptyScene('canvas'),
    roles: [{ key: 'pump', name: 'Pump', productId: null, deviceId: of, choices: [] }],
    nodes: [
      newNode('t', 'number', { bind: [{ prop: 'value', source: property('temperature') }] }),
      newNode('p', 'lamp', { bind: [{ prop: 'value', source: property('pump') }] }),
      newNode('g', 'number', { bind: [{ prop: 'value', source: property('gone') }] }),
      newNode('a', 'alarm-sign', { bind: [{ prop: 'value', source: { from: 'alarm', role: 'pump' } }] }),
      newNode('o', 'lamp', { bind: [{ prop: 'value', source: { from: 'online', role: 'pump' } }] }),
      newNode('m', 'number', {
        bind: [
          { prop: 'value', source: { from: 'aggregate', role: 'pump', point: 'temperature', fn: 'max', span: 'day' } },
        ],
      }),
      ...more,
    ],
  }
}

async function published(document: Scene, token = house.owner): Promise<{ id: string; suffix: string }> {
  const suffix = `past-${++count}`
  const made = await call<PageDetail>('POST', '/pages', { name: 'Station', suffix, scene: document }, token)
  expect(made.status, made.text).toBe(201)
  const { id, version } = made.body
  await call('PATCH', `/pages/${id}`, { version, visibility: 'signed_in' }, token)
  const done = await call('POST', `/pages/${id}/publish`, {}, token)
  expect(done.status, done.text).toBe(200)
  return { id, suffix }
}

type Past = {
  ts: number
  values: Record<string, { v: unknown; ts: number; q: string }>
  alarms: object[]
  code?: string
}

async function entered(suffix: string, token = house.owner): Promise<PageVisit> {
  const visit = await call<PageVisit>('POST', `/page-visits/${suffix}`, {}, token)
  expect(visit.status, visit.text).toBe(200)
  return visit.body
}

async function past(suffix: string, ticket: string, ts: number, token = house.owner): Promise<Past> {
  const reply = await house.app.inject({
    method: 'GET',
    url: `/api/v1/page-visits/${suffix}/past?ts=${ts}`,
    headers: { authorization: `Bearer ${token}`, 'x-page-ticket': ticket },
  })
  return reply.json()
}

describe('a page as it was', () => {
  it('shows the last value at or before the moment: exactly at it, between two, before the first, and now', async () => {
    const page = await published(scene(device))
    const { ticket, history } = await entered(page.suffix)
    expect(history).toBe(true)
    const at = async (ts: number) => (await past(page.suffix, ticket, ts)).values
    expect((await at(SECOND))['pump.temperature']).toEqual({ v: 20, ts: SECOND, q: 'uncertain' })
    expect(await at(SECOND)).toMatchObject({ 'pump.pump': { v: false, ts: FIRST } })
    expect((await at(SECOND - 1))['pump.temperature']).toEqual({ v: 10, ts: FIRST, q: 'good' })
    expect((await at(THIRD - 1))['pump.temperature']!.v).toBe(20)
    const before = await at(FIRST - 1)
    expect(before['pump.temperature']).toBeUndefined()
    expect(before['pump!online']).toBeUndefined()
    // What lies ahead is not known: it is the present.
    const ahead = await past(page.suffix, ticket, NOW + 86_400_000)
    expect(ahead.ts).toBeLessThan(NOW + 86_400_000)
    expect(ahead.values['pump.temperature']!.v).toBe(30)
  })

  it('shows whether the device was connected, its alarms, and sums up to that moment', async () => {
    const page = await published(scene(device))
    const { ticket } = await entered(page.suffix)
    const during = await past(page.suffix, ticket, SECOND + 1_000)
    expect(during.values).toMatchObject({
      'pump!alarm': { v: 4 },
      'pump!online': { v: false },
      'pump.temperature@max:day': { v: 20 },
    })
    expect(during.alarms).toMatchObject([{ name: 'Too warm', level: 4, device: 'Pump 1', acknowledged: false }])
    const earlier = await past(page.suffix, ticket, SECOND - 1_000)
    expect(earlier.values).toMatchObject({ 'pump!alarm': { v: 0 }, 'pump!online': { v: true } })
    expect(earlier.alarms).toEqual([])
    expect((await past(page.suffix, ticket, THIRD)).alarms).toEqual([])
  })

  it('leaves out a property that the model does not have, and shows the rest', async () => {
    const page = await published(scene(device))
    const { ticket } = await entered(page.suffix)
    const { values } = await past(page.suffix, ticket, NOW)
    expect(values['pump.gone']).toBeUndefined()
    expect(values['pump.temperature']!.v).toBe(30)
  })

  it('is the same in the preview of the editor, with page:read and history permission', async () => {
    const page = await published(scene(device))
    const draft = await call<Past>('GET', `/pages/${page.id}/past?ts=${SECOND}`)
    expect(draft.body.values['pump.temperature']).toMatchObject({ v: 20, ts: SECOND })
    const noHistory = await house.member(['page:read'])
    expect((await call('GET', `/pages/${page.id}/past?ts=${SECOND}`, undefined, noHistory.token)).status).toBe(403)
    const noPages = await house.member(['telemetry:read'])
    expect((await call('GET', `/pages/${page.id}/past?ts=${SECOND}`, undefined, noPages.token)).status).toBe(403)
    expect((await call('GET', `/pages/${page.id}/past?ts=-1`)).status).toBe(422)
  })
})

describe('access to the past of a page', () => {
  it('needs a sign-in, the permission, and the ticket of the same visitor', async () => {
    const page = await published(scene(device))
    const mine = await entered(page.suffix)
    const noHistory = await house.member(['device:read'])
    const theirs = await entered(page.suffix, noHistory.token)
    expect(theirs.history).toBe(false)
    expect((await past(page.suffix, theirs.ticket, NOW, noHistory.token)).code).toBe('permission.denied')
    const other = await house.member(['telemetry:read', 'device:read'])
    expect((await past(page.suffix, mine.ticket, NOW, other.token)).code).toBe('page.ticket_invalid')
    expect((await past(page.suffix, 'twp_AAAA', NOW)).code).toBe('page.ticket_invalid')
    expect((await past(page.suffix, mine.ticket, NOW, '')).code).toBe('auth.required')
  })

  it('excludes devices of others, and the time before a hand-over without history', async () => {
    const given = await house.device('Given')
    await house.say(given, { temperature: 1 }, { ts: FIRST })
    const page = await published(scene(given))
    const user = await customer(['view'])
    const stranger = await entered(page.suffix, user.token)
    // Every visitor of the page sees its current values; only the owner of the device sees its past.
    expect(stranger.values['pump.temperature']).toMatchObject({ v: 1 })
    const seen = await past(page.suffix, stranger.ticket, NOW, user.token)
    expect(seen.values, JSON.stringify(seen)).toEqual({})
    const handed = await call('POST', `/end-users/${user.id}/devices`, { deviceIds: [given], withHistory: false })
    expect(handed.status, handed.text).toBe(200)
    const later = Date.now() + 60_000
    await house.say(given, { temperature: 2 }, { ts: Date.now() + 5 })
    const visit = await entered(page.suffix, user.token)
    expect((await past(page.suffix, visit.ticket, SECOND, user.token)).values).toEqual({})
    await expect
      .poll(async () => (await past(page.suffix, visit.ticket, later, user.token)).values['pump.temperature']?.v)
      .toBe(2)
    const another = await customer(['view'])
    const back = { to: another.id, deviceIds: [given], withHistory: true, withTriggers: false }
    await call('POST', `/end-users/${user.id}/transfer`, back)
    const company = await entered(page.suffix)
    expect((await past(page.suffix, company.ticket, SECOND)).values['pump.temperature']).toMatchObject({ v: 1 })
  })

  it('excludes values of elements that are hidden from the roles of the visitor', async () => {
    const roles = await call<{ items: { id: string }[] }>('GET', '/roles')
    const hidden = newNode('h', 'number', {
      bind: [{ prop: 'value', source: property('limit') }],
      show: [roles.body.items.at(-1)!.id],
    })
    await house.say(device, { limit: 7 }, { ts: THIRD })
    const page = await published(scene(device, [hidden]))
    const { ticket } = await entered(page.suffix)
    const { values } = await past(page.suffix, ticket, NOW)
    expect(values['pump.temperature']!.v).toBe(30)
    expect(values['pump.limit']).toBeUndefined()
  })
})

describe('a panel of timed tasks', () => {
  it('lists the tasks of the device of its role to visitors who are signed in, within their permissions', async () => {
    const panel = newNode('d', 'timed-tasks', { props: { role: 'pump' } })
    const page = await published(scene(device, [panel]))
    const task = await call<{ id: string }>('POST', '/timed-tasks', {
      name: 'Water at six',
      schedule: { kind: 'daily', times: ['06:00'] },
      actions: [
        { kind: 'command', scope: { deviceIds: [device] }, command: { kind: 'property_set', params: { pump: true } } },
      ],
    })
    expect(task.status, task.text).toBe(201)
    const tasks = async (token: string, role = 'pump') => {
      const { ticket } = await entered(page.suffix, token)
      const reply = await house.app.inject({
        method: 'GET',
        url: `/api/v1/page-visits/${page.suffix}/timed-tasks?role=${role}`,
        headers: { authorization: `Bearer ${token}`, 'x-page-ticket': ticket },
      })
      return reply.json()
    }
    expect(await tasks(house.owner)).toMatchObject({
      items: [{ id: task.body.id, name: 'Water at six', state: 'enabled' }],
      mayChange: true,
    })
    expect((await tasks(house.owner, 'tank')).code).toBe('page.key_unknown')
    const reader = await house.member(['timed-task:read', 'device:read'])
    expect(await tasks(reader.token)).toMatchObject({ mayChange: false })
    const nobody = await house.member(['device:read'])
    expect((await tasks(nobody.token)).code).toBe('permission.denied')
    await call('POST', `/timed-tasks/${task.body.id}/disable`)
    expect((await tasks(house.owner)).items).toMatchObject([{ state: 'disabled' }])
  })
})
