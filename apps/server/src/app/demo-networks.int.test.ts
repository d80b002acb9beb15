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
let token: string
let customer: { id: string; username: string; name: string; rights: string[] }
const dataDir = mkdtempSync(join(tmpdir(), 'thingwright-networks-'))
const running: SimulatorProcess[] = []

beforeAll(async () => {
  db = await testDatabase()
  container = testContainer(db, {
    demo: true,
    simulators: { available: true, account: (...asked) => running.at(-1)!.account(...asked) },
  })
  app = await testHttp(container)
  url = await app.listen({ port: 0, host: '127.0.0.1' })
  const passwordHash = await hashPassword('A password 4 tests')
  await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name: 'north', owner: { username: 'owner', passwordHash, displayName: 'n', kind: 'member' } }),
  )
  tenantId = (await db.superuser.query<{ id: string }>(`select id from tenants where name = 'north'`)).rows[0]!.id
  token = await tokenOf('owner')
  const person = { name: 'North Water', username: 'north-water', rights: ['view', 'control'] }
  customer = { ...person, id: (await call('POST', '/end-users', person)).id }
  // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of the message
  const body = 'thing1=${trigger}\nthing2=${device}\ntime3=${time}'
  await call('PUT', '/notification-templates/applet/raised/zh', { body, code: 'SIMULATED_1', version: 0 })
}, 60_000)
afterAll(async () => {
  await Promise.all(running.map(one => one.stop()))
  await app.close()
  await db.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

async function tokenOf(username: string): Promise<string> {
  const reply = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ grant_type: 'password', username, password: 'A password 4 tests' }).toString(),
  })
  return reply.json().access_token
}

async function call(method: 'GET' | 'POST' | 'PUT', path: string, payload?: object) {
  const reply = await app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${token}`, 'accept-language': 'en' },
    ...(payload ? { payload } : {}),
  })
  expect(reply.statusCode, `${method} ${path}: ${reply.body}`).toBeLessThan(300)
  return reply.json()
}

function started(): SimulatorProcess {
  const simulators = createSimulators({ available: true, logger: silentLogger })
  running.push(simulators)
  connectDemoNetworks({
    modules: container.modules,
    tenantId,
    dataDir,
    simulators,
    customer: async () => customer,
    url,
  })
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
  // A customer uses the mini-program and allowed messages there.
  const permissions = () => one('select app_id, openid, remaining from applet_permissions')
  const reader = { app_id: 'wxsim0000000000003', openid: 'oSimulatedReader00000000001', remaining: 20 }
  await expect.poll(permissions, { timeout: 30_000 }).toEqual(reader)
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

it('gives the demo company a portal and a simulated WeChat, whose people are played from the console', async () => {
  const [portal] = (await call('GET', '/web-apps')).items
  expect(portal).toMatchObject({ suffix: 'demo', enabled: true, images: ['logo'] })
  const [account] = (await call('GET', '/wechat-accounts')).items
  expect(account).toMatchObject({ simulated: true })
  const states = async () =>
    (await call('GET', '/wechat-accounts')).items[0].steps.map(({ state }: { state: string }) => state)
  await expect.poll(states, { timeout: 30_000 }).toEqual(['ok', 'ok', 'ok', 'ok'])
  const followers = async () => (await call('GET', `/wechat-accounts/${account.id}/followers`)).items
  expect(await followers()).toHaveLength(3)
  const bound = (await followers()).find(({ contact }: { contact: unknown }) => contact !== null)
  // Its channel sends to the same WeChat: the follower gets what is sent to his contact.
  const { items: channels } = await call('GET', '/notification-channels?limit=100')
  const [channel] = channels.filter(({ kind }: { kind: string }) => kind === 'wechat')
  expect(channel).toMatchObject({ simulated: true, config: { appId: account.appId } })
  expect(await call('POST', `/notification-channels/${channel.id}/test`, { to: bound.openid })).toMatchObject({
    state: 'sent',
  })

  const contact = await call('POST', '/contacts', { name: 'Anna', email: 'anna@example.com' })
  const { ticket } = await call('POST', `/wechat-accounts/${account.id}/scenes`, { contactId: contact.id })
  await call('POST', `/wechat-accounts/${account.id}/simulator/scan`, { ticket })
  const anna = (await followers()).find((one: { contact: { id: string } | null }) => one.contact?.id === contact.id)
  expect(anna).toMatchObject({ subscribed: true, nickname: 'Simulated person' })
  await call('POST', `/wechat-accounts/${account.id}/simulator/unfollow`, { followerId: anna.id })
  expect((await call('GET', `/contacts/${contact.id}`)).wechatOpenid).toBe(null)

  const ready = async () => (await call('GET', '/wechat-applets')).platform
  await expect.poll(ready, { timeout: 30_000 }).toMatchObject({ configured: true, simulated: true, ready: true })
  const { url: address } = await call('POST', '/wechat-applets/authorize')
  await call('POST', '/wechat-applets/simulator/authorize', { address })
  const [applet] = (await call('GET', '/wechat-applets')).items
  expect(applet).toMatchObject({ state: 'authorized', mode: 'platform' })
  const path = `/wechat-applets/${applet.id}`
  const upload = async (userVersion: string) =>
    (await call('POST', `${path}/versions`, { templateId: '1', userVersion, userDesc: 'x' })).id
  const decided = async (versionId: string, outcome: string, reason?: string) => {
    await call('POST', `${path}/versions/${versionId}/submit`, {})
    await call('POST', `${path}/simulator/audit`, { outcome, ...(reason ? { reason } : {}) })
    return (await call('GET', `${path}/versions`)).items.find(({ id }: { id: string }) => id === versionId)
  }
  const first = await upload('1.0.0')
  expect(await decided(first, 'refuse', 'no category')).toMatchObject({ state: 'refused', reason: 'no category' })
  const second = await upload('1.0.1')
  expect(await decided(second, 'pass')).toMatchObject({ state: 'passed' })
  await call('POST', `${path}/versions/${second}/release`)
  const plays = async (kind: string) => (await call('GET', `/audit-logs?action=${kind}.play&limit=100`)).items
  expect(await plays('wechat_account')).toHaveLength(2)
  // The first is the demo's own.
  expect(await plays('wechat_applet')).toHaveLength(4)
})

it('sends messages of the mini-program to a customer of the demo, who allowed them before the restart', async () => {
  const [applet] = (await call('GET', '/wechat-applets')).items
  expect((await call('GET', `/wechat-applets/${applet.id}/message-templates`)).items).toEqual([
    {
      id: 'SIMULATED_1',
      title: '设备报警通知',
      fields: [
        { key: 'thing1', name: '报警内容' },
        { key: 'thing2', name: '设备名称' },
        { key: 'time3', name: '报警时间' },
      ],
    },
  ])
  const [contact] = (await call('GET', '/contacts?q=north-water')).items
  expect(contact).toMatchObject({ hasApplet: true, owner: { id: customer.id } })
  const to = 'oSimulatedReader00000000001'
  expect(await call('POST', '/notification-templates/applet/raised/zh/test', { to })).toMatchObject({
    channel: 'applet',
    state: 'sent',
    simulated: true,
  })
  expect(await one('select remaining, sent from applet_permissions')).toEqual({ remaining: 19, sent: 1 })
})

it('plays nothing at a WeChat that is not simulated, and shows the simulated platform to no other company', async () => {
  const { rows } = await db.superuser.query(`select id from wechat_accounts`)
  await db.superuser.query('update wechat_accounts set simulated = false')
  const other = await hashPassword('A password 4 tests')
  await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, {
      name: 'south',
      owner: { username: 'south', passwordHash: other, displayName: 's', kind: 'member' },
    }),
  )
  const [north, south] = [token, await tokenOf('south')]
  const refused = await app.inject({
    method: 'POST',
    url: `/api/v1/wechat-accounts/${rows[0].id}/simulator/scan`,
    headers: { authorization: `Bearer ${north}` },
    payload: { ticket: 'x' },
  })
  expect(refused.json().code).toBe('wechat.not_simulated')
  const seen = await app.inject({ url: '/api/v1/wechat-applets', headers: { authorization: `Bearer ${south}` } })
  expect(seen.json().platform).toMatchObject({ configured: false, simulated: false, ready: false })
  const audit = await app.inject({
    method: 'POST',
    url: '/api/v1/wechat-applets/simulator/authorize',
    headers: { authorization: `Bearer ${south}` },
    payload: { address: 'http://127.0.0.1/x' },
  })
  expect(audit.json().code).toBe('wechat.not_simulated')
})
