import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { seedCompany, seedMinimal } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { newId } from '../lib/ids.ts'
import { silentLogger } from '../lib/log.ts'
import { hashPassword } from '../modules/identity/index.ts'
import { createLiveHub, createLiveSocket, type LiveHub, type LiveSocketServer } from '../modules/live/index.ts'
import type { Container } from './container.ts'
import { createLiveFeed } from './live-feed.ts'
import { createLiveSnapshots } from './live-snapshots.ts'
import { createLiveSource, hubTopic } from './live-source.ts'
import { testContainer, testHttp } from './testing/test-app.ts'

const PASSWORD = 'A password 4 tests'

let db: TestDatabase
let container: Container
let app: FastifyInstance
let server: Server
let sockets: LiveSocketServer
let hub: LiveHub
let url: string
let passwordHash: string
let tenantId: string
let owner: string

beforeAll(async () => {
  db = await testDatabase()
  passwordHash = await hashPassword(PASSWORD)
  container = testContainer(db, {
    devFlag: true,
  })
  app = await testHttp(container, { strictAudit: true })
  hub = createLiveHub()
  sockets = createLiveSocket({
    hub,
    logger: silentLogger,
    authenticate: token => container.identity.authenticate(token),
    source: createLiveSource(db.database, createLiveSnapshots(container)),
    now: () => Date.now(),
  } as Parameters<typeof createLiveSocket>[0])
  const { hears } = createLiveFeed({ hub, sockets, container, database: db.database, logger: silentLogger })
  for (const hearing of hears) container.news.hear(hearing)
  server = createServer()
  server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  await seedMinimal(db.database, async () => ({
    username: 'operator',
    passwordHash,
    displayName: 'Operator',
    kind: 'operator',
  }))
  tenantId = await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name: 'c', owner: { username: 'owner', passwordHash, displayName: '', kind: 'member' } }),
  )
  owner = await signIn('owner')
})
afterAll(async () => {
  sockets.close()
  server.close()
  await app.close()
  await db.drop()
})

async function signIn(username: string): Promise<string> {
  const reply = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD }).toString(),
  })
  return reply.json().access_token
}
async function call<T = Record<string, unknown>>(
  method: string,
  path: string,
  token: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: T & { code?: string } }> {
  const reply = await app.inject({
    method: method as 'GET',
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body ? { payload: body } : {}),
  })
  return { status: reply.statusCode, body: reply.json() }
}
/** A member who holds one new role; rights and scope as given. */
async function member(role: object): Promise<{ token: string; loginId: string; roleId: string }> {
  const name = `m-${newId()}`
  const loginId = newId()
  await db.superuser.query(
    "insert into logins (id, tenant_id, kind, username, password_hash) values ($1, $2, 'member', $3, $4)",
    [loginId, tenantId, name, passwordHash],
  )
  const made = await call<{ id: string }>('POST', '/roles', owner, {
    name,
    permissions: ['device:read', 'device:write', 'device:command', 'telemetry:read', 'product:read', 'group:read'],
    menuKeys: ['/manage/device'],
    dataScope: { kind: 'all' },
    ...role,
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  await db.superuser.query('insert into login_roles (login_id, role_id, tenant_id) values ($1, $2, $3)', [
    loginId,
    made.body.id,
    tenantId,
  ])
  return { token: await signIn(name), loginId, roleId: made.body.id }
}
async function fleet() {
  const group = async (name: string) =>
    (await call<{ id: string }>('POST', '/groups', owner, { kind: 'device', name: `${name} ${newId()}` })).body.id
  const product = (
    await call<{ id: string }>('POST', '/products', owner, {
      name: 'p',
      linkType: 'mqtt',
      thingModel: { properties: [{ identifier: 'a', name: 'a', dataType: { type: 'double' }, access: 'rw' }] },
    })
  ).body.id
  const [north, south] = [await group('north'), await group('south')]
  const device = async (groupId: string) =>
    (await call<{ id: string }>('POST', '/devices', owner, { productId: product, name: 'd', groupId })).body.id
  return { north, south, inNorth: await device(north), inSouth: await device(south) }
}

interface Message {
  op?: string
  topic?: string
  id?: string
  code?: string
}
/** A console's socket: signed in, with a way to wait for what comes. */
async function connect(token: string) {
  const socket = new WebSocket(url)
  const inbox: Message[] = []
  let arrived: () => void = () => {}
  socket.on('message', data => {
    inbox.push(JSON.parse(String(data)) as Message)
    arrived()
  })
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
  const next = async (matches: (message: Message) => boolean): Promise<Message> => {
    for (;;) {
      const at = inbox.findIndex(matches)
      if (at >= 0) return inbox.splice(0, at + 1).at(-1)!
      await new Promise<void>(resolve => {
        arrived = resolve
      })
    }
  }
  socket.send(JSON.stringify({ op: 'auth', token }))
  await next(message => message.op === 'ready')
  return {
    next,
    close: () => socket.close(),
    subscribe: async (topic: string) => {
      socket.send(JSON.stringify({ op: 'subscribe', topics: [topic] }))
      return next(message => message.topic === topic && message.op !== undefined)
    },
  }
}

describe('a data scope', () => {
  it('holds over HTTP for lists, commands, telemetry and shadows alike', async () => {
    const { north, inNorth, inSouth } = await fleet()
    const { token } = await member({ dataScope: { kind: 'groups', groupIds: [north] } })
    const { body } = await call<{ items: { id: string }[]; total: number }>('GET', '/devices?total=1', token)
    expect([body.items.map(item => item.id), body.total]).toEqual([[inNorth], 1])
    const command = { kind: 'property_set', params: { a: 1 } }
    expect((await call('POST', `/devices/${inNorth}/commands`, token, command)).status).toBe(201)
    expect((await call('POST', `/devices/${inSouth}/commands`, token, command)).body.code).toBe('device.not_found')
    for (const path of [
      '',
      '/properties',
      '/telemetry?identifier=a&from=0&to=1',
      '/commands',
      '/shadow',
      '/access',
      '/session',
    ])
      expect((await call('GET', `/devices/${inSouth}${path}`, token)).status, path).toBe(404)
    const why = await call('GET', `/access/why?objectType=device&objectId=${inSouth}`, token)
    expect(why.body).toMatchObject({ allowed: false, reason: 'outside_scope', object: { id: inSouth } })
    const nowhere = await call('GET', `/access/why?objectType=device&objectId=${newId()}`, token)
    expect(nowhere.body).toMatchObject({ reason: 'not_found', object: null })
  })

  it('follows the member’s own group, with everything below it', async () => {
    const { north, south, inNorth, inSouth } = await fleet()
    const { token, loginId } = await member({ dataScope: { kind: 'own_groups' } })
    const seen = async () => {
      container.identity.forget(loginId)
      return (await call<{ items: { id: string }[] }>('GET', '/devices', token)).body.items.map(item => item.id)
    }
    expect(await seen()).toEqual([])
    await db.superuser.query('update logins set group_id = $1 where id = $2', [north, loginId])
    expect(await seen()).toEqual([inNorth])
    await db.superuser.query('update groups set parent_id = $1 where id = $2', [north, south])
    expect((await seen()).toSorted()).toEqual([inNorth, inSouth].toSorted())
  })

  it('holds on the live socket: foreign topics are denied, a company’s topic is sifted', async () => {
    const { north, inNorth, inSouth } = await fleet()
    const { token } = await member({ dataScope: { kind: 'groups', groupIds: [north] } })
    const console = await connect(token)
    expect(await console.subscribe(`device/${inSouth}/state`)).toMatchObject({ op: 'denied', code: 'device.not_found' })
    expect(await console.subscribe(`device/${inNorth}/state`)).toMatchObject({ op: 'subscribed' })
    expect(await console.subscribe('devices/state')).toMatchObject({ op: 'subscribed' })
    for (const id of [inSouth, inNorth])
      hub.publish(hubTopic.tenantStates(tenantId), { type: 'patch', id, patch: {}, ts: 0 })
    // Both were published in this order: what comes first is the only one that comes.
    expect(await console.next(message => message.topic === 'devices/state')).toMatchObject({ id: inNorth })
    console.close()
  })
})

describe('a change of rights', () => {
  it('counts for the next request, and ends live topics at once', async () => {
    const { north, south, inNorth } = await fleet()
    const { token, roleId } = await member({ dataScope: { kind: 'groups', groupIds: [north] } })
    const console = await connect(token)
    await console.subscribe('me')
    await console.subscribe(`device/${inNorth}/state`)
    await console.subscribe('devices/state')
    await call('PATCH', `/roles/${roleId}`, owner, { version: 1, dataScope: { kind: 'groups', groupIds: [south] } })
    expect(await console.next(message => message.op === 'revoked')).toMatchObject({ topic: `device/${inNorth}/state` })
    expect((await call('GET', `/devices/${inNorth}`, token)).status).toBe(404)
    await call('PATCH', `/roles/${roleId}`, owner, { version: 2, permissions: ['product:read'] })
    expect(await console.next(message => message.op === 'revoked')).toMatchObject({ topic: 'devices/state' })
    expect((await call('GET', '/devices', token)).body.code).toBe('permission.denied')
    console.close()
  })

  it('tells the consoles of those it concerns', async () => {
    const { token, roleId, loginId } = await member({})
    const console = await connect(token)
    await console.subscribe('me')
    await call('PATCH', `/roles/${roleId}`, owner, { version: 1, description: 'changed' })
    expect(await console.next(message => message.topic === 'me')).toMatchObject({ id: loginId })
    console.close()
  })
})

describe('a preview of a role', () => {
  it('answers with the role’s rights and scope, and changes nothing', async () => {
    const { north, inNorth, inSouth } = await fleet()
    const { roleId } = await member({ dataScope: { kind: 'groups', groupIds: [north] } })
    const as = { 'x-preview-role': roleId }
    const seen = (await call<{ items: { id: string }[] }>('GET', '/devices', owner, undefined, as)).body
    expect(seen.items.map(item => item.id)).toEqual([inNorth])
    expect((await call('GET', `/devices/${inSouth}`, owner, undefined, as)).status).toBe(404)
    expect((await call('GET', '/roles', owner, undefined, as)).body.code).toBe('permission.denied')
    expect((await call('POST', '/groups', owner, { kind: 'device', name: 'x' }, as)).body.code).toBe(
      'role.preview_read_only',
    )
    for (const [header, code] of [
      ['nonsense', 'role.not_found'],
      [newId(), 'role.not_found'],
    ])
      expect((await call('GET', '/devices', owner, undefined, { 'x-preview-role': header! })).body.code).toBe(code)
  })

  it('is only for those who may look at roles', async () => {
    const { token, roleId } = await member({})
    const reply = await call('GET', '/devices', token, undefined, { 'x-preview-role': roleId })
    expect([reply.status, reply.body.code]).toEqual([403, 'permission.denied'])
  })
})

describe('the menu', () => {
  interface Entry {
    id: string
    name: string
    path: string
    parentId: string | null
    order: number
    sort: number
    idPath: string
    icon: string
    version: number
  }
  let operator: string
  beforeAll(async () => {
    operator = await signIn('operator')
  })
  const all = async () => (await call<{ items: Entry[] }>('GET', '/menu-items', operator)).body.items

  it('is edited field by field, seen by everybody at once, and reset', async () => {
    const before = await all()
    const console = await connect(owner)
    await console.subscribe('menus')
    const icon = '<svg viewBox="0 0 24 24" onload="x()"><script>x()</script><path d="M0 0h9"/></svg>'
    const made = await call<Entry>('POST', '/menu-items', operator, {
      name: '帮助',
      ename: 'Help',
      path: 'https://help.example',
      jump: 1,
      icon,
      buttonCodes: ['device:write'],
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect(made.body).toMatchObject({ sort: 1, idPath: made.body.id, version: 1 })
    expect(made.body.icon).not.toMatch(/script|onload/)
    expect(await console.next(message => message.topic === 'menus')).toBeDefined()
    const side = await call<{ items: { name: string }[] }>('GET', '/menus', owner)
    expect(side.body.items.map(item => item.name)).toContain('帮助')
    const changed = await call<Entry>('PATCH', `/menu-items/${made.body.id}`, operator, {
      version: 1,
      hidden: true,
      order: 0,
    })
    expect(changed.body).toMatchObject({ order: 0, version: 2 })
    expect((await all())[0]!.id).toBe(made.body.id)
    const stale = await call('PATCH', `/menu-items/${made.body.id}`, operator, { version: 1, name: 'x' })
    expect([stale.status, stale.body.code]).toEqual([409, 'version.conflict'])
    expect(
      (await call<{ items: { name: string }[] }>('GET', '/menus', owner)).body.items.map(i => i.name),
    ).not.toContain('帮助')
    expect(
      (await call<{ items: Entry[] }>('POST', '/menu-items/reset', operator)).body.items.map(item => item.path),
    ).toEqual(before.map(item => item.path))
    console.close()
  })

  interface Place {
    path: string
    children: Place[]
  }
  const pages = (items: Place[]): string[] =>
    items.flatMap(({ path, children }) => [...(path === '' ? [] : [path]), ...pages(children)])
  const menuOf = async (token: string) =>
    pages((await call<{ items: Place[] }>('GET', '/menus', token)).body.items).toSorted()
  const choicesOf = async (token: string) =>
    pages((await call<{ items: Place[] }>('GET', '/roles/menu-choices', token)).body.items)

  it('shows a member the pages that his roles open, and no other', async () => {
    const { token, roleId } = await member({ menuKeys: ['/manage/device'] })
    expect(await menuOf(token)).toEqual(['/admin/security', '/manage/device'])
    const role = await call<{ version: number }>('GET', `/roles/${roleId}`, owner)
    const menuKeys = ['/manage/product', '/admin/material']
    expect((await call('PATCH', `/roles/${roleId}`, owner, { version: role.body.version, menuKeys })).status).toBe(200)
    expect(await menuOf(token)).toEqual(['/admin/material', '/admin/security', '/manage/product'])
    // What his role names but is not built stays away, and so does what only the platform may open.
    const announced = WEB_ROUTES.find(route => !route.built && !route.path.includes(':'))?.path ?? '/nowhere'
    await db.superuser.query('update roles set menu_keys = $2 where id = $1', [
      roleId,
      [announced, '/operator/companies'],
    ])
    container.identity.forget()
    expect(await menuOf(token)).toEqual(['/admin/security'])
  })

  it('shows what is for operators to operators alone, in the menu and where roles are made', async () => {
    const elsewhere = { name: 'runbook', path: 'https://runbook.example', jump: 1, operatorOnly: true }
    expect((await call('POST', '/menu-items', operator, elsewhere)).status).toBe(201)
    expect(await menuOf(operator)).toEqual(expect.arrayContaining([elsewhere.path, '/operator/companies']))
    expect(await choicesOf(operator)).toContain('/operator/companies')
    const rights = ['role:read', 'role:write']
    for (const token of [owner, (await member({ permissions: rights, menuKeys: ['*'] })).token]) {
      const seen = await menuOf(token)
      expect(seen).toContain('/manage/device')
      expect(seen.filter(path => path === elsewhere.path || path.startsWith('/operator/'))).toEqual([])
      const offered = await choicesOf(token)
      expect(offered).toContain('/manage/device')
      expect(offered.filter(path => path.startsWith('/operator/'))).toEqual([])
    }
    await call('POST', '/menu-items/reset', operator)
  })

  it('refuses what would break it', async () => {
    const items = await all()
    const parent = items.find(item => items.some(child => child.parentId === item.id))!
    const child = items.find(item => item.parentId === parent.id)!
    const attempts: [string, string, object | undefined, string][] = [
      ['PATCH', `/menu-items/${parent.id}`, { version: parent.version, parentId: child.id }, 'menu.cycle'],
      ['PATCH', `/menu-items/${parent.id}`, { version: parent.version, parentId: parent.id }, 'menu.cycle'],
      ['PATCH', `/menu-items/${child.id}`, { version: child.version, parentId: newId() }, 'menu.not_found'],
      ['PATCH', `/menu-items/${newId()}`, { version: 1, name: 'x' }, 'menu.not_found'],
      ['DELETE', `/menu-items/${parent.id}`, undefined, 'menu.not_empty'],
      ['POST', '/menu-items', { name: 'x', path: child.path }, 'menu.path_taken'],
      ['POST', '/menu-items', { name: 'x', path: 'javascript:alert(1)' }, 'menu.path_invalid'],
      ['POST', '/menu-items', { name: 'x', path: '//evil.example' }, 'menu.path_invalid'],
      ['POST', '/menu-items', { name: 'x', icon: 'no drawing' }, 'menu.icon_invalid'],
      ['POST', '/menu-items', { name: 'x', buttonCodes: ['<b>'] }, 'request.validation'],
    ]
    for (const [method, path, body, code] of attempts)
      expect((await call(method, path, operator, body)).body.code, `${method} ${path} ${JSON.stringify(body)}`).toBe(
        code,
      )
    let below: string | null = null
    for (let level = 1; level <= 8; level++)
      below = (await call<Entry>('POST', '/menu-items', operator, { name: `${level}`, parentId: below })).body.id
    expect((await call('POST', '/menu-items', operator, { name: '9', parentId: below })).body.code).toBe(
      'menu.too_deep',
    )
    await call('POST', '/menu-items/reset', operator)
  })

  it('is the platform’s: nobody of a company changes it, whatever his role says', async () => {
    const before = await all()
    const [entry] = before
    const scoped = await member({ permissions: ['company:write'], dataScope: { kind: 'own' } })
    await db.superuser.query("update roles set permissions = permissions || '{menu:write}' where id = $1", [
      scoped.roleId,
    ])
    container.identity.forget()
    for (const token of [owner, scoped.token])
      for (const [method, path, body] of [
        ['GET', '/menu-items', undefined],
        ['POST', '/menu-items', { name: 'x' }],
        ['PATCH', `/menu-items/${entry!.id}`, { version: entry!.version, name: 'x' }],
        ['DELETE', `/menu-items/${entry!.id}`, undefined],
        ['POST', '/menu-items/reset', undefined],
      ] as const) {
        const reply = await call(method, path, token, body)
        expect([reply.status, reply.body.code], `${method} ${path}`).toEqual([403, 'permission.denied'])
      }
    const granted = await call('POST', '/roles', owner, {
      name: 'menu',
      permissions: ['menu:write'],
      menuKeys: [],
      dataScope: { kind: 'all' },
    })
    expect([granted.status, granted.body.code]).toEqual([422, 'role.permission_unknown'])
    expect(await all()).toEqual(before)
  })

  it('is closed without the dev flag, to everybody', async () => {
    const plain = testContainer(db)
    const { actor } = await plain.identity.authenticate(operator)
    expect(actor.kind).toBe('operator')
    const route = plain.routes.find(
      ({ contract }) => contract.path === '/api/v1/menu-items' && contract.method === 'GET',
    )!
    const ctx = { tenantId, actor, locale: 'zh', requestId: 'r', now: Date.now() }
    await expect(route.handler(ctx as never, {} as never, {} as never)).rejects.toMatchObject({
      code: 'menu.dev_flag_off',
    })
  })
})
