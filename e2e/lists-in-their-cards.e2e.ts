import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settled } from './fixtures/axe.ts'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { addressOf, builtPages, type Furniture, furnish, visitorOf } from './fixtures/furnished.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { ConsolePage } from './pages/console-page.ts'

/** The narrowest window of the specification. */
const NARROW = { width: 1100, height: 800 }
/** Less than this, and a name is only its beginning. */
const NAME_MIN = 120

/** What is wrong with the tables of the page as it stands. */
function faultsOf(page: Page, chosen = false): Promise<string[]> {
  return page.evaluate(
    ([least, chosen]) => {
      const faults: string[] = []
      for (const table of document.querySelectorAll<HTMLElement>('main table')) {
        const name = table.getAttribute('aria-label') ?? table.textContent!.slice(0, 20)
        let box = table.parentElement!
        while (box !== document.body && !/auto|scroll|hidden/.test(getComputedStyle(box).overflowX))
          box = box.parentElement!
        const [inner, outer] = [table.getBoundingClientRect(), box.getBoundingClientRect()]
        const card = (table.closest('section') ?? box).getBoundingClientRect()
        if (inner.width > outer.width + 1 && getComputedStyle(box).overflowX === 'hidden')
          faults.push(`${name}: is cut off`)
        if (Math.min(inner.right, outer.right) > card.right + 1) faults.push(`${name}: is wider than its card`)
        // Lists show what there is room for, unless somebody chose his columns.
        if (!chosen && inner.width > outer.width + 1 && table.closest('[data-testid=list]'))
          faults.push(`${name}: does not fit`)
        const row = table.querySelector('tbody tr')
        const cells = [...(row?.querySelectorAll('td') ?? [])]
        const last = cells.at(-1)
        if (last?.querySelector('button, a') && last.getBoundingClientRect().right > outer.right + 1)
          faults.push(`${name}: its actions are out of sight`)
        const first = cells.find(cell => !cell.querySelector('input[type=checkbox]'))
        if (
          cells.length > 3 &&
          first &&
          first.getBoundingClientRect().width < least &&
          first.scrollWidth > first.clientWidth
        )
          faults.push(`${name}: its first column is ${Math.round(first.getBoundingClientRect().width)} px wide`)
        // Scrolled to its end, the first column and the actions are where they were.
        if (inner.width > outer.width + 1) {
          box.scrollLeft = box.scrollWidth
          if (last?.querySelector('button, a') && last.getBoundingClientRect().right > outer.right + 1)
            faults.push(`${name}: its actions leave`)
          if (first && first.getBoundingClientRect().left < outer.left - 1)
            faults.push(`${name}: its first column leaves`)
          box.scrollLeft = 0
        }
      }
      return faults
    },
    [NAME_MIN, chosen] as const,
  )
}

// Tables keep to their cards in the narrowest window; a thousand rows are no other thing than eight.
describe('lists', () => {
  let server: RunningServer
  let browser: Browser
  let furniture: Furniture

  beforeAll(async () => {
    server = await startServer({ env: { DEV_FLAG: '1' } })
    browser = await openBrowser()
    furniture = await furnish(server)
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  // English, whose words are longer; the browser of the tests has no Chinese letters to measure.
  it('stand in their cards at 1100 pixels', async () => {
    const { context, page } = await visitor(browser, { locale: 'en', ...NARROW })
    const console_ = new ConsolePage(page, server.url)
    const faults: string[] = []
    for (const who of ['owner', 'operator'] as const) {
      await console_.enterAt('/admin/security', who === 'owner' ? 'admin' : 'operator')
      for (const route of builtPages.filter(each => visitorOf(each) === who)) {
        await console_.open(addressOf(route, furniture))
        await settled(page)
        const tabs = await page.getByRole('tab').count()
        for (let at = 0; at < Math.max(1, tabs); at++) {
          if (at > 0) {
            await page.getByRole('tab').nth(at).click()
            await settled(page)
          }
          const where = `${route.path} ${at}`
          // Which columns are held fast is told by the width that the table turned out to have.
          await expect.poll(() => faultsOf(page), { message: where }).toEqual([])
          const over = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          )
          if (over > 0) faults.push(`${where}: the page is ${over} px wider than the window`)
        }
      }
    }
    expect(faults).toEqual([])
    await context.close()
  })

  it('with a thousand rows are shown by the page, whole and within the card', async () => {
    const api = await apiClient(server.url)
    const lines = Array.from({ length: 992 }, (_, n) => `Sensor ${n + 1}`)
    for (let at = 0; at < lines.length; at += 32)
      await Promise.all(
        lines.slice(at, at + 32).map(name => api('POST', '/devices', { name, productId: furniture.productId })),
      )
    const { context, page } = await visitor(browser, { locale: 'en', ...NARROW })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt('/manage/device')
    const list = page.getByTestId('list')
    const rows = list.locator('tr[data-row]')
    await expect.poll(() => rows.count()).toBe(20)
    await page
      .getByText(/1.000 devices|1.000 items|1.000/)
      .first()
      .waitFor()
    await expect.poll(() => faultsOf(page)).toEqual([])
    // Every column is wanted: the name and the actions stay where they are while the rest is scrolled.
    await page.getByRole('button', { name: 'Columns', exact: true }).click()
    const boxes = page.getByRole('dialog').getByRole('checkbox')
    await boxes.first().waitFor()
    const all = await boxes.count()
    for (let at = 0; at < all; at++) if (!(await boxes.nth(at).isChecked())) await boxes.nth(at).check()
    await page.keyboard.press('Escape')
    await expect.poll(() => list.evaluate(box => box.scrollWidth - box.clientWidth)).toBeGreaterThan(200)
    await expect.poll(() => faultsOf(page, true)).toEqual([])
    // The last row of the page can be reached and is not hidden by what stands below the list.
    await rows.last().scrollIntoViewIfNeeded()
    const [row, box] = [(await rows.last().boundingBox())!, (await list.boundingBox())!]
    expect(row.y + row.height).toBeLessThanOrEqual(box.y + box.height + 1)
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(NARROW.height)
    await context.close()
  })
})
