import type { AppletVersionView, AppletView } from '@thingwright/contracts/wechat-applets.contract'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWechat, type Wechat } from '../../../../tools/simulators/wechat/wechat.ts'
import { createWechatHttp } from '../adapters/wechat/wechat-http.ts'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { createCryptoBox } from '../lib/crypto/crypto-box.ts'
import { errorText } from '../lib/i18n.ts'
import { createPlatformClient, createPlatformOf } from '../modules/apps/index.ts'
import { hashPassword } from '../modules/identity/index.ts'
import type { Container } from './container.ts'
import { ADDRESSES, testContainer, testHttp } from './testing/test-app.ts'

const PASSWORD = 'A password 4 tests'
const AES = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG'
const PLATFORM = {
  appId: 'wxb11529c136998cb6',
  secret: 'a0123456789abcdef0123456789abcde',
  token: 'pamtest',
  aesKey: AES,
}

let db: TestDatabase
let container: Container
let app: FastifyInstance
let url = ''
let wechat: Wechat
let north: string
let south: string

beforeAll(async () => {
  db = await testDatabase()
  wechat = await startWechat()
  container = testContainer(db, {
    outboundAllow: ['127.0.0.1/32'],
    addresses: () => ({ ...ADDRESSES, httpUrl: url || ADDRESSES.httpUrl }),
    wechatPlatform: { ...PLATFORM, baseUrl: wechat.url, pageUrl: wechat.url },
  })
  app = await testHttp(container, { strictAudit: true })
  url = await app.listen({ port: 0, host: '127.0.0.1' })
  wechat.platform.platform = {
    ...PLATFORM,
    eventUrl: `${url}/callbacks/wechat-platform/events`,
    messageUrl: `${url}/callbacks/wechat-platform/$APPID$/messages`,
  }
  north = await newCompany('north')
  south = await newCompany('south')
}, 120_000)
afterAll(async () => {
  await wechat.close()
  await container.tasks.runner.stop()
  await app.close()
  await db.drop()
})

async function newCompany(name: string): Promise<string> {
  const passwordHash = await hashPassword(PASSWORD)
  await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name, owner: { username: `${name}-owner`, passwordHash, displayName: name, kind: 'member' } }),
  )
  const reply = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      grant_type: 'password',
      username: `${name}-owner`,
      password: PASSWORD,
    }).toString(),
  })
  return (reply.json() as { access_token: string }).access_token
}

// biome-ignore lint/suspicious/noExplicitAny: replies of many routes
type Any = any

async function call(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  token: string | null,
  body?: object,
): Promise<{ status: number; body: Any }> {
  const reply = await app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { 'accept-language': 'en', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    ...(body ? { payload: body } : {}),
  })
  return { status: reply.statusCode, body: reply.body.startsWith('{') ? JSON.parse(reply.body) : reply.body }
}

async function authorized(token: string, appId: string): Promise<AppletView> {
  if (!wechat.platform.programs.has(appId)) wechat.platform.register(appId, 'Pumps')
  const begun = await call('POST', '/wechat-applets/authorize', token)
  expect(begun.status, JSON.stringify(begun.body)).toBe(200)
  const back = await fetch(wechat.platform.scanAuthorization(begun.body.url, appId), { redirect: 'manual' })
  expect(back.status).toBe(303)
  return { ...(await call('GET', '/wechat-applets', token)).body.items[0], location: back.headers.get('location') }
}
const list = async (id: string): Promise<AppletVersionView[]> =>
  (await call('GET', `/wechat-applets/${id}/versions`, north)).body.items
const upload = async (id: string, userVersion: string, templateId = '1') =>
  call('POST', `/wechat-applets/${id}/versions`, north, { templateId, userVersion, userDesc: 'test' })

describe('a mini-program', () => {
  it('cannot be authorised before WeChat sent a ticket, and takes none that is not signed', async () => {
    const refused = await call('POST', '/wechat-applets/authorize', north)
    expect(refused.body.code).toBe('wechat_platform.no_ticket')
    const forged = await app.inject({
      method: 'POST',
      url: `/callbacks/wechat-platform/events?timestamp=${Math.floor(Date.now() / 1000)}&nonce=1&msg_signature=x`,
      headers: { 'content-type': 'text/xml' },
      payload: '<xml><Encrypt><![CDATA[AAAA]]></Encrypt></xml>',
    })
    expect(forged.statusCode).toBe(403)
    expect(await wechat.platform.sendTicket()).toBe(200)
    const { platform } = (await call('GET', '/wechat-applets', north)).body
    expect(platform).toMatchObject({ configured: true, ready: true, appId: PLATFORM.appId })
  })

  it('says that a ticket is too old twelve hours after it came, until the next one comes', async () => {
    let clock = Date.now()
    const client = createPlatformClient({
      database: db.database,
      http: createWechatHttp({ allow: ['127.0.0.1/32'] }),
      platforms: createPlatformOf({ ...PLATFORM, baseUrl: wechat.url, pageUrl: wechat.url }),
      box: createCryptoBox('a secret of the installation, long enough', 'wechat-applets'),
      now: () => clock,
    })
    await wechat.platform.sendTicket()
    const { rows } = await db.superuser.query('select ticket_cipher, ticket_at from wechat_platforms')
    clock = rows[0].ticket_at.getTime() + 12 * 3_600_000 + 1_000
    const error = await client.preAuthCode().catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code: 'wechat_platform.no_ticket' })
    expect(errorText('en', 'wechat_platform.no_ticket', {})).toContain('within twelve hours')
    expect(errorText('zh', 'wechat_platform.no_ticket', {})).toContain('已过期')
    // The next one, as the platform sends it every ten minutes, and it goes on.
    await client.keepTicket('ticket@@@another')
    await expect(client.preAuthCode()).rejects.toMatchObject({ code: 61006 })
    await wechat.platform.sendTicket()
  })

  it('is authorised by its owner, shows what WeChat says of it, and is no other company’s', async () => {
    const applet = await authorized(north, 'wx00000000000000a1')
    expect(applet).toMatchObject({
      state: 'authorized',
      appId: 'wx00000000000000a1',
      permissions: [17, 18, 25],
      info: { name: 'Pumps', principal: 'Pumps Ltd', verified: true, categories: ['Tools / Devices'] },
    })
    const begun = await call('POST', '/wechat-applets/authorize', south)
    const address = wechat.platform.scanAuthorization(begun.body.url, 'wx00000000000000a1')
    const back = await fetch(address, { redirect: 'manual' })
    expect(back.headers.get('location')).toContain('wechat_applet.elsewhere')
    // The link of an authorisation is good once.
    expect((await fetch(address, { redirect: 'manual' })).headers.get('location')).toContain(
      'wechat_applet.authorization_over',
    )
    const set = await call('PUT', `/wechat-applets/${applet.id}/domains`, north, { host: 'iot.example' })
    expect(set.status, JSON.stringify(set.body)).toBe(200)
    expect(set.body.info.requestDomains).toEqual(['https://iot.example'])
  })

  it('goes refused, fixed, released, and back', async () => {
    const applet = await authorized(north, 'wx00000000000000a1')
    const { id } = applet
    expect((await call('GET', `/wechat-applets/${id}/templates`, north)).body.items).toHaveLength(2)
    expect((await upload(id, '1.0.0', '99')).body).toMatchObject({ code: 'wechat.failed' })
    const first = (await upload(id, '1.0.0')).body
    expect(wechat.platform.program('wx00000000000000a1').trial?.ext).toMatchObject({ extAppid: 'wx00000000000000a1' })
    const qr = await app.inject({
      url: `/api/v1/wechat-applets/${id}/trial-qr`,
      headers: { authorization: `Bearer ${north}` },
    })
    expect(qr.headers['content-type']).toBe('image/png')
    const step = (versionId: string, verb: string) =>
      call('POST', `/wechat-applets/${id}/versions/${versionId}/${verb}`, north, verb === 'submit' ? {} : undefined)
    expect((await step(first.id, 'release')).body.code).toBe('wechat_applet.version_state')
    expect((await step(first.id, 'submit')).body.state).toBe('auditing')
    await wechat.platform.decide('wx00000000000000a1', 'refuse', '1: no privacy guide')
    expect((await list(id))[0]).toMatchObject({ state: 'refused', reason: '1: no privacy guide' })

    const second = (await upload(id, '1.0.1')).body
    await step(second.id, 'submit')
    await wechat.platform.decide('wx00000000000000a1', 'delay', 'later')
    expect((await list(id))[0]).toMatchObject({ state: 'delayed' })
    await wechat.platform.decide('wx00000000000000a1', 'pass')
    expect((await list(id))[0]).toMatchObject({ state: 'passed' })
    expect((await step(second.id, 'release')).body.state).toBe('released')

    const third = (await upload(id, '1.1.0', '2')).body
    await step(third.id, 'submit')
    expect((await step(third.id, 'undo')).body.state).toBe('withdrawn')
    await step(third.id, 'submit')
    // Once a day, says WeChat.
    expect((await step(third.id, 'undo')).body.message).toContain('87013')
    await wechat.platform.decide('wx00000000000000a1', 'pass')
    await step(third.id, 'release')
    expect((await call('POST', `/wechat-applets/${id}/rollback`, north)).status).toBe(200)
    expect((await list(id)).map(row => [row.userVersion, row.state])).toEqual([
      ['1.1.0', 'rolled_back'],
      ['1.0.1', 'released'],
      ['1.0.0', 'replaced'],
    ])
    expect(wechat.platform.program('wx00000000000000a1').released).toEqual(['1.0.1'])
  })

  it('has testers', async () => {
    const { id } = await authorized(north, 'wx00000000000000a1')
    const path = `/wechat-applets/${id}/testers`
    const added = await call('POST', path, north, { wechatId: 'anna_wechat' })
    expect(added.status, JSON.stringify(added.body)).toBe(201)
    expect((await call('GET', path, north)).body.items).toMatchObject([{ wechatId: 'anna_wechat' }])
    expect((await call('POST', path, north, { wechatId: 'nobody_here' })).body.message).toContain('85001')
    expect((await call('DELETE', `${path}/${added.body.id}`, north)).status).toBe(200)
    expect((await call('GET', path, north)).body.items).toEqual([])
  })

  it('is cancelled when its owner ends it at WeChat, and invalid when WeChat refuses its tokens', async () => {
    const applet = await authorized(north, 'wx00000000000000a1')
    await wechat.platform.unauthorize('wx00000000000000a1')
    expect((await call('GET', '/wechat-applets', north)).body.items[0]).toMatchObject({ state: 'cancelled' })
    expect((await upload(applet.id, '2.0.0')).body.code).toBe('wechat_applet.not_authorized')
    const again = await authorized(north, 'wx00000000000000a1')
    expect(again.state).toBe('authorized')
    wechat.platform.program('wx00000000000000a1').authorized = false
    expect((await call('POST', `/wechat-applets/${again.id}/refresh`, north)).body.code).toBe('wechat.failed')
    expect((await call('GET', '/wechat-applets', north)).body.items[0]).toMatchObject({ state: 'invalid' })
    expect(wechat.faults).toEqual([])
  })

  it('may be one of the company’s own app id', async () => {
    wechat.account('wx00000000000000b1', 'a0123456789abcdef0123456789abcde')
    const body = { appId: 'wx00000000000000b1', appSecret: 'b0123456789abcdef0123456789abcde' }
    const wrong = await call('PUT', '/wechat-applets/own', south, body)
    expect(wrong.body).toMatchObject({ mode: 'own', state: 'invalid' })
    expect(wrong.body.fault).toContain('40125')
  })
})
