import type { PageDetail, PageView } from '@thingwright/contracts/cloud-pages.contract'
import type { PageVisit } from '@thingwright/contracts/page-visits.contract'
import { emptyScene, newNode, type Scene } from '@thingwright/scene'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TriggerHouse, triggerHouse } from './testing/trigger-house.ts'

let house: TriggerHouse
let device: string
let other: string
let count = 0
beforeAll(async () => {
  house = await triggerHouse()
  device = await house.device('Pump 1')
  other = await house.device('Pump 2')
  await house.say(device, { temperature: 21.5, pump: false })
  await house.say(other, { temperature: 33 })
}, 120_000)
afterAll(() => house.end())

const NOBODY = ''
const call = <T = Record<string, unknown>>(method: string, path: string, body?: object, token = house.owner) =>
  house.call<T & { code: string; fields: Record<string, { code: string }> }>(method as 'GET', path, token, body)

function scene(over: Partial<Scene> = {}): Scene {
  return {
    ...emptyScene('canvas'),
    roles: [{ key: 'pump', name: 'Pump', productId: null, deviceId: device, choices: [device, other] }],
    nodes: [
      newNode('t', 'number', {
        bind: [
          { prop: 'value', source: { from: 'property', role: 'pump', point: 'temperature' } },
          { prop: 'label', source: { from: 'expression', text: 'round(pump.temperature * 2)' } },
        ],
      }),
      newNode('s', 'switch', { events: [{ on: 'change', do: 'set', role: 'pump', point: 'pump' }] }),
      newNode('l', 'input', { events: [{ on: 'change', do: 'set', role: 'pump', point: 'limit', min: 0, max: 10 }] }),
    ],
    ...over,
  }
}

async function published(over: object = {}, document: unknown = scene()): Promise<PageView> {
  const made = await call<PageDetail>('POST', '/pages', { name: 'Station', suffix: `test-${++count}`, scene: document })
  expect(made.status, made.text).toBe(201)
  const set = await call<PageView>('PATCH', `/pages/${made.body.id}`, { version: made.body.version, ...over })
  expect(set.status, set.text).toBe(200)
  const done = await call<PageView>('POST', `/pages/${made.body.id}/publish`, {})
  expect(done.status, done.text).toBe(200)
  return done.body
}
const visit = (suffix: string, body: object = {}) =>
  call<PageVisit>('POST', `/public/pages/${suffix}/enter`, body, NOBODY)
const act = (suffix: string, body: object) => call('POST', `/public/pages/${suffix}/actions`, body, NOBODY)

describe('a published page', () => {
  it('shows its values to a stranger, and never which device stands behind a role', async () => {
    const page = await published()
    const { status, body, text } = await visit(page.suffix)
    expect(status, text).toBe(200)
    expect(body.values['pump.temperature']).toMatchObject({ v: 21.5, q: 'good' })
    expect(Object.keys(body.values)).toEqual(['pump.temperature'])
    expect(JSON.stringify(body.scene)).not.toContain(device)
    expect(body.control).toBe('none')
    expect((await call('GET', `/public/pages/${page.suffix}`, undefined, NOBODY)).status).toBe(200)
  })

  it('gives a map the places and states of its devices, and of none that has no place', async () => {
    const map = scene({ nodes: [newNode('m', 'map', { props: { devices: 'pump: temperature' } })] })
    const page = await published({}, map)
    expect(Object.keys((await visit(page.suffix)).body.values).sort()).toEqual([
      'pump!alarm',
      'pump!online',
      'pump.temperature',
    ])
    const { body } = await call<{ version: number }>('GET', `/devices/${device}`)
    const location = { lng: 114.06, lat: 22.54 }
    const set = await call('PATCH', `/devices/${device}`, { version: body.version, location })
    expect(set.status, set.text).toBe(200)
    const { values } = (await visit(page.suffix)).body
    expect(values['pump!place']).toMatchObject({ v: '114.06,22.54' })
    expect(values['pump!online']!.v).toBeTypeOf('boolean')
    // A new page with a map can be published as it is.
    const made = await call<PageDetail>('POST', '/pages', { name: 'Map', suffix: `test-${++count}`, kind: 'map' })
    expect([made.status, made.body.kind, made.body.nodes]).toEqual([201, 'map', 1])
    expect((await call('POST', `/pages/${made.body.id}/publish`, {})).status).toBe(200)
  })

  it('shows another device to who chose it, and only one that the page lets choose', async () => {
    const page = await published()
    const chosen = await visit(page.suffix, { devices: { pump: other } })
    expect(chosen.body.values['pump.temperature']).toMatchObject({ v: 33 })
    const stranger = await visit(page.suffix, { devices: { pump: '0190b6c2-7b1e-7aaa-8000-0000000000aa' } })
    expect(stranger.body.values['pump.temperature']).toMatchObject({ v: 21.5 })
  })

  it('is not there before it is published, nor after it was withdrawn', async () => {
    const page = await published()
    const { body } = await visit(page.suffix)
    await call('POST', `/pages/${page.id}/withdraw`)
    expect((await visit(page.suffix)).body.code).toBe('page.off_line')
    expect((await act(page.suffix, { ticket: body.ticket, node: 's', event: 0, value: true })).body.code).toBe(
      'page.off_line',
    )
    await call('POST', `/pages/${page.id}/publish`, {})
    expect((await visit(page.suffix)).status).toBe(200)
    // What was handed out before it was withdrawn opens nothing now.
    expect((await act(page.suffix, { ticket: body.ticket, node: 's', event: 0, value: true })).body.code).toBe(
      'page.ticket_invalid',
    )
  })

  it('keeps its old address, which nobody else can take', async () => {
    const page = await published()
    const moved = await call<PageView>('PATCH', `/pages/${page.id}`, {
      version: page.version,
      suffix: `moved-${count}`,
    })
    expect(moved.body).toMatchObject({ suffix: `moved-${count}`, oldSuffixes: [page.suffix] })
    expect((await visit(page.suffix)).body).toMatchObject({ suffix: `moved-${count}`, name: 'Station' })
    const taken = await call('POST', '/pages', { name: 'Other', suffix: page.suffix })
    expect(taken.body).toMatchObject({ code: 'page.suffix_taken', fields: { suffix: { code: 'page.suffix_taken' } } })
    expect((await call('POST', '/pages', { name: 'Other', suffix: 'manage' })).body.code).toBe('page.suffix_reserved')
  })

  it('is published in versions that can be restored', async () => {
    const page = await published()
    const second = scene({ nodes: scene().nodes.slice(0, 1) })
    await call('PUT', `/pages/${page.id}/draft`, { version: page.version, scene: second })
    expect(((await visit(page.suffix)).body.scene as Scene).nodes).toHaveLength(3)
    await call('POST', `/pages/${page.id}/publish`, { note: 'less' })
    expect(((await visit(page.suffix)).body.scene as Scene).nodes).toHaveLength(1)
    const { body } = await call<{ items: object[] }>('GET', `/pages/${page.id}/versions`)
    expect(body.items).toMatchObject([
      { no: 2, note: 'less', removed: 2, added: 0, changed: 0, current: true },
      { no: 1, added: 3, current: false },
    ])
    const restored = await call<PageDetail>('POST', `/pages/${page.id}/versions/1/restore`)
    expect((restored.body.scene as Scene).nodes).toHaveLength(3)
    expect(((await visit(page.suffix)).body.scene as Scene).nodes).toHaveLength(1)
  })
})

describe('who may see a page', () => {
  it('shows the passcode, and waits 15 minutes after five wrong ones even with the right one', async () => {
    const page = await published({ visibility: 'passcode', passcode: 'open sesame' })
    expect((await visit(page.suffix)).body.code).toBe('page.passcode_required')
    for (const _ of [1, 2, 3, 4])
      expect((await visit(page.suffix, { passcode: 'wrong' })).body.code).toBe('page.passcode_wrong')
    const inside = await visit(page.suffix, { passcode: 'open sesame' })
    expect(inside.status).toBe(200)
    for (const _ of [1, 2, 3, 4, 5])
      expect((await visit(page.suffix, { passcode: 'wrong' })).body.code).toBe('page.passcode_wrong')
    const locked = await visit(page.suffix, { passcode: 'open sesame' })
    expect(locked).toMatchObject({ status: 429, body: { code: 'page.locked' } })
    // Who is in stays in.
    expect((await visit(page.suffix, { ticket: inside.body.ticket })).status).toBe(200)
    const now = await call<PageView>('GET', `/pages/${page.id}`)
    await call('PATCH', `/pages/${page.id}`, { version: now.body.version, passcode: 'another one' })
    expect((await visit(page.suffix, { ticket: inside.body.ticket })).body.code).toBe('page.passcode_required')
  })

  it('comes by a link until it ends or is revoked', async () => {
    const page = await published({ visibility: 'link' })
    expect((await visit(page.suffix)).body.code).toBe('page.link_required')
    const link = await call<{ id: string; path: string }>('POST', `/pages/${page.id}/links`, { name: 'Li', days: 1 })
    const token = link.body.path.split('link=')[1]!
    const inside = await visit(page.suffix, { link: token })
    expect(inside.status).toBe(200)
    expect((await visit(page.suffix, { link: `${token}x` })).body.code).toBe('page.link_invalid')
    await house.db.superuser.query(`update cloud_page_links set expires_at = now() - interval '1 minute'`)
    expect((await visit(page.suffix, { link: token })).body.code).toBe('page.link_expired')
    expect((await visit(page.suffix, { ticket: inside.body.ticket })).body.code).toBe('page.link_expired')
    await call('DELETE', `/pages/${page.id}/links/${link.body.id}`)
    expect((await visit(page.suffix, { link: token })).body.code).toBe('page.link_invalid')
  })

  it('is signed in, or has one of the roles', async () => {
    const page = await published({ visibility: 'signed_in' })
    expect((await visit(page.suffix)).body.code).toBe('page.sign_in_required')
    const inside = await call<PageVisit>('POST', `/page-visits/${page.suffix}`, {})
    expect(inside.status, inside.text).toBe(200)
    expect((await visit(page.suffix, { ticket: inside.body.ticket })).status).toBe(200)
    const roles = await call<{ items: { id: string; name: string }[] }>('GET', '/roles')
    const role = roles.body.items.at(-1)!
    const now = await call<PageView>('GET', `/pages/${page.id}`)
    await call('PATCH', `/pages/${page.id}`, { version: now.body.version, visibility: 'roles', roleIds: [role.id] })
    expect((await call('POST', `/page-visits/${page.suffix}`, {})).body.code).toBe('page.role_required')
  })
})

describe('what visitors do', () => {
  it('needs the PIN, is held against the published page, and reaches the device', async () => {
    const page = await published({ control: 'pin', pin: '2468' })
    const { body } = await visit(page.suffix)
    expect(body.control).toBe('pin')
    const press = { ticket: body.ticket, node: 's', event: 0, value: true }
    expect((await act(page.suffix, press)).body.code).toBe('page.pin_required')
    expect((await act(page.suffix, { ...press, pin: '0000' })).body.code).toBe('page.pin_wrong')
    const done = await act(page.suffix, { ...press, pin: '2468' })
    expect(done, done.text).toMatchObject({ status: 202, body: { state: 'queued' } })
    const commands = await call<{ items: object[] }>('GET', `/devices/${device}/commands`)
    expect(commands.body.items[0]).toMatchObject({
      params: { pump: true },
      source: 'page',
      operatorName: `system:page ${page.suffix}`,
    })
    const state = await house.app.inject({
      method: 'GET',
      url: `/api/v1/public/pages/${page.suffix}/actions/${done.body.id}`,
      headers: { 'x-page-ticket': body.ticket },
    })
    expect(state.json()).toMatchObject({ state: 'queued' })
    // An element that is not there, one that does nothing, a value out of bounds.
    expect((await act(page.suffix, { ...press, node: 'x', pin: '2468' })).body.code).toBe('page.action_unknown')
    expect((await act(page.suffix, { ...press, node: 't', pin: '2468' })).body.code).toBe('page.action_unknown')
    expect((await act(page.suffix, { ...press, node: 'l', value: 11, pin: '2468' })).body.code).toBe('page.value_range')
    const log = await call<{ items: object[] }>('GET', '/audit-logs?action=page.control')
    expect(log.body.items[0]).toMatchObject({ objectId: page.id, actorName: `system:page ${page.suffix}` })
  })

  it('is refused on a page that is only looked at', async () => {
    const page = await published()
    const { body } = await visit(page.suffix)
    expect((await act(page.suffix, { ticket: body.ticket, node: 's', event: 0, value: true })).body.code).toBe(
      'page.no_control',
    )
    expect((await act(page.suffix, { ticket: 'twp_AAAA', node: 's', event: 0 })).body.code).toBe('page.ticket_invalid')
  })

  it('reads history of what the page binds, and of nothing else', async () => {
    const page = await published()
    const { body } = await visit(page.suffix)
    const series = (key: string) =>
      house.app.inject({
        method: 'GET',
        url: `/api/v1/public/pages/${page.suffix}/series?key=${key}&hours=24`,
        headers: { 'x-page-ticket': body.ticket },
      })
    expect((await series('pump.temperature')).statusCode).toBe(200)
    expect((await series('pump.note')).json().code).toBe('page.key_unknown')
  })
})

describe('a document', () => {
  it.each([
    ['of a later version', { ...emptyScene('canvas'), v: 99 }, 'scene.v', 'page.later_version'],
    [
      'with an address that runs',
      { ...emptyScene('canvas'), nodes: [newNode('i', 'image', { props: { src: 'javascript:alert(1)' } })] },
      'scene.nodes.0.props.src',
      'page.address',
    ],
    [
      'with a host that it does not name',
      { ...emptyScene('canvas'), nodes: [newNode('i', 'image', { props: { src: 'https://evil.example/x.png' } })] },
      'scene.nodes.0.props.src',
      'page.host_missing',
    ],
    [
      'with a drawing that is none',
      { ...emptyScene('canvas'), nodes: [newNode('i', 'drawing', { props: { drawing: '<svg><a' } })] },
      'scene.nodes.0.props.drawing',
      'page.drawing',
    ],
  ])('%s is refused with the place', async (_name, document, path, code) => {
    const { status, body } = await call('POST', '/pages', {
      name: 'Bad',
      suffix: `bad-${++count}-page`,
      scene: document,
    })
    expect(status).toBe(422)
    expect(body.fields[path]).toMatchObject({ code })
  })

  it('keeps of a drawing what draws, and nothing that runs or points outside', async () => {
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="alert(1)"><script>alert(1)</script>
      <image href="https://evil.example/x.png"/><a href="javascript:alert(1)"><text>x</text></a><rect width="9" height="9" fill="#f00" onclick="alert(1)"/></svg>`
    const made = await call<PageDetail>('POST', '/pages', {
      name: 'Drawn',
      suffix: `drawn-${++count}`,
      scene: { ...emptyScene('canvas'), nodes: [newNode('d', 'drawing', { props: { drawing } })] },
    })
    const kept = String((made.body.scene as Scene).nodes[0]!.props.drawing)
    expect(kept).toContain('<rect')
    expect(kept).not.toMatch(/script|onload|onclick|javascript|evil/)
  })

  it('that somebody else saved meanwhile is not written over', async () => {
    const page = await published()
    const first = await call<PageView>('PUT', `/pages/${page.id}/draft`, { version: page.version, scene: scene() })
    expect(first.status, first.text).toBe(200)
    const late = await call('PUT', `/pages/${page.id}/draft`, { version: page.version, scene: scene({ nodes: [] }) })
    expect(late).toMatchObject({ status: 409, body: { code: 'page.draft_conflict' } })
    expect(((await call<PageDetail>('GET', `/pages/${page.id}`)).body.scene as Scene).nodes).toHaveLength(3)
  })

  it('is not published with a device that the publisher cannot see', async () => {
    const strange = '0190b6c2-7b1e-7aaa-8000-0000000000aa'
    const made = await call<PageDetail>('POST', '/pages', {
      name: 'Strange',
      suffix: `strange-${++count}`,
      scene: scene({ roles: [{ key: 'pump', name: 'Pump', productId: null, deviceId: strange, choices: [] }] }),
    })
    const done = await call('POST', `/pages/${made.body.id}/publish`, {})
    expect(done.body.fields['scene.roles.0.deviceId']).toMatchObject({ code: 'page.device_unknown' })
  })
})
