import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { person, withDatabase } from './fixtures/arrange.ts'
import { openBrowser, visitor } from './fixtures/console.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { ConsolePage } from './pages/console-page.ts'

// Specification §4 (states, guard, permission check, 401, F5), §7 (headers) and §8 (messages, retry).
describe('guard, session and messages', () => {
  let server: RunningServer
  let browser: Browser

  beforeAll(async () => {
    server = await startServer()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function open(options: Parameters<typeof visitor>[1] = { locale: 'zh' }) {
    const { context, page } = await visitor(browser, { moving: true, ...options })
    return { context, page, console_: new ConsolePage(page, server.url) }
  }

  it('after the sign-in a person lands where he wanted to go, and nowhere outside', async () => {
    const { context, console_ } = await open()
    await console_.open('/manage/device?link=online')
    await console_.isAt('/index')
    await console_.signIn()
    await console_.isAt('/manage/device')
    expect(console_.path()).toBe('/manage/device?link=online')
    expect(await console_.session('redirectURL')).toBeNull()
    await context.close()

    for (const evil of ['//evil.example/x', 'https://evil.example', '\\\\evil.example', 'javascript:alert(1)']) {
      const again = await open()
      await again.console_.open('/index')
      await again.page.evaluate(target => sessionStorage.setItem('redirectURL', target), evil)
      await again.console_.signIn()
      await again.page.getByTestId('side-menu').waitFor()
      expect(new URL(again.page.url()).origin).toBe(new URL(server.url).origin)
      await again.context.close()
    }
  })

  it('a wrong password is said in the card, in the person’s language, and nothing is stored', async () => {
    for (const [locale, text] of [
      ['zh', '用户名或密码错误'],
      ['en', 'Wrong username or password'],
    ] as const) {
      const { context, page, console_ } = await open({ locale })
      await console_.open('/index')
      await console_.signIn('admin', 'wrong password')
      await page.getByTestId('sign-in-error').getByText(text).waitFor()
      expect(await console_.local('userToken')).toBeNull()
      await context.close()
    }
  })

  it('stores what the specification names, and no refresh token', async () => {
    const { context, page, console_ } = await open()
    await console_.enter()
    const token = JSON.parse((await console_.local('userToken'))!)
    expect(Object.keys(token).sort()).toEqual(['access_token', 'id', 'thingwrightAppId', 'username'])
    expect(await console_.local('userInfo')).not.toBeNull()
    expect(await console_.session('menuInfo')).not.toBeNull()
    await expect.poll(() => page.evaluate(() => document.cookie)).not.toContain('tw_refresh')
    await context.close()
  })

  it.each([
    ['inactive', '账号未开通，请先开通!'],
    ['frozen', '账号未开通，请先开通!'],
    ['expired', '账号已过期，请续费!'],
  ])('a company that is %s leads to the account page with its message', async (status, message) => {
    const who = await person(server, { status })
    const { context, console_ } = await open()
    await console_.open('/index')
    await console_.signIn(who.username, who.password)
    await console_.isAt('/alonePage/accountNotActivated')
    await console_.hasNotice(message)
    await context.close()
  })

  it('a status that cannot be checked signs out with its message and does not loop', async () => {
    const { context, page, console_ } = await open()
    await console_.enter()
    await page.evaluate(() => localStorage.setItem('appearance', 'dark'))
    await page.route('**/api/v1/company/status*', route =>
      route.fulfill({ status: 200, contentType: 'application/json', body: '7' }),
    )
    await console_.open('/manage/device')
    await console_.isAt('/index')
    await console_.hasNotice('校验账号状态失败，请重新登录!')
    expect(await console_.local('appearance')).toBeNull()
    expect(await console_.local('userToken')).toBeNull()
    await page.getByTestId('sign-in-card').waitFor()
    await context.close()
  })

  it('a page that is left while its status is checked signs nobody out', async () => {
    const { context, page, console_ } = await open()
    await console_.enter()
    await page.route('**/api/v1/company/status*', () => undefined)
    const asked = page.waitForRequest('**/api/v1/company/status*')
    await page.goto(`${server.url}/manage/device`, { waitUntil: 'commit' })
    await asked
    await page.unroute('**/api/v1/company/status*')
    await console_.open('/manage/product')
    await page.getByTestId('side-menu').waitFor()
    expect(await console_.local('userToken')).not.toBeNull()
    await context.close()
  })

  it('status 2 is asked once in a session', async () => {
    const { context, page, console_ } = await open()
    let asked = 0
    page.on('request', request => {
      if (request.url().includes('/company/status')) asked += 1
    })
    await console_.enter()
    for (const path of ['/manage/device', '/manage/product']) {
      await page.getByTestId('side-menu').locator(`a[href="${path}"]`).click()
      await console_.isAt(path)
    }
    expect(asked).toBe(1)
    await context.close()
  })

  it('without any menu permission: its message and the no-permission page', async () => {
    const who = await person(server, { powerless: true })
    const { context, page, console_ } = await open()
    await console_.open('/index')
    await console_.signIn(who.username, who.password)
    await console_.hasNotice('当前账号无任何权限!')
    await console_.isAt('/alonePage/NoPermissio')
    await page.getByTestId('header').waitFor()
    await context.close()
  })

  it('a section that is not permitted: from a cold load the no-permission page, from another page blocked where he is', async () => {
    const who = await person(server, { menuKeys: ['/manage/device'] })
    const { context, page, console_ } = await open()
    await console_.open('/index')
    await console_.signIn(who.username, who.password)
    await console_.isAt('/manage/device')
    await page.getByTestId('side-menu').locator('a').first().waitFor()
    // The section, and everybody's own security page.
    await expect.poll(() => page.getByTestId('side-menu').locator('a').count()).toBe(2)
    await console_.open('/manage/product')
    await console_.isAt('/alonePage/NoPermissio')
    await console_.hasNotice('当前栏目无权访问')
    await console_.open('/manage/device')
    await page.getByTestId('side-menu').waitFor()
    await page.evaluate(() => {
      history.pushState(null, '', '/manage/product')
      dispatchEvent(new PopStateEvent('popstate'))
    })
    await console_.hasNotice('无权限访问')
    await context.close()
  })

  it('signed in, /index goes to the first entry of the menu', async () => {
    const { context, console_ } = await open()
    await console_.enter()
    await console_.open('/index')
    await console_.isAt('/stat/EnterpriseOverview')
    await context.close()
  })

  it('an expired token is refreshed once for all waiting requests, unseen', async () => {
    const { context, page, console_ } = await open()
    await console_.enter()
    let refreshes = 0
    page.on('request', request => {
      if (request.url().endsWith('/oauth/token')) refreshes += 1
    })
    await page.evaluate(() => {
      const token = JSON.parse(localStorage.getItem('userToken')!)
      localStorage.setItem('userToken', JSON.stringify({ ...token, access_token: `${token.access_token}x` }))
    })
    await console_.open('/manage/device')
    // The company has none: the list itself stands there only while it is read.
    await page.getByText('还没有设备', { exact: true }).waitFor()
    expect(refreshes).toBe(1)
    expect(console_.path()).toBe('/manage/device')
    await context.close()
  })

  it('a session that is over: its message, storage cleared, the path without its language kept, and back there after the sign-in', async () => {
    const { context, page, console_ } = await open()
    await console_.enter()
    await withDatabase(server, client => client.query('update refresh_families set revoked_at = now()'))
    await page.evaluate(() => {
      const token = JSON.parse(localStorage.getItem('userToken')!)
      localStorage.setItem('userToken', JSON.stringify({ ...token, access_token: `${token.access_token}x` }))
    })
    await console_.open('/zh/manage/device')
    await console_.hasNotice('登录信息已过期, 请重新登录...')
    await console_.isAt('/index')
    expect(await console_.session('redirectURL')).toBe('/manage/device')
    expect(await console_.local('userToken')).toBeNull()
    expect(await console_.local('lang')).toBeNull()
    await console_.signIn()
    await console_.isAt('/manage/device')
    await context.close()
  })

  it('a server error is tried once more after 5 s with the same idempotency key; 422 is shown at once', async () => {
    const { context, page, console_ } = await open()
    await console_.enter()
    const calls: number[] = []
    // As the list asks; the overview that is left asks for a device of its own.
    const LIST = /\/api\/v1\/devices\?limit=20\b/
    // Only the repetition asks again: a live connection that is cut and comes back reads the list anew.
    await page.routeWebSocket('**/api/v1/live', () => undefined)
    await page.route(LIST, async route => {
      calls.push(Date.now())
      if (calls.length === 1)
        await route.fulfill({
          status: 500,
          contentType: 'application/json',
          body: JSON.stringify({ code: 'server.error', message: 'x', requestId: 'r' }),
        })
      else await route.continue()
    })
    const answered = page.waitForResponse(response => LIST.test(response.url()) && response.status() === 200)
    await console_.open('/manage/device')
    await answered
    // Never earlier than 5 s after the refusal, however late either call is noticed here: the first is noted before it
    // is answered, the second after it was sent.
    expect(calls).toHaveLength(2)
    expect(calls[1]! - calls[0]!).toBeGreaterThanOrEqual(4900)
    await context.close()
  })

  it('sends the headers of the specification, and the marker never leaves the browser', async () => {
    const { context, page, console_ } = await open({ locale: 'en' })
    const seen: Record<string, string>[] = []
    page.on('request', request => {
      if (request.url().includes('/api/v1/') || request.url().includes('/oauth/'))
        seen.push({ url: request.url(), ...request.headers() })
    })
    await console_.enter()
    const signIn = seen.find(h => h.url!.endsWith('/oauth/token'))!
    expect(signIn.authorization).toBe(`Basic ${btoa('web:web')}`)
    expect(signIn['content-type']).toContain('application/x-www-form-urlencoded')
    const me = seen.find(h => h.url!.endsWith('/api/v1/menus'))!
    expect(me.authorization).toMatch(/^Bearer /)
    expect(me).toMatchObject({
      'accept-language': 'en',
      'x-username': 'admin',
      thingwrightappid: expect.any(String),
      'x-user-id': expect.any(String),
    })
    expect(
      seen.find(h => h.url!.includes('/company/status?userId='))!['content-type'] ??
        'application/x-www-form-urlencoded',
    ).toContain('form')
    for (const headers of seen) expect(Object.keys(headers)).not.toContain('interface-type')
    await context.close()
  })

  it('F5 forgets profile and menus and loads them again', async () => {
    const { context, page, console_ } = await open()
    await console_.enter()
    expect(await console_.local('userInfo')).not.toBeNull()
    // A driven browser sends the key but does not reload by itself.
    await page.keyboard.press('F5')
    expect(await console_.local('userInfo')).toBeNull()
    for (const key of ['menuInfo', 'groupInfo1', 'groupInfo2', 'groupInfo3'])
      expect(await console_.session(key)).toBeNull()
    expect(await console_.local('userToken')).not.toBeNull()
    await page.reload()
    await page.getByTestId('side-menu').waitFor()
    await page.waitForFunction(
      () => sessionStorage.getItem('menuInfo') !== null && localStorage.getItem('userInfo') !== null,
    )
    await context.close()
  })

  it('signing out ends the session here and on the server', async () => {
    const { context, page, console_ } = await open({ locale: 'en' })
    await console_.enter()
    const token = JSON.parse((await console_.local('userToken'))!).access_token as string
    await page.getByTestId('header').getByRole('button').last().click()
    await page.getByText('Sign out').click()
    await console_.isAt('/index')
    expect(await console_.local('userToken')).toBeNull()
    const asked = () => fetch(`${server.url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    await expect.poll(async () => (await asked()).status).toBe(401)
    await context.close()
  })
})
