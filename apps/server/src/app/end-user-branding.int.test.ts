import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { hashPassword } from '../modules/identity/index.ts'
import { testContainer, testHttp } from './testing/test-app.ts'

const PASSWORD = 'A password 4 tests'
const LOGO = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a00', 'hex').toString('base64')}`

let db: TestDatabase
let app: FastifyInstance
let owner: string

beforeAll(async () => {
  db = await testDatabase()
  app = await testHttp(testContainer(db), { strictAudit: true })
  const passwordHash = await hashPassword(PASSWORD)
  await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name: 'c', owner: { username: 'owner', passwordHash, displayName: 'owner', kind: 'member' } }),
  )
  owner = await signIn('owner')
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

async function call(method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, token: string, payload?: object) {
  const reply = await app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(payload ? { payload } : {}),
  })
  return { status: reply.statusCode, body: reply.json() as Any }
}

it('an end user who was granted it changes the looks of the own console and of those below', async () => {
  const { version } = (await call('GET', '/company', owner)).body
  await call('PUT', '/company/branding', owner, {
    version,
    title: 'The company',
    titleEn: '',
    logo: '',
    colour: '#003366',
  })
  const person = (over: object) =>
    call('POST', '/end-users', owner, { name: 'x', password: PASSWORD, rights: ['view', 'branding'], ...over })
  const north = (await person({ username: 'north', contactName: 'Miss Li' })).body
  expect(north).toMatchObject({ contactName: 'Miss Li', rights: ['view', 'branding'] })
  await person({ username: 'below', parentId: north.id })
  await person({ username: 'plain', rights: ['view'] })
  const [of, below, plain] = [await signIn('north'), await signIn('below'), await signIn('plain')]
  const looks = { title: 'North Water', titleEn: '', logo: LOGO, colour: null }

  expect((await call('PUT', '/me/branding', of, looks)).body).toMatchObject({
    own: looks,
    shown: { title: 'North Water', logo: LOGO, colour: '#003366' },
    mayChange: true,
  })
  expect((await call('GET', '/me/branding', below)).body).toMatchObject({
    own: { title: '', logo: '' },
    shown: { title: 'North Water', logo: LOGO },
  })
  const company = { title: 'The company', titleEn: '', logo: '', colour: '#003366' }
  expect((await call('GET', '/me/branding', plain)).body).toMatchObject({ shown: company, mayChange: false })
  expect((await call('GET', '/me/branding', owner)).body).toMatchObject({ shown: company, mayChange: false })

  // Without the right branding cannot be set, and branding that was set is not shown.
  expect((await call('PUT', '/me/branding', plain, looks)).status).toBe(403)
  expect((await call('PUT', '/me/branding', owner, looks)).status).toBe(403)
  const now = (await call('GET', `/end-users/${north.id}`, owner)).body
  await call('PATCH', `/end-users/${north.id}`, owner, { version: now.version, rights: ['view'] })
  expect((await call('GET', '/me/branding', of)).body).toMatchObject({ own: looks, shown: company })
  expect((await call('GET', '/me/branding', below)).body).toMatchObject({ shown: company })
})

it('refuses a picture that is none and a colour on which white is not readable', async () => {
  await call('POST', '/end-users', owner, { username: 'west', name: 'x', password: PASSWORD, rights: ['branding'] })
  const west = await signIn('west')
  const looks = { title: '', titleEn: '', logo: '', colour: null }
  expect((await call('PUT', '/me/branding', west, { ...looks, logo: 'data:image/png;base64,AAAA' })).body.code).toBe(
    'company.logo_invalid',
  )
  expect((await call('PUT', '/me/branding', west, { ...looks, colour: '#ffff00' })).body.code).toBe(
    'company.colour_unreadable',
  )
})
