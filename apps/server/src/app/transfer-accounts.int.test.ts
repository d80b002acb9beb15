import type { FastifyInstance } from 'fastify'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startWechat, type Wechat } from '../../../../tools/simulators/wechat/wechat.ts'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { hashPassword } from '../modules/identity/index.ts'
import type { Container } from './container.ts'
import { ADDRESSES, testContainer, testHttp } from './testing/test-app.ts'

// The official account and the mini-program of a company in its file: names without secrets, menu, replies, ids of
// message templates.

const PASSWORD = 'A password 4 tests'
const SECRET = 'a0123456789abcdef0123456789abcde'
const TOKEN = 'pumps2026'
const AES = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG'
const FROM = 'wx0123456789abcf01'
const APPLET = 'wx0123456789abcf02'
const BUTTON = { name: 'Portal', type: 'view', value: 'https://portal.example', entries: [] }
const RULES = [
  { kind: 'follow', keyword: '', whole: false, answer: 'Welcome', enabled: true },
  { kind: 'keyword', keyword: 'pump', whole: false, answer: 'The pumps are well', enabled: true },
]
const WORDS = ['message_templates', 'official_accounts', 'connections']

interface Company {
  id: string
  token: string
}
// biome-ignore lint/suspicious/noExplicitAny: replies of many routes
type Any = any

let db: TestDatabase
let container: Container
let app: FastifyInstance
let wechat: Wechat
let url = ''
let giver: Company
let file: Buffer

beforeAll(async () => {
  db = await testDatabase()
  wechat = await startWechat()
  container = testContainer(db, {
    outboundAllow: ['127.0.0.1/32'],
    addresses: () => ({ ...ADDRESSES, httpUrl: url || ADDRESSES.httpUrl }),
  })
  app = await testHttp(container)
  url = await app.listen({ port: 0, host: '127.0.0.1' })
  container.tasks.runner.start()
  giver = await newCompany('giver')
  const id = await connect(giver, FROM)
  await made('PUT', `/wechat-accounts/${id}/menu`, giver, { buttons: [BUTTON] })
  await made('PUT', `/wechat-accounts/${id}/replies`, giver, { items: RULES })
  for (const [channel, code] of [
    ['wechat', 'TM00001-alarm'],
    ['applet', 'SUB-alarm'],
  ])
    await made('PUT', `/notification-templates/${channel}/raised/zh`, giver, {
      version: 0,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of the message
      body: 'thing1=${trigger}\nthing2=${device}',
      code,
    })
  await db.superuser.query(
    `insert into wechat_applets (id, tenant_id, mode, state, app_id) values (gen_random_uuid(), $1, 'own', 'authorized', $2)`,
    [giver.id, APPLET],
  )
  const { taskId } = await made('POST', '/company/export', giver, {
    ...{ materials: false, passphrase: null, telemetryDays: 0 },
  })
  expect((await ended(giver, taskId)).state).toBe('succeeded')
  file = await made('GET', `/tasks/${taskId}/file`, giver)
}, 120_000)
afterAll(async () => {
  await container.tasks.runner.stop()
  await app.close()
  await wechat.close()
  await db.drop()
})

async function newCompany(name: string): Promise<Company> {
  const passwordHash = await hashPassword(PASSWORD)
  const id = await db.database.withSystemScope('seed', scope =>
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
  return { id, token }
}

async function made(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  { token }: { token: string },
  payload?: object,
): Promise<Any> {
  const reply = await app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${token}`, 'accept-language': 'en' },
    ...(payload ? { payload } : {}),
  })
  expect(reply.statusCode, `${method} ${path}: ${reply.body}`).toBeLessThan(300)
  return String(reply.headers['content-type']).includes('json') ? reply.json() : reply.rawPayload
}

/** The company connects an official account by hand. */
async function connect(of: Company, appId: string, name = 'Pumps'): Promise<string> {
  wechat.account(appId, SECRET)
  const account = await made('POST', '/wechat-accounts', of, {
    ...{ name, appId, appSecret: SECRET, token: TOKEN, aesKey: AES, mode: 'encrypted', baseUrl: wechat.url },
  })
  const server = { url: account.callbackUrl, token: TOKEN, aesKey: AES, mode: 'encrypted' as const }
  expect(await wechat.submitServer(appId, server)).toBe(true)
  return account.id
}

async function ended(of: Company, taskId: string): Promise<Any> {
  const states = ['succeeded', 'partial', 'failed']
  await vi.waitFor(async () => expect(states).toContain((await made('GET', `/tasks/${taskId}`, of)).state), {
    timeout: 60_000,
    interval: 50,
  })
  return made('GET', `/tasks/${taskId}`, of)
}

async function bring(of: Company, over: object = {}): Promise<{ summary: Any; failures: [string, string, string][] }> {
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
    kinds: ['official_accounts'],
    existing: 'keep',
    dryRun: false,
    ...over,
  })
  const task = await ended(of, taskId)
  const { items } = await made('GET', `/tasks/${taskId}/failures?limit=100`, of)
  return {
    summary: task.summary.kinds,
    failures: items.map(({ item, code, message }: Any) => [item, code, message]),
  }
}

const menuOf = (of: Company, id: string) => made('GET', `/wechat-accounts/${id}/menu`, of)
const repliesOf = async (of: Company, id: string) => (await made('GET', `/wechat-accounts/${id}/replies`, of)).items

describe('the official account in the file of a company', () => {
  it('is named while none is connected, and so is the mini-program; ids of templates come with the words', async () => {
    const taker = await newCompany('bare')
    const { summary, failures } = await bring(taker, { kinds: WORDS })
    expect(failures).toEqual([
      ['Pumps', 'transfer.reference_missing', expect.stringContaining('Pumps')],
      ['Pumps', 'transfer.connection_again', expect.stringContaining(FROM)],
      [APPLET, 'transfer.connection_again', expect.stringContaining('mini-program')],
    ])
    expect(summary).toMatchObject({ official_accounts: { created: 0 }, message_templates: { created: 2 } })
    expect((await made('GET', '/wechat-accounts', taker)).items).toEqual([])
    const { items } = await made('GET', '/notification-templates', taker)
    expect(items.filter(({ code }: Any) => code !== '').map(({ channel, code }: Any) => [channel, code])).toEqual([
      ['wechat', 'TM00001-alarm'],
      ['applet', 'SUB-alarm'],
    ])
  })

  it('gives its menu, which waits to be published, and its replies, which answer', async () => {
    const taker = await newCompany('taker')
    const appId = 'wx0123456789abcf03'
    const id = await connect(taker, appId, 'Their account')
    const trial = await bring(taker, { dryRun: true })
    expect(await menuOf(taker, id)).toEqual({ buttons: [], published: true })
    expect(await repliesOf(taker, id)).toEqual([])
    const real = await bring(taker)
    expect(real).toEqual(trial)
    expect(real.summary.official_accounts).toMatchObject({ created: 1, ok: true })
    // It is another account: WeChat does not know the other's ids of templates.
    expect(real.failures).toEqual([['Pumps', 'transfer.templates_elsewhere', expect.stringContaining(appId)]])
    expect(await menuOf(taker, id)).toEqual({ buttons: [BUTTON], published: false })
    expect(wechat.account(appId).menu).toBe(null)
    expect(await repliesOf(taker, id)).toEqual(RULES)
    const { text } = await wechat.push(appId, 'openid-1', { MsgType: 'text', Content: 'How are my pumps?' })
    expect(text).toBe('The pumps are well')

    expect((await made('PUT', `/wechat-accounts/${id}/menu`, taker, { buttons: [BUTTON] })).published).toBe(true)
    expect(await menuOf(taker, id)).toEqual({ buttons: [BUTTON], published: true })
    expect(wechat.account(appId).menu).toMatchObject({ button: [{ name: 'Portal' }] })
    const log = (await made('GET', '/audit-logs?limit=100', taker)).items as { action: string }[]
    const actions = log.map(line => line.action)
    expect(actions).toEqual(expect.arrayContaining(['wechat_account.menu', 'wechat_account.replies']))
    expect(wechat.faults).toEqual([])
  })

  it('keeps the menu and the replies of the company that takes it, or puts its own in their place', async () => {
    const taker = await newCompany('again')
    const id = await connect(taker, 'wx0123456789abcf04')
    const own = [{ ...RULES[0], answer: 'Ours' }]
    await made('PUT', `/wechat-accounts/${id}/replies`, taker, { items: own })
    const kept = await bring(taker)
    expect(kept).toMatchObject({ summary: { official_accounts: { created: 0, kept: 1 } }, failures: [] })
    expect(await repliesOf(taker, id)).toEqual(own)
    expect((await menuOf(taker, id)).buttons).toEqual([])
    const replaced = await bring(taker, { existing: 'replace' })
    expect(replaced.summary.official_accounts).toMatchObject({ replaced: 1 })
    expect(await repliesOf(taker, id)).toEqual(RULES)
    expect(await menuOf(taker, id)).toEqual({ buttons: [BUTTON], published: false })
  })

  it('holds no secret', () => {
    const text = Object.values(unzipSync(file)).map(bytes => Buffer.from(bytes).toString('utf8'))
    expect(text.join('\n')).toContain('The pumps are well')
    for (const secret of [SECRET, TOKEN, AES]) expect(text.filter(each => each.includes(secret))).toEqual([])
  })
})
