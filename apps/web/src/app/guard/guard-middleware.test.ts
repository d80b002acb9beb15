import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import { createMemoryRouter } from 'react-router'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadTexts, locale, registerTexts } from '../../lib/i18n.ts'
import { setNavigator } from '../../lib/navigation.ts'
import { useNotices } from '../../lib/notify.ts'
import { keepToken, useSession } from '../../lib/session.ts'
import { fakeBrowser, startTexts } from '../../lib/testing.ts'
import { page } from '../page-route.tsx'
import { guardMiddleware, settleAt, unsettle } from './guard-middleware.ts'

vi.mock('../layout/console-shell-loader.ts', () => ({ loadConsoleShell: async () => ({}) }))

const browser = fakeBrowser()
let opened: string[] = []
let answers: Record<string, unknown>

const KEYS = ['/manage/product', '/manage/device']
const menu = (path: string) => ({
  id: path,
  path,
  name: '',
  ename: '',
  icon: '',
  sort: 1,
  idPath: '',
  jump: 0,
  order: 0,
  children: [],
})

beforeAll(async () => {
  registerTexts({
    './app/locales/zh.json': async () => (await import('../locales/zh.json')).default,
    './app/locales/en.json': async () => (await import('../locales/en.json')).default,
  })
  await startTexts()
  await loadTexts('common', 'shell')
})

beforeEach(() => {
  opened = []
  unsettle()
  useNotices.setState({ notices: [] })
  useSession.setState({ token: null, me: null, menus: null, accountStatus: null })
  setNavigator(() => {})
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('document', { getElementById: () => null, documentElement: { lang: '' } })
  answers = {
    '/api/v1/me': { id: 'u', menuPermissions: KEYS, permissions: ['*'] },
    '/api/v1/menus': { items: KEYS.map(menu) },
    '/api/v1/company/status': 2,
  }
  vi.stubGlobal('fetch', async (url: string) => {
    const answer = answers[url.split('?')[0]!]
    return typeof answer === 'number' && answer >= 400
      ? new Response(JSON.stringify({ code: 'x', message: 'm' }), { status: answer })
      : new Response(JSON.stringify(answer))
  })
})

/** Opens an address as a cold load; the address bar shows it already. */
async function visit(address: string) {
  browser.location.pathname = address.split('?')[0]!
  const router = createMemoryRouter(
    [
      {
        id: 'root',
        middleware: [guardMiddleware],
        children: WEB_ROUTES.map(route =>
          page(route, {
            texts: [],
            load: async () => {
              opened.push(route.path)
              return { Component: () => null }
            },
          }),
        ),
      },
    ],
    { initialEntries: [address] },
  )
  const idle = () => expect.poll(() => router.state.initialized && router.state.navigation.state === 'idle').toBe(true)
  await idle()
  const at = () => router.state.location.pathname + router.state.location.search
  settleAt(at())
  browser.location.pathname = router.state.location.pathname
  return {
    at,
    go: async (to: string) => {
      await router.navigate(to)
      await idle()
      return at()
    },
    router,
  }
}
const messages = () => useNotices.getState().notices.map(notice => notice.text)
const signIn = () => keepToken({ access_token: 't', thingwrightAppId: 'a', id: 'u', username: 'demo' })

describe('the guard in front of the router', () => {
  const guarded = WEB_ROUTES.filter(
    route => route.auth && !route.devOnly && !route.redirectTo && !/[*:]/.test(route.path),
  )
  it.each(guarded.map(route => route.path))(
    'sends anonymous visitors of %s to the sign-in, remembers the way and downloads no page but that',
    async path => {
      const { at } = await visit(`${path}?q=1`)
      expect(at()).toBe('/index')
      expect(opened).toEqual(['/index'])
      expect(messages()).toEqual(['您还未登录!'])
      expect(browser.sessionStorage.getItem('redirectURL')).toBe(`${path}?q=1`)
    },
  )

  it('opens what is permitted and asks for the status of the company once', async () => {
    signIn()
    const { at, go } = await visit('/manage/device?q=1')
    expect(at()).toBe('/manage/device?q=1')
    answers['/api/v1/company/status'] = 0
    expect(await go('/manage/product')).toBe('/manage/product')
    expect(messages()).toEqual([])
  })

  it('stays where one is when the page is not permitted', async () => {
    signIn()
    const { go } = await visit('/manage/device?q=1')
    expect(await go('/admin/member')).toBe('/manage/device?q=1')
    expect(messages()).toEqual(['无权限访问'])
    expect(opened).not.toContain('/admin/member')
  })

  it('leads from root to the first entry of the menu, and from a parent to its first child with the query', async () => {
    signIn()
    expect((await visit('/')).at()).toBe('/manage/product')
    answers['/api/v1/me'] = { id: 'u', menuPermissions: ['/manage/device/DeviceSet/DeviceCenter'], permissions: [] }
    useSession.setState({ me: null })
    expect((await visit('/manage/device/DeviceSet?id=7')).at()).toBe('/manage/device/DeviceSet/DeviceCenter?id=7')
  })

  it.each([
    [0, '账号未开通，请先开通!'],
    [1, '账号已过期，请续费!'],
  ])('leads to the account page for status %i', async (status, message) => {
    signIn()
    answers['/api/v1/company/status'] = status
    expect((await visit('/manage/device')).at()).toBe('/alonePage/accountNotActivated')
    expect(messages()).toEqual([message])
  })

  it('signs out when the status cannot be checked, so that nothing loops', async () => {
    signIn()
    browser.localStorage.setItem('appearance', 'dark')
    answers['/api/v1/company/status'] = 503
    expect((await visit('/manage/device')).at()).toBe('/index')
    expect(messages()).toEqual(['校验账号状态失败，请重新登录!'])
    expect(useSession.getState().token).toBeNull()
    expect(browser.localStorage.getItem('appearance')).toBeNull()
  })

  it('takes the language out of the address and keeps it', async () => {
    expect((await visit('/en/nowhere?x=1')).at()).toBe('/nowhere?x=1')
    expect(locale()).toBe('en')
    expect((await visit('/zh')).at()).toBe('/index')
    expect(locale()).toBe('zh')
    expect(browser.localStorage.getItem('lang')).toBe('zh')
  })

  it('tells addresses apart by capitals: what the guard does not know is not found', async () => {
    signIn()
    await visit('/Manage/Device')
    expect(opened).toEqual(['*'])
  })
})
