import { generateKeyPairSync } from 'node:crypto'
import { get } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { WebAppView } from '@thingwright/contracts/web-apps.contract'
import type { WechatAccountView } from '@thingwright/contracts/wechat-accounts.contract'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWechat, type Wechat } from '../../../../tools/simulators/wechat/wechat.ts'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { authority } from '../lib/testing/authority.ts'
import { hashPassword } from '../modules/identity/index.ts'
import type { Container } from './container.ts'
import { createHttps } from './https.ts'
import { ADDRESSES, testContainer, testHttp } from './testing/test-app.ts'

const PASSWORD = 'A password 4 tests'
const AES = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG'
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

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
    publicUrl: 'https://cloud.example',
  })
  app = await testHttp(container, { strictAudit: true })
  url = await app.listen({ port: 0, host: '127.0.0.1' })
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
  host?: string,
): Promise<{ status: number; body: Any }> {
  const reply = await app.inject({
    method,
    url: `/api/v1${path}`,
    headers: {
      'accept-language': 'en',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(host ? { host } : {}),
    },
    ...(body ? { payload: body } : {}),
  })
  const text = reply.body
  return { status: reply.statusCode, body: text.startsWith('{') ? JSON.parse(text) : text }
}

let count = 0
async function portal(token: string, over: object = {}): Promise<WebAppView> {
  const { items } = (await call('GET', '/web-apps', token)).body
  if (items[0]) await call('DELETE', `/web-apps/${items[0].id}`, token)
  const made = await call('POST', '/web-apps', token, { name: `Portal ${++count}`, suffix: `portal-${count}` })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const set = await call('PATCH', `/web-apps/${made.body.id}`, token, { version: made.body.version, ...over })
  expect(set.status, JSON.stringify(set.body)).toBe(200)
  return set.body
}

describe('the portal of a company', () => {
  it('is shown at its suffix once it is enabled, with its brand and whose end users sign in', async () => {
    const made = await portal(north, { colour: '#0b5fff', copyright: '© North', icp: '闽ICP备1号' })
    expect((await call('GET', `/public/portals/${made.suffix}`, null)).status).toBe(404)
    const on = await call('PATCH', `/web-apps/${made.id}`, north, { enabled: true, version: made.version })
    expect(on.body.enabled).toBe(true)
    const { status, body } = await call('GET', `/public/portals/${made.suffix}`, null, undefined, 'cloud.example')
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: made.name, colour: '#0b5fff', copyright: '© North', icp: '闽ICP备1号' })
    expect(body.appId).toEqual(expect.any(String))
    expect(JSON.stringify(body)).not.toContain(made.id)
  })

  it('shows itself on its own host, and nothing of it on the host of another company or of a stranger', async () => {
    const mine = await portal(north, { enabled: true, host: 'Portal.North.example' })
    const other = await portal(south, { enabled: true, host: 'portal.south.example' })
    expect(mine.host).toBe('portal.north.example')
    const here = await call('GET', '/public/portal', null, undefined, 'portal.north.example:8080')
    expect(here.body.suffix).toBe(mine.suffix)
    const at = async (host: string, suffix: string) =>
      (await call('GET', `/public/portals/${suffix}`, null, undefined, host)).status
    expect(await at('portal.north.example', mine.suffix)).toBe(200)
    expect(await at('portal.north.example', other.suffix)).toBe(404)
    expect(await at('portal.south.example', mine.suffix)).toBe(404)
    expect(await at('evil.example', mine.suffix)).toBe(404)
    expect(await at('cloud.example', mine.suffix)).toBe(200)
    expect((await call('GET', '/public/portal', null, undefined, 'cloud.example')).status).toBe(404)
    expect((await call('GET', `/public/portals/${mine.suffix}/manifest`, null, undefined, 'evil.example')).status).toBe(
      404,
    )
  })

  it('refuses a host or a suffix that another company has, a wrong host and the platform’s own', async () => {
    const first = await portal(north, { host: 'one.example' })
    const second = await portal(south)
    const change = (body: object) =>
      call('PATCH', `/web-apps/${second.id}`, south, { ...body, version: second.version })
    const taken = await change({ host: 'ONE.example' })
    expect(taken).toMatchObject({ status: 409, body: { code: 'web_app.host_taken' } })
    expect(taken.body.message).toContain('Another company has the domain one.example')
    expect((await change({ suffix: first.suffix })).body.code).toBe('web_app.suffix_taken')
    for (const host of ['127.0.0.1', 'localhost', 'http://x.example', 'a b.example', '-a.example'])
      expect((await change({ host })).body.code, host).toBe('web_app.host_invalid')
    expect((await change({ host: 'cloud.example' })).body.code).toBe('web_app.host_own')
    expect((await change({ colour: '#ffe000' })).body.code).toBe('web_app.colour_unreadable')
    expect((await change({ home: 'page/none' })).body.code).toBe('web_app.home_missing')
    expect((await change({ menus: [{ section: 'page', zh: '总览' }], home: 'page/x' })).body.code).toBe(
      'web_app.menu_page',
    )
  })

  it('keeps pictures that are pictures, and hands them out with a manifest', async () => {
    const made = await portal(north, { enabled: true })
    const put = (kind: string, data: string | null) =>
      call('PUT', `/web-apps/${made.id}/images/${kind}`, north, { data })
    expect((await put('logo', 'data:image/png;base64,AAAA')).body.code).toBe('web_app.image_invalid')
    expect((await put('logo', PNG)).body.images).toEqual(['logo'])
    const image = await app.inject({ url: `/api/v1/public/portals/${made.suffix}/images/logo` })
    expect(image.statusCode).toBe(200)
    expect(image.headers['content-type']).toBe('image/png')
    expect(image.rawPayload.toString('base64')).toBe(PNG.split(',')[1])
    const manifest = await app.inject({ url: `/api/v1/public/portals/${made.suffix}/manifest` })
    expect(manifest.headers['content-type']).toContain('application/manifest+json')
    expect(manifest.json()).toMatchObject({ name: made.name, start_url: `/w/${made.suffix}` })
    expect((await put('logo', null)).body.images).toEqual([])
  })

  it('takes a certificate for its host with its key, and says of any other what is wrong', async () => {
    const made = await portal(north, { host: 'portal.north.example' })
    const ca = await authority('Test CA')
    const issue = async (name: string, from = -1, until = 1) => {
      const { pem, key } = await ca.sign(name, { from, until })
      return { certificate: `${pem}\n${ca.pem}`, key }
    }
    const put = (body: object) => call('PUT', `/web-apps/${made.id}/certificate`, north, body)
    const good = await issue('portal.north.example')
    const expired = await put(await issue('portal.north.example', -3, -2))
    expect(expired).toMatchObject({ status: 422, body: { code: 'web_app.certificate_expired' } })
    expect(expired.body.message).toMatch(/expired on \d{4}-\d\d-\d\d/)
    expect((await put(await issue('portal.north.example', 1, 2))).body.code).toBe('web_app.certificate_early')
    const other = await put(await issue('shop.example'))
    expect(other.body).toMatchObject({ code: 'web_app.certificate_host' })
    expect(other.body.message).toContain('it is for shop.example')
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString()
    expect((await put({ ...good, key })).body.code).toBe('web_app.key_mismatch')
    expect((await put({ ...good, key: 'no key' })).body.code).toBe('web_app.key_unreadable')
    expect((await put({ ...good, certificate: 'none' })).body.code).toBe('web_app.certificate_unreadable')
    const stored = await put(good)
    expect(stored.status, JSON.stringify(stored.body)).toBe(200)
    expect(stored.body.certificate).toMatchObject({ names: ['portal.north.example'], state: 'expiring' })
    expect(JSON.stringify(stored.body)).not.toContain('PRIVATE KEY')
    const gone = await call('PATCH', `/web-apps/${made.id}`, north, { host: null, version: stored.body.version })
    expect(gone.body).toMatchObject({ host: null, certificate: null })
  })

  it('is served over TLS with the certificate of its host, any other host with the installation’s', async () => {
    const made = await portal(north, { host: 'tls.north.example', enabled: true })
    const ca = await authority('Test CA')
    const [host, own] = [await ca.sign('tls.north.example'), await ca.sign('cloud.example')]
    const body = { certificate: host.pem, key: host.key }
    expect((await call('PUT', `/web-apps/${made.id}/certificate`, north, body)).status).toBe(200)
    const faults: unknown[] = []
    const server = createHttps({
      http: app,
      own: { cert: own.pem, key: own.key },
      certificateOf: async name =>
        (await container.modules.find(module => module.certificateOf)?.certificateOf?.(name)) ?? null,
      onFault: error => faults.push(error),
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const ask = (name: string) =>
      new Promise<{ subject: string; status: number; text: string }>((resolve, reject) => {
        const options = { host: '127.0.0.1', port, servername: name, ca: ca.pem, path: '/api/v1/public/portal' }
        get({ ...options, headers: { host: name }, agent: false }, response => {
          const { subject } = (response.socket as TLSSocket).getPeerCertificate()
          let text = ''
          response.on('data', piece => {
            text += piece
          })
          response.on('end', () => resolve({ subject: String(subject.CN), status: response.statusCode ?? 0, text }))
        }).on('error', reject)
      })
    const found = await ask('tls.north.example')
    expect(found).toMatchObject({ subject: 'tls.north.example', status: 200 })
    expect(found.text).toContain(made.suffix)
    expect(await ask('cloud.example')).toMatchObject({ subject: 'cloud.example', status: 404 })
    expect(faults).toEqual([])
    server.closeAllConnections()
    server.close()
  })

  it('belongs to its company alone, and leaves lines without keys', async () => {
    const made = await portal(north)
    expect((await call('GET', '/web-apps', south)).body.items.map((each: WebAppView) => each.id)).not.toContain(made.id)
    expect((await call('PATCH', `/web-apps/${made.id}`, south, { name: 'x', version: 1 })).status).toBe(404)
    expect((await call('POST', '/web-apps', north, { name: 'Two', suffix: 'two-two' })).body.code).toBe(
      'web_app.exists',
    )
    const lines = (await call('GET', '/audit-logs?action=web_app.create&limit=1', north)).body
    expect(JSON.stringify(lines)).toContain(made.suffix)
  })
})

async function account(token: string, appId: string, over: object = {}): Promise<WechatAccountView> {
  const { items } = (await call('GET', '/wechat-accounts', token)).body
  if (items[0]) await call('DELETE', `/wechat-accounts/${items[0].id}`, token)
  wechat.account(appId, 'a0123456789abcdef0123456789abcde')
  const made = await call('POST', '/wechat-accounts', token, {
    name: 'Pumps',
    appId,
    appSecret: 'a0123456789abcdef0123456789abcde',
    token: 'pumps2026',
    aesKey: AES,
    mode: 'encrypted',
    baseUrl: wechat.url,
    ...over,
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body
}
const stateOf = (view: WechatAccountView, step: string) => view.steps.find(each => each.step === step)
const test_ = async (view: WechatAccountView, step: string): Promise<WechatAccountView> =>
  (await call('POST', `/wechat-accounts/${view.id}/test`, north, { step })).body

describe('the official account of a company', () => {
  it('is tested step by step against WeChat', async () => {
    const made = await account(north, 'wx0123456789abcd01')
    expect(JSON.stringify(made)).not.toContain('pumps2026')
    expect(stateOf(await test_(made, 'credentials'), 'credentials')).toMatchObject({ state: 'ok' })
    expect(stateOf(await test_(made, 'template'), 'template')).toMatchObject({ state: 'ok', said: '1' })
    expect(stateOf(await test_(made, 'menu'), 'menu')).toMatchObject({ state: 'open' })
    expect(stateOf(await test_(made, 'callback'), 'callback')).toMatchObject({ state: 'open' })
    // A token that ended early is asked for again.
    wechat.forgetTokens()
    expect(stateOf(await test_(made, 'template'), 'template')).toMatchObject({ state: 'ok' })
    const wrong = await call('PATCH', `/wechat-accounts/${made.id}`, north, {
      appSecret: 'b0123456789abcdef0123456789abcde',
      version: made.version,
    })
    expect(stateOf(wrong.body, 'credentials')).toMatchObject({ state: 'open' })
    const refused = stateOf(await test_(wrong.body, 'credentials'), 'credentials')
    expect(refused).toMatchObject({ state: 'failed' })
    expect(refused?.said).toContain('40125')
  })

  it('answers the check of its server URL, and only with the right token', async () => {
    const made = await account(north, 'wx0123456789abcd02')
    const server = { url: made.callbackUrl, token: 'wrong12', aesKey: AES, mode: 'encrypted' as const }
    expect(await wechat.submitServer(made.appId, server)).toBe(false)
    expect(stateOf(await test_(made, 'callback'), 'callback')).toMatchObject({ state: 'failed', said: 'signature' })
    expect(await wechat.submitServer(made.appId, { ...server, token: 'pumps2026' })).toBe(true)
    expect(stateOf(await test_(made, 'callback'), 'callback')).toMatchObject({ state: 'ok' })
  })

  it.each(['plain', 'both', 'encrypted'] as const)('takes messages in the mode %s', async mode => {
    const made = await account(north, 'wx0123456789abcd03', { mode })
    const server = { url: made.callbackUrl, token: 'pumps2026', aesKey: AES, mode }
    expect(await wechat.submitServer(made.appId, server)).toBe(true)
    expect(await wechat.push(made.appId, 'openid-1', { MsgType: 'text', Content: 'hello', MsgId: 1 })).toMatchObject({
      status: 200,
    })
    // Another key at WeChat than here.
    if (mode === 'plain') return
    wechat.account(made.appId).server!.aesKey = `Z${AES.slice(1)}`
    expect((await wechat.push(made.appId, 'openid-1', { MsgType: 'text', Content: 'hello', MsgId: 2 })).status).toBe(
      403,
    )
    expect(stateOf(await test_(made, 'callback'), 'callback')).toMatchObject({ state: 'failed', said: 'decrypt' })
  })

  it('takes no plain message where it wants encrypted ones, no old one, and no XML that is none', async () => {
    const made = await account(north, 'wx0123456789abcd04')
    wechat.account(made.appId).server = { url: made.callbackUrl, token: 'pumps2026', aesKey: AES, mode: 'plain' }
    expect((await wechat.push(made.appId, 'openid-1', { MsgType: 'text', Content: 'x' })).status).toBe(403)
    expect(stateOf(await test_(made, 'callback'), 'callback')).toMatchObject({ said: 'plain' })
    const post = (body: string, type = 'text/xml') =>
      app.inject({
        method: 'POST',
        url: `/callbacks/wechat/${made.id}`,
        headers: { 'content-type': type },
        payload: body,
      })
    expect((await post('<!DOCTYPE x [<!ENTITY a "b">]><xml><A>&a;</A></xml>')).statusCode).toBe(403)
    expect((await post('<xml><A>')).statusCode).toBe(403)
  })

  it('makes the channel of messages and takes it along', async () => {
    const made = await account(north, 'wx0123456789abcd05')
    const channels = async () =>
      (await call('GET', '/notification-channels?kind=wechat', north)).body.items.filter(
        (each: Any) => each.config.appId === made.appId,
      )
    expect(await channels()).toMatchObject([{ provider: 'wechat', config: { baseUrl: wechat.url } }])
    await call('DELETE', `/wechat-accounts/${made.id}`, north)
    expect(await channels()).toEqual([])
  })

  it('is refused without a key for the encrypted mode, and an address inside that nobody allowed', async () => {
    await account(north, 'wx0123456789abcd06')
    const { items } = (await call('GET', '/wechat-accounts', north)).body
    await call('DELETE', `/wechat-accounts/${items[0].id}`, north)
    const body = {
      name: 'Pumps',
      appId: 'wx0123456789abcd06',
      appSecret: 'a0123456789abcdef0123456789abcde',
      token: 'pumps2026',
    }
    expect((await call('POST', '/wechat-accounts', north, { ...body, mode: 'encrypted' })).body.code).toBe(
      'wechat_account.aes_key_missing',
    )
    expect((await call('POST', '/wechat-accounts', north, { ...body, baseUrl: 'http://10.0.0.1' })).body.code).toBe(
      'wechat_account.address_blocked',
    )
  })
})

describe('followers of the official account', () => {
  const contact = async (name: string): Promise<string> =>
    (await call('POST', '/contacts', north, { name, email: `${name}@example.com` })).body.id
  const contactOf = async (id: string) => (await call('GET', `/contacts/${id}`, north)).body
  async function connected(appId: string): Promise<WechatAccountView> {
    const made = await account(north, appId)
    const server = { url: made.callbackUrl, token: 'pumps2026', aesKey: AES, mode: 'encrypted' as const }
    expect(await wechat.submitServer(made.appId, server)).toBe(true)
    return made
  }
  const followers = async (id: string) => (await call('GET', `/wechat-accounts/${id}/followers`, north)).body.items

  it('are bound to a contact by the QR code that they scan, once, and told of when they go', async () => {
    const made = await connected('wx0123456789abce01')
    const anna = await contact('anna')
    const scene = (await call('POST', `/wechat-accounts/${made.id}/scenes`, north, { contactId: anna })).body
    await wechat.scan(made.appId, scene.ticket, 'openid-anna', 'Anna W')
    expect(await followers(made.id)).toMatchObject([
      { openid: 'openid-anna', nickname: 'Anna W', subscribed: true, contact: { name: 'anna' } },
    ])
    expect((await contactOf(anna)).wechatOpenid).toBe('openid-anna')
    await wechat.scan(made.appId, scene.ticket, 'openid-bert')
    expect((await contactOf(anna)).wechatOpenid).toBe('openid-anna')
    await wechat.unfollow(made.appId, 'openid-anna')
    expect((await contactOf(anna)).wechatOpenid).toBe(null)
    expect(wechat.faults).toEqual([])
  })

  it('get the alarms of their contact as template messages', async () => {
    const made = await connected('wx0123456789abce03')
    const carla = await contact('carla')
    const scene = (await call('POST', `/wechat-accounts/${made.id}/scenes`, north, { contactId: carla })).body
    await wechat.scan(made.appId, scene.ticket, 'openid-carla', 'Carla')
    const policy = (await call('GET', '/notification-policy', north)).body
    const levels = [{ level: 4, channels: ['wechat'] }]
    const set = { levels, escalation: [], recovery: true, quiet: null, version: policy.version }
    expect((await call('PUT', '/notification-policy', north, set)).status).toBe(200)
    for (const locale of ['zh', 'en']) {
      const path = `/notification-templates/wechat/raised/${locale}`
      const { items } = (await call('GET', '/notification-templates', north)).body
      const own = items.find(
        (each: Any) => each.channel === 'wechat' && each.event === 'raised' && each.locale === locale,
      )
      const words = { version: own.version, subject: own.subject, body: own.body, code: 'TM00001-alarm' }
      expect((await call('PUT', path, north, words)).status).toBe(200)
    }
    await db.superuser.query(
      `insert into alarms (id, tenant_id, trigger_name, origin, target_kind, target_id, level, raised_at, last_at, raise_values)
       select a, c.tenant_id, 'Too hot', a::text, 'scope', a::text, 4, now(), now(), '[{"property":"temperature","value":41}]'
       from contacts c, gen_random_uuid() a where c.id = $1`,
      [carla],
    )
    const messages = container.modules.find(module => 'messages' in module) as unknown as {
      messages: { run(): Promise<void> }
    }
    await messages.messages.run()
    const { sent } = wechat.account(made.appId)
    expect(sent).toMatchObject([{ touser: 'openid-carla', templateId: 'TM00001-alarm' }])
    expect(JSON.stringify(sent[0])).toContain('Too hot')
    const { items } = (await call('GET', `/notification-records?contactId=${carla}`, north)).body
    expect(items).toMatchObject([{ channel: 'wechat', state: 'sent' }])
    expect(wechat.faults).toEqual([])
  })

  it('are bound to another contact by hand, and unbound', async () => {
    const made = await connected('wx0123456789abce02')
    const [first, second] = [await contact('first'), await contact('second')]
    wechat.account(made.appId).followers.set('openid-1', { openid: 'openid-1', nickname: '', subscribed: true })
    await wechat.push(made.appId, 'openid-1', { MsgType: 'text', Content: 'hello' })
    const [follower] = await followers(made.id)
    const path = `/wechat-accounts/${made.id}/followers/${follower.id}/contact`
    expect((await call('PUT', path, north, { contactId: first })).body.contact.name).toBe('first')
    expect((await call('PUT', path, north, { contactId: second })).body.contact.name).toBe('second')
    expect((await contactOf(first)).wechatOpenid).toBe(null)
    expect((await contactOf(second)).wechatOpenid).toBe('openid-1')
    expect((await call('DELETE', path, north)).body.contact).toBe(null)
    expect((await contactOf(second)).wechatOpenid).toBe(null)
    expect((await call('PUT', path, south, { contactId: first })).status).toBe(404)
    const file = await app.inject({
      url: `/api/v1/wechat-accounts/${made.id}/followers/export?format=csv`,
      headers: { authorization: `Bearer ${north}` },
    })
    expect(file.body).toContain('openid-1')
  })

  it('are answered by rules: on following, on a word, on anything else', async () => {
    const made = await connected('wx0123456789abce03')
    const rule = { whole: false, enabled: true, keyword: '' }
    const set = await call('PUT', `/wechat-accounts/${made.id}/replies`, north, {
      items: [
        { ...rule, kind: 'follow', answer: 'Welcome' },
        { ...rule, kind: 'keyword', keyword: 'pump', answer: 'The pumps are well' },
        { ...rule, kind: 'other', answer: 'Call us' },
      ],
    })
    expect(set.status, JSON.stringify(set.body)).toBe(200)
    const say = async (Content: string) =>
      (await wechat.push(made.appId, 'openid-1', { MsgType: 'text', Content })).text
    expect(await say('How are my PUMPS?')).toBe('The pumps are well')
    expect(await say('hello')).toBe('Call us')
    expect(
      (await wechat.push(made.appId, 'openid-2', { MsgType: 'event', Event: 'subscribe', EventKey: '' })).text,
    ).toBe('Welcome')
    expect(wechat.faults).toEqual([])
  })

  it('see the menu that is published, and WeChat’s limits are told before it is asked', async () => {
    const made = await connected('wx0123456789abce04')
    const button = { name: 'Portal', type: 'view', value: 'https://portal.example', entries: [] }
    const put = (buttons: object[]) => call('PUT', `/wechat-accounts/${made.id}/menu`, north, { buttons })
    expect((await put([button])).status).toBe(200)
    expect(wechat.account(made.appId).menu).toEqual({
      button: [{ type: 'view', name: 'Portal', url: 'https://portal.example' }],
    })
    expect((await put([{ ...button, value: 'portal' }])).body.code).toBe('wechat_menu.invalid')
    expect((await put([{ ...button, name: '一二三四五六' }])).body.code).toBe('wechat_menu.invalid')
    expect((await put([])).status).toBe(200)
    expect(wechat.account(made.appId).menu).toBe(null)
  })
})
