import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { allContracts } from '@thingwright/contracts/all-contracts'
import { END_USER_TOPICS } from '@thingwright/contracts/end-user-routes'
import { LIVE_TOPICS } from '@thingwright/contracts/live-topics'
import { NOT_FOR_API_KEYS, PERMISSIONS } from '@thingwright/contracts/permissions'
import type { RouteContract } from '@thingwright/contracts/route'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { tenantTables } from '../db/testing/fill-tenant.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { newId } from '../lib/ids.ts'
import { silentLogger } from '../lib/log.ts'
import fc from '../lib/testing/fast-check.ts'
import { hashPassword } from '../modules/identity/index.ts'
import { createLiveHub, createLiveSocket, type LiveHub } from '../modules/live/index.ts'
import { forEndUsers } from './admission.ts'
import type { Container } from './container.ts'
import { createHttp } from './http.ts'
import { createLiveSnapshots } from './live-snapshots.ts'
import { createLiveSource, hubTopic } from './live-source.ts'
import { type InputSchema, inputOf } from './testing/fuzz-inputs.ts'
import { testContainer, testHttp } from './testing/test-app.ts'

/**
 * Who is refused where: every route of the registry and every live topic, held against everybody who must not come in.
 * Nothing is listed here by hand but the public routes, so a new route or topic is in the matrix as soon as it exists.
 */
const PASSWORD = 'A password 4 tests'
const MARK = 'only-for-the-first-company'
const routes = Object.values(allContracts).flatMap(feature => Object.values(feature as Record<string, RouteContract>))
const nameOf = (route: RouteContract) => `${route.method} ${route.path}`
const guarded = routes.filter(route => route.permission !== 'public')

/** What anybody may call without a sign-in. A new one is a decision: it is written down here. */
const PUBLIC = [
  'GET /api/v1/branding',
  'GET /api/v1/catalogue',
  'POST /compat/tlink/oauth/token',
  'POST /compat/tlink/api/user/userLogin',
  'GET /api/v1/firmware-downloads/{token}',
  'POST /api/v1/public/alarm-links/acknowledge',
  'POST /api/v1/public/alarm-links/look',
  'POST /callbacks/{vendor}/{connectionId}',
  'POST /callbacks/chirpstack/{id}',
  'POST /callbacks/ctwing/{connection}',
  'GET /callbacks/onenet/{connection}',
  'POST /callbacks/onenet/{connection}',
  'GET /media/{id}',
  'GET /media/{id}/thumb',
  'GET /api/v1/public/portal',
  'GET /api/v1/public/portals/{suffix}',
  'GET /api/v1/public/portals/{suffix}/images/{kind}',
  'GET /api/v1/public/portals/{suffix}/manifest',
  'GET /callbacks/wechat/{id}',
  'POST /callbacks/wechat/{id}',
  'POST /callbacks/pay/wechat',
  'POST /callbacks/pay/alipay',
  'POST /callbacks/pay/wechat/{tenantId}',
  'POST /callbacks/pay/alipay/{tenantId}',
  'POST /callbacks/wechat-platform/events',
  'POST /callbacks/wechat-platform/{appId}/messages',
  'GET /callbacks/wechat-platform/back/{nonce}',
  'GET /callbacks/wechat-sign-in',
  'GET /api/v1/public/portals/{suffix}/wechat',
  'POST /api/v1/public/portals/{suffix}/wechat/start',
  'POST /api/v1/public/portals/{suffix}/wechat-applet',
  'GET /api/v1/public/pages/{suffix}',
  'POST /api/v1/public/pages/{suffix}/actions',
  'GET /api/v1/public/pages/{suffix}/actions/{id}',
  'GET /api/v1/public/pages/{suffix}/alarms',
  'POST /api/v1/public/pages/{suffix}/enter',
  'GET /api/v1/public/pages/{suffix}/series',
  'GET /api/v1/public/pages/{suffix}/values',
  'GET /oauth/captcha',
  'POST /oauth/invitation',
  'POST /oauth/invitation/accept',
  'GET /oauth/oidc/callback',
  'GET /oauth/oidc/lookup',
  'POST /oauth/oidc/start',
  'POST /oauth/passkey/options',
  'POST /oauth/register',
  'POST /oauth/reset-link',
  'POST /oauth/reset-password',
  'POST /oauth/revoke',
  'POST /oauth/second-factor/code',
  'POST /oauth/second-factor/setup',
  'GET /oauth/simulated-mail',
  'GET /oauth/simulated-sms',
  'POST /oauth/sms-code',
  'POST /oauth/token',
]

type Caller = 'owner' | 'powerless' | 'stranger' | 'endUser' | 'expired' | 'companyFrozen' | 'frozen'
const OUTSIDERS = ['powerless', 'stranger', 'endUser', 'expired', 'companyFrozen', 'frozen'] as const

/**
 * API keys that must not come in, or no further than they may. `all` may everything that a key may at all; the two narrow
 * ones hold one right each, so that for every route there is one that lacks it.
 */
const KEYS = ['all', 'address', 'media', 'ended', 'revoked', 'elsewhere', 'orphan', 'expired', 'companyFrozen'] as const
type Key = (typeof KEYS)[number]

let db: TestDatabase
let container: Container
let app: FastifyInstance
const tokens = {} as Record<Caller, string>
const tenants = {} as Record<Caller, string>
const keys = {} as Record<Key | 'stranger', string>
let ids: string[]
let deviceId: string

beforeAll(async () => {
  db = await testDatabase()
  container = testContainer(db, { devFlag: true })
  app = await testHttp(container)
  const passwordHash = await hashPassword(PASSWORD)
  for (const caller of ['owner', ...OUTSIDERS] as const) {
    tenants[caller] = await db.database.withSystemScope('seed', scope =>
      seedCompany(scope, {
        name: caller === 'owner' ? MARK : caller,
        owner: { username: caller, passwordHash, displayName: caller, kind: 'member' },
      }),
    )
    tokens[caller] = await signIn(caller)
  }
  await makeKeys()
  await furnish()
  // Everybody came in as an owner; now each becomes what he stands for.
  await db.superuser.query(`delete from login_roles where tenant_id = $1`, [tenants.powerless])
  await db.superuser.query(`delete from login_roles where tenant_id = $1`, [tenants.endUser])
  await db.superuser.query(`update logins set kind = 'end_user' where username = 'endUser'`)
  await db.superuser.query(
    `insert into end_users (id, tenant_id, path, rights) select id, tenant_id, array[id], '{}' from logins where username = 'endUser'`,
  )
  await db.superuser.query(`update logins set state = 'frozen' where username = 'frozen'`)
  await db.superuser.query(`update tenants set status = 'expired' where id = $1`, [tenants.expired])
  await db.superuser.query(`update tenants set status = 'frozen' where id = $1`, [tenants.companyFrozen])
  container.identity.forget()
})
afterAll(async () => {
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

/** Gives the first company one of everything its owner can make without much ado. */
async function furnish(): Promise<void> {
  const post = async (url: string, payload: object) => {
    const reply = await app.inject({ method: 'POST', url, headers: bearer('owner'), payload })
    expect(reply.statusCode, `${url}: ${reply.body}`).toBeLessThan(300)
    return reply.json().id as string
  }
  const productId = await post('/api/v1/products', {
    name: MARK,
    linkType: 'mqtt',
    thingModel: { properties: [{ identifier: 'a', name: 'a', dataType: { type: 'double' }, access: 'rw' }] },
  })
  const groupId = await post('/api/v1/groups', { kind: 'device', name: MARK })
  deviceId = await post('/api/v1/devices', { productId, name: MARK, groupId })
  await post(`/api/v1/devices/${deviceId}/commands`, { kind: 'property_set', params: { a: 1 } })
  await post('/api/v1/roles', {
    name: MARK,
    permissions: ['device:read'],
    menuKeys: ['/manage/device'],
    dataScope: { kind: 'groups', groupIds: [groupId] },
  })
  // Whatever has an id now, in any table there is: roles, logins, commands, what later modules add.
  const found = await Promise.all(
    (await tenantTables(db.superuser))
      .filter(table => table.columns.some(column => column.name === 'id' && column.type === 'uuid'))
      .map(
        async ({ name }) =>
          (
            await db.superuser.query(`select id from ${name} where tenant_id = $1 order by id desc limit 2`, [
              tenants.owner,
            ])
          ).rows as { id: string }[],
      ),
  )
  ids = [...new Set(found.flat().map(row => row.id))]
}

/** Keys of the first company's owner and of others, which end, or lose what they stand on, in the ways there are. */
async function makeKeys(): Promise<void> {
  const everything = PERMISSIONS.filter(
    permission => !(NOT_FOR_API_KEYS as readonly string[]).includes(permission) && !permission.startsWith('operator:'),
  )
  const make = async (caller: Caller, input: object = {}) => {
    const post = (url: string, payload: object) => app.inject({ method: 'POST', url, headers: bearer(caller), payload })
    await post('/api/v1/security/proof', { method: 'password', password: PASSWORD })
    const payload = { name: caller, scopes: everything, requestsPerMinute: 60_000, ...input }
    const reply = await post('/api/v1/api-keys', payload)
    expect(reply.statusCode, reply.body).toBe(201)
    return reply.json() as { id: string; key: string }
  }
  const ended = await make('owner')
  const revoked = await make('owner')
  Object.assign(keys, {
    all: (await make('owner')).key,
    address: (await make('owner', { scopes: ['address:read'] })).key,
    media: (await make('owner', { scopes: ['media:read'] })).key,
    ended: ended.key,
    revoked: revoked.key,
    elsewhere: (await make('owner', { networks: ['192.0.2.0/24'] })).key,
    orphan: (await make('frozen')).key,
    expired: (await make('expired')).key,
    companyFrozen: (await make('companyFrozen')).key,
    stranger: (await make('stranger')).key,
  })
  await db.superuser.query("update api_keys set expires_at = now() - interval '1 s' where id = $1", [ended.id])
  await db.superuser.query('update api_keys set revoked_at = now() where id = $1', [revoked.id])
}

const keyed = (key: Key | 'stranger') => ({ authorization: `Bearer ${keys[key]}` })
const bearer = (caller: Caller) => ({ authorization: `Bearer ${tokens[caller]}` })

interface Sample {
  params: Record<string, string>
  query: Record<string, unknown>
  body: unknown
}

/** Inputs as the route's schemas want them, with ids of the first company wherever an id may stand. */
function samples(route: RouteContract, count: number): Sample[] {
  const part = (schema: unknown) => (schema ? inputOf(schema as InputSchema, ids) : fc.constant(undefined))
  return fc.sample(fc.record({ params: part(route.params), query: part(route.query), body: part(route.body) }), {
    seed: 7,
    numRuns: count,
  }) as Sample[]
}

async function send(route: RouteContract, sample: Sample, headers: Record<string, string>, id?: string) {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(id ?? String(sample.params?.[name] ?? newId())),
  )
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(sample.query ?? {}))
    if (value !== undefined && value !== null)
      query.append(key, typeof value === 'object' ? JSON.stringify(value) : String(value))
  const json = sample.body !== undefined && !('upload' in route)
  return app.inject({
    method: route.method as 'GET',
    url: query.size > 0 ? `${path}?${query}` : path,
    headers: { ...headers, ...(json ? { 'content-type': 'application/json' } : {}) },
    ...(json ? { payload: JSON.stringify(sample.body) } : {}),
  })
}

const refusalOf = (reply: Awaited<ReturnType<typeof send>>) => [reply.statusCode, reply.json().code]

describe('the registry', () => {
  it('knows every public route', () => {
    const open = routes.filter(route => route.permission === 'public').map(nameOf)
    expect(open.filter(name => !PUBLIC.includes(name))).toEqual([])
    expect(guarded.length).toBeGreaterThan(40)
  })

  it('refuses to start with a route without a permission', async () => {
    const bare = { ...container.routes[0]!, contract: { ...container.routes[0]!.contract, permission: undefined } }
    const attempt = createHttp({
      ...({} as Parameters<typeof createHttp>[0]),
      routes: [bare as unknown as (typeof container.routes)[number]],
    })
    await expect(attempt).rejects.toThrow(/without a permission/)
  })
})

describe.each(guarded.map(route => [nameOf(route), route] as const))('%s', (_name, route) => {
  const one = () => samples(route, 1)[0]!

  it('refuses the anonymous', async () => {
    expect(refusalOf(await send(route, one(), {}))).toEqual([401, 'auth.required'])
  })
  it('refuses a frozen member', async () => {
    expect(refusalOf(await send(route, one(), bearer('frozen')))).toEqual([401, expect.stringMatching(/^auth\./)])
  })
  // One who was granted nothing: what is open to customers with a right is as closed to him as the rest.
  if (route.permission !== 'signed-in' || !forEndUsers(route))
    it('refuses an end user', async () => {
      expect(refusalOf(await send(route, one(), bearer('endUser')))).toEqual([403, 'permission.denied'])
    })
  if (route.permission !== 'signed-in')
    it('refuses who does not hold the right', async () => {
      expect(refusalOf(await send(route, one(), bearer('powerless')))).toEqual([403, 'permission.denied'])
    })
  it('refuses an API key that ended, calls from elsewhere, or has lost who made it', async () => {
    const refusals = await Promise.all(
      (['ended', 'revoked', 'elsewhere', 'orphan'] as const).map(key => send(route, one(), keyed(key)).then(refusalOf)),
    )
    expect(refusals).toEqual([
      [401, 'api_key.expired'],
      [401, 'api_key.revoked'],
      [403, 'api_key.address_refused'],
      [401, 'api_key.maker_gone'],
    ])
  })
  if (route.permission !== 'signed-in')
    it('refuses an API key without the right', async () => {
      const without = route.permission === 'address:read' ? 'media' : 'address'
      expect(refusalOf(await send(route, one(), keyed(without)))).toEqual([403, 'permission.denied'])
      if ((NOT_FOR_API_KEYS as readonly string[]).includes(route.permission))
        expect(refusalOf(await send(route, one(), keyed('all')))).toEqual([403, 'permission.denied'])
    })
  else if (!route.apiKeys)
    it('refuses an API key where a person is meant', async () => {
      expect(refusalOf(await send(route, one(), keyed('all')))).toEqual([403, 'api_key.not_allowed'])
    })
  if (!route.anyAccountState)
    it('refuses a company that expired or is frozen', async () => {
      expect(refusalOf(await send(route, one(), bearer('expired')))).toEqual([403, 'company.expired'])
      expect(refusalOf(await send(route, one(), bearer('companyFrozen')))).toEqual([403, 'company.frozen'])
      expect(refusalOf(await send(route, one(), keyed('expired')))).toEqual([403, 'company.expired'])
      expect(refusalOf(await send(route, one(), keyed('companyFrozen')))).toEqual([403, 'company.frozen'])
    })
})

describe('another company’s owner, who may do everything in his own', () => {
  it('changes, removes and learns nothing with ids of the first, on any route', async () => {
    // What its own keys did so far is counted now, not while others look.
    await container.developer.recorder.flush()
    const before = await contentOf(tenants.owner)
    const leaks: string[] = []
    for (const route of guarded) {
      const named = /\{\w+\}/.test(route.path)
      // What ends his own session would end the test.
      if (/\/(sign-out|close|cancel-account)\b/.test(route.path)) continue
      for (const [place, sample] of samples(route, named ? ids.length : 6).entries()) {
        // His API key is as much of a stranger: every route is tried with it too.
        const headers = place % 3 === 1 ? keyed('stranger') : bearer('stranger')
        const reply = await send(route, sample, headers, named ? ids[place] : undefined)
        const said = `${nameOf(route)} with ${named ? ids[place] : 'ids in query or body'}: ${reply.statusCode} ${reply.body.slice(0, 120)}`
        if (reply.statusCode >= 500) leaks.push(`broken: ${said}`)
        // Objects are asked for by id: there is none for him, whatever else stands in the request.
        if (named && route.method === 'GET' && reply.statusCode < 300 && !/\/oauth\//.test(route.path)) {
          if (reply.body.includes(MARK) || (reply.json() as { id?: string }).id === ids[place]) leaks.push(said)
        }
        if (reply.body.includes(MARK)) leaks.push(`told: ${said}`)
      }
    }
    expect(leaks).toEqual([])
    const after = await contentOf(tenants.owner)
    for (const [table, rows] of Object.entries(before)) expect(after[table], table).toEqual(rows)
    // Thousands of requests, one after the other: it takes longer with each route.
  }, 180_000)

  it('gets "not found" for every object that is asked for by its own id', async () => {
    const found: string[] = []
    for (const route of guarded) {
      if (route.method !== 'GET' || (route.path.match(/\{/g) ?? []).length !== 1) continue
      for (const id of ids) {
        const mine = await send(route, { params: {}, query: {}, body: undefined }, bearer('owner'), id)
        if (mine.statusCode >= 300) continue
        const his = await send(route, { params: {}, query: {}, body: undefined }, bearer('stranger'), id)
        if (his.statusCode !== 404) found.push(`${nameOf(route)} ${id}: ${his.statusCode} ${his.body.slice(0, 120)}`)
      }
    }
    expect(found).toEqual([])
  })
})

/** Every row of a company in every table, but for what merely looking leaves behind. */
async function contentOf(tenantId: string): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {}
  for (const { name } of await tenantTables(db.superuser)) {
    const { rows } = await db.superuser.query<{ row: string }>(
      `select (to_jsonb(t) - 'last_used_at' - 'last_seen_at' - 'chained_at')::text as row from ${name} t where tenant_id = $1 order by 1`,
      [tenantId],
    )
    content[name] = rows.map(({ row }) => row)
  }
  return content
}

describe('live topics', () => {
  let server: Server
  let hub: LiveHub
  let url: string
  beforeAll(async () => {
    hub = createLiveHub()
    const sockets = createLiveSocket({
      hub,
      logger: silentLogger,
      authenticate: (token, ip) =>
        container.identity.authenticate(token, token.startsWith('eyJ') ? undefined : { ip, passive: true }),
      source: createLiveSource(db.database, createLiveSnapshots(container)),
      now: () => Date.now(),
    } as Parameters<typeof createLiveSocket>[0])
    server = createServer()
    server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    // What is still looked at every few seconds would go on while the next files run.
    for (const socket of followed) socket.terminate()
    server.close()
  })
  const followed: WebSocket[] = []

  /** Says hello, asks for a topic, and gives what came back: messages, or the code the connection was closed with. */
  async function follow(
    topic: string,
    caller: Caller | { key: Key } | null,
  ): Promise<{ said: Message[]; closed: number | null; socket: WebSocket }> {
    const socket = new WebSocket(url)
    followed.push(socket)
    const token = caller && (typeof caller === 'object' ? keys[caller.key] : tokens[caller])
    const said: Message[] = []
    return new Promise((resolve, reject) => {
      socket.on('error', reject)
      socket.on('close', code => resolve({ said, closed: code, socket }))
      const ask = () => socket.send(JSON.stringify({ op: 'subscribe', topics: [topic] }))
      socket.on('open', () => (caller ? socket.send(JSON.stringify({ op: 'auth', token })) : ask()))
      socket.on('message', data => {
        const message = JSON.parse(String(data)) as Message
        said.push(message)
        if (message.op === 'ready') ask()
        if (['subscribed', 'denied'].includes(message.op ?? '') || (caller === null && message.op === 'error'))
          resolve({ said, closed: null, socket })
      })
    })
  }
  interface Message {
    op?: string
    topic?: string
    code?: string
    id?: string
  }

  const topics = LIVE_TOPICS.map(({ pattern, permission }) => [pattern, permission] as const)

  it.each(topics)('%s refuses everybody who must not hear it', async (pattern, permission) => {
    const topic = pattern.replace('{id}', deviceId)
    const anonymous = await follow(topic, null)
    expect(anonymous.said.at(-1)).toMatchObject({ op: 'error', code: 'live.auth_first' })
    expect((await follow(topic, 'frozen')).closed).toBe(4401)
    if (permission !== 'signed-in' || !END_USER_TOPICS.has(pattern))
      expect((await follow(topic, 'endUser')).said.at(-1)).toMatchObject({ op: 'denied', code: 'permission.denied' })
    for (const caller of ['expired', 'companyFrozen'] as const)
      expect((await follow(topic, caller)).said.at(-1), caller).toMatchObject({
        op: 'denied',
        code: 'permission.denied',
      })
    if (permission !== 'signed-in')
      expect((await follow(topic, 'powerless')).said.at(-1)).toMatchObject({ op: 'denied', code: 'permission.denied' })
    if (pattern.includes('{id}'))
      expect((await follow(topic, 'stranger')).said.at(-1)).toMatchObject({ op: 'denied', code: 'device.not_found' })
    for (const key of ['ended', 'revoked', 'elsewhere', 'orphan'] as const)
      expect((await follow(topic, { key })).closed, key).toBe(4401)
    const denied = { op: 'denied', code: 'permission.denied' }
    if (topic !== 'tasks') expect((await follow(topic, { key: 'address' })).said.at(-1)).toMatchObject(denied)
    // A program hears what its rights say, and of what is for anybody signed in only its own tasks.
    const open = permission !== 'signed-in' || topic === 'tasks'
    const program = await follow(topic, { key: 'all' })
    expect(program.said.at(-1)).toMatchObject(open ? { op: 'subscribed', topic } : denied)
    program.socket.close()
    const owner = await follow(topic, 'owner')
    expect(owner.said.at(-1)).toMatchObject({ op: 'subscribed', topic })
    owner.socket.close()
  })

  it('of a company carry nothing to another, and end when the right goes', async () => {
    const stranger = await follow('devices/state', 'stranger')
    const owner = await follow('devices/state', 'owner')
    const next = (from: typeof owner) =>
      new Promise<Message>(resolve => from.socket.once('message', data => resolve(JSON.parse(String(data)))))
    const heard = next(owner)
    hub.publish(hubTopic.tenantStates(tenants.owner), { type: 'patch', id: deviceId, patch: {}, ts: 0 })
    expect(await heard).toMatchObject({ topic: 'devices/state', id: deviceId })
    const strange = next(stranger)
    hub.publish(hubTopic.tenantStates(tenants.stranger), { type: 'patch', id: 'his own', patch: {}, ts: 0 })
    // The first thing he hears is his own: what was said before it never came to him.
    expect(await strange).toMatchObject({ id: 'his own' })
    for (const { socket } of [stranger, owner]) socket.close()
  })
})
