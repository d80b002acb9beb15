import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { silentLogger } from '../lib/log.ts'
import { hashPassword } from '../modules/identity/index.ts'
import type { Container } from './container.ts'
import { createDemoNetworks, type DemoNetworkProcess } from './demo-networks.ts'
import { testContainer, testHttp } from './testing/test-app.ts'

let db: TestDatabase
let container: Container
let app: FastifyInstance
let url: string
let tenantId: string
const dataDir = mkdtempSync(join(tmpdir(), 'thingwright-networks-'))
const running: DemoNetworkProcess[] = []

beforeAll(async () => {
  db = await testDatabase()
  container = testContainer(db, { demo: true })
  app = await testHttp(container)
  url = await app.listen({ port: 0, host: '127.0.0.1' })
  const passwordHash = await hashPassword('A password 4 tests')
  await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name: 'north', owner: { username: 'owner', passwordHash, displayName: 'n', kind: 'member' } }),
  )
  tenantId = (await db.superuser.query<{ id: string }>(`select id from tenants where name = 'north'`)).rows[0]!.id
}, 60_000)
afterAll(async () => {
  await Promise.all(running.map(one => one.stop()))
  await app.close()
  await db.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

function started(): DemoNetworkProcess {
  const networks = createDemoNetworks({ modules: container.modules, tenantId, dataDir, logger: silentLogger })
  running.push(networks)
  networks.start(url)
  return networks
}
const one = async <T>(text: string) => (await db.superuser.query(text)).rows[0] as T

it('connects the demo company to a ChirpStack whose devices speak and to cameras, and finds them again', async () => {
  const first = started()
  const heard = () =>
    one<{ n: number; keyed: number }>(`select count(*) filter (where uplinks > 0)::int as n,
    (select count(*)::int from lora_keys where state = 'registered') as keyed from lora_devices`)
  await expect.poll(heard, { timeout: 30_000 }).toEqual({ n: 2, keyed: 2 })
  const gateways = `select state from lora_gateways`
  expect(await one(gateways)).toEqual({ state: 'online' })
  expect(await one('select count(*)::int as n from video_channels')).toEqual({ n: 2 })
  await first.stop()
  const urls = `select (select url from lora_connections) as lns, (select base_url from video_accounts) as cameras,
    (select count(*)::int from products) as products`
  const before = await one<{ lns: string; cameras: string; products: number }>(urls)
  await db.superuser.query('update lora_devices set uplinks = 0')
  started()
  await expect.poll(async () => (await heard()).n, { timeout: 30_000 }).toBe(2)
  const after = await one<typeof before>(urls)
  expect(after.products).toBe(before.products)
  expect(after.lns).not.toBe(before.lns)
  expect(after.cameras).not.toBe(before.cameras)
  expect(await one(`select count(*)::int as n from lora_profiles`)).toEqual({ n: 1 })
}, 90_000)
