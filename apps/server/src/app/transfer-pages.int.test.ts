import { emptyScene, newNode } from '@thingwright/scene'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { hashPassword } from '../modules/identity/index.ts'
import type { Container } from './container.ts'
import { testContainer, testHttp } from './testing/test-app.ts'

// A cloud page that shows a picture of the company's materials, in the file of a company: what visitors get elsewhere.

const PASSWORD = 'A password 4 tests'
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
interface Company {
  token: string
}
// biome-ignore lint/suspicious/noExplicitAny: replies of many routes
type Any = any

let db: TestDatabase
let container: Container
let app: FastifyInstance

beforeAll(async () => {
  db = await testDatabase()
  container = testContainer(db)
  app = await testHttp(container)
  container.tasks.runner.start()
}, 120_000)
afterAll(async () => {
  await container.tasks.runner.stop()
  await app.close()
  await db.drop()
})

async function newCompany(name: string): Promise<Company> {
  const passwordHash = await hashPassword(PASSWORD)
  await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name, owner: { username: `${name}-owner`, passwordHash, displayName: name, kind: 'member' } }),
  )
  const reply = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ grant_type: 'password', username: `${name}-owner`, password: PASSWORD }).toString(),
  })
  const token = reply.json().access_token
  await made('POST', '/security/proof', { token }, { method: 'password', password: PASSWORD })
  return { token }
}

async function made(method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, { token }: Company, payload?: object) {
  const reply = await app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${token}`, 'accept-language': 'en' },
    ...(payload ? { payload } : {}),
  })
  expect(reply.statusCode, `${method} ${path}: ${reply.body}`).toBeLessThan(300)
  return String(reply.headers['content-type']).includes('json') ? (reply.json() as Any) : reply.rawPayload
}

async function sent(path: string, of: Company, file: { name: string; type: string; bytes: Buffer }): Promise<Any> {
  const boundary = 'x'.repeat(20)
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.name}"\r\nContent-Type: ${file.type}\r\n\r\n`
  const reply = await app.inject({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${of.token}`, 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: Buffer.concat([Buffer.from(head), file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  })
  expect(reply.statusCode, reply.body).toBe(201)
  return reply.json()
}

async function ended(of: Company, taskId: string): Promise<Any> {
  const states = ['succeeded', 'partial', 'failed']
  await vi.waitFor(async () => expect(states).toContain((await made('GET', `/tasks/${taskId}`, of)).state), {
    timeout: 60_000,
    interval: 50,
  })
  return made('GET', `/tasks/${taskId}`, of)
}

/** A page with a picture in the first company, as a file. */
async function packedPage(giver: Company, suffix: string): Promise<{ file: Buffer; pictureId: string }> {
  const picture = await sent('/media', giver, { name: 'plan.png', type: 'image/png', bytes: PNG })
  await made('PATCH', `/media/${picture.id}`, giver, { version: picture.version, public: true })
  const scene = {
    ...emptyScene('canvas'),
    nodes: [newNode('a', 'image', { props: { src: `/media/${picture.id}` } })],
  }
  const page = await made('POST', '/pages', giver, { name: 'Plan', suffix, scene })
  await made('PATCH', `/pages/${page.id}`, giver, { version: page.version, visibility: 'public' })
  await made('POST', `/pages/${page.id}/publish`, giver, { note: '' })
  const { taskId } = await made('POST', '/company/export', giver, {
    ...{ materials: true, passphrase: null, telemetryDays: 0 },
  })
  expect((await ended(giver, taskId)).state).toBe('succeeded')
  return { file: await made('GET', `/tasks/${taskId}/file`, giver), pictureId: picture.id }
}

it('shows visitors the picture that came with it, and goes on when the first company deletes its own', async () => {
  const [giver, taker] = [await newCompany('giver'), await newCompany('taker')]
  const { file, pictureId } = await packedPage(giver, 'plan-of-hall')
  const { id } = await sent('/company/import-files', taker, { name: 'c.zip', type: 'application/zip', bytes: file })
  const { taskId } = await made('POST', '/company/import', taker, {
    ...{ fileId: id, kinds: ['pages', 'materials'], existing: 'keep', dryRun: false },
  })
  expect((await ended(taker, taskId)).summary.kinds).toMatchObject({ materials: { created: 1 }, pages: { created: 1 } })

  const [own] = (await made('GET', '/media?limit=10', taker)).items
  expect(own).toMatchObject({ name: 'plan.png', public: true, uses: 1 })
  expect(own.id).not.toBe(pictureId)
  const [page] = (await made('GET', '/pages?limit=10', taker)).items
  const seen = await app.inject({ method: 'GET', url: `/api/v1/public/pages/${page.suffix}` })
  expect(seen.json().scene.nodes[0].props.src).toBe(`/media/${own.id}`)

  // Nothing of the first company is needed any more.
  const [first] = (await made('GET', '/pages?limit=10', giver)).items
  await app.inject({
    method: 'DELETE',
    url: `/api/v1/pages/${first.id}`,
    headers: { authorization: `Bearer ${giver.token}` },
  })
  const removed = await app.inject({
    method: 'DELETE',
    url: `/api/v1/media/${pictureId}`,
    headers: { authorization: `Bearer ${giver.token}` },
  })
  expect(removed.statusCode, removed.body).toBe(200)
  const shown = await app.inject({ method: 'GET', url: `/media/${own.id}` })
  expect([shown.statusCode, shown.headers['content-type']]).toEqual([200, 'image/png'])
  expect(shown.rawPayload.equals(PNG)).toBe(true)
  expect((await app.inject({ method: 'GET', url: `/media/${pictureId}` })).statusCode).toBe(404)
})
