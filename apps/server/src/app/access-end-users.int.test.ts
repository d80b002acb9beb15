import { allContracts } from '@thingwright/contracts/all-contracts'
import { END_USER_OPERATIONS } from '@thingwright/contracts/end-user-routes'
import type { RouteContract } from '@thingwright/contracts/route'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { tenantTables } from '../db/testing/fill-tenant.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { newId } from '../lib/ids.ts'
import fc from '../lib/testing/fast-check.ts'
import { hashPassword } from '../modules/identity/index.ts'
import { png } from '../modules/media/testing.ts'
import type { Container } from './container.ts'
import { type InputSchema, inputOf } from './testing/fuzz-inputs.ts'
import { testContainer, testHttp } from './testing/test-app.ts'

/**
 * Three kinds of people of one company: who belongs to it, a customer, and a customer's customer. Every route that is
 * open to end users is held against a customer with all rights who stands beside them: he must neither see nor change
 * anything of the others. Nothing is listed by hand, so a route that is opened is in here as soon as it is.
 */
const PASSWORD = 'A password 4 tests'
const COMPANY = 'only-for-the-company'
const CUSTOMER = 'only-for-the-customer'
const BELOW = 'only-for-the-sub-customer'
const ALL = ['control', 'triggers', 'tasks', 'pages', 'devices', 'video', 'sim', 'export', 'api', 'users', 'branding']

const open = Object.entries(allContracts).flatMap(([feature, routes]) =>
  Object.entries(routes as Record<string, RouteContract>)
    .filter(([name]) => END_USER_OPERATIONS.has(`${feature}.${name}`))
    .map(([, route]) => route),
)
const nameOf = (route: RouteContract) => `${route.method} ${route.path}`

let db: TestDatabase
let container: Container
let app: FastifyInstance
let tenantId: string
let ids: string[]
const tokens = {} as Record<'owner' | 'customer' | 'below' | 'beside', string>

beforeAll(async () => {
  db = await testDatabase()
  container = testContainer(db)
  app = await testHttp(container)
  const passwordHash = await hashPassword(PASSWORD)
  tenantId = await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, {
      name: 'The company',
      owner: { username: 'owner', passwordHash, displayName: 'owner', kind: 'member' },
    }),
  )
  tokens.owner = await signIn('owner')
  const product = await post('/products', tokens.owner, {
    name: COMPANY,
    linkType: 'mqtt',
    thingModel: { properties: [{ identifier: 'a', name: 'a', dataType: { type: 'double' }, access: 'rw' }] },
  })
  const device = async (name: string) => (await post('/devices', tokens.owner, { productId: product, name })) as string
  const devices = { company: await device(COMPANY), customer: await device(CUSTOMER), below: await device(BELOW) }
  const person = async (username: string, name: string, over: object, token = tokens.owner) =>
    post('/end-users', token, { username, name, password: PASSWORD, rights: ALL, ...over })
  const customer = await person('customer', CUSTOMER, {})
  const below = await person('below', BELOW, { parentId: customer })
  await person('beside', 'Beside', {})
  for (const name of ['customer', 'below', 'beside'] as const) tokens[name] = await signIn(name)
  await post(`/end-users/${customer}/devices`, tokens.owner, { deviceIds: [devices.customer] })
  await post(`/end-users/${below}/devices`, tokens.owner, { deviceIds: [devices.below] })
  const trigger = (name: string, deviceId: string, token: string) =>
    post('/triggers', token, {
      name,
      scope: { deviceIds: [deviceId] },
      kind: 'above',
      property: 'a',
      high: 1,
      alarm: { level: 3 },
    })
  await trigger(COMPANY, devices.company, tokens.owner)
  await trigger(CUSTOMER, devices.customer, tokens.customer)
  await trigger(BELOW, devices.below, tokens.below)
  const fence = (name: string, deviceId: string, token: string) =>
    post('/geofences', token, {
      name,
      shape: { kind: 'circle', centre: { lng: 120, lat: 30 }, radius: 100 },
      scope: { deviceIds: [deviceId] },
    })
  await fence(COMPANY, devices.company, tokens.owner)
  await fence(CUSTOMER, devices.customer, tokens.customer)
  await fence(BELOW, devices.below, tokens.below)
  for (const [name, who] of [
    [COMPANY, 'owner'],
    [CUSTOMER, 'customer'],
    [BELOW, 'below'],
  ] as const) {
    await post('/contacts', tokens[who], { name, email: `${name}@example.com` })
    await post('/pages', tokens[who], { name, suffix: `page-of-${who}` })
    await post('/media-folders', tokens[who], { name })
    await material(name, tokens[who])
  }
  for (const [who, id] of [
    ['owner', devices.company],
    ['customer', devices.customer],
    ['below', devices.below],
  ] as const)
    await post(`/devices/${id}/commands`, tokens[who], { kind: 'property_set', params: { a: 1 } })
  const found = await Promise.all(
    (await tenantTables(db.superuser))
      .filter(table => table.columns.some(column => column.name === 'id' && column.type === 'uuid'))
      .map(
        async ({ name }) =>
          (
            await db.superuser.query<{ id: string }>(
              `select id from ${name} where tenant_id = $1 order by id desc limit 3`,
              [tenantId],
            )
          ).rows,
      ),
  )
  ids = [...new Set(found.flat().map(row => row.id))]
}, 120_000)
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

async function post(path: string, token: string, payload: object): Promise<string> {
  const reply = await app.inject({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${token}` },
    payload,
  })
  expect(reply.statusCode, `${path}: ${reply.body}`).toBeLessThan(300)
  return reply.json().id
}

async function material(name: string, token: string): Promise<void> {
  const boundary = 'of-a-test'
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}.png"\r\n\r\n`
  const reply = await app.inject({
    method: 'POST',
    url: '/api/v1/media',
    headers: { authorization: `Bearer ${token}`, 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: Buffer.concat([Buffer.from(head), png(name.length, 2), Buffer.from(`\r\n--${boundary}--\r\n`)]),
  })
  expect(reply.statusCode, reply.body).toBe(201)
}

async function send(route: RouteContract, token: string, sample: { query?: object; body?: unknown }, id: string) {
  const path = route.path.replaceAll(/\{\w+\}/g, id)
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(sample.query ?? {}))
    if (value !== undefined && value !== null)
      query.append(key, typeof value === 'object' ? JSON.stringify(value) : String(value))
  return app.inject({
    method: route.method as 'GET',
    url: query.size > 0 ? `${path}?${query}` : path,
    headers: {
      authorization: `Bearer ${token}`,
      ...(sample.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(sample.body === undefined ? {} : { payload: JSON.stringify(sample.body) }),
  })
}

function samples(route: RouteContract, count: number) {
  const part = (schema: unknown) => (schema ? inputOf(schema as InputSchema, ids) : fc.constant(undefined))
  return fc.sample(fc.record({ query: part(route.query), body: part(route.body) }), { seed: 11, numRuns: count }) as {
    query?: object
    body?: unknown
  }[]
}

/** Rows of everybody but who asks, without what merely looking leaves behind. */
async function content(table: string): Promise<string[]> {
  const { rows } = await db.superuser.query<{ row: string }>(
    `select (to_jsonb(t) - 'last_used_at' - 'last_seen_at')::text as row from ${table} t where tenant_id = $1 order by 1`,
    [tenantId],
  )
  return rows.map(({ row }) => row)
}
const THINGS = [
  'devices',
  'triggers',
  'geofences',
  'alarms',
  'commands',
  'products',
  'user_packages',
  'roles',
  'groups',
  'contacts',
  'cloud_pages',
  'media',
  'media_folders',
]

describe('an end user', () => {
  it('reaches more than a few routes, and all of them are there', () => {
    expect(open.length).toBe(END_USER_OPERATIONS.size)
    expect(open.length).toBeGreaterThan(60)
  })

  it('learns and changes nothing of others, with any id, on any route that is open to him', async () => {
    const leaks: string[] = []
    const before = Object.fromEntries(
      await Promise.all(THINGS.map(async table => [table, await content(table)] as const)),
    )
    for (const route of open) {
      // What ends his own session would end the test; replies of the assistant are streams.
      if (/sessions\/end-others|assistant\/chat$/.test(route.path)) continue
      const named = /\{\w+\}/.test(route.path)
      for (const [place, sample] of samples(route, named ? ids.length : 6).entries()) {
        const reply = await send(route, tokens.beside, sample, named ? ids[place]! : newId())
        const said = `${nameOf(route)} with ${named ? ids[place] : 'ids in query or body'}: ${reply.statusCode} ${reply.body.slice(0, 160)}`
        if (reply.statusCode >= 500) leaks.push(`broken: ${said}`)
        if ([COMPANY, CUSTOMER, BELOW].some(mark => reply.body.includes(mark))) {
          // Whoever may add devices chooses among the products of the company.
          if (route.path.endsWith('/products/catalogue')) continue
          if (nameOf(route) === 'POST /api/v1/devices' && reply.statusCode === 201) {
            // With a device of the product he sees the product: it is taken from him again.
            await db.superuser.query('update devices set owner_id = null, created_by = null where id = $1', [
              reply.json().id,
            ])
            continue
          }
          leaks.push(`told: ${said}`)
        }
      }
    }
    expect(leaks).toEqual([])
    for (const table of THINGS) {
      const after = await content(table)
      // What he made himself is his.
      expect(
        before[table]!.filter(row => !after.includes(row)),
        table,
      ).toEqual([])
    }
  }, 120_000)

  it('sees in lists, counts, exports and search his part only, and a customer that of his customers too', async () => {
    const seen = async (who: keyof typeof tokens, path: string) => {
      const reply = await app.inject({ url: `/api/v1${path}`, headers: { authorization: `Bearer ${tokens[who]}` } })
      expect(reply.statusCode, `${path} ${reply.body.slice(0, 200)}`).toBe(200)
      return [COMPANY, CUSTOMER, BELOW].filter(mark => reply.body.includes(mark))
    }
    for (const path of [
      '/devices',
      '/triggers',
      '/geofences',
      '/geofences/export?format=csv',
      '/devices/export?format=csv',
      '/search?q=only-for-the',
    ]) {
      expect(await seen('owner', path), path).toEqual([COMPANY, CUSTOMER, BELOW])
      // The product beside the device has the company's mark.
      const ofProduct = path === '/devices' || path.startsWith('/devices/export') || path.startsWith('/search')
      expect(
        (await seen('customer', path)).filter(mark => !(ofProduct && mark === COMPANY)),
        path,
      ).toEqual([CUSTOMER, BELOW])
      expect(
        (await seen('below', path)).filter(mark => !(ofProduct && mark === COMPANY)),
        path,
      ).toEqual([BELOW])
      expect(await seen('beside', path), path).toEqual([])
    }
    const counts = async (who: keyof typeof tokens) =>
      (await app.inject({ url: '/api/v1/devices?total=1', headers: { authorization: `Bearer ${tokens[who]}` } })).json()
        .total
    expect([await counts('owner'), await counts('customer'), await counts('below')].slice(0, 3)).toEqual([
      (await content('devices')).length,
      2,
      1,
    ])
    // Materials of those below him are asked for by name.
    for (const path of ['/media', '/media/export?format=csv', '/media-folders']) {
      expect(await seen('owner', path), path).toEqual([COMPANY])
      expect(await seen('customer', path), path).toEqual([CUSTOMER])
      expect(await seen('below', path), path).toEqual([BELOW])
      expect(await seen('beside', path), path).toEqual([])
    }
    for (const path of ['/end-users', '/end-users/export?format=csv', '/contacts', '/contacts/export?format=csv']) {
      expect(await seen('customer', path), path).toEqual([CUSTOMER, BELOW])
      expect(await seen('beside', path), path).toEqual([])
    }
  })
})
