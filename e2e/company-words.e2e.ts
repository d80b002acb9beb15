import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

// What the platform says to a company, where its people read it.
describe('what a company reads of itself', () => {
  let server: SharedServer
  let browser: Browser

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  it.each(['zh', 'en'] as const)('a banner of any length breaks no page (%s)', async locale => {
    const operator = await apiClient(server.url, 'operator')
    const long = `<b>Maintenance</b> & ${'unbreakable'.repeat(60)} ${'the night from Saturday to Sunday '.repeat(40)}`
    const { id } = await operator<{ id: string }>('POST', '/operator/announcements', {
      level: 'warning',
      title: { zh: '维护', en: 'Maintenance' },
      text: { zh: long.slice(0, 1500), en: long.slice(0, 1500) },
      statuses: null,
      tenantIds: [server.companyId],
      expiresAt: null,
    })
    await operator('POST', `/operator/announcements/${id}/publish`)
    const { context, page } = await visitor(browser, { locale, width: 1100, height: 800 })
    await new ConsolePage(page, server.url).enterAt('/manage/device')
    await page.getByTestId('announcement').first().waitFor()
    const measured = () =>
      page.evaluate(() => ({
        wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        high: document.documentElement.scrollHeight - document.documentElement.clientHeight,
      }))
    // The page fits as before: nothing to scroll sideways, and the list ends with the window or at its least height.
    await expect.poll(async () => (await measured()).wide).toBe(0)
    const least = 60 + 2 * 16 + 520
    await expect
      .poll(async () => {
        const banners = await page.getByTestId('banners').evaluate(element => (element as HTMLElement).offsetHeight)
        return (await measured()).high - Math.max(0, banners + least - 800)
      })
      .toBeLessThanOrEqual(1)
    // Markup is text, and the way to close it is there.
    expect(await page.getByTestId('announcement').first().innerText()).toContain('<b>')
    const close = page.getByTestId('announcement').first().getByRole('button')
    expect((await close.boundingBox())!.x).toBeLessThan(1100)
    await close.click()
    await context.close()
  })
})
