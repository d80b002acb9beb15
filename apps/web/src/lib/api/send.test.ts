import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { call, callRaw, urlOf } from '../api-client.ts'
import { loadTexts } from '../i18n.ts'
import { setNavigator } from '../navigation.ts'
import { useNotices } from '../notify.ts'
import { keepToken, useSession } from '../session.ts'
import { fakeBrowser, startTexts } from '../testing.ts'
import { ApiError, SessionExpiredError } from './api-error.ts'
import { loadPaths } from './paths.ts'

const browser = fakeBrowser()
const visited: string[] = []

interface Sent {
  method: string
  path: string
  headers: Headers
  body: unknown
}
let sent: Sent[] = []
let answer: (request: Sent, index: number) => Response | Promise<Response>

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
const refusal = (status: number) => json(status, { code: 'x.y', message: `no ${status}`, requestId: 'r-1' })
const token = (name: string) => ({ access_token: name, thingwrightAppId: 'app', id: 'u', username: 'demo' })
const bearer = (request: Sent) => request.headers.get('authorization')

beforeAll(async () => {
  await startTexts()
  await loadTexts('common')
  await loadPaths()
})
beforeEach(() => {
  sent = []
  visited.length = 0
  setNavigator(path => visited.push(path))
  useNotices.setState({ notices: [] })
  useSession.setState({ token: null, me: null, menus: null, accountStatus: null })
  keepToken(token('old'))
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const request = { method: init.method!, path, headers: new Headers(init.headers), body: init.body }
    sent.push(request)
    return answer(request, sent.length)
  })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Runs a call while the clock is moved on; returns what it came to. */
async function after(ms: number, work: Promise<unknown>): Promise<unknown> {
  const settled = work.then(
    value => value,
    error => error,
  )
  await vi.advanceTimersByTimeAsync(ms)
  return Promise.race([settled, Promise.resolve('still waiting')])
}

describe('a request that fails', () => {
  it.each([400, 404, 500])('is repeated once after 5 s on %i, with the same Idempotency-Key', async status => {
    vi.useFakeTimers()
    answer = (_, index) => (index === 1 ? refusal(status) : json(200, { id: '1' }))
    const work = call('devices.enable', { params: { id: 'd' } })
    expect(await after(4999, work)).toBe('still waiting')
    expect(sent).toHaveLength(1)
    expect(await after(1, work)).toEqual({ id: '1' })
    expect(sent).toHaveLength(2)
    const keys = sent.map(request => request.headers.get('idempotency-key'))
    expect(keys[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(keys[1]).toBe(keys[0])
  })

  it('is final where something that is looked at is not there', async () => {
    vi.useFakeTimers()
    answer = () => refusal(404)
    const error = (await after(0, call('devices.get', { params: { id: 'd' } }))) as ApiError
    expect(error).toMatchObject({ status: 404 })
    expect(sent).toHaveLength(1)
  })

  it('is given up after the second attempt, with the words of the server', async () => {
    vi.useFakeTimers()
    answer = () => refusal(500)
    const error = (await after(20_000, call('devices.get', { params: { id: 'd' } }))) as ApiError
    expect(sent).toHaveLength(2)
    expect(error).toBeInstanceOf(ApiError)
    expect({ ...error }).toMatchObject({ status: 500, code: 'x.y', requestId: 'r-1' })
    expect(error.message).toBe('no 500')
  })

  it.each([403, 409, 413, 422, 429, 502, 503])('is not repeated on %i', async status => {
    vi.useFakeTimers()
    answer = () => refusal(status)
    const error = (await after(20_000, call('devices.get', { params: { id: 'd' } }))) as ApiError
    expect(error.status).toBe(status)
    expect(sent).toHaveLength(1)
  })

  it('is not repeated when it is a sign-in, and carries no Idempotency-Key then', async () => {
    vi.useFakeTimers()
    answer = () => json(400, { error: 'invalid_request', error_description: 'bad', code: 'auth.grant_unsupported' })
    const error = (await after(
      20_000,
      call('identity.token', { body: { grant_type: 'password' }, interfaceType: 'accountSign' }),
    )) as ApiError
    expect(sent).toHaveLength(1)
    expect(error.code).toBe('auth.grant_unsupported')
    expect(error.message).toBe('bad')
    expect(sent[0]!.headers.has('idempotency-key')).toBe(false)
  })

  it('waits no longer once it is cancelled', async () => {
    vi.useFakeTimers()
    answer = () => refusal(500)
    const stop = new AbortController()
    const work = call('devices.get', { params: { id: 'd' }, signal: stop.signal })
    expect(await after(1000, work)).toBe('still waiting')
    stop.abort()
    expect(await after(0, work)).toMatchObject({ name: 'AbortError' })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(sent).toHaveLength(1)
  })

  it('says that the server cannot be reached when there is no answer', async () => {
    answer = () => {
      throw new TypeError('fetch failed')
    }
    await expect(call('devices.get', { params: { id: 'd' } })).rejects.toMatchObject({
      status: 0,
      code: 'network.unreachable',
    })
  })

  it('keeps the seconds of Retry-After', async () => {
    answer = () => json(429, { code: 'rate.limited', message: 'm' }, { 'retry-after': '17' })
    await expect(call('identity.me')).rejects.toMatchObject({ retryAfterSeconds: 17 })
  })
})

describe('a refused token', () => {
  it('is refreshed once for all waiting requests, which then succeed with the new one', async () => {
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    answer = async request => {
      if (request.path === '/oauth/token') {
        await held
        return json(200, token('new'))
      }
      return bearer(request) === 'Bearer new' ? json(200, { ok: true }) : refusal(401)
    }
    const first = [call('identity.me'), call('menus.mine'), call('devices.counts')]
    await expect.poll(() => sent.some(request => request.path === '/oauth/token')).toBe(true)
    // A request that starts while the refresh is under way does not even try the old token.
    const late = call('products.list')
    release()
    await Promise.all([...first, late])
    const refreshes = sent.filter(request => request.path === '/oauth/token')
    expect(refreshes).toHaveLength(1)
    expect(String(refreshes[0]!.body)).toBe('grant_type=refresh_token')
    expect(sent.filter(request => request.path === '/api/v1/products').map(bearer)).toEqual(['Bearer new'])
    expect(JSON.parse(browser.localStorage.getItem('userToken')!)).toEqual(token('new'))
  })

  it('is not refreshed when another tab has already done so', async () => {
    answer = request => (bearer(request) === 'Bearer other' ? json(200, { ok: true }) : refusal(401))
    browser.localStorage.setItem('userToken', JSON.stringify(token('other')))
    await call('identity.me')
    expect(sent.map(request => request.path)).toEqual(['/api/v1/me', '/api/v1/me'])
    expect(useSession.getState().token?.access_token).toBe('other')
  })

  it('waits for the lock that the tabs share', async () => {
    const locked: string[] = []
    vi.stubGlobal('navigator', {
      locks: {
        request: (name: string, work: () => Promise<unknown>) => {
          locked.push(name)
          return work()
        },
      },
    })
    answer = request =>
      request.path === '/oauth/token'
        ? json(200, token('new'))
        : bearer(request) === 'Bearer new'
          ? json(200, { ok: true })
          : refusal(401)
    await call('identity.me')
    expect(locked).toEqual(['thingwright-refresh'])
  })

  it('ends the session when the refresh is refused: message 2 s, entries cleared, target written, /index', async () => {
    vi.useFakeTimers()
    browser.location.pathname = '/en/manage/device'
    browser.location.search = '?q=1'
    for (const key of ['lang', 'appearance', 'userInfo']) browser.localStorage.setItem(key, '"x"')
    for (const key of ['redirectURL', 'menuInfo', 'groupInfo1']) browser.sessionStorage.setItem(key, 'x')
    answer = () => refusal(401)
    const work = Promise.allSettled([call('identity.me'), call('menus.mine')])
    expect(await after(1999, work)).toBe('still waiting')
    expect(useNotices.getState().notices.map(notice => notice.text)).toEqual(['登录信息已过期, 请重新登录...'])
    expect(useSession.getState().token).not.toBeNull()
    const results = (await after(1, work)) as PromiseRejectedResult[]
    expect(results.map(result => result.reason)).toEqual([
      expect.any(SessionExpiredError),
      expect.any(SessionExpiredError),
    ])
    expect(useSession.getState().token).toBeNull()
    expect(browser.localStorage.length).toBe(0)
    expect(browser.sessionStorage.getItem('redirectURL')).toBe('/manage/device?q=1')
    expect(browser.sessionStorage.length).toBe(1)
    expect(visited).toEqual(['/index'])
  })

  it.each([
    [503, {}],
    [500, {}],
    [429, {}],
    [400, { error: 'invalid_request' }],
  ])('does not end the session when the refresh is answered %i', async (status, body) => {
    answer = request => (request.path === '/oauth/token' ? json(status, body) : refusal(401))
    await expect(call('identity.me')).rejects.toMatchObject({ code: 'network.unreachable' })
    expect(useSession.getState().token).not.toBeNull()
    expect(visited).toEqual([])
  })

  it('is nothing to a request that carried none: wrong credentials stay on the sign-in page', async () => {
    answer = () =>
      json(401, { error: 'invalid_grant', code: 'auth.wrong_credentials', error_description: '用户名或密码错误' })
    await expect(
      call('identity.token', { body: { grant_type: 'password' }, interfaceType: 'accountSign' }),
    ).rejects.toMatchObject({ status: 401, code: 'auth.wrong_credentials' })
    expect(sent).toHaveLength(1)
    expect(visited).toEqual([])
  })
})

describe('calls', () => {
  it('fill in parameters and query, leaving out what is empty', () => {
    expect(urlOf('/api/v1/devices/{id}', { id: 'a/b' }, { q: '', limit: 20, cursor: null, ids: ['x', 'y'] })).toBe(
      '/api/v1/devices/a%2Fb?limit=20&ids=x%2Cy',
    )
    expect(() => urlOf('/api/v1/devices/{id}', {})).toThrow('parameter id')
  })

  it('ask for the company status with form headers', async () => {
    answer = () => json(200, 2)
    expect(await call('company.status', { query: { userId: 'u' } })).toBe(2)
    expect(sent[0]!.headers.get('content-type')).toBe('application/x-www-form-urlencoded')
    expect(sent[0]!.path).toBe('/api/v1/company/status?userId=u')
    expect(sent[0]!.headers.has('interface-type')).toBe(false)
  })

  it('keep an Idempotency-Key that the form brought along', async () => {
    answer = () => json(201, {})
    await callRaw('devices.remove', { params: { id: 'd' }, idempotencyKey: 'mine' })
    expect(sent[0]!.headers.get('idempotency-key')).toBe('mine')
  })
})
