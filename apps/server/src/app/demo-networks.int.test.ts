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
import { connectDemoNetworks } from './demo-networks.ts'
import { createSimulators, type SimulatorProcess } from './simulators.ts'
import { testContainer, testHttp } from './testing/test-app.ts'

let db: TestDatabase
let container: Container
let app: FastifyInstance
let url: string
let tenantId: string
const dataDir = mkdtempSync(join(tmpdir(), 'thingwright-networks-'))
const running: SimulatorProcess[] = []

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

function started(): SimulatorProcess {
  const simulators = createSimulators({ available: true, logger: silentLogger })
  running.push(simulators)
  connectDemoNetworks({ modules: container.modules, tenantId, dataDir, simulators, url })
  return simulators
}
const one = async <T>(text: string) => (await db.superuser.query(text)).rows[0] as T

it('connects the demo company to a ChirpStack whose devices speak and to cameras, and finds them again', async () => {
  const telecom = container.modules.flatMap(({ runs }) => runs ?? []).find(({ name }) => name === 'telecom platforms')!
  await telecom.start?.()
  const first = started()
  const heard = () =>
    one<{ n: number; keyed: number }>(`select count(*) filter (where uplinks > 0)::int as n,
    (select count(*)::int from lora_keys where state = 'registered') as keyed from lora_devices`)
  await expect.poll(heard, { timeout: 30_000 }).toEqual({ n: 2, keyed: 2 })
  const gateways = `select state from lora_gateways`
  expect(await one(gateways)).toEqual({ state: 'online' })
  expect(await one('select count(*)::int as n from video_channels')).toEqual({ n: 2 })
  // Cards of both carriers with usage, and NB-IoT devices that were made at their platforms and report.
  const cards = () =>
    one(`select count(*)::int as n, count(*) filter (where synced_at is not null and month_kb is not null)::int as read,
      count(*) filter (where simulated)::int as simulated from sim_cards`)
  await expect.poll(cards, { timeout: 30_000 }).toEqual({ n: 100, read: 100, simulated: 100 })
  expect(await one('select count(distinct day)::int as days from sim_card_usage')).toEqual({ days: 31 })
  const nbiot = () => one(`select count(*) filter (where mirror = 'mirrored')::int as mirrored from telecom_devices`)
  await expect.poll(nbiot, { timeout: 30_000 }).toEqual({ mirrored: 4 })
  const accounts = `select (select array_agg(state) from carrier_accounts) as carriers, (select array_agg(state) from telecom_keys) as keys`
  expect(await one(accounts)).toEqual({ carriers: ['ok', 'ok'], keys: ['ok', 'ok'] })
  await first.stop()
  const urls = `select (select url from lora_connections) as lns, (select base_url from video_accounts) as cameras,
    (select string_agg(base_url, ' ') from carrier_accounts) as carriers, (select string_agg(base_url, ' ') from telecom_keys) as keys,
    (select count(*)::int from products) as products`
  const before = await one<{ lns: string; cameras: string; carriers: string; keys: string; products: number }>(urls)
  await db.superuser.query('update carrier_accounts set tested_at = null')
  await db.superuser.query('update lora_devices set uplinks = 0')
  started()
  await expect.poll(async () => (await heard()).n, { timeout: 30_000 }).toBe(2)
  const after = await one<typeof before>(urls)
  expect(after.products).toBe(before.products)
  expect(after.lns).not.toBe(before.lns)
  expect(after.cameras).not.toBe(before.cameras)
  expect(after.carriers).not.toBe(before.carriers)
  expect(after.keys).not.toBe(before.keys)
  await expect.poll(() => one('select count(tested_at)::int as n from carrier_accounts')).toEqual({ n: 2 })
  expect(await one(accounts)).toEqual({ carriers: ['ok', 'ok'], keys: ['ok', 'ok'] })
  await expect.poll(nbiot, { timeout: 30_000 }).toEqual({ mirrored: 4 })
  expect(await cards()).toEqual({ n: 100, read: 100, simulated: 100 })
  expect(await one(`select count(*)::int as n from lora_profiles`)).toEqual({ n: 1 })
  await telecom.stop()
}, 90_000)
