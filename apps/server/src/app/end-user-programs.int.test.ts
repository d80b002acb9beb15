import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { hashPassword } from '../modules/identity/index.ts'
import { testContainer, testHttp } from './testing/test-app.ts'

const PASSWORD = 'A password 4 tests'
const SCOPES = ['device:read', 'device:command']

/** An end user's API keys: programs that reach what the end user reaches, and no more. */
let db: TestDatabase
let app: FastifyInstance
let owner: string
let productId: string
let north: { id: string; token: string; device: string }
let other: string

beforeAll(async () => {
  db = await testDatabase()
  app = await testHttp(testContainer(db), { strictAudit: true })
  const passwordHash = await hashPassword(PASSWORD)
  await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name: 'c', owner: { username: 'owner', passwordHash, displayName: 'owner', kind: 'member' } }),
  )
  owner = await signIn('owner')
  productId = (
    await call('POST', '/products', owner, {
      name: 'Pump',
      linkType: 'mqtt',
      thingModel: { properties: [{ identifier: 'a', name: 'a', dataType: { type: 'double' }, access: 'rw' }] },
    })
  ).body.id
  const made = await call('POST', '/end-users', owner, {
    username: 'north',
    name: 'North',
    password: PASSWORD,
    rights: ['control', 'api'],
  })
  const device = async (name: string) => (await call('POST', '/devices', owner, { productId, name })).body.id as string
  north = { id: made.body.id, token: await signIn('north'), device: await device('of north') }
  other = await device('of the company')
  await call('POST', `/end-users/${north.id}/devices`, owner, { deviceIds: [north.device] })
  for (const token of [owner, north.token])
    await call('POST', '/security/proof', token, { method: 'password', password: PASSWORD })
}, 60_000)
afterAll(async () => {
  await app.close()
  await db.drop()
})

// biome-ignore lint/suspicious/noExplicitAny: replies of many routes
type Any = any

async function signIn(username: string): Promise<string> {
  const reply = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD }).toString(),
  })
  return reply.json().access_token
}

async function call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, token: string, payload?: object) {
  const reply = await app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(payload ? { payload } : {}),
  })
  return { status: reply.statusCode, body: (reply.body === '' ? null : reply.json()) as Any }
}

async function newKey(scopes = SCOPES): Promise<{ id: string; key: string; version: number }> {
  const { status, body } = await call('POST', '/api-keys', north.token, { name: 'Warehouse', scopes })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

describe('an API key of an end user', () => {
  it('reaches the devices of the end user, and routes that are open to end users', async () => {
    const { key, id } = await newKey()
    expect((await call('GET', '/devices', key)).body.items.map((item: Any) => item.name)).toEqual(['of north'])
    expect((await call('GET', `/devices/${other}`, key)).status).toBe(404)
    const command = { kind: 'property_set', params: { a: 1 } }
    expect((await call('POST', `/devices/${north.device}/commands`, key, command)).status).toBeLessThan(300)
    expect((await call('POST', `/devices/${other}/commands`, key, command)).status).toBe(404)
    // The right is not among those of the key; the route is not open to end users.
    expect((await call('GET', '/triggers', key)).status).toBe(403)
    expect((await call('GET', '/ota-campaigns', key)).status).toBe(403)
    const { rows } = await db.superuser.query(
      `select actor_name from audit_logs where action like 'command%' and result = 'ok' order by at desc limit 1`,
    )
    expect(rows[0]?.actor_name).toContain('Warehouse')
    expect((await call('GET', '/api-keys', north.token)).body.items.map((item: Any) => item.id)).toContain(id)
  })

  it('gives no right that the end user lacks, and comes in by the compatible interface', async () => {
    expect((await call('POST', '/api-keys', north.token, { name: 'x', scopes: ['trigger:write'] })).body).toMatchObject(
      {
        code: 'api_key.scope_beyond',
      },
    )
    const { key } = await newKey(['device:read'])
    const reply = await app.inject({
      method: 'POST',
      url: '/compat/tlink/api/device/getDevices',
      headers: { authorization: `Bearer ${key}` },
      payload: { currPage: 1, pageSize: 10 },
    })
    expect(reply.json().dataList.map((row: Any) => row.deviceName)).toEqual(['of north'])
  })

  it('is seen by the company in the centre of the end user, which may revoke it and not take it over', async () => {
    const { id, key } = await newKey()
    const own = await call('GET', '/api-keys', owner)
    expect(own.body.items).toEqual([])
    const theirs = await call('GET', `/api-keys?userId=${north.id}`, owner)
    expect(theirs.body.items.map((item: Any) => item.id)).toContain(id)
    expect((await call('POST', `/api-keys/${id}/take-over`, owner)).body.code).toBe('api_key.not_yours')
    expect((await call('POST', `/api-keys/${id}/revoke`, owner)).status).toBe(200)
    expect((await call('GET', '/devices', key)).status).toBe(401)
  })

  it('stops while the end user lacks the right to programs or is frozen', async () => {
    const { key } = await newKey()
    const user = async () => (await call('GET', `/end-users/${north.id}`, owner)).body
    const rights = async (words: string[]) =>
      call('PATCH', `/end-users/${north.id}`, owner, { version: (await user()).version, rights: words })
    await rights(['control'])
    expect((await call('GET', '/devices', key)).body.code).toBe('api_key.maker_gone')
    expect((await call('GET', '/api-keys', north.token)).status).toBe(403)
    await rights(['control', 'api'])
    expect((await call('GET', '/devices', key)).status).toBe(200)
    await call('POST', `/end-users/${north.id}/freeze`, owner)
    expect((await call('GET', '/devices', key)).status).toBe(401)
    await call('POST', `/end-users/${north.id}/unfreeze`, owner)
  })
})
