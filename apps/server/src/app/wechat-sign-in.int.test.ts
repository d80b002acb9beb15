import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startWechat, type Wechat } from '../../../../tools/simulators/wechat/wechat.ts'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { hashPassword } from '../modules/identity/index.ts'
import type { Container } from './container.ts'
import { testContainer, testHttp } from './testing/test-app.ts'

const PASSWORD = 'A password 4 tests'
const AES = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG'
const APP_ID = 'wx00000000000000aa'
const SECRET = '0123456789abcdef0123456789abcdef'
const PORTAL = '/api/v1/public/portals/north/wechat'

let db: TestDatabase
let container: Container
let app: FastifyInstance
let wechat: Wechat
let owner: string
let number = 0
let customer: { id: string; username: string; token: string }

beforeAll(async () => {
  db = await testDatabase()
  wechat = await startWechat()
  container = testContainer(db, { outboundAllow: ['127.0.0.1/32'] })
  app = await testHttp(container, { strictAudit: true })
  const passwordHash = await hashPassword(PASSWORD)
  await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name: 'c', owner: { username: 'owner', passwordHash, displayName: '', kind: 'member' } }),
  )
  owner = await signIn('owner')
  const made = await call('POST', '/api/v1/web-apps', { token: owner, body: { name: 'North', suffix: 'north' } })
  const { id, version } = made.body as { id: string; version: number }
  await call('PATCH', `/api/v1/web-apps/${id}`, { token: owner, body: { version, enabled: true } })
  expect((await call('GET', PORTAL)).body).toEqual({ available: false })
  wechat.account(APP_ID, SECRET)
  const account = await call('POST', '/api/v1/wechat-accounts', {
    token: owner,
    body: {
      name: 'North',
      appId: APP_ID,
      appSecret: SECRET,
      token: 'atokenofours1',
      aesKey: AES,
      mode: 'encrypted',
      baseUrl: wechat.url,
    },
  })
  expect(account.status, JSON.stringify(account.body)).toBe(201)
}, 120_000)
beforeEach(async () => {
  const username = `customer-${++number}`
  const { body } = await call('POST', '/api/v1/end-users', {
    token: owner,
    body: { name: username, username, password: PASSWORD, rights: ['view'] },
  })
  customer = { id: (body as { id: string }).id, username, token: await signIn(username) }
})
afterAll(async () => {
  await wechat.close()
  await container.tasks.runner.stop()
  await app.close()
  await db.drop()
})

async function signIn(username: string): Promise<string> {
  const reply = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD }).toString(),
  })
  return reply.json().access_token
}

async function call(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  { token, body, cookie }: { token?: string; body?: object; cookie?: string } = {},
) {
  const reply = await app.inject({
    method,
    url,
    headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...(cookie ? { cookie } : {}) },
    ...(body ? { payload: body } : {}),
  })
  const cookies = reply.cookies.map(({ name, value }) => `${name}=${value}`)
  const isJson = String(reply.headers['content-type']).startsWith('application/json')
  return { status: reply.statusCode, body: isJson ? reply.json() : {}, cookies, to: reply.headers.location }
}

/** A browser goes through WeChat as this person. @returns where it ends, with its cookies */
async function through(openid: string, over: { cookie?: string; state?: string } = {}) {
  const begun = await call('POST', `${PORTAL}/start`)
  expect(begun.status, JSON.stringify(begun.body)).toBe(200)
  const browser = begun.cookies.find(each => each.startsWith('tw_wechat='))!
  const back = new URL(wechat.authorize((begun.body as { url: string }).url, openid))
  if (over.state) back.searchParams.set('state', over.state)
  const came = await call('GET', `${back.pathname}${back.search}`, { cookie: over.cookie ?? browser })
  return { ...came, browser, back }
}

describe('signing in to a portal with WeChat', () => {
  it('asks who is bound to nobody for the password, and lets him in by WeChat from then on', async () => {
    const openid = `openid-${number}`
    const first = await through(openid)
    expect([first.status, first.to]).toEqual([303, '/w/north?wechat=bind'])
    expect(first.cookies.some(each => /refresh/i.test(each))).toBe(false)
    // He signed in with his password meanwhile.
    const bound = await call('POST', '/api/v1/me/wechat', { token: customer.token, cookie: first.browser })
    expect(bound.status, JSON.stringify(bound.body)).toBe(200)
    expect((await call('GET', '/api/v1/me/wechat', { token: customer.token })).body).toEqual({ bound: true })
    const again = await through(openid)
    expect(again.to).toBe('/w/north?wechat=ok')
    const session = await app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: {
        authorization: 'Basic d2ViOndlYg==',
        'content-type': 'application/x-www-form-urlencoded',
        cookie: again.cookies.join('; '),
      },
      payload: 'grant_type=refresh_token',
    })
    expect(session.json(), session.body).toMatchObject({ id: customer.id, username: customer.username })
    // What came back is bound once.
    const twice = await call('POST', '/api/v1/me/wechat', { token: customer.token, cookie: first.browser })
    expect(twice.body).toMatchObject({ code: 'wechat_sign_in.nothing_to_bind' })
    await call('DELETE', '/api/v1/me/wechat', { token: customer.token })
    expect((await through(openid)).to).toBe('/w/north?wechat=bind')
  })

  it('refuses a state that is not its own, another browser, and a state that was used', async () => {
    expect((await through('x', { state: 'made-up' })).to).toBe('/index')
    expect((await through('x', { cookie: 'tw_wechat=another' })).to).toBe('/w/north?wechat=wechat_sign_in.flow_invalid')
    const { back, browser } = await through('x')
    expect((await call('GET', `${back.pathname}${back.search}`, { cookie: browser })).to).toBe('/index')
  })

  it('says that WeChat did not take the code, and lets nobody in who was frozen', async () => {
    const begun = await call('POST', `${PORTAL}/start`)
    const state = new URL((begun.body as { url: string }).url).searchParams.get('state')
    const wrong = await call('GET', `/callbacks/wechat-sign-in?code=nonsense&state=${state}`, {
      cookie: begun.cookies[0]!,
    })
    expect(wrong.to).toBe('/w/north?wechat=wechat_sign_in.failed')
    const { browser } = await through('frozen-one')
    await call('POST', '/api/v1/me/wechat', { token: customer.token, cookie: browser })
    await db.superuser.query(`update logins set state = 'frozen' where id = $1`, [customer.id])
    expect((await through('frozen-one')).to).toBe('/w/north?wechat=auth.login_frozen')
  })

  it('binds one person once: not two to one account', async () => {
    const first = await through('taken')
    await call('POST', '/api/v1/me/wechat', { token: customer.token, cookie: first.browser })
    const second = await through('taken-by-other')
    const refused = await call('POST', '/api/v1/me/wechat', { token: customer.token, cookie: second.browser })
    expect(refused.body).toMatchObject({ code: 'wechat_sign_in.taken' })
  })
})

describe('followers of an end user’s contacts', () => {
  it('are seen, moved to another of the contacts, and unbound by that end user alone', async () => {
    const accounts = (await call('GET', '/api/v1/wechat-accounts', { token: owner })).body.items as { id: string }[]
    const accountId = accounts[0]!.id
    const contact = async (name: string, userId?: string) =>
      (
        await call('POST', '/api/v1/contacts', {
          token: owner,
          body: { name, email: `${name}@example.com`, ...(userId ? { userId } : {}) },
        })
      ).body.id as string
    const mine = [await contact('day', customer.id), await contact('night', customer.id)]
    const company = await contact('company')
    const follower = async (openid: string, contactId: string) => {
      const { rows } = await db.superuser.query(
        `insert into wechat_followers (id, tenant_id, account_id, openid, nickname, subscribed, last_at)
         select gen_random_uuid(), tenant_id, id, $2, 'Anna', true, now() from wechat_accounts where id = $1 returning id`,
        [accountId, openid],
      )
      const path = `/api/v1/wechat-accounts/${accountId}/followers/${rows[0].id}/contact`
      expect((await call('PUT', path, { token: owner, body: { contactId } })).status).toBe(200)
      return rows[0].id as string
    }
    const own = await follower('openid-of-the-customer', mine[0]!)
    const other = await follower('openid-of-the-company', company)
    const list = async (token: string) =>
      (await call('GET', '/api/v1/me/wechat-followers', { token })).body.items as { id: string }[]
    expect(await list(customer.token)).toMatchObject([{ id: own, contact: { id: mine[0], name: 'day' } }])
    expect((await list(owner)).map(({ id }) => id).sort()).toEqual([own, other].sort())

    const to = (id: string, contactId: string) =>
      call('PUT', `/api/v1/me/wechat-followers/${id}/contact`, { token: customer.token, body: { contactId } })
    const openidOf = async (id: string) =>
      (await call('GET', `/api/v1/contacts/${id}`, { token: owner })).body.wechatOpenid
    expect((await to(own, mine[1]!)).body).toMatchObject({ contact: { name: 'night' } })
    expect([await openidOf(mine[0]!), await openidOf(mine[1]!)]).toEqual([null, 'openid-of-the-customer'])
    expect((await to(own, company)).body).toMatchObject({ code: 'contact.not_found' })
    expect((await to(other, mine[0]!)).body).toMatchObject({ code: 'wechat_follower.not_found' })
    const gone = await call('DELETE', `/api/v1/me/wechat-followers/${own}/contact`, { token: customer.token })
    expect(gone.body).toMatchObject({ contact: null })
    expect([await openidOf(mine[1]!), await openidOf(company)]).toEqual([null, 'openid-of-the-company'])
    expect(await list(customer.token)).toEqual([])
    const lines = await call('GET', '/api/v1/audit-logs?action=wechat_follower.unbind&limit=1', { token: owner })
    expect(JSON.stringify(lines.body)).toContain(customer.username)
  })
})
