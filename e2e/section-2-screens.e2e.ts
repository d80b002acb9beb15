import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { addressOf, type Furniture, visitorOf } from './fixtures/furnished.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { ConsolePage } from './pages/console-page.ts'

const concrete = (path: string) => path.replace(/:\w+/g, 'demo')
const visitable = WEB_ROUTES.filter(route => !route.path.includes('*') && !route.redirectTo && !route.devOnly)
const named = (routes: typeof visitable) => routes.map(route => [route.path, route] as const)

// Specification §2 (screens): every row of the table, for those it is for and for a stranger.
describe('screens', () => {
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

  /** A visitor who goes from one screen to the next. */
  function going(enter: (console_: ConsolePage) => Promise<void> = async () => undefined) {
    const going = {} as { context: BrowserContext; console_: ConsolePage }
    beforeAll(async () => {
      const { context, page } = await visitor(browser, { locale: 'zh' })
      Object.assign(going, { context, console_: new ConsolePage(page, server.url) })
      await enter(going.console_)
    })
    afterAll(() => going.context?.close())
    return going
  }

  describe('that are public', () => {
    const visit = going()
    it.each(named(visitable.filter(route => !route.auth)))(
      '%s opens for everybody, with its header or alone, without a menu',
      async (_, route) => {
        const { console_ } = visit
        const { page } = console_
        await console_.open(concrete(route.path))
        expect(console_.path()).toBe(concrete(route.path))
        await page.locator('main, [data-testid="area-not-installed"], [data-testid="index-page"]').first().waitFor()
        expect(await page.getByTestId('header').count()).toBe(route.head ? 1 : 0)
        expect(await page.getByTestId('side-menu').count()).toBe(0)
      },
    )
  })

  describe('that are not, asked for by a stranger', () => {
    const visit = going()
    it.each(named(visitable.filter(route => route.auth)))(
      '%s sends him to /index and remembers where he wanted to go',
      async (_, route) => {
        const { console_ } = visit
        await console_.open(`${concrete(route.path)}?id=1`)
        await console_.isAt('/index')
        expect(await console_.session('redirectURL')).toBe(`${concrete(route.path)}?id=1`)
        await console_.hasNotice('您还未登录!')
      },
    )
  })

  describe.each(['owner', 'operator'] as const)('of the %s', who => {
    let furniture: Furniture
    const visit = going(async console_ => {
      const api = await apiClient(server.url)
      const { id: productId } = await api<{ id: string }>('POST', '/products', { name: 'Screens', linkType: 'mqtt' })
      const device = await api<{ id: string }>('POST', '/devices', { name: 'Screens', productId })
      furniture = { productId, deviceId: device.id }
      await console_.enterAt('/admin/security', who === 'owner' ? 'admin' : 'operator')
    })
    it.each(named(visitable.filter(route => route.auth && route.limits && visitorOf(route) === who)))(
      '%s opens with the flags it has; what is not built says what it will hold',
      async (_, route) => {
        const { console_ } = visit
        const { page } = console_
        await console_.open(addressOf(route, furniture))
        await page.getByTestId('side-menu').waitFor()
        expect(console_.path().split('?')[0]).toBe(route.path)
        expect(await page.getByTestId('header').count()).toBe(1)
        if (!route.built) await page.getByTestId('area-not-installed').waitFor()
      },
    )
  })
})
