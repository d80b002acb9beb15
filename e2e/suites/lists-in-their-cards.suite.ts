import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settled } from '../fixtures/axe.ts'
import { openBrowser, visitor } from '../fixtures/console.ts'
import { addressOf, builtPages, type Furniture, furnish, visitorOf } from '../fixtures/furnished.ts'
import { type RunningServer, startServer } from '../fixtures/server.ts'
import { faultsOf, NARROW } from '../fixtures/table-faults.ts'
import { ConsolePage } from '../pages/console-page.ts'

/**
 * Tables keep to their cards in the narrowest window, on every page of somebody who is signed in, in each of its tabs.
 * English, whose words are longer; the browser of the tests has no Chinese letters to measure.
 * @param part of so many: each takes every so many-th page
 */
export function listsInTheirCards(part: number, of: number): void {
  const routes = builtPages.filter(each => visitorOf(each) !== 'nobody').filter((_, index) => index % of === part - 1)
  describe(`lists at 1100 pixels (${part} of ${of})`, () => {
    let server: RunningServer
    let browser: Browser
    let furniture: Furniture
    const pages = new Map<string, Page>()

    beforeAll(async () => {
      server = await startServer({ env: { DEV_FLAG: '1' } })
      browser = await openBrowser()
      furniture = await furnish(server)
    })
    afterAll(async () => {
      await browser?.close()
      await server?.stop()
    })

    /** Opens an address in the tab of whom it is for, kept open from one test to the next. */
    async function opened(address: string, who: ReturnType<typeof visitorOf>): Promise<Page> {
      let page = pages.get(who)
      if (!page) {
        page = (await visitor(browser, { locale: 'en', ...NARROW })).page
        pages.set(who, page)
        // Not at the address itself: not every page has a menu.
        await new ConsolePage(page, server.url).enterAt('/admin/security', who === 'owner' ? 'admin' : 'operator')
      }
      await page.goto(server.url + address)
      await settled(page)
      return page
    }

    it.each(routes.map(route => [route.path, route] as const))('stand in their cards: %s', async (_path, route) => {
      const page = await opened(addressOf(route, furniture), visitorOf(route))
      const tabs = await page.getByRole('tab').count()
      for (let at = 0; at < Math.max(1, tabs); at++) {
        if (at > 0) {
          await page.getByRole('tab').nth(at).click()
          await settled(page)
        }
        // Which columns leave and which are held fast is told by the width that the table turned out to have.
        await expect.poll(() => faultsOf(page), { message: `tab ${at}` }).toEqual([])
        const over = () =>
          page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
        await expect.poll(over, { message: `tab ${at}: the page is wider than the window` }).toBeLessThanOrEqual(0)
      }
    })
  })
}
