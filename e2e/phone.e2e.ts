import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { furnish } from './fixtures/furnished.ts'
import { settled } from './fixtures/settled.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

// The pages that look.md §12 names, on a phone and in a window at a zoom of 200 %.
describe('at phone width', () => {
  let server: SharedServer
  let browser: Browser
  let device: string

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
    await furnish(server)
    const api = await apiClient(server.url)
    const { items } = await api<{ items: { id: string }[] }>('GET', '/devices?limit=1')
    device = items[0]!.id
  })
  afterAll(() => browser?.close())

  /** What makes the page wider than its window: the first elements that reach beyond it; nothing when it fits. */
  const tooWide = (page: Page) =>
    page.evaluate(() => {
      if (document.documentElement.scrollWidth <= window.innerWidth) return []
      return [...document.querySelectorAll('body *')]
        .filter(element => element.getBoundingClientRect().right > window.innerWidth + 1)
        .slice(0, 8)
        .map(element => `${element.tagName} ${element.getAttribute('class')} ${element.textContent?.slice(0, 30)}`)
    })

  it.each([
    ['a phone', 390, 'zh'],
    ['a zoom of 200 %', 720, 'en'],
  ] as const)('%s: one column, nothing beside the window', async (_name, width, locale) => {
    const { context, page } = await visitor(browser, { width, height: 844, locale })
    const console_ = new ConsolePage(page, server.url)
    await console_.open('/index')
    await page.getByTestId('sign-in-card').waitFor()
    expect(await tooWide(page), 'sign-in').toEqual([])
    await console_.takeToken(server.owner)
    for (const path of [
      '/stat/EnterpriseOverview',
      '/manage/device',
      `/manage/device/DeviceSet/DeviceCenter?id=${device}`,
      `/manage/device/DeviceSet/DeviceCenter?id=${device}&tab=history`,
      '/manage/user/center/alarm',
    ]) {
      await console_.open(path)
      await page.locator('#tw-content h1').waitFor()
      await settled(page)
      expect(await tooWide(page), path).toEqual([])
    }
    await context.close()
  })

  it('the menu is a drawer: the button opens it, a page and Escape close it', async () => {
    const { context, page } = await visitor(browser, { width: 390, height: 844, locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.takeToken(server.owner)
    await console_.open('/stat/EnterpriseOverview')
    const menu = page.getByTestId('side-menu')
    const button = page.getByTestId('open-menu')
    await button.waitFor()
    expect(await menu.isVisible()).toBe(false)
    await button.click()
    await menu.waitFor()
    await menu.locator('a[href="/manage/device"]').click()
    await console_.isAt('/manage/device')
    await menu.waitFor({ state: 'hidden' })
    await button.click()
    await menu.waitFor()
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'hidden' })
    expect(await button.evaluate(element => element === document.activeElement)).toBe(true)
    // What is pressed with a finger is large enough for one.
    const { width, height } = (await button.boundingBox())!
    expect([width >= 44, height >= 44]).toEqual([true, true])
    await context.close()
  })
})
