import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, visitor } from './fixtures/console.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { ConsolePage } from './pages/console-page.ts'

// Specification §2 (layout, side menu, progress bar) and §9 (pixels).
describe('layout', () => {
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

  it('an unknown address is the 404 page, an empty one is /index, the menu editor needs the dev flag', async () => {
    const { context, page } = await visitor(browser, { moving: true, locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.open('/no/such/page')
    await page.getByText('404').first().waitFor()
    expect(console_.path()).toBe('/no/such/page')
    await console_.open('/')
    await console_.isAt('/index')
    await console_.open('/system/menuList')
    await console_.isAt('/index')
    await context.close()
  })

  it('header 60 px, menu 260 px, never narrower than 1100 px', async () => {
    const { context, page } = await visitor(browser, { moving: true, locale: 'zh', width: 1000, height: 800 })
    const console_ = new ConsolePage(page, server.url)
    await console_.enter()
    expect((await console_.box('header')).height).toBe(60)
    expect((await console_.box('side-menu')).width).toBe(260)
    expect((await console_.box('header')).width).toBeGreaterThanOrEqual(1100)
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeGreaterThanOrEqual(1100)
    await context.close()
  })

  it('the menu: groups open at level 1, 24 px a level, English names in English, the entry highlighted, `route` forgotten on a click', async () => {
    const { context, page } = await visitor(browser, { moving: true, locale: 'en' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enter()
    const menu = page.getByTestId('side-menu')
    await menu.getByText('Devices', { exact: true }).waitFor()
    const entries = await menu
      .locator('[data-sort]')
      .evaluateAll(elements =>
        elements.map(e => [Number(e.getAttribute('data-sort')), Number.parseFloat(getComputedStyle(e).paddingLeft)]),
      )
    expect(entries.length).toBeGreaterThanOrEqual(3)
    for (const [sort, padding] of entries) expect(padding).toBe(24 * sort!)
    await page.evaluate(() => sessionStorage.setItem('part.route', 'x'))
    await menu.getByText('Devices', { exact: true }).click()
    await console_.isAt('/manage/device')
    expect(await console_.session('part.route')).toBeNull()
    await page.waitForFunction(() => document.querySelector('[aria-current="page"]')?.textContent === 'Devices')
    await console_.open('/manage/product')
    await page.waitForFunction(() => document.querySelector('[aria-current="page"]')?.textContent === 'Products')
    await context.close()
  })

  it('the progress bar is 2 px, rises in steps of 7 and ends at 100', async () => {
    const { context, page } = await visitor(browser, { moving: true, locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enter()
    expect((await console_.box('progress-bar')).height).toBe(2)
    // The way here has been told to its end.
    await page.waitForFunction(() => {
      const bar = document.querySelector<HTMLElement>('[data-testid="progress-bar"]')!
      return bar.dataset.active === 'false' && bar.dataset.value === '0'
    })
    await page.evaluate(() => {
      const bar = document.querySelector('[data-testid="progress-bar"]')!
      const seen: number[] = []
      Object.assign(window, { seenProgress: seen })
      // Changes are told together: what each of them left behind is what was seen before it.
      new MutationObserver(changes => {
        for (const { oldValue } of changes) if (oldValue !== '0') seen.push(Number(oldValue))
      }).observe(bar, { attributes: true, attributeFilter: ['data-value'], attributeOldValue: true })
    })
    await page.getByTestId('side-menu').locator('a').last().click()
    await page.waitForFunction(() => (window as unknown as { seenProgress: number[] }).seenProgress.includes(100))
    const seen = await page.evaluate(() => (window as unknown as { seenProgress: number[] }).seenProgress)
    const rising = seen.slice(0, seen.indexOf(100))
    for (const value of rising) expect(value % 7).toBe(0)
    expect(rising).toEqual([...rising].sort((a, b) => a - b))
    expect(rising.length).toBeGreaterThan(0)
    await context.close()
  })

  it('/en and /zh set the language and are replaced by the bare address; the title follows', async () => {
    const { context, page } = await visitor(browser, { moving: true })
    const console_ = new ConsolePage(page, server.url)
    await console_.open('/en/index')
    await console_.isAt('/index')
    await page.getByText('Thingwright').first().waitFor()
    expect(await console_.local('lang')).toBe('en')
    expect(await page.title()).toContain('Thingwright · Enterprise IoT Cloud')
    await console_.open('/zh/index')
    await console_.isAt('/index')
    expect(await console_.local('lang')).toBe('zh')
    await page.waitForFunction(() => document.title.includes('物匠云 · 企业物联网云平台'))
    await context.close()
  })
})
