import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { emptyScene, newNode } from '@thingwright/scene'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { hashPassword } from '../modules/identity/index.ts'
import type { Container } from './container.ts'
import { testContainer, testHttp } from './testing/test-app.ts'

const PASSWORD = 'A password 4 tests'
const MODEL = {
  properties: [
    { identifier: 'level', name: 'Level', dataType: { type: 'double' }, access: 'r' },
    { identifier: 'pump', name: 'Pump', dataType: { type: 'bool' }, access: 'rw' },
  ],
}

let db: TestDatabase
let container: Container
let app: FastifyInstance
let owner: string
let appId: string
let productId: string

beforeAll(async () => {
  db = await testDatabase()
  container = testContainer(db)
  app = await testHttp(container)
  ;({ token: owner, appId } = await newCompany('north'))
  productId = (await call('POST', '/products', owner, { name: 'Pump', linkType: 'mqtt', thingModel: MODEL })).body.id
}, 120_000)
afterAll(async () => {
  await container.tasks.runner.stop()
  await app.close()
  await db.drop()
})

async function newCompany(name: string): Promise<{ token: string; appId: string; id: string }> {
  const passwordHash = await hashPassword(PASSWORD)
  const id = await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name, owner: { username: `${name}-owner`, passwordHash, displayName: name, kind: 'member' } }),
  )
  const reply = await signIn(`${name}-owner`)
  return { token: reply.access_token, appId: reply.thingwrightAppId, id }
}

// biome-ignore lint/suspicious/noExplicitAny: replies of many routes
type Any = any

async function signIn(
  username: string,
  over: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Any> {
  const reply = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD, ...over }).toString(),
  })
  return reply.json()
}

async function call(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT',
  path: string,
  token: string,
  payload?: object,
): Promise<{ status: number; body: Any }> {
  const reply = await app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${token}`, 'accept-language': 'en' },
    ...(payload ? { payload } : {}),
  })
  return {
    status: reply.statusCode,
    body: reply.body === '' ? null : String(reply.headers['content-type']).includes('json') ? reply.json() : reply.body,
  }
}

async function device(name: string, token = owner): Promise<string> {
  const { status, body } = await call('POST', '/devices', token, { productId, name })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

let counter = 0
async function customer(over: object = {}, token = owner): Promise<EndUserView & { token: string }> {
  const username = `customer-${++counter}`
  const { status, body } = await call('POST', '/end-users', token, {
    username,
    name: username,
    password: PASSWORD,
    ...over,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  const reply = await signIn(username, { thingwrightAppId: appId })
  return { ...body, token: reply.access_token }
}

const give = (id: string, deviceIds: string[], over: object = {}, token = owner) =>
  call('POST', `/end-users/${id}/devices`, token, { deviceIds, ...over })
const names = async (token: string, query = '') =>
  ((await call('GET', `/devices?limit=100${query}`, token)).body.items as Any[]).map(item => item.name).sort()

describe('a customer of the company', () => {
  it('signs in, sees the two devices he was given and nothing else, and switches a pump', async () => {
    const [one, two, other] = [await device('mine 1'), await device('mine 2'), await device('not mine')]
    const user = await customer()
    expect(await names(user.token)).toEqual([])
    expect((await give(user.id, [one, two])).body).toMatchObject({ done: 2, unchanged: 0, taskId: null })
    expect(await names(user.token)).toEqual(['mine 1', 'mine 2'])
    expect((await call('GET', '/devices?total=1', user.token)).body.total).toBe(2)
    expect((await call('GET', '/devices/counts', user.token)).body.total ?? 2).toBe(2)
    expect((await call('GET', `/devices/${other}`, user.token)).status).toBe(404)
    expect((await call('GET', `/devices/${other}/properties`, user.token)).status).toBe(404)
    const me = (await call('GET', '/me', user.token)).body
    expect(me).toMatchObject({ kind: 'end_user', endUser: { rights: ['view', 'control'], enteredBy: null } })
    expect(me.menuPermissions).toContain('/manage/device')
    expect(me.menuPermissions).not.toContain('/manage/role')
    const command = { kind: 'property_set', params: { pump: true } }
    expect((await call('POST', `/devices/${one}/commands`, user.token, command)).status).toBe(201)
    expect((await call('POST', `/devices/${other}/commands`, user.token, command)).status).toBe(404)
    // The company sees whose it is.
    const list = (await call('GET', `/devices?userId=${user.id}`, owner)).body.items
    expect(list.map((item: Any) => [item.name, item.owner.name]).sort()).toEqual([
      ['mine 1', user.name],
      ['mine 2', user.name],
    ])
    expect(await names(owner, '&userId=none')).toContain('not mine')
  })

  it('draws and publishes pages of his devices, which only he and the company see and change', async () => {
    const [mine, other] = [await device('on his page'), await device('not on his page')]
    const [user, neighbour] = [await customer({ rights: ['pages'] }), await customer({ rights: ['pages'] })]
    await give(user.id, [mine])
    const scene = (deviceId: string) => ({
      ...emptyScene('canvas'),
      roles: [{ key: 'pump', name: 'Pump', productId: null, deviceId, choices: [] }],
      nodes: [newNode('l', 'state', { bind: [{ prop: 'value', source: { from: 'online', role: 'pump' } }] })],
    })
    const suffix = `customer-page-${counter}`
    const made = await call('POST', '/pages', user.token, { name: 'His page', suffix, scene: scene(mine) })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const path = `/pages/${made.body.id}`
    // A device that is not his does not get onto his page, whatever the document says.
    await call('PUT', `${path}/draft`, user.token, { version: made.body.version, scene: scene(other) })
    expect((await call('POST', `${path}/publish`, user.token, {})).body.fields).toMatchObject({
      'scene.roles.0.deviceId': { code: 'page.device_unknown' },
    })
    const { version } = (await call('GET', path, user.token)).body
    await call('PUT', `${path}/draft`, user.token, { version, scene: scene(mine) })
    expect((await call('POST', `${path}/publish`, user.token, {})).status).toBe(200)
    const enter = async () => (await call('POST', `/public/pages/${suffix}/enter`, '', {})).body
    expect((await enter()).values).toHaveProperty(['pump!online'])
    // Neither a neighbour nor who was granted less sees it among the pages; the company does.
    expect((await call('GET', path, neighbour.token)).status).toBe(404)
    expect((await call('GET', '/pages', neighbour.token)).body.items).toEqual([])
    expect((await call('GET', `/pages?userId=${user.id}`, owner)).body.items).toHaveLength(1)
    // What was taken back from him leaves his page.
    await call('POST', `/end-users/${user.id}/devices/take-back`, owner, { deviceIds: [mine] })
    await expect.poll(async () => Object.keys((await enter()).values), { timeout: 10_000 }).toEqual([])
    await call('PATCH', `/end-users/${user.id}`, owner, { version: user.version, rights: ['view'] })
    expect((await call('GET', path, user.token)).status).toBe(403)
  })

  it('gains and loses a right with the next request', async () => {
    const pump = await device('with trigger')
    const user = await customer({ rights: ['view'] })
    await give(user.id, [pump])
    const trigger = {
      name: 'high',
      scope: { deviceIds: [pump] },
      kind: 'above',
      property: 'level',
      high: 8,
      alarm: { level: 3 },
    }
    const denied = await call('POST', '/triggers', user.token, trigger)
    expect([denied.status, denied.body.code]).toEqual([403, 'permission.denied'])
    const command = { kind: 'property_set', params: { pump: true } }
    expect((await call('POST', `/devices/${pump}/commands`, user.token, command)).status).toBe(403)
    const changed = await call('PATCH', `/end-users/${user.id}`, owner, { version: 1, rights: ['triggers'] })
    expect(changed.body.rights).toEqual(['view', 'triggers'])
    expect((await call('POST', '/triggers', user.token, trigger)).status).toBe(201)
    await call('PATCH', `/end-users/${user.id}`, owner, { version: 2, rights: ['view'] })
    expect((await call('POST', '/triggers', user.token, { ...trigger, name: 'again' })).status).toBe(403)
  })

  it('is invited, sets his password by the link and comes in; the link is worth nothing after that', async () => {
    const made = await call('POST', '/end-users', owner, {
      username: 'invited-one',
      name: 'Invited',
      email: 'in@vited.example',
      invite: true,
    })
    expect(made.body).toMatchObject({ state: 'invited', sentTo: expect.stringContaining('@vited.example') })
    expect((await signIn('invited-one', { thingwrightAppId: appId })).code).toBe('auth.wrong_credentials')
    const [, token] = made.body.inviteLink.split('#')
    const set = () =>
      app.inject({ method: 'POST', url: '/oauth/reset-password', payload: { token, password: PASSWORD } })
    expect((await set()).statusCode).toBe(200)
    expect((await set()).json().code).toBe('auth.link_invalid')
    expect((await signIn('invited-one', { thingwrightAppId: appId })).access_token).toBeTypeOf('string')
    expect((await call('GET', `/end-users/${made.body.id}`, owner)).body.state).toBe('active')
  })

  it('of two companies with one name comes into his own, by app id and by host, and never into the other', async () => {
    const south = await newCompany('south')
    const body = (name: string) => ({ username: 'wang', name, password: PASSWORD })
    const mine = (await call('POST', '/end-users', owner, body('Wang North'))).body
    const theirs = (
      await call('POST', '/end-users', south.token, { ...body('Wang South'), password: `${PASSWORD} too` })
    ).body
    expect((await call('POST', '/end-users', owner, body('Another'))).body.code).toBe('end_user.username_taken')
    expect((await signIn('wang', { thingwrightAppId: appId })).id).toBe(mine.id)
    expect((await signIn('wang', { thingwrightAppId: south.appId })).code).toBe('auth.wrong_credentials')
    expect((await signIn('wang', { thingwrightAppId: south.appId, password: `${PASSWORD} too` })).id).toBe(theirs.id)
    // Neither is meant where nothing says which.
    expect((await signIn('wang')).code).toBe('auth.wrong_credentials')
    await db.superuser.query('insert into portal_hosts (host, tenant_id) values ($1, $2)', ['south.example', south.id])
    expect((await signIn('wang', { password: `${PASSWORD} too` }, { host: 'south.example:8080' })).id).toBe(theirs.id)
    expect((await signIn('wang', {}, { host: 'south.example:8080' })).code).toBe('auth.wrong_credentials')
    expect((await signIn('wang', {}, { thingwrightappid: appId })).id).toBe(mine.id)
  })

  it('of two companies with one name comes into his own through the suffix of its portal, in either order', async () => {
    const [east, west] = [await newCompany('east'), await newCompany('west')]
    const secret = { east: `${PASSWORD} east`, west: `${PASSWORD} west` }
    const people = {} as Record<'east' | 'west', string>
    for (const [name, { token }] of Object.entries({ east, west }) as ['east' | 'west', typeof east][]) {
      const made = await call('POST', '/end-users', token, {
        username: 'zhao',
        name: `Zhao ${name}`,
        password: secret[name],
      })
      expect(made.status, JSON.stringify(made.body)).toBe(201)
      people[name] = made.body.id
      const app = (await call('POST', '/web-apps', token, { name, suffix: `${name}-portal` })).body
      const on = await call('PATCH', `/web-apps/${app.id}`, token, { version: app.version, enabled: true })
      expect(on.body.enabled, JSON.stringify(on.body)).toBe(true)
    }
    // Each attempt from elsewhere: what others mistyped asks nobody for a captcha here.
    let peer = 0
    const enter = async (over: Record<string, string>): Promise<Any> => {
      const reply = await app.inject({
        method: 'POST',
        url: '/oauth/token',
        remoteAddress: `192.0.2.${++peer}`,
        headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ grant_type: 'password', username: 'zhao', ...over }).toString(),
      })
      return reply.json()
    }
    /** As the page at /w/{suffix} does: whose portal it is, and a sign-in there. */
    const through = async (suffix: string, password: string) => {
      const shown = await app.inject({ url: `/api/v1/public/portals/${suffix}` })
      return enter({ thingwrightAppId: shown.json().appId, password })
    }
    for (const order of [
      ['east', 'west'],
      ['west', 'east'],
    ] as const) {
      for (const name of order) {
        const reply = await through(`${name}-portal`, secret[name])
        expect(reply.id, JSON.stringify(reply)).toBe(people[name])
      }
      const [one, other] = order
      expect((await through(`${one}-portal`, secret[other])).code, one).toBe('auth.wrong_credentials')
    }
    expect((await app.inject({ url: '/api/v1/public/portals/nobodys-portal' })).statusCode).toBe(404)
    // Under a suffix of nobody the sign-in says nothing of a company: neither of the two is meant.
    for (const over of [{}, { thingwrightAppId: 'nobodys' }] as Record<string, string>[])
      expect((await enter({ password: secret.east, ...over })).code).toBe('auth.wrong_credentials')
  })

  it('is looked at by the company: health of his devices, with one sentence of the doctor for each that is off', async () => {
    const one = await customer({ deviceQuota: 5 })
    const [on, off, never] = [await device('pump on'), await device('pump off'), await device('pump never')]
    await give(one.id, [on, off, never])
    await db.superuser.query(
      `insert into device_presence (device, tenant_id, link, first_seen_at, last_seen_at, last_offline_at, last_offline_reason)
       select num, tenant_id, case when id = $1 then 'online' else 'offline' end, now(), now(), now(), 'timeout'
       from devices where id = any ($2)`,
      [on, [on, off]],
    )
    const { status, body } = await call('GET', `/end-users/${one.id}/health`, owner)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({ total: 3, online: 1, openAlarms: 0, deviceLimit: 5, expiresAt: null })
    expect(body.offline.map(({ name }: Any) => name).sort()).toEqual(['pump never', 'pump off'])
    for (const { finding } of body.offline) expect(finding).toMatch(/\w+.*\w/)
    expect(body.offline.find(({ name }: Any) => name === 'pump never').since).toBeNull()
    // Another customer asks for nothing of his.
    const other = await customer({ rights: ['view', 'users'] })
    expect((await call('GET', `/end-users/${one.id}/health`, other.token)).body.code).toBe('end_user.not_found')
  })

  it('who is frozen or has expired is out at once, with everybody below him', async () => {
    const top = await customer({ rights: ['view', 'users'] })
    const below = await customer({ parentId: top.id, rights: ['view'] })
    expect((await call('GET', '/devices', below.token)).status).toBe(200)
    await call('POST', `/end-users/${top.id}/freeze`, owner)
    expect((await call('GET', '/devices', top.token)).status).toBe(401)
    expect((await call('GET', '/devices', below.token)).status).toBe(401)
    expect((await signIn(below.username, { thingwrightAppId: appId })).code).toBe('auth.login_frozen')
    await call('POST', `/end-users/${top.id}/unfreeze`, owner)
    expect((await call('GET', '/devices', below.token)).status).toBe(200)
    const { version } = (await call('GET', `/end-users/${top.id}`, owner)).body
    await call('PATCH', `/end-users/${top.id}`, owner, {
      version,
      expiresAt: new Date(Date.now() - 1000).toISOString(),
    })
    const refused = await call('GET', '/devices', below.token)
    expect([refused.status, refused.body.code]).toEqual([403, 'end_user.expired'])
    expect((await signIn(top.username, { thingwrightAppId: appId })).code).toBe('end_user.expired')
    expect((await call('GET', '/end-users?state=expired', owner)).body.items.map((item: Any) => item.id)).toContain(
      top.id,
    )
  })
})

describe('the tree', () => {
  it('is five levels deep, without circles, and nobody has what one above him lacks', async () => {
    const line: EndUserView[] = []
    for (let level = 0; level < 5; level++)
      line.push(await customer({ ...(level ? { parentId: line[level - 1]!.id } : {}), rights: ['view', 'control'] }))
    expect(line.at(-1)).toMatchObject({ level: 5, parent: { id: line[3]!.id } })
    const refused = async (path: string, method: 'POST' | 'PATCH', body: object) =>
      (await call(method, path, owner, body)).body.code
    const sixth = { username: 'sixth', name: 'sixth', password: PASSWORD, parentId: line[4]!.id }
    expect(await refused('/end-users', 'POST', sixth)).toBe('end_user.too_deep')
    expect(await refused(`/end-users/${line[0]!.id}`, 'PATCH', { version: 1, parentId: line[2]!.id })).toBe(
      'end_user.parent_circular',
    )
    expect(await refused(`/end-users/${line[0]!.id}`, 'PATCH', { version: 1, parentId: line[0]!.id })).toBe(
      'end_user.parent_circular',
    )
    await call('PATCH', `/end-users/${line[1]!.id}`, owner, { version: 1, rights: ['view'] })
    expect((await call('GET', `/end-users/${line[4]!.id}`, owner)).body).toMatchObject({
      ownRights: ['view', 'control'],
      rights: ['view'],
    })
    // A branch that moves keeps its shape.
    await call('PATCH', `/end-users/${line[2]!.id}`, owner, { version: 1, parentId: null })
    expect((await call('GET', `/end-users/${line[4]!.id}`, owner)).body).toMatchObject({
      level: 3,
      rights: ['view', 'control'],
    })
    expect(await refused(`/end-users/${line[2]!.id}`, 'PATCH', { version: 2, parentId: line[4]!.id })).toBe(
      'end_user.parent_circular',
    )
    expect((await call('DELETE', `/end-users/${line[2]!.id}`, owner)).body.code).toBe('end_user.has_sub_users')
  })

  it('lets a customer make his own customers, with no more than he has, and shows each his part only', async () => {
    const [one, two] = [await device('tree 1'), await device('tree 2')]
    const top = await customer({ rights: ['view', 'users'] })
    const beside = await customer({ rights: ['view', 'users'] })
    await give(top.id, [one, two])
    const tooMuch = { username: 'greedy', name: 'greedy', password: PASSWORD, rights: ['view', 'triggers'] }
    expect((await call('POST', '/end-users', top.token, tooMuch)).body.code).toBe('end_user.beyond_own')
    const below = await customer({ rights: ['view'] }, top.token)
    expect(below.level).toBe(2)
    expect((await give(below.id, [one], {}, top.token)).body.done).toBe(1)
    expect(await names(below.token)).toEqual(['tree 1'])
    expect(await names(top.token)).toEqual(['tree 1', 'tree 2'])
    expect((await call('GET', '/end-users', top.token)).body.items.map((item: Any) => item.id).sort()).toEqual(
      [top.id, below.id].sort(),
    )
    expect((await call('GET', `/end-users/${top.id}`, beside.token)).status).toBe(404)
    expect((await call('POST', `/end-users/${top.id}/freeze`, top.token)).body.code).toBe('end_user.yourself')
    expect((await give(beside.id, [two], {}, top.token)).body.code).toBe('end_user.not_found')
    // What he takes back is his own again.
    await call('POST', `/end-users/${below.id}/devices/take-back`, top.token, { deviceIds: [one] })
    expect(await names(below.token)).toEqual([])
    expect(await names(top.token)).toEqual(['tree 1', 'tree 2'])
  })
})

describe('a hand-over', () => {
  it('names what is wrong and does nothing by halves', async () => {
    const [one, two, three] = [await device('h 1'), await device('h 2'), await device('h 3')]
    const user = await customer({ deviceQuota: 2 })
    const twice = await give(user.id, [one, one])
    expect([twice.status, twice.body.code, twice.body.params.id]).toEqual([422, 'end_user.device_twice', one])
    const full = await give(user.id, [one, two, three])
    expect(full.body).toMatchObject({ code: 'end_user.quota_exceeded', params: { limit: 2, used: 0, more: 3 } })
    const gone = '01900000-0000-7000-8000-000000000000'
    expect((await give(user.id, [one, gone])).body).toMatchObject({ code: 'device.not_found', params: { id: gone } })
    expect(await names(user.token)).toEqual([])
    await give(user.id, [one, two])
    const another = await customer()
    const notHis = { to: another.id, deviceIds: [one, three], withHistory: true, withTriggers: false }
    expect((await call('POST', `/end-users/${user.id}/transfer`, owner, notHis)).body).toMatchObject({
      code: 'end_user.not_his',
      params: { id: three },
    })
    expect(await names(user.token)).toEqual(['h 1', 'h 2'])
    // Whoever adds devices himself meets his quota too.
    const { version } = (await call('GET', `/end-users/${user.id}`, owner)).body
    await call('PATCH', `/end-users/${user.id}`, owner, { version, rights: ['devices'] })
    expect((await call('POST', '/devices', user.token, { productId, name: 'own' })).body.code).toBe(
      'end_user.quota_exceeded',
    )
    await call('POST', `/end-users/${user.id}/devices/take-back`, owner, { deviceIds: [two] })
    expect((await call('POST', '/devices', user.token, { productId, name: 'own' })).status).toBe(201)
    expect(await names(user.token)).toEqual(['h 1', 'own'])
  })

  it('pauses the triggers of who had the device, or lets them go along', async () => {
    const [one, two] = [await device('t 1'), await device('t 2')]
    const [from, to] = [await customer({ rights: ['triggers'] }), await customer({ rights: ['triggers'] })]
    await give(from.id, [one, two])
    const trigger = async (deviceIds: string[], name: string) =>
      (
        await call('POST', '/triggers', from.token, {
          name,
          scope: { deviceIds },
          kind: 'above',
          property: 'level',
          high: 8,
          alarm: { level: 3 },
        })
      ).body.id
    const [alone, both] = [await trigger([one], 'alone'), await trigger([one, two], 'both')]
    const moved = await call('POST', `/end-users/${from.id}/transfer`, owner, {
      to: to.id,
      deviceIds: [one],
      withHistory: true,
      withTriggers: true,
    })
    expect(moved.body).toMatchObject({ done: 1, paused: [{ id: both, name: 'both' }] })
    expect((await call('GET', `/triggers/${alone}`, to.token)).body).toMatchObject({ id: alone, state: 'enabled' })
    expect((await call('GET', `/triggers/${alone}`, from.token)).status).toBe(404)
    expect((await call('GET', `/triggers/${both}`, from.token)).body.state).toBe('disabled')
    const back = await call('POST', `/end-users/${to.id}/devices/take-back`, owner, { deviceIds: [one] })
    expect(back.body.paused).toEqual([{ id: alone, name: 'alone' }])
    const record = (await call('GET', `/end-users/${to.id}/handovers`, owner)).body.items
    expect(record).toMatchObject([
      { deviceId: one, from: { id: to.id }, to: null, paused: [{ id: alone }] },
      { deviceId: one, from: { id: from.id }, to: { id: to.id }, withTriggers: true },
    ])
  })
})

describe('what was before', () => {
  it('is hidden from who was given a device without it: alarms, commands, values, messages, connections', async () => {
    const [with_, without] = [await device('history kept'), await device('history hidden')]
    const [first, second] = [await customer(), await customer({ rights: ['view', 'control', 'export'] })]
    await give(first.id, [with_, without])
    const command = { kind: 'property_set', params: { pump: true } }
    for (const id of [with_, without])
      expect((await call('POST', `/devices/${id}/commands`, first.token, command)).status).toBe(201)
    // As the device path would have stored them.
    const { rows } = await db.superuser.query<{ id: string; num: number }>(
      'select id, num from devices where id = any ($1)',
      [[with_, without]],
    )
    for (const { num, id } of rows) {
      await db.superuser.query(
        `insert into device_connections (device, at, seq, kind) values ($1, now() - interval '1 hour', 1, 'online')`,
        [num],
      )
      await db.superuser.query(
        `insert into device_events (device, ts, lane, seq, identifier, level, params) values ($1, $2, 0, 1, 'old', 'info', '{}')`,
        [num, Date.now() - 3_600_000],
      )
      await db.superuser.query(
        `insert into alarms (id, tenant_id, trigger_name, origin, target_kind, target_id, device, device_id, level, raised_at, last_at)
         select gen_random_uuid(), tenant_id, 'old alarm', $1::text, 'device', $1::text, num, id, 3, now() - interval '1 hour', now() - interval '1 hour' from devices where id = $1::uuid`,
        [id],
      )
    }
    const transfer = (deviceIds: string[], withHistory: boolean) =>
      call('POST', `/end-users/${first.id}/transfer`, owner, {
        to: second.id,
        deviceIds,
        withHistory,
        withTriggers: false,
      })
    expect((await transfer([with_], true)).body.done).toBe(1)
    expect((await transfer([without], false)).body.done).toBe(1)
    const seen = async (id: string, token: string) =>
      Promise.all(
        ['commands', 'events', 'connections'].map(
          async part => (await call('GET', `/devices/${id}/${part}`, token)).body.items.length as number,
        ),
      )
    // A command that still waits acts on what is his now: he sees it until it is over.
    expect(await seen(without, second.token)).toEqual([1, 0, 0])
    await db.superuser.query(`update commands set state = 'succeeded' where device_id = any ($1)`, [[with_, without]])
    expect(await seen(with_, second.token)).toEqual([1, 1, 1])
    expect(await seen(without, second.token)).toEqual([0, 0, 0])
    // The company keeps it.
    expect(await seen(without, owner)).toEqual([1, 1, 1])
    const alarms = async (token: string, id: string) =>
      (await call('GET', `/alarms?deviceId=${id}`, token)).body.items.length
    expect([
      await alarms(second.token, with_),
      await alarms(second.token, without),
      await alarms(owner, without),
    ]).toEqual([1, 0, 1])
    // What happens from now on is his.
    expect(await call('POST', `/devices/${without}/commands`, second.token, command)).toMatchObject({ status: 201 })
    expect((await seen(without, second.token))[0]).toBe(1)
    // Who gets it from him with its history gets what he saw.
    const third = await customer()
    await call('POST', `/end-users/${second.id}/transfer`, owner, {
      to: third.id,
      deviceIds: [without],
      withHistory: true,
      withTriggers: false,
    })
    expect(await seen(without, third.token)).toEqual([1, 0, 0])
  })
})

describe('many devices', () => {
  /** Rows as the import would make them. */
  async function many(count: number, mark: string, ownerId: string): Promise<string[]> {
    const { rows } = await db.superuser.query<{ id: string }>(
      `insert into devices (id, tenant_id, product_id, product_num, device_no, name, secret_hash, secret_cipher, owner_id)
       select gen_random_uuid(), p.tenant_id, p.id, p.num, $2 || n, $2 || n, sha256(($2 || n)::bytea), ''::bytea, $3
       from products p, generate_series(1, $1::int) n where p.id = $4 returning id`,
      [count, mark, ownerId, productId],
    )
    return rows.map(row => row.id)
  }
  const owners = async (ids: string[]) =>
    (
      await db.superuser.query<{ owner: string; n: number }>(
        'select owner_id as owner, count(*)::int as n from devices where id = any ($1) group by 1 order by 2',
        [ids],
      )
    ).rows

  it('stop where they are when the right is taken back before the task begins', async () => {
    const [from, to] = [await customer(), await customer()]
    const ids = await many(600, 'right-', from.id)
    const helper = await customer({ rights: ['view', 'users'] })
    // He stands above both and hands over what is theirs.
    for (const one of [from, to]) {
      const { version } = (await call('GET', `/end-users/${one.id}`, owner)).body
      await call('PATCH', `/end-users/${one.id}`, owner, { version, parentId: helper.id })
    }
    const asked = await call('POST', `/end-users/${from.id}/transfer`, helper.token, {
      to: to.id,
      withHistory: true,
      withTriggers: false,
    })
    expect(asked.body.taskId, JSON.stringify(asked.body)).toEqual(expect.any(String))
    const { version } = (await call('GET', `/end-users/${helper.id}`, owner)).body
    await call('PATCH', `/end-users/${helper.id}`, owner, { version, rights: ['view'] })
    container.tasks.runner.start()
    await expect
      .poll(
        async () =>
          (await db.superuser.query('select state from tasks where id = $1', [asked.body.taskId])).rows[0].state,
        { timeout: 60_000 },
      )
      .toBe('failed')
    expect(await owners(ids)).toEqual([{ owner: from.id, n: 600 }])
  }, 120_000)

  it('go by a task that begins again where a kill stopped it, each with one owner at every moment', async () => {
    const [from, to] = [await customer(), await customer()]
    const ids = await many(1200, 'kill-', from.id)
    // What a run before a kill had done is his already.
    await call('POST', `/end-users/${to.id}/devices`, owner, { deviceIds: ids.slice(0, 300) })
    expect(await owners(ids)).toEqual([
      { owner: to.id, n: 300 },
      { owner: from.id, n: 900 },
    ])
    const asked = await call('POST', `/end-users/${from.id}/transfer`, owner, {
      to: to.id,
      deviceIds: ids,
      withHistory: true,
      withTriggers: false,
    })
    expect(asked.body).toMatchObject({ done: 0, taskId: expect.any(String) })
    await expect
      .poll(async () => (await call('GET', `/tasks/${asked.body.taskId}`, owner)).body.state, { timeout: 60_000 })
      .toBe('succeeded')
    expect(await owners(ids)).toEqual([{ owner: to.id, n: 1200 }])
    const record = await db.superuser.query('select device_id from device_handovers where device_id = any ($1)', [ids])
    expect(record.rows).toHaveLength(1200)
  }, 120_000)
})

describe('a member who signs in as an end user', () => {
  it('sees what he sees, is named beside what he does, and is out when his right goes', async () => {
    const pump = await device('entered')
    const user = await customer()
    await give(user.id, [pump])
    const entered = await call('POST', `/end-users/${user.id}/enter`, owner)
    expect(entered.status, JSON.stringify(entered.body)).toBe(200)
    const token = entered.body.access_token
    expect(await names(token)).toEqual(['entered'])
    expect((await call('GET', '/me', token)).body).toMatchObject({
      kind: 'end_user',
      id: user.id,
      endUser: { enteredBy: 'north-owner' },
    })
    expect(
      (await call('POST', `/devices/${pump}/commands`, token, { kind: 'property_set', params: { pump: true } })).status,
    ).toBe(201)
    const { rows } = await db.superuser.query(
      'select actor_kind, actor_name, action from audit_logs where action = any ($1) order by at desc limit 2',
      [['command.send', 'command.create', 'end_user.enter']],
    )
    expect(rows.map(row => row.actor_name)).toContain(`north-owner → ${user.username}`)
    // What is his own person's stays his.
    expect(
      (await call('POST', '/security/password', token, { current: PASSWORD, password: 'Another one 4 tests' })).status,
    ).toBe(403)
    const end = await call('POST', `/end-users/${user.id}/sessions/end`, owner)
    expect(end.body.ended).toBe(1)
    expect((await call('GET', '/devices', token)).status).toBe(401)
    const log = (await call('GET', `/end-users/${user.id}/sign-ins`, owner)).body.items
    expect(log[0]).toMatchObject({ result: 'ok', username: user.username })
  })
})

describe('the column of users in an imported table', () => {
  it('gives each device to whom it names; a line that names nobody comes back', async () => {
    const user = await customer()
    const table = `deviceNo,name,user\nimp-1,imported 1,${user.username}\nimp-2,imported 2,\nimp-3,imported 3,nobody-at-all`
    const boundary = 'b-o-u-n-d'
    const reply = await app.inject({
      method: 'POST',
      url: '/api/v1/device-imports/files',
      headers: { authorization: `Bearer ${owner}`, 'content-type': `multipart/form-data; boundary=${boundary}` },
      payload: `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="d.csv"\r\ncontent-type: text/csv\r\n\r\n${table}\r\n--${boundary}--\r\n`,
    })
    expect(reply.statusCode, reply.body).toBeLessThan(300)
    container.tasks.runner.start()
    const begun = await call('POST', '/device-imports', owner, {
      fileId: reply.json().id,
      columns: ['deviceNo', 'name', 'user'],
      productId,
      existing: 'update',
      createGroups: false,
      dryRun: false,
    })
    expect(begun.body.taskId, JSON.stringify(begun.body)).toEqual(expect.any(String))
    await expect
      .poll(async () => (await call('GET', `/tasks/${begun.body.taskId}`, owner)).body.state, { timeout: 60_000 })
      .toBe('partial')
    expect(await names(user.token)).toEqual(['imported 1'])
    const failed = (await call('GET', `/tasks/${begun.body.taskId}/failures`, owner)).body.items
    expect(failed).toHaveLength(1)
    expect(
      (await call('GET', '/devices?q=imported', owner)).body.items
        .map((item: Any) => [item.name, item.owner?.id ?? null])
        .sort(),
    ).toEqual([
      ['imported 1', user.id],
      ['imported 2', null],
    ])
  }, 90_000)
})

describe('programs of an end user', () => {
  it('come in by the compatible interface with the right to it only, and see what he sees', async () => {
    const pump = await device('by program')
    const user = await customer({ rights: ['view'] })
    await give(user.id, [pump])
    const ask = () =>
      app.inject({
        method: 'POST',
        url: '/compat/tlink/api/device/getDevices',
        headers: { authorization: `Bearer ${user.token}` },
        payload: { currPage: 1, pageSize: 10 },
      })
    expect((await ask()).statusCode).toBe(403)
    await call('PATCH', `/end-users/${user.id}`, owner, { version: 1, rights: ['api'] })
    const reply = await ask()
    expect(reply.statusCode).toBe(200)
    expect(reply.body).toContain('by program')
    expect(reply.body).not.toContain('not mine')
    expect(reply.json().rowCount).toBe(1)
  })
})
