import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settled, violations } from '../fixtures/axe.ts'
import { openBrowser, visitor } from '../fixtures/console.ts'
import { addressOf, builtPages, type Furniture, furnish, visitorOf } from '../fixtures/furnished.ts'
import { type RunningServer, startServer } from '../fixtures/server.ts'
import { ConsolePage } from '../pages/console-page.ts'

/** Each language in one of the two appearances. */
const LOOKS = {
  zh: { locale: 'zh', appearance: 'light' },
  en: { locale: 'en', appearance: 'dark' },
} as const
type Locale = keyof typeof LOOKS

/** A furnished server, a browser, and the pages of those who visit it. */
function stage() {
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

  /** Opens a page of the console in the tab of whom it is for, kept open from one test to the next: signed in once. */
  return async function opened(route: (typeof builtPages)[number], locale: Locale): Promise<Page> {
    const who = visitorOf(route)
    const address = addressOf(route, furniture)
    const key = `${who} ${locale}`
    let page = pages.get(key)
    if (!page) {
      page = (await visitor(browser, LOOKS[locale])).page
      pages.set(key, page)
      // Not at the address itself: not every page has a menu.
      if (who !== 'nobody')
        await new ConsolePage(page, server.url).enterAt('/admin/security', who === 'owner' ? 'admin' : 'operator')
    }
    await page.goto(server.url + address)
    await settled(page)
    expect(new URL(page.url()).pathname, 'the page itself was opened').toBe(route.path)
    return page
  }
}

/**
 * Every page of the route table, as it is built, in a language: axe-core finds nothing serious, and, in Chinese, nothing
 * is for the mouse alone.
 * @param part of so many: each takes every so many-th page, so that a file is done in a while and new pages are in one
 */
export function accessiblePages(locale: Locale, part: number, of: number): void {
  const routes = builtPages.filter((_, index) => index % of === part - 1)
  describe(`accessibility (${locale} ${LOOKS[locale].appearance}, ${part} of ${of})`, () => {
    const opened = stage()
    it.each(routes.map(route => [route.path, route] as const))(
      `%s has no serious violation${locale === 'zh' ? ', and everything is reached by Tab and seen' : ''}`,
      async (_path, route) => {
        const page = await opened(route, locale)
        expect(await violations(page)).toEqual([])
        if (locale !== 'zh') return
        expect(await mouseOnly(page), 'things with a pointer that the keyboard cannot reach').toEqual([])
        expect(await walk(page), 'stations of the Tab key without a mark of the focus').toEqual([])
      },
    )
  })
}

/** What opens over a page, in both languages. */
export function accessibleOverlays(): void {
  describe('accessibility of what opens over a page', () => {
    const opened = stage()
    it.each(Object.values(LOOKS))('$locale $appearance: has no serious violation', async ({ locale }) => {
      const list = builtPages.find(route => route.path === '/manage/device')!
      const page = await opened(list, locale)
      const tools = locale === 'zh' ? ['已存视图', '列设置', '导出'] : ['Saved views', 'Columns', 'Export']
      for (const name of tools) {
        // Some of the columns may be told to have no room.
        await page.getByRole('button', { name: new RegExp(`^${name}(?! ?\\w)`) }).click()
        await page.locator('[data-popup]').waitFor()
        await settled(page)
        expect(await violations(page), name).toEqual([])
        await page.keyboard.press('Escape')
        await page.locator('[data-popup]').waitFor({ state: 'detached' })
      }
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: locale === 'zh' ? '全局搜索' : 'Search everywhere' }).fill('泵')
      await page.getByRole('option').nth(3).waitFor()
      expect(await violations(page), 'search').toEqual([])
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
      expect(await violations(page), 'keys').toEqual([])
      await page.keyboard.press('Escape')
      await page.getByTestId('bell').click()
      await page.getByRole('dialog').waitFor()
      await settled(page)
      expect(await violations(page), 'inbox').toEqual([])
    })
  })
}

/** Elements that invite the mouse (a hand) and are neither controls nor inside one. */
function mouseOnly(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const control =
      'a[href], button, input, select, textarea, label, summary, [tabindex], [role=option], [role=menuitem], [role=treeitem], [role=tab], [aria-hidden=true]'
    return [...document.querySelectorAll<HTMLElement>('body *')]
      .filter(
        el =>
          getComputedStyle(el).cursor === 'pointer' &&
          el.getClientRects().length > 0 &&
          !el.closest(control) &&
          // Its child inherits the hand: one line for the outermost is enough.
          getComputedStyle(el.parentElement!).cursor !== 'pointer',
      )
      .map(el => el.outerHTML.slice(0, 160))
  })
}

/** Presses Tab once around the page. @returns what was stood on without being marked */
async function walk(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    ;(document.activeElement as HTMLElement | null)?.blur()
    window.scrollTo(0, 0)
  })
  const unmarked: string[] = []
  const seen = new Set<string>()
  for (let i = 0; i < 150; i++) {
    await page.keyboard.press('Tab')
    const station = await page.evaluate(() => {
      const el = document.activeElement as HTMLElement | null
      if (!el || el === document.body) return null
      const stamped = el as HTMLElement & { tabKey?: string }
      stamped.tabKey ??= String(Math.random())
      const key = stamped.tabKey
      // The mark may stand on a box around a field.
      let marked = false
      for (let at: HTMLElement | null = el, up = 0; at && up < 6 && !marked; at = at.parentElement, up++) {
        const style = getComputedStyle(at)
        marked =
          (style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) > 0) ||
          (style.boxShadow !== 'none' && (up < 3 || at.matches('.ant-select'))) ||
          at.matches('.ant-select-focused, .ant-input-affix-wrapper-focused, .ant-picker-focused') ||
          (el.matches('input, textarea, select') && style.borderStyle !== 'none' && up < 3)
      }
      return { key, marked, html: el.outerHTML.slice(0, 160) }
    })
    if (!station) {
      if (seen.size > 0) break
      continue
    }
    if (seen.has(station.key)) break
    seen.add(station.key)
    if (!station.marked) unmarked.push(station.html)
  }
  return unmarked
}
