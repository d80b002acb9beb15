import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violations } from './fixtures/axe.ts'
import { openBrowser, visitor } from './fixtures/console.ts'
import { settled } from './fixtures/settled.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

const TABS = ['password', 'factors', 'passkeys', 'sessions', 'history', 'policy', 'sso', 'closing']

let server: SharedServer
let browser: Browser
beforeAll(async () => {
  server = await sharedServer()
  browser = await openBrowser()
})
afterAll(() => browser?.close())

describe.each(['light', 'dark'] as const)('the security centre (%s)', appearance => {
  let context: BrowserContext
  let console_: ConsolePage
  beforeAll(async () => {
    const visit = await visitor(browser, { locale: 'en', appearance })
    context = visit.context
    console_ = new ConsolePage(visit.page, server.url)
    await console_.enterAt('/admin/security')
  })
  afterAll(() => context?.close())

  it.each(TABS)('has no serious accessibility fault in its tab %s', async tab => {
    const { page } = console_
    await console_.open(`/admin/security?tab=${tab}`)
    await page.getByRole('tab', { selected: true }).waitFor()
    await page.locator('section h2, table').first().waitFor()
    await settled(page)
    expect(await violations(page)).toEqual([])
  })
})
