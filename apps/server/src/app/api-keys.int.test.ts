import { execFile, spawnSync } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import type { ApiKeyView, ApiKeyWithSecret } from '@thingwright/contracts/developer.contract'
import { NOT_FOR_API_KEYS } from '@thingwright/contracts/permissions'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, temporaryFolder, testDatabase } from '../db/testing.ts'
import { ownCertificate } from '../ingest/process/certificate.ts'
import { newId } from '../lib/ids.ts'
import { silentLogger } from '../lib/log.ts'
import { hashPassword } from '../modules/identity/index.ts'
import { createLiveHub, createLiveSocket, type LiveHub, type LiveSocketServer } from '../modules/live/index.ts'
import type { Container } from './container.ts'
import { createLiveSnapshots } from './live-snapshots.ts'
import { createLiveSource, hubTopic } from './live-source.ts'
import { ADDRESSES, testContainer, testHttp } from './testing/test-app.ts'

const PASSWORD = 'A password 4 tests'
const CURL = spawnSync('curl', ['--version']).status === 0
if (!CURL) console.log('curl is not there: the journey of a program is made with fetch')

let db: TestDatabase
let container: Container
let app: FastifyInstance
let sockets: LiveSocketServer
let hub: LiveHub
let base: string
let passwordHash: string
let tenantId: string
let owner: string
let fleet: { north: string; south: string; inNorth: string; inSouth: string; product: string }

beforeAll(async () => {
  db = await testDatabase()
  passwordHash = await hashPassword(PASSWORD)
  const certificate = await ownCertificate(temporaryFolder('tw-keys-').path, Date.now())
  container = testContainer(db, {
    // As a file may hold them, one behind the other.
    deviceCertificate: () => `${certificate.cert}\n${certificate.key}`,
    addresses: () => ({ ...ADDRESSES, mqttsPort: 8883 }),
  })
  hub = createLiveHub()
  sockets = createLiveSocket({
    hub,
    logger: silentLogger,
    authenticate: (token, ip) => container.identity.authenticate(token, { ip, passive: true }),
    source: createLiveSource(db.database, createLiveSnapshots(container)),
    now: () => Date.now(),
  })
  container.news.hear({
    'rights.changed': ({ logins }) => sockets.recheck(logins),
    'keys.changed': ({ ids }) => sockets.recheck(ids),
  })
  app = await testHttp(container, { strictAudit: true, upgrade: sockets.upgrade })
  await app.listen({ port: 0, host: '127.0.0.1' })
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  tenantId = await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name: 'c', owner: { username: 'owner', passwordHash, displayName: '', kind: 'member' } }),
  )
  owner = await signIn('owner')
  const made = async (path: string, body: object) => ((await call('POST', path, owner, body)).body as { id: string }).id
  const [north, south] = [
    await made('/groups', { kind: 'device', name: 'north' }),
    await made('/groups', { kind: 'device', name: 'south' }),
  ]
  const product = await made('/products', {
    name: 'p',
    linkType: 'mqtt',
    thingModel: { properties: [{ identifier: 'a', name: 'a', dataType: { type: 'double' }, access: 'rw' }] },
  })
  const device = (groupId: string) => made('/devices', { productId: product, name: 'd', groupId })
  fleet = { north, south, product, inNorth: await device(north), inSouth: await device(south) }
})
afterAll(async () => {
  sockets.close()
  await app.close()
  await db.drop()
})

interface Answer<T> {
  status: number
  body: T & { code?: string; params?: Record<string, unknown>; fields?: object; items?: { id: string }[] }
  headers: Headers
}

async function call<T = Record<string, unknown>>(
  method: string,
  path: string,
  token: string | null,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer<T>> {
  const reply = await fetch(`${base}/api/v1${path}`, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await reply.text()
  return { status: reply.status, body: text ? JSON.parse(text) : {}, headers: reply.headers }
}

async function grant(form: Record<string, string>, basic = 'cli:cli') {
  const reply = await fetch(`${base}/oauth/token`, {
    method: 'POST',
    headers: basic ? { authorization: `Basic ${Buffer.from(basic).toString('base64')}` } : {},
    body: new URLSearchParams(form),
  })
  return { status: reply.status, body: (await reply.json()) as Record<string, string>, headers: reply.headers }
}

/** Signs in and proves at once that it is he, as making keys asks for. */
async function signIn(username: string, prove = true): Promise<string> {
  const token = (await grant({ grant_type: 'password', username, password: PASSWORD })).body.access_token!
  if (prove) {
    const proof = await call('POST', '/security/proof', token, { method: 'password', password: PASSWORD })
    expect(proof.status, JSON.stringify(proof.body)).toBe(200)
  }
  return token
}

/** A member who holds one new role. */
async function member(permissions: string[], dataScope: object = { kind: 'all' }) {
  const username = `m-${newId()}`
  const loginId = newId()
  await db.superuser.query(
    "insert into logins (id, tenant_id, kind, username, password_hash) values ($1, $2, 'member', $3, $4)",
    [loginId, tenantId, username, passwordHash],
  )
  const role = await call<{ id: string; version: number }>('POST', '/roles', owner, {
    name: username.slice(0, 60),
    permissions,
    menuKeys: [],
    dataScope,
  })
  expect(role.status, JSON.stringify(role.body)).toBe(201)
  await db.superuser.query('insert into login_roles (login_id, role_id, tenant_id) values ($1, $2, $3)', [
    loginId,
    role.body.id,
    tenantId,
  ])
  return { username, loginId, role: role.body, token: await signIn(username) }
}

const MAKER = ['device:read', 'device:write', 'device:command', 'telemetry:read', 'product:read', 'group:read']
const DEVELOPER = [...MAKER, 'developer:read', 'api-key:write']

async function newKey(token: string, input: object = {}): Promise<ApiKeyWithSecret> {
  const made = await call<ApiKeyWithSecret>('POST', '/api-keys', token, {
    name: 'Warehouse',
    scopes: ['device:read'],
    ...input,
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body
}

const codeOf = async (key: string, path = '/devices') => {
  const { status, body } = await call('GET', path, key)
  return [status, body.code]
}

describe('making a key', () => {
  it('asks who it is first, shows the text once, and keeps no more than its hash', async () => {
    const unproven = await signIn('owner', false)
    const refused = await call('POST', '/api-keys', unproven, { name: 'x', scopes: ['device:read'] })
    expect([refused.status, refused.body.code]).toEqual([403, 'auth.proof_required'])

    const key = await newKey(owner, { networks: ['127.0.0.1', '10.1.2.3/8'], expiresAt: '2099-01-01T00:00:00.000Z' })
    expect(key.key).toMatch(/^twk_[a-z2-9]{8}_[\w-]{43}$/)
    expect(key).toMatchObject({
      prefix: key.key.slice(0, 12),
      state: 'active',
      networks: ['127.0.0.1', '10.0.0.0/8'],
      requestsPerMinute: 600,
      mine: true,
      lastUsedAt: null,
    })
    const secret = key.key.slice(13)
    for (const path of ['/api-keys', `/api-keys/${key.id}`, '/audit-logs?limit=100'])
      expect(JSON.stringify((await call('GET', path, owner)).body)).not.toContain(secret)
    for (const table of ['api_keys', 'audit_logs', 'api_calls']) {
      const { rows } = await db.superuser.query(`select to_jsonb(t)::text as row from ${table} t`)
      expect(JSON.stringify(rows)).not.toContain(secret)
    }
  })

  it('gives no right that its maker does not hold, and some to no key at all', async () => {
    const dev = await member(DEVELOPER)
    const attempt = async (token: string, scopes: string[]) => {
      const { status, body } = await call('POST', '/api-keys', token, { name: 'x', scopes })
      return [status, body.code]
    }
    expect(await attempt(dev.token, ['device:read', 'product:write'])).toEqual([403, 'api_key.scope_beyond'])
    for (const word of [...NOT_FOR_API_KEYS, '*', 'nonsense'])
      expect(await attempt(owner, [word]), word).toEqual([422, 'api_key.scope_unknown'])
    // Not even by hand in the database.
    const key = await newKey(owner)
    await db.superuser.query('update api_keys set scopes = $2 where id = $1', [
      key.id,
      ['device:read', ...NOT_FOR_API_KEYS],
    ])
    expect((await call<ApiKeyView>('GET', '/api-keys/current', key.key)).body.effectiveScopes).toEqual(['device:read'])
    expect((await call('POST', '/api-keys', key.key, { name: 'x', scopes: ['device:read'] })).body.code).toBe(
      'permission.denied',
    )
  })

  it('refuses what makes no sense', async () => {
    const attempt = async (input: object) =>
      (await call('POST', '/api-keys', owner, { name: 'x', scopes: ['device:read'], ...input })).body.code
    expect(await attempt({ networks: ['not a network'] })).toBe('security.network_invalid')
    expect(await attempt({ expiresAt: '2020-01-01T00:00:00.000Z' })).toBe('api_key.expiry_past')
    expect(await attempt({ dataScope: { kind: 'groups', groupIds: [newId()] } })).toBe('api_key.data_beyond')
    expect(await attempt({ requestsPerMinute: 0 })).toBe('request.validation')
  })
})

/** A program's own words: curl where it is there. */
async function program(args: { method?: string; path: string; key: string; body?: object }) {
  const { method = 'GET', path, key, body } = args
  if (!CURL) {
    const { status, body: answer } = await call(method, path, key, body)
    return { status, body: answer as Record<string, unknown> }
  }
  const { stdout } = await promisify(execFile)('curl', [
    ...['-s', '--noproxy', '*', '-X', method, '-w', '\n%{http_code}', '-H', `Authorization: Bearer ${key}`],
    ...(body ? ['-H', 'Content-Type: application/json', '-d', JSON.stringify(body)] : []),
    `${base}/api/v1${path}`,
  ])
  const at = stdout.lastIndexOf('\n')
  return { status: Number(stdout.slice(at + 1)), body: JSON.parse(stdout.slice(0, at)) as Record<string, unknown> }
}

describe('a program with only a key', () => {
  it('reads, writes and commands exactly within its scopes and its groups', async () => {
    const { key } = await newKey(owner, {
      scopes: ['device:read', 'device:write', 'telemetry:read'],
      dataScope: { kind: 'groups', groupIds: [fleet.north] },
    })
    const list = await program({ path: '/devices?total=1', key })
    expect([list.status, list.body.total]).toEqual([200, 1])
    expect((list.body.items as { id: string }[])[0]!.id).toBe(fleet.inNorth)
    expect((await program({ path: `/devices/${fleet.inNorth}/properties`, key })).status).toBe(200)
    expect((await program({ path: `/devices/${fleet.inSouth}/properties`, key })).status).toBe(404)

    const before = await program({ path: `/devices/${fleet.inNorth}`, key })
    const change = { name: 'renamed by a program', version: before.body.version }
    const written = await program({ method: 'PATCH', path: `/devices/${fleet.inNorth}`, key, body: change })
    expect([written.status, written.body.name]).toEqual([200, change.name])
    const elsewhere = await program({ method: 'PATCH', path: `/devices/${fleet.inSouth}`, key, body: change })
    expect(elsewhere.status).toBe(404)

    const command = { kind: 'property_set', params: { a: 1 } }
    const path = `/devices/${fleet.inNorth}/commands`
    expect(await program({ method: 'POST', path, key, body: command })).toMatchObject({
      status: 403,
      body: { code: 'permission.denied', params: { permission: 'device:command' } },
    })
    const commander = await newKey(owner, { scopes: ['device:command'] })
    expect((await program({ method: 'POST', path, key: commander.key, body: command })).status).toBe(201)
    expect((await program({ path: '/devices', key: commander.key })).status).toBe(403)
    for (const own of ['/me', '/menus', '/inbox', '/security/sessions'])
      expect((await program({ path: own, key })).body.code, own).toBe('api_key.not_allowed')
    expect(await program({ path: '/api-keys/current', key })).toMatchObject({
      status: 200,
      body: { effectiveScopes: ['device:read', 'device:write', 'telemetry:read'] },
    })
    // What it makes belongs to the member it stands on; the operation log names the key.
    const { rows } = await db.superuser.query(
      "select actor_kind, actor_id, actor_name from audit_logs where object_id = $1 and action = 'device.update'",
      [fleet.inNorth],
    )
    expect(rows).toEqual([
      { actor_kind: 'apiKey', actor_id: expect.any(String), actor_name: `Warehouse (${key.slice(0, 12)})` },
    ])
  })

  it('subscribes to data, and draws it, exactly within its scopes', async () => {
    const scope = { dataScope: { kind: 'groups', groupIds: [fleet.north] } }
    const maker = await newKey(owner, { scopes: ['subscription:write', 'subscription:read'], ...scope })
    const reader = await newKey(owner, { scopes: ['subscription:read'] })
    const wanted = { name: 'Warehouse system', kinds: ['property'], target: { kind: 'pull' } }
    const subscribe = (key: string) => program({ method: 'POST', path: '/subscriptions', key, body: wanted })
    expect(await subscribe(reader.key)).toMatchObject({ status: 403, body: { code: 'permission.denied' } })
    const made = await subscribe(maker.key)
    expect([made.status, made.body.state]).toEqual([201, 'active'])
    const { rows } = await db.superuser.query('select data_scope, created_by from subscriptions where id = $1', [
      made.body.id,
    ])
    expect(rows[0]).toMatchObject({ data_scope: { kind: 'limited', groupIds: [fleet.north] } })
    const path = `/subscriptions/${made.body.id}`
    expect(await program({ path: `${path}/items`, key: maker.key })).toMatchObject({ status: 200, body: { items: [] } })
    expect((await program({ method: 'DELETE', path, key: reader.key })).status).toBe(403)
    expect((await program({ method: 'DELETE', path, key: maker.key })).status).toBe(200)
  })

  it('gets a short token by client_credentials, in the header or in the body', async () => {
    const { key, prefix, id } = await newKey(owner, { scopes: ['device:read', 'product:read'] })
    const form = { grant_type: 'client_credentials' }
    const basic = await grant(form, `${prefix}:${key}`)
    expect(basic).toMatchObject({
      status: 200,
      body: { id, token_type: 'bearer', expires_in: 900, scope: 'product:read device:read' },
    })
    expect(basic.body.refresh_token).toBeUndefined()
    const inBody = await grant({ ...form, client_id: prefix, client_secret: key }, '')
    for (const { body } of [basic, inBody]) expect(await codeOf(body.access_token!)).toEqual([200, undefined])
    expect((await codeOf(basic.body.access_token!, '/members'))[1]).toBe('permission.denied')

    const other = await newKey(owner)
    for (const wrong of [`${prefix}:${key.slice(0, -4)}AAAA`, `${other.prefix}:${key}`, 'web:web', `${prefix}:`])
      expect(await grant(form, wrong), wrong).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    await call('POST', `/api-keys/${id}/revoke`, owner)
    expect(await codeOf(basic.body.access_token!)).toEqual([401, 'api_key.revoked'])
    expect(await grant(form, `${prefix}:${key}`)).toMatchObject({ status: 401, body: { code: 'api_key.revoked' } })
  })

  it('is told apart from others by the keys of its repeated requests', async () => {
    const [one, two] = [
      await newKey(owner, { scopes: ['group:write'] }),
      await newKey(owner, { scopes: ['group:write'] }),
    ]
    const repeat = { 'idempotency-key': newId() }
    const send = (token: string) =>
      call<{ id: string }>('POST', '/groups', token, { kind: 'device', name: 'again' }, repeat)
    const first = await send(one.key)
    const again = await send(one.key)
    expect([again.body.id, again.headers.get('idempotency-replayed')]).toEqual([first.body.id, 'true'])
    expect((await send(two.key)).headers.get('idempotency-replayed')).toBeNull()
    expect((await send(owner)).headers.get('idempotency-replayed')).toBeNull()
  })

  it('is never taken for a person: no confirmation of one lets it on', async () => {
    await call('PUT', `/products/${fleet.product}/command-rules`, owner, {
      rules: { properties: { a: { danger: { level: 'proof' } } } },
      version: (await call('GET', `/products/${fleet.product}/command-rules`, owner)).body.version,
    })
    const { key } = await newKey(owner, { scopes: ['device:command', 'device:secret', 'device:read'] })
    const commanded = await call('POST', `/devices/${fleet.inNorth}/commands`, key, {
      kind: 'property_set',
      params: { a: 1 },
      acknowledged: true,
    })
    expect([commanded.status, commanded.body.code]).toEqual([403, 'api_key.not_allowed'])
    const preview = await call('GET', '/devices', key, undefined, { 'x-preview-role': newId() })
    expect(preview.body.code).toBe('api_key.not_allowed')
  })
})

describe('a key is refused', () => {
  it('from elsewhere than its networks, or than those of its company', async () => {
    const { key, id } = await newKey(owner, { networks: ['192.0.2.0/24'] })
    expect(await codeOf(key)).toEqual([403, 'api_key.address_refused'])
    const view = (await call<ApiKeyView>('GET', `/api-keys/${id}`, owner)).body
    expect(view.lastRefusal).toMatchObject({ code: 'api_key.address_refused', ip: '127.0.0.1' })
    await call('PATCH', `/api-keys/${id}`, owner, { version: view.version, networks: ['127.0.0.0/8'] })
    expect(await codeOf(key)).toEqual([200, undefined])
    const setPolicy = (list: string[]) =>
      db.superuser.query(`update tenants set settings = jsonb_set(settings, '{security}', $2) where id = $1`, [
        tenantId,
        JSON.stringify({ ipAllowList: list }),
      ])
    await setPolicy(['192.0.2.0/24'])
    container.identity.forget()
    expect(await codeOf(key)).toEqual([403, 'api_key.address_refused'])
    await setPolicy([])
    container.identity.forget()
    expect(await codeOf(key)).toEqual([200, undefined])
  })

  it('once it expired, was revoked, or never was', async () => {
    const { key, id } = await newKey(owner)
    expect(await codeOf(key)).toEqual([200, undefined])
    await db.superuser.query("update api_keys set expires_at = now() - interval '1 second' where id = $1", [id])
    container.developer.gate.forgetKey(id)
    expect(await codeOf(key)).toEqual([401, 'api_key.expired'])
    expect((await call('DELETE', `/api-keys/${id}`, owner)).status).toBe(200)
    expect(await codeOf(key)).toEqual([401, 'api_key.invalid'])

    const second = await newKey(owner)
    expect(await codeOf(second.key)).toEqual([200, undefined])
    expect((await call('DELETE', `/api-keys/${second.id}`, owner)).body.code).toBe('api_key.still_active')
    expect((await call<ApiKeyView>('POST', `/api-keys/${second.id}/revoke`, owner)).body.state).toBe('revoked')
    expect(await codeOf(second.key)).toEqual([401, 'api_key.revoked'])
    for (const wrong of [`${second.key}x`, `twk_abcd2345_${'A'.repeat(43)}`, 'twk_'])
      expect(await codeOf(wrong), wrong).toEqual([401, 'api_key.invalid'])
  })

  it('when it calls too often, and only it', async () => {
    const [slow, other] = [await newKey(owner, { requestsPerMinute: 2 }), await newKey(owner)]
    const first = await call('GET', '/devices', slow.key)
    expect([first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')]).toEqual(['2', '1'])
    // Short tokens of a key count to it.
    const token = await grant({ grant_type: 'client_credentials' }, `${slow.prefix}:${slow.key}`)
    const refused = await call('GET', '/devices', token.body.access_token!)
    expect([refused.status, refused.body.code]).toEqual([429, 'rate.limited'])
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(120)
    const again = await grant({ grant_type: 'client_credentials' }, `${slow.prefix}:${slow.key}`)
    expect([again.status, Number(again.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(await codeOf(other.key)).toEqual([200, undefined])
    const raised = await call('PATCH', `/api-keys/${slow.id}`, owner, { version: 1, requestsPerMinute: 100 })
    expect(raised.status).toBe(200)
    expect(await codeOf(slow.key)).toEqual([200, undefined])
  })
})

it('tells the owner of a key once that it ends within a week', async () => {
  const dev = await member(DEVELOPER)
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString()
  const key = await newKey(dev.token, { name: 'Ends soon', expiresAt: soon })
  await newKey(dev.token, { name: 'Ends later', expiresAt: '2099-01-01T00:00:00.000Z' })
  const notices = async () => {
    await container.developer.expiry.watch(tenantId, Date.now())
    return (await call<{ items: { id: string; title: string }[] }>('GET', '/inbox', dev.token)).body.items.length
  }
  expect([await notices(), await notices()]).toEqual([1, 1])
  // Put off, and as near again: told again.
  const later = new Date(Date.now() + 5 * 86_400_000).toISOString()
  await call('PATCH', `/api-keys/${key.id}`, dev.token, { version: 1, expiresAt: later })
  expect(await notices()).toBe(2)
})

describe('rotation', () => {
  it('takes both texts for the overlap, then one', async () => {
    const old = await newKey(owner)
    const token = (await grant({ grant_type: 'client_credentials' }, `${old.prefix}:${old.key}`)).body.access_token!
    const next = (await call<ApiKeyWithSecret>('POST', `/api-keys/${old.id}/rotate`, owner, { overlapHours: 2 })).body
    expect(next.previous?.prefix).toBe(old.prefix)
    for (const text of [old.key, next.key, token]) expect(await codeOf(text)).toEqual([200, undefined])
    expect((await call<ApiKeyView>('POST', `/api-keys/${old.id}/end-overlap`, owner)).body.previous).toBeNull()
    expect(await codeOf(old.key)).toEqual([401, 'api_key.invalid'])
    expect(await codeOf(token)).toEqual([401, 'api_key.revoked'])
    expect(await codeOf(next.key)).toEqual([200, undefined])

    const third = (await call<ApiKeyWithSecret>('POST', `/api-keys/${old.id}/rotate`, owner, { overlapHours: 1 })).body
    await db.superuser.query("update api_keys set previous_until = now() - interval '1 second' where id = $1", [old.id])
    container.developer.gate.forgetKey(old.id)
    expect(await codeOf(next.key)).toEqual([401, 'api_key.revoked'])
    expect(await codeOf(third.key)).toEqual([200, undefined])
    await call('POST', `/api-keys/${old.id}/rotate`, owner, { overlapHours: 0 })
    expect((await codeOf(third.key))[0]).toBe(401)
  })
})

describe('a key and the member it stands on', () => {
  it('loses at once what he loses, in rights and in data', async () => {
    const dev = await member(DEVELOPER)
    const { key } = await newKey(dev.token, { scopes: ['device:read', 'group:read'] })
    expect(await codeOf(key)).toEqual([200, undefined])
    const setRole = async (permissions: string[], dataScope: object) => {
      const { body } = await call<{ version: number }>('GET', `/roles/${dev.role.id}`, owner)
      const done = await call('PATCH', `/roles/${dev.role.id}`, owner, {
        version: body.version,
        permissions,
        dataScope,
      })
      expect(done.status, JSON.stringify(done.body)).toBe(200)
    }
    await setRole(DEVELOPER, { kind: 'groups', groupIds: [fleet.south] })
    const seen = await call('GET', '/devices', key)
    expect(seen.body.items!.map(item => item.id)).toEqual([fleet.inSouth])
    await setRole(
      DEVELOPER.filter(word => word !== 'device:read'),
      { kind: 'all' },
    )
    expect(await codeOf(key)).toEqual([403, 'permission.denied'])
    expect((await call<ApiKeyView>('GET', '/api-keys/current', key)).body.effectiveScopes).toEqual(['group:read'])
    await setRole(DEVELOPER, { kind: 'all' })
    expect(await codeOf(key)).toEqual([200, undefined])
  })

  it('rests while he is frozen, ends with his leaving, and lives on when somebody takes it over', async () => {
    const dev = await member(DEVELOPER)
    const key = await newKey(dev.token, { scopes: ['device:read', 'product:read'] })
    const stateNow = async () => (await call<ApiKeyView>('GET', `/api-keys/${key.id}`, owner)).body.state
    expect(await codeOf(key.key)).toEqual([200, undefined])
    expect((await call('POST', `/members/${dev.loginId}/freeze`, owner)).status).toBe(200)
    expect(await codeOf(key.key)).toEqual([401, 'api_key.maker_gone'])
    expect(await stateNow()).toBe('maker_frozen')
    await call('POST', `/members/${dev.loginId}/unfreeze`, owner)
    expect(await codeOf(key.key)).toEqual([200, undefined])

    const left = await call('POST', `/members/${dev.loginId}/leave`, owner, {})
    expect(left.status, JSON.stringify(left.body)).toBe(200)
    expect(await codeOf(key.key)).toEqual([401, 'api_key.maker_gone'])
    expect(await stateNow()).toBe('maker_left')

    const taker = await member(DEVELOPER.filter(word => word !== 'product:read'))
    const taken = await call<ApiKeyView>('POST', `/api-keys/${key.id}/take-over`, taker.token)
    expect(taken.body).toMatchObject({ state: 'active', mine: true, effectiveScopes: ['device:read'] })
    expect(await codeOf(key.key)).toEqual([200, undefined])
    expect(await codeOf(key.key, '/products')).toEqual([403, 'permission.denied'])
  })

  it('goes to whom a leaving member hands over what is his', async () => {
    const [dev, heir] = [await member(DEVELOPER), await member(DEVELOPER)]
    const key = await newKey(dev.token)
    const owned = await call<{ items: { kind: string; count: number }[] }>(
      'GET',
      `/members/${dev.loginId}/owned`,
      owner,
    )
    expect(owned.body.items).toContainEqual({ kind: 'api_key', count: 1 })
    await call('POST', `/members/${dev.loginId}/leave`, owner, { handOverTo: heir.loginId })
    expect(await codeOf(key.key)).toEqual([200, undefined])
    expect((await call<ApiKeyView>('GET', `/api-keys/${key.id}`, heir.token)).body.mine).toBe(true)
  })

  it('is widened and rotated by nobody else, who would act with his rights', async () => {
    const [dev, other] = [await member(DEVELOPER), await member(DEVELOPER)]
    const key = await newKey(dev.token)
    const attempt = async (path: string, method: string, body?: object) =>
      (await call(method, `/api-keys/${key.id}${path}`, other.token, body)).body.code
    expect(await attempt('/rotate', 'POST', {})).toBe('api_key.not_yours')
    expect(await attempt('', 'PATCH', { version: 1, networks: [] })).toBe('api_key.not_yours')
    expect(await attempt('/revoke', 'POST')).toBeUndefined()
    expect(await attempt('/rotate', 'POST', {})).toBe('api_key.not_yours')
  })

  it('shows a limited member his own keys only, and what is below his own groups', async () => {
    const limited = await member(DEVELOPER, { kind: 'groups', groupIds: [fleet.north] })
    const below = (
      await call<{ id: string }>('POST', '/groups', owner, { kind: 'device', name: 'below', parentId: fleet.north })
    ).body.id
    const foreign = await newKey(owner)
    expect((await call('GET', `/api-keys/${foreign.id}`, limited.token)).status).toBe(404)
    expect((await call('POST', `/api-keys/${foreign.id}/take-over`, limited.token)).status).toBe(404)
    const groups = (id: string) => ({ dataScope: { kind: 'groups', groupIds: [id] } })
    const beyond = await call('POST', '/api-keys', limited.token, {
      name: 'x',
      scopes: ['device:read'],
      ...groups(fleet.south),
    })
    expect([beyond.status, beyond.body.code]).toEqual([403, 'api_key.data_beyond'])
    const [all, part, product] = [
      await newKey(limited.token),
      await newKey(limited.token, groups(below)),
      await newKey(owner, { dataScope: { kind: 'products', productIds: [fleet.product] } }),
    ]
    const list = await call('GET', '/api-keys', limited.token)
    expect(list.body.items!.map(item => item.id).toSorted()).toEqual([all.id, part.id].toSorted())
    const count = async (key: string) => (await call('GET', '/devices', key)).body.items!.length
    expect([await count(all.key), await count(part.key), await count(product.key)]).toEqual([1, 0, 2])
  })

  it('works on in the background with its rights of that moment', async () => {
    const { id } = await newKey(owner)
    const now = () => container.developer.actorNow(tenantId, id)
    expect(await now()).toMatchObject({ kind: 'apiKey', keyId: id, permissions: new Set(['device:read']) })
    expect(await container.developer.actorNow(newId(), id)).toBeNull()
    await call('POST', `/api-keys/${id}/revoke`, owner)
    expect(await now()).toBeNull()
  })
})

interface Message {
  op?: string
  topic?: string
  code?: string
  id?: string
  patch?: object
}

/** A socket that signed in; what it heard, and the code it was closed with. */
async function live(token: string) {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/api/v1/live`)
  const heard: Message[] = []
  const state = { closed: null as number | null }
  socket.on('message', data => heard.push(JSON.parse(String(data)) as Message))
  socket.on('close', code => {
    state.closed = code
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const send = (message: object) => socket.send(JSON.stringify(message))
  send({ op: 'auth', token })
  await expect.poll(() => heard.length).toBe(1)
  return { socket, heard, state, send }
}

describe('the live socket', () => {
  it('lets a program follow what its scopes and groups show, and nothing that is a person’s', async () => {
    const { key } = await newKey(owner, {
      scopes: ['device:read'],
      dataScope: { kind: 'groups', groupIds: [fleet.north] },
    })
    const { heard, send, socket } = await live(key)
    const topics = [
      `device/${fleet.inNorth}/state`,
      `device/${fleet.inSouth}/state`,
      `device/${fleet.inNorth}/properties`,
      'inbox',
      'me',
      'tasks',
      'devices/state',
    ]
    send({ op: 'subscribe', topics })
    await expect.poll(() => heard.length).toBe(1 + topics.length)
    // Of one operation the topics are answered each when it is known.
    const [first, ...answers] = heard.map(({ op, topic, code }) => [op, topic, code].filter(Boolean).join(' '))
    expect(first).toBe('ready')
    expect(answers.sort()).toEqual(
      [
        `denied device/${fleet.inNorth}/properties permission.denied`,
        `denied device/${fleet.inSouth}/state device.not_found`,
        'denied inbox permission.denied',
        'denied me permission.denied',
        `subscribed device/${fleet.inNorth}/state`,
        'subscribed devices/state',
        'subscribed tasks',
      ].sort(),
    )
    for (const id of [fleet.inSouth, fleet.inNorth])
      hub.publish(hubTopic.tenantStates(tenantId), { type: 'patch', id, patch: { link: 'online' }, ts: 1 })
    await expect.poll(() => heard.length).toBeGreaterThan(1 + topics.length)
    expect(heard.slice(1 + topics.length).map(message => message.id)).toEqual([fleet.inNorth])
    socket.close()
  })

  it('takes topics away and closes as soon as the key loses them', async () => {
    const dev = await member(DEVELOPER)
    const key = await newKey(dev.token)
    const topic = `device/${fleet.inNorth}/state`
    const { heard, send, state } = await live(key.key)
    send({ op: 'subscribe', topics: [topic] })
    await expect.poll(() => heard.at(-1)?.op).toBe('subscribed')
    const { body } = await call<{ version: number }>('GET', `/roles/${dev.role.id}`, owner)
    await call('PATCH', `/roles/${dev.role.id}`, owner, { version: body.version, permissions: ['developer:read'] })
    await expect.poll(() => heard.at(-1)).toEqual({ op: 'revoked', topic })
    await call('POST', `/api-keys/${key.id}/revoke`, owner)
    await expect.poll(() => state.closed).toBe(4401)
  })
})

describe('statistics and log of calls', () => {
  it('count calls, errors and durations by key and route, and keep bodies without secrets', async () => {
    const key = await newKey(owner, { name: 'Counted', scopes: ['device:read', 'device:write', 'device:secret'] })
    await call('GET', '/devices?limit=5', key.key)
    const order = { productId: fleet.product, name: 'made by a program' }
    const made = await call<{ id: string; deviceSecret: string }>('POST', '/devices', key.key, order)
    await call('GET', `/devices/${newId()}`, key.key)
    await call('GET', '/members', key.key)
    const { body } = await call<{
      total: object
      series: { calls: number }[]
      routes: { route: string; calls: number; errors: number; p95Ms: number }[]
      keys: object[]
    }>('GET', `/developer/statistics?hours=1&keyId=${key.id}`, owner)
    expect(body.total).toMatchObject({ calls: 4, errors: 2, limited: 0 })
    expect(body.series.length).toBe(12)
    expect(body.series.reduce((sum, step) => sum + step.calls, 0)).toBe(4)
    expect(body.routes.map(({ route, calls, errors }) => `${route} ${calls} ${errors}`).toSorted()).toEqual([
      'GET /api/v1/devices 1 0',
      'GET /api/v1/devices/{id} 1 1',
      'GET /api/v1/members 1 1',
      'POST /api/v1/devices 1 0',
    ])
    for (const { p95Ms } of body.routes) expect(p95Ms).toBeGreaterThan(0)
    expect(body.keys).toMatchObject([{ keyId: key.id, name: 'Counted', calls: 4 }])

    const log = await call<{ items: { id: string; route: string; status: number; code: string | null }[] }>(
      'GET',
      `/developer/calls?keyId=${key.id}`,
      owner,
    )
    expect(log.body.items.map(({ route, status, code }) => [route, status, code])).toEqual([
      ['GET /api/v1/members', 403, 'permission.denied'],
      ['GET /api/v1/devices/{id}', 404, 'device.not_found'],
      ['POST /api/v1/devices', 201, null],
      ['GET /api/v1/devices', 200, null],
    ])
    const creation = log.body.items[2]!.id
    const detail = await call<{
      requestBody: string
      requestBytes: number
      responseBody: string
      responseBytes: number
      bodiesHidden: boolean
    }>('GET', `/developer/calls/${creation}`, owner)
    // As they went over the wire, with what the log hides.
    expect(detail.body).toMatchObject({
      requestBytes: Buffer.byteLength(JSON.stringify(order)),
      responseBytes: Buffer.byteLength(JSON.stringify(made.body)),
    })
    expect(JSON.parse(detail.body.requestBody)).toMatchObject({ name: 'made by a program' })
    expect(JSON.parse(detail.body.responseBody)).toMatchObject({ id: made.body.id, deviceSecret: '***' })
    const { rows } = await db.superuser.query('select to_jsonb(c)::text as row from api_calls c')
    expect(JSON.stringify(rows)).not.toContain(made.body.deviceSecret)

    // Who may not make the call sees that it was, not what was in it.
    const reader = await member(['developer:read'])
    const hidden = await call('GET', `/developer/calls/${creation}`, reader.token)
    expect(hidden.body).toMatchObject({ bodiesHidden: true, requestBody: null, responseBody: null })
    const limited = await member(DEVELOPER, { kind: 'groups', groupIds: [fleet.north] })
    expect((await call('GET', `/developer/calls/${creation}`, limited.token)).status).toBe(404)
    expect((await call('GET', '/developer/calls', limited.token)).body.items).toEqual([])
    const total = (await call<{ total: { calls: number } }>('GET', '/developer/statistics', limited.token)).body.total
    expect(total.calls).toBe(0)
    expect((await call<ApiKeyView>('GET', `/api-keys/${key.id}`, owner)).body).toMatchObject({
      lastUsedIp: '127.0.0.1',
    })
  })

  it('keep the last hundred calls of a key, and not those of people', async () => {
    const key = await newKey(owner)
    for (let n = 0; n < 105; n++) await call('GET', `/devices?limit=1&q=${n}`, key.key)
    const { body } = await call<{ items: { path: string }[] }>('GET', `/developer/calls?keyId=${key.id}`, owner)
    expect(body.items.length).toBe(100)
    expect(body.items[0]!.path).toBe('/api/v1/devices?limit=1&q=104')
    const { rows } = await db.superuser.query('select count(*)::int as n from api_calls where key_id = $1', [key.id])
    expect(rows[0].n).toBe(100)
  })

  it('tell where everything is, and every error there is', async () => {
    const where = await call('GET', '/developer/endpoints', owner)
    expect(where.body).toMatchObject({
      api: { baseUrl: 'http://localhost/api/v1', liveUrl: 'ws://localhost/api/v1/live' },
      devices: { mqttPort: 1883, mqttsPort: 8883 },
      certificates: [
        { subject: 'CN=Thingwright', selfSigned: true, pem: expect.stringContaining('BEGIN CERTIFICATE') },
      ],
    })
    expect(JSON.stringify(where.body)).not.toContain('PRIVATE KEY')
    const document = (await (await fetch(`${base}/api/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { 'x-api-keys'?: boolean }>>
    }
    const open = (path: string, method: string) => document.paths[`/api/v1${path}`]![method]!['x-api-keys']
    expect([open('/devices', 'get'), open('/tasks', 'get'), open('/me', 'get'), open('/api-keys', 'post')]).toEqual([
      true,
      true,
      false,
      false,
    ])
    const errors = await call<{ items: { code: string; status: number; message: string }[] }>(
      'GET',
      '/developer/errors',
      owner,
      undefined,
      { 'accept-language': 'en' },
    )
    expect(errors.body.items).toContainEqual({
      code: 'rate.limited',
      status: 429,
      message: 'Too many requests; try again in {seconds} s',
    })
  })
})
