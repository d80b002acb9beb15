import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type Furniture, furnish } from './fixtures/furnished.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { faultsOf, NARROW } from './fixtures/table-faults.ts'
import { ConsolePage } from './pages/console-page.ts'

// A thousand rows are no other thing than eight.
describe('a list', () => {
  let server: SharedServer
  let browser: Browser
  let furniture: Furniture

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
    furniture = await furnish(server)
  })
  afterAll(() => browser?.close())

  /** So many more devices that there are a thousand, by one file. */
  async function withThousand({ productId }: Furniture): Promise<void> {
    const api = await apiClient(server.url)
    const lines = Array.from({ length: 992 }, (_, n) => `s-${n + 1},Sensor ${n + 1}`)
    const form = new FormData()
    form.append('file', new Blob([`sn,name\n${lines.join('\n')}\n`], { type: 'text/csv' }), 'sensors.csv')
    const { id: fileId } = await api<{ id: string }>('POST', '/device-imports/files', form)
    const columns = ['deviceNo', 'name']
    const wish = { fileId, columns, productId, existing: 'skip', createGroups: false, dryRun: false }
    const { id } = await api<{ id: string }>('POST', '/device-imports', wish)
    const created = async () => (await api<{ created: number }>('GET', `/device-imports/${id}`)).created
    await expect.poll(created).toBe(lines.length)
  }

  it('of a thousand rows is shown by the page, whole and within the card', async () => {
    await withThousand(furniture)
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
    await page.getByRole('button', { name: /^Columns\b/ }).click()
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
