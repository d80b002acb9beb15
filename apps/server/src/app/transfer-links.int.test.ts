import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type ChirpStackSimulator, startChirpStack } from '../../../../tools/simulators/chirpstack/chirpstack.ts'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { hashPassword } from '../modules/identity/index.ts'
import type { Container } from './container.ts'
import { testContainer, testHttp } from './testing/test-app.ts'

// Where products are connected at network servers and platforms, in the file of a company: their connections are made by
// hand, because secrets are in no file, and the links follow once connections of the same names are there.

const PASSWORD = 'A password 4 tests'
const MODEL = { properties: [{ identifier: 't', name: 't', dataType: { type: 'double' }, access: 'r' }] }
interface Company {
  token: string
}
// biome-ignore lint/suspicious/noExplicitAny: replies of many routes
type Any = any

let db: TestDatabase
let container: Container
let app: FastifyInstance
let chirpstack: ChirpStackSimulator
let file: Buffer

beforeAll(async () => {
  db = await testDatabase()
  chirpstack = await startChirpStack()
  container = testContainer(db, { outboundAllow: ['127.0.0.1/32'] })
  app = await testHttp(container)
  container.tasks.runner.start()
  const giver = await newCompany('giver')
  const { connectionId, profileId } = await connected(giver)
  const meter = await made('POST', '/products', giver, { name: 'LoRa meter', linkType: 'lorawan', thingModel: MODEL })
  const applicationId = chirpstack.things.applications[0]!.id
  await made('PUT', `/products/${meter.id}/lora`, giver, { connectionId, applicationId, profileId: profileId! })
  for (const [name, platform, masterKey] of [
    ['Heating', 'onenet', undefined],
    ['Water', 'ctwing', '00112233445566778899aabbccddeeff'],
  ] as const) {
    const product = await made('POST', '/products', giver, { name, linkType: 'nbiot', thingModel: MODEL })
    const keyId = await keyed(giver, platform)
    await made('PUT', `/products/${product.id}/telecom`, giver, {
      keyId,
      platformProduct: `of-${platform}`,
      ...(masterKey ? { masterKey } : {}),
    })
  }
  const { taskId } = await made('POST', '/company/export', giver, {
    ...{ materials: false, passphrase: null, telemetryDays: 0 },
  })
  expect((await ended(giver, taskId)).state).toBe('succeeded')
  file = await made('GET', `/tasks/${taskId}/file`, giver)
}, 120_000)
afterAll(async () => {
  await container.tasks.runner.stop()
  await app.close()
  await chirpstack.close()
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

async function made(method: 'GET' | 'POST' | 'PUT', path: string, { token }: Company, payload?: object) {
  const reply = await app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${token}`, 'accept-language': 'en' },
    ...(payload ? { payload } : {}),
  })
  expect(reply.statusCode, `${method} ${path}: ${reply.body}`).toBeLessThan(300)
  return String(reply.headers['content-type']).includes('json') ? (reply.json() as Any) : reply.rawPayload
}

/** ChirpStack, under the same name everywhere; the first company makes the profile, the others find it there. */
async function connected(of: Company): Promise<{ connectionId: string; profileId: string | null }> {
  const { id } = await made('POST', '/lora/connections', of, {
    name: 'Field',
    url: chirpstack.url,
    remoteTenantId: chirpstack.tenantId,
    apiKey: chirpstack.apiKey,
  })
  if (chirpstack.things.profiles.size > 0) {
    await made('POST', `/lora/connections/${id}/sync`, of)
    return { connectionId: id, profileId: null }
  }
  const profile = await made('POST', '/lora/profiles', of, { connectionId: id, name: 'Meter', region: 'CN470' })
  return { connectionId: id, profileId: profile.id }
}

const keyed = async (of: Company, platform: 'onenet' | 'ctwing') =>
  (
    await made('POST', '/telecom-keys', of, {
      name: `Key of ${platform}`,
      platform,
      baseUrl: 'http://127.0.0.1:59998',
      account: '100001',
      appSecret: 'ZmFrZS1hY2Nlc3Mta2V5LWZvci10ZXN0cy0wMDAwMDE=',
      ...(platform === 'onenet' ? { token: 'faketoken', verifyProduct: 'FAKEPROD01' } : {}),
    })
  ).id as string

async function ended(of: Company, taskId: string): Promise<Any> {
  const states = ['succeeded', 'partial', 'failed']
  await vi.waitFor(async () => expect(states).toContain((await made('GET', `/tasks/${taskId}`, of)).state), {
    timeout: 60_000,
    interval: 50,
  })
  return made('GET', `/tasks/${taskId}`, of)
}

async function bring(of: Company, over: object = {}): Promise<{ summary: Any; failures: [string, string, Any][] }> {
  const boundary = 'x'.repeat(20)
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="c.zip"\r\nContent-Type: application/zip\r\n\r\n`
  const reply = await app.inject({
    method: 'POST',
    url: '/api/v1/company/import-files',
    headers: { authorization: `Bearer ${of.token}`, 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  })
  expect(reply.statusCode, reply.body).toBe(201)
  const { taskId } = await made('POST', '/company/import', of, {
    fileId: reply.json().id,
    kinds: ['products', 'lora_links', 'telecom_links'],
    existing: 'keep',
    dryRun: false,
    ...over,
  })
  const task = await ended(of, taskId)
  const { items } = await made('GET', `/tasks/${taskId}/failures?limit=100`, of)
  return {
    summary: task.summary.kinds,
    failures: items
      .map(({ item, code, message }: Any) => [item, code, message])
      .filter(([, code]: [string, string]) => code !== 'transfer.taken'),
  }
}

const products = async (of: Company) =>
  new Map<string, string>(
    (await made('GET', '/products?limit=50', of)).items.map(({ name, id }: { name: string; id: string }) => [name, id]),
  )
const links = async (of: Company) => {
  const ids = await products(of)
  return {
    lora: (await made('GET', `/products/${ids.get('LoRa meter')}/lora`, of)).link,
    onenet: (await made('GET', `/products/${ids.get('Heating')}/telecom`, of)).link,
    ctwing: (await made('GET', `/products/${ids.get('Water')}/telecom`, of)).link,
  }
}

it('names the links whose connections are not there yet, and makes them once they are', async () => {
  const taker = await newCompany('taker')
  const missing = [
    ['LoRa meter', 'transfer.reference_missing', expect.stringContaining('Field')],
    ['Heating', 'transfer.reference_missing', expect.stringContaining('Key of onenet')],
    ['Water', 'transfer.reference_missing', expect.stringContaining('Key of ctwing')],
  ]
  const first = await bring(taker)
  expect(first.failures).toEqual(expect.arrayContaining(missing))
  expect(first.failures).toHaveLength(missing.length)
  expect(await links(taker)).toEqual({ lora: null, onenet: null, ctwing: null })

  await connected(taker)
  await keyed(taker, 'onenet')
  await keyed(taker, 'ctwing')
  // A trial says the same, and changes nothing.
  const trial = await bring(taker, { dryRun: true })
  expect(await links(taker)).toEqual({ lora: null, onenet: null, ctwing: null })
  const second = await bring(taker)
  expect(trial.failures).toEqual(second.failures)
  // The Master-APIkey of a product at CTWing is in no file.
  expect(second.failures.map(([item, code]) => [item, code])).toEqual([['Water', 'telecom_link.master_key_missing']])
  expect([second.summary.lora_links, second.summary.telecom_links]).toMatchObject([{ created: 1 }, { created: 1 }])
  expect(await links(taker)).toMatchObject({
    lora: {
      connectionName: 'Field',
      profileName: 'Meter',
      applicationId: chirpstack.things.applications[0]!.id,
    },
    onenet: { keyName: 'Key of onenet', platformProduct: 'of-onenet' },
    ctwing: null,
  })
  const third = await bring(taker)
  expect([third.summary.lora_links, third.summary.telecom_links]).toMatchObject([
    { created: 0, kept: 1 },
    { created: 0, kept: 1 },
  ])
  const log = (await made('GET', '/audit-logs?limit=100', taker)).items as { action: string }[]
  for (const action of ['lora_product.update', 'telecom_product.update'])
    expect(
      log.map(line => line.action),
      action,
    ).toContain(action)
})

it('brings in nothing of connections of another name, nor an application that ChirpStack does not have', async () => {
  const taker = await newCompany('other')
  await connected(taker)
  const [application] = chirpstack.things.applications.splice(0, 1)
  try {
    const { failures } = await bring(taker)
    expect(failures.map(([item, code]) => [item, code])).toContainEqual(['LoRa meter', 'lora_link.application_unknown'])
    expect((await links(taker)).lora).toBeNull()
  } finally {
    chirpstack.things.applications.unshift(application!)
  }
})

it('holds no secret in the file', () => {
  for (const secret of [chirpstack.apiKey, '00112233445566778899aabbccddeeff', 'ZmFrZS1hY2Nlc3M'])
    expect(file.includes(Buffer.from(secret))).toBe(false)
})
