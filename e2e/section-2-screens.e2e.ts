import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

const concrete = (path: string) => path.replace(/:\w+/g, 'demo')
const visitable = WEB_ROUTES.filter(route => !route.path.includes('*') && !route.redirectTo && !route.devOnly)
const named = (routes: typeof visitable) => routes.map(route => [route.path, route] as const)

// Specification §2 (screens): every row of the table, for those it is for and for a stranger.
describe('screens', () => {
  let server: SharedServer
  let browser: Browser

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

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
        await page.locator('main, [data-testid="index-page"]').first().waitFor()
        expect(await page.getByTestId('header').count()).toBe(route.head ? 1 : 0)
        expect(await page.getByTestId('side-menu').count()).toBe(0)
      },
    )
  })

  // One of each kind; every other is asked for in the guard's own test.
  const KINDS = ['/manage/device', '/manage/user', '/operator/companies', '/alonePage/NoPermissio']
  describe('that are not, asked for by a stranger', () => {
    const visit = going()
    it.each(named(visitable.filter(route => KINDS.includes(route.path))))(
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
})
