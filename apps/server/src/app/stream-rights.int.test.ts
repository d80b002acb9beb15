import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createStreams, type StreamServer } from '../adapters/subscription-target/websocket/websocket-target.ts'
import { insertDevice, insertProduct } from '../db/fixtures.ts'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { newId } from '../lib/ids.ts'
import { hashPassword } from '../modules/identity/index.ts'
import type { Container } from './container.ts'
import { streamRights } from './stream-rights.ts'
import { testContainer, testHttp } from './testing/test-app.ts'
import { createUpgrades } from './upgrades.ts'

const PASSWORD = 'A password 4 tests'
let db: TestDatabase
let container: Container
let app: FastifyInstance
let streams: StreamServer
let base: string
let tenantId: string

beforeAll(async () => {
  db = await testDatabase()
  streams = createStreams({
    addressOf: () => '127.0.0.1',
    now: () => Date.now(),
    recheckMs: 50,
  })
  container = testContainer(db, { subscriptionTargets: { websocket: streams.adapter } })
  const { handle } = createUpgrades({
    live: { upgrade: () => undefined } as never,
    streams,
    authorise: streamRights(container),
    gateway: { proxyUpgrade: (_request, socket) => socket.destroy() },
    publicUrl: null,
  })
  app = await testHttp(container, { upgrade: handle })
  await app.listen({ port: 0, host: '127.0.0.1' })
  base = `127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const passwordHash = await hashPassword(PASSWORD)
  const company = (name: string) =>
    db.database.withSystemScope('seed', scope =>
      seedCompany(scope, { name, owner: { username: name, passwordHash, displayName: '', kind: 'member' } }),
    )
  tenantId = await company('owner')
  await company('stranger')
  await container.subscriptions.start()
})
afterAll(async () => {
  await container.subscriptions.stop()
  streams.close()
  await app.close()
  await db.drop()
})

async function signIn(username: string): Promise<string> {
  const reply = await fetch(`http://${base}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD }),
  })
  return ((await reply.json()) as { access_token: string }).access_token
}

async function call<T>(method: string, path: string, token: string, body?: object): Promise<T> {
  const reply = await fetch(`http://${base}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const answer = (await reply.json()) as T
  if (!reply.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
  return answer
}

interface Frame {
  op: string
  cursor: number
  items: { id: string; deviceNo: string }[]
}

/** Opens the stream of a subscription; resolves with the first frame, or the code with which it was closed. */
async function open(id: string, token: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`ws://${base}/api/v1/subscriptions/${id}/stream`, { headers })
  const frames: Frame[] = []
  const closed = new Promise<number>(resolve => socket.on('close', resolve))
  socket.on('message', data => frames.push(JSON.parse(String(data)) as Frame))
  socket.on('error', () => undefined)
  socket.on('open', () => socket.send(JSON.stringify({ op: 'auth', token })))
  const said = new Promise<string>(resolve => socket.on('message', () => resolve(frames[0]!.op)))
  const first = await Promise.race([said, closed])
  return { socket, frames, closed, first }
}

it('lets in who may read the subscription, with a token or an API key, and gives him what waits', async () => {
  const [owner, stranger] = [await signIn('owner'), await signIn('stranger')]
  const create = (kind: string) =>
    call<{ id: string }>('POST', '/subscriptions', owner, {
      name: kind,
      kinds: ['lifecycle'],
      target: { kind },
    })
  const { id } = await create('websocket')
  const pull = await create('pull')

  expect((await open(id, 'no token at all')).first).toBe(4401)
  expect((await open(id, stranger)).first).toBe(4401)
  expect((await open(pull.id, owner)).first).toBe(4401)
  expect((await open(newId(), owner)).first).toBe(4401)
  // A page of somebody else.
  expect((await open(id, owner, { origin: 'https://elsewhere.example' })).first).toBe(1006)

  // What happened while nobody was there waits.
  const product = await insertProduct(db.superuser, { id: tenantId })
  const device = await insertDevice(db.superuser, product)
  const reader = await open(id, owner)
  expect(reader.first).toBe('ready')
  // The outbox waits for every transaction of the database server that is older, those of other tests among them.
  await expect.poll(() => reader.frames.at(-1)?.op, { timeout: 100_000 }).toBe('items')
  const { items, cursor } = reader.frames.at(-1)!
  expect(items).toMatchObject([{ type: 'lifecycle', deviceNo: device.deviceNo, data: { change: 'created' } }])

  // Not acknowledged: it comes again to the next one, here a program with a key.
  await call('POST', '/security/proof', owner, { method: 'password', password: PASSWORD })
  const { key } = await call<{ key: string }>('POST', '/api-keys', owner, {
    name: 'reader',
    scopes: ['subscription:read'],
  })
  const program = await open(id, key)
  expect([await reader.closed, program.first]).toEqual([4409, 'ready'])
  await expect.poll(() => program.frames.at(-1)?.op, { timeout: 100_000 }).toBe('items')
  expect(program.frames.at(-1)).toMatchObject({ cursor, items: [{ id: items[0]!.id }] })
  // Whatever comes is acknowledged each time it comes, as a program does.
  const acknowledge = ({ op, cursor }: Frame) =>
    op === 'items' && program.socket.send(JSON.stringify({ op: 'ack', cursor }))
  program.socket.on('message', data => acknowledge(JSON.parse(String(data)) as Frame))
  acknowledge(program.frames.at(-1)!)
  const backlog = async () => (await call<{ backlog: number }>('GET', `/subscriptions/${id}`, owner)).backlog
  await expect.poll(backlog, { timeout: 100_000 }).toBe(0)
  program.socket.close()
}, 330_000)
