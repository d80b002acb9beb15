import type { PageDetail } from '@thingwright/contracts/cloud-pages.contract'
import type { PageVisit } from '@thingwright/contracts/page-visits.contract'
import { emptyScene, newNode, type PageValue, type Scene } from '@thingwright/scene'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { NarrowMember } from './testing/narrow-company.ts'
import { type TriggerHouse, triggerHouse } from './testing/trigger-house.ts'

let house: TriggerHouse
let suffix: string
let chief: NarrowMember
let plain: NarrowMember

const property = (point: string) => ({ from: 'property', role: 'pump', point }) as const
beforeAll(async () => {
  house = await triggerHouse()
  const device = await house.device('Pump 1')
  await house.say(device, { temperature: 21.5, limit: 7, note: 'inner' })
  chief = await house.member(['device:read'])
  plain = await house.member(['device:read'])
  const scene: Scene = {
    ...emptyScene('canvas'),
    roles: [{ key: 'pump', name: 'Pump', productId: null, deviceId: device, choices: [] }],
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
  await house.db.superuser.query(
    `insert into alarms (id, tenant_id, trigger_name, origin, target_kind, target_id, device, device_id, level, raised_at, last_at, active)
     select gen_random_uuid(), tenant_id, 'Too warm', 'sight', 'device', $1::text, num, id, 4, now(), now(), true from devices where id = $1::uuid`,
    [device],
  )
}, 120_000)
afterAll(() => house.end())

const ALL = ['pump.limit', 'pump.note', 'pump.temperature']

async function enter(token: string): Promise<PageVisit> {
  const path = token === '' ? `/public/pages/${suffix}/enter` : `/page-visits/${suffix}`
  const reply = await house.call<PageVisit>('POST', path, token, {})
  expect(reply.status, reply.text).toBe(200)
  return reply.body
}
async function read(ticket: string, what: string) {
  const url = `/api/v1/public/pages/${suffix}/${what}`
  return (await house.app.inject({ method: 'GET', url, headers: { 'x-page-ticket': ticket } })).json()
}
/** A visitor's socket, and all that it was told. */
function socket() {
  const told: { op?: string; snapshot?: Record<string, PageValue>; patch?: Record<string, unknown> }[] = []
  return { told, send: (text: string) => void told.push(JSON.parse(text)), backlog: () => 0, end: () => undefined }
}

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
