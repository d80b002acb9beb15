import type { PageDetail } from '@thingwright/contracts/cloud-pages.contract'
import type { PageVisit } from '@thingwright/contracts/page-visits.contract'
import { emptyScene, newNode, type PageValue, type Scene } from '@thingwright/scene'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { NarrowMember } from './testing/narrow-company.ts'
import { type TriggerHouse, triggerHouse } from './testing/trigger-house.ts'

let house: TriggerHouse
let suffix: string
let pageId: string
/** Its role is bound. */
let base: Scene
const pressed = 'sight-pressed'
let chief: NarrowMember
let plain: NarrowMember

const property = (point: string) => ({ from: 'property', role: 'pump', point }) as const
beforeAll(async () => {
  house = await triggerHouse()
  const device = await house.device('Pump 1')
  await house.say(device, { temperature: 21.5, limit: 7, note: 'inner' })
  chief = await house.member(['device:read'])
  plain = await house.member(['device:read'])
  base = {
    ...emptyScene('canvas'),
    roles: [{ key: 'pump', name: 'Pump', productId: null, deviceId: device, choices: [] }],
  }
  const scene: Scene = {
    ...base,
    nodes: [
      newNode('t', 'number', { bind: [{ prop: 'value', source: property('temperature') }] }),
      newNode('l', 'number', { bind: [{ prop: 'value', source: property('limit') }], show: [chief.roleId] }),
      newNode('g', 'group', { show: [chief.roleId] }),
      newNode('n', 'text', { group: 'g', bind: [{ prop: 'text', source: property('note') }] }),
      newNode('a', 'alarms', { show: [chief.roleId] }),
    ],
  }
  const made = await house.call<PageDetail>('POST', '/pages', house.owner, { name: 'S', suffix: 'sight-1', scene })
  expect(made.status, made.text).toBe(201)
  const done = await house.call('POST', `/pages/${made.body.id}/publish`, house.owner, {})
  expect(done.status, done.text).toBe(200)
  suffix = 'sight-1'
  pageId = made.body.id
  await house.db.superuser.query(
    `insert into alarms (id, tenant_id, trigger_name, origin, target_kind, target_id, device, device_id, level, raised_at, last_at, active)
     select gen_random_uuid(), tenant_id, 'Too warm', 'sight', 'device', $1::text, num, id, 4, now(), now(), true from devices where id = $1::uuid`,
    [device],
  )
}, 120_000)
afterAll(() => house.end())

const ALL = ['pump.limit', 'pump.note', 'pump.temperature']

async function enter(token: string, at = suffix): Promise<PageVisit> {
  const path = token === '' ? `/public/pages/${at}/enter` : `/page-visits/${at}`
  const reply = await house.call<PageVisit>('POST', path, token, {})
  expect(reply.status, reply.text).toBe(200)
  return reply.body
}
async function read(ticket: string, what: string) {
  const url = `/api/v1/public/pages/${suffix}/${what}`
  return (await house.app.inject({ method: 'GET', url, headers: { 'x-page-ticket': ticket } })).json()
}
/** A visitor's socket, all that it was told, and why it was ended. */
function socket() {
  const ended: string[] = []
  const told: { op?: string; snapshot?: Record<string, PageValue>; patch?: Record<string, unknown> }[] = []
  return {
    told,
    ended,
    send: (text: string) => void told.push(JSON.parse(text)),
    backlog: () => 0,
    end: (code: string) => void ended.push(code),
  }
}

it('delivers the elements only that the roles of a visitor may see, and neither devices nor roles of others', async () => {
  const nodes = async (token: string) => {
    const { scene } = (await enter(token)) as { scene: Scene }
    expect(scene.roles).toEqual([{ key: 'pump', name: 'Pump', productId: null, deviceId: null, choices: [] }])
    return scene.nodes.map(({ id }) => id)
  }
  // `n` has no role of its own: it is in the group that has one.
  expect(await nodes('')).toEqual(['t'])
  expect(await nodes(plain.token)).toEqual(['t'])
  expect(await nodes(chief.token)).toEqual(['t', 'l', 'g', 'n', 'a'])
})

it('lets nobody press what he is not shown', async () => {
  const press = async (token: string) => {
    const { ticket } = await enter(token, pressed)
    const body = { ticket, node: 'p', event: 0, pin: '2580' }
    return (await house.call('POST', `/public/pages/${pressed}/actions`, token, body)).body.code
  }
  const node = newNode('p', 'button', {
    show: [chief.roleId],
    events: [{ on: 'click', do: 'set', role: 'pump', point: 'pump', value: true }],
  })
  const scene = { ...base, nodes: [node] }
  const made = await house.call<PageDetail>('POST', '/pages', house.owner, { name: 'P', suffix: pressed, scene })
  const { id, version } = made.body
  await house.call('PATCH', `/pages/${id}`, house.owner, { version, control: 'pin', pin: '2580' })
  expect((await house.call('POST', `/pages/${id}/publish`, house.owner, {})).status).toBe(200)
  expect(await press('')).toBe('page.action_unknown')
  expect(await press(plain.token)).toBe('page.action_unknown')
  // He is shown it; the device is outside of what he sees of the company.
  expect(await press(chief.token)).toBe('device.not_found')
})

it('gives a report the values of elements only that everybody sees', async () => {
  const ctx = {
    tenantId: house.tenantId,
    actor: { kind: 'system' as const, reason: 'test' },
    locale: 'en' as const,
    requestId: '1',
    now: Date.now(),
  }
  const { values } = await house.container.cloudPages.publishedValues(ctx, pageId)
  expect(values.map(({ signal }) => signal)).toEqual([{ kind: 'property', role: 'pump', point: 'temperature' }])
  expect(values[0]).toMatchObject({ device: 'Pump 1', value: { v: 21.5 } })
})

it('hands out values, history and alarms of the elements only that the roles of a visitor may see', async () => {
  for (const [token, keys, alarms] of [
    ['', ['pump.temperature'], 0],
    [plain.token, ['pump.temperature'], 0],
    [chief.token, ALL, 1],
  ] as const) {
    const { ticket, values } = await enter(token)
    expect(Object.keys(values).sort()).toEqual(keys)
    expect(Object.keys((await read(ticket, 'values')).values).sort()).toEqual(keys)
    const series = await read(ticket, 'series?key=pump.limit&hours=1')
    expect(series.code).toBe(keys.length === 1 ? 'page.key_unknown' : undefined)
    expect((await read(ticket, 'alarms')).items).toHaveLength(alarms)
  }
})

it('ends open visits when nobody who may act stands behind the page any more', async () => {
  const maker = await house.member(['device:read', 'telemetry:read', 'page:read', 'page:write'], { kind: 'all' })
  const scene = {
    ...base,
    nodes: [newNode('t', 'number', { bind: [{ prop: 'value', source: property('temperature') }] })],
  }
  const made = await house.call<PageDetail>('POST', '/pages', maker.token, { name: 'M', suffix: 'sight-2', scene })
  expect(made.status, made.text).toBe(201)
  expect((await house.call('POST', `/pages/${made.body.id}/publish`, maker.token, {})).status).toBe(200)
  const { ticket } = await enter('', 'sight-2')
  const open = socket()
  const { visitors } = house.container.cloudPages
  await visitors.enter(ticket, open)
  expect(open.told.map(({ op }) => op)).toEqual(['ready', 'subscribed'])
  const frozen = await house.call('POST', `/members/${maker.loginId}/freeze`, house.owner, {})
  expect(frozen.status, frozen.text).toBe(200)
  // Asked every 3 seconds, and the answer is kept for 5.
  await expect.poll(() => open.ended, { timeout: 20_000 }).toEqual(['page.off_line'])
  visitors.leave(open)
})

it('shares one look among visitors with the same roles, and follows when somebody loses his', async () => {
  const { visitors } = house.container.cloudPages
  const [stranger, first, second] = [socket(), socket(), socket()]
  const [open, held] = [(await enter('')).ticket, (await enter(chief.token)).ticket]
  await visitors.enter(held, first)
  await visitors.enter(open, stranger)
  await visitors.enter(held, second)
  const snapshot = (of: ReturnType<typeof socket>, at = 0) =>
    Object.keys(of.told.filter(({ op }) => op === 'subscribed').at(at)?.snapshot ?? {}).sort()
  expect([snapshot(first), snapshot(stranger), snapshot(second)]).toEqual([ALL, ['pump.temperature'], ALL])
  await house.db.superuser.query('delete from login_roles where login_id = $1', [chief.loginId])
  await expect.poll(() => snapshot(first, 1), { timeout: 15_000 }).toEqual(['pump.temperature'])
  await expect.poll(() => snapshot(second, 1), { timeout: 15_000 }).toEqual(['pump.temperature'])
  expect(first.told.map(({ op }) => op)).toContain('changed')
  expect(stranger.told.map(({ op }) => op)).not.toContain('changed')
  for (const each of [stranger, first, second]) visitors.leave(each)
})
