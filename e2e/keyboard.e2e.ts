import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type Furniture, furnish } from './fixtures/furnished.ts'
import { PASSWORD } from './fixtures/people.ts'
import { settled } from './fixtures/settled.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

// Nobody touches a mouse here.
describe('by keyboard alone', () => {
  let server: SharedServer
  let browser: Browser
  let furniture: Furniture

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
    furniture = await furnish(server)
  })
  afterAll(() => browser?.close())

  const focused = (page: Page) =>
    page.evaluate(() => {
      const el = document.activeElement
      return el?.matches('a, button, input, textarea, select, [role=treeitem]')
        ? `${el.getAttribute('aria-label') ?? ''} ${el.textContent ?? ''} ${el.getAttribute('name') ?? ''}`.trim()
        : ''
    })

  /** Waits until what has opened has taken the focus: keys pressed before would go to what lies under it. */
  async function holdsFocus(opened: Locator): Promise<void> {
    // A drawer's focus stands on the box around its dialog at first.
    const inside = (element: Element) => (element.closest('.ant-drawer') ?? element).contains(document.activeElement)
    await expect.poll(() => opened.evaluate(inside)).toBe(true)
  }

  /** Presses a key until the focus stands on what the text names. */
  async function until(page: Page, key: string, text: string, most = 60): Promise<void> {
    const way: string[] = []
    for (let i = 0; i < most; i++) {
      const now = await focused(page)
      if (now.includes(text)) return
      way.push(now.slice(0, 30))
      await page.keyboard.press(key)
    }
    throw new Error(`${text} was not reached with ${key}; the way was ${way.join(' | ')}`)
  }

  it('somebody signs in, finds a device in the list, opens it, renames it and sees it renamed', async () => {
    const { context, page } = await visitor(browser, { locale: 'en' })
    const console_ = new ConsolePage(page, server.url)
    await console_.open('/index')
    await page.getByTestId('sign-in-card').waitFor()
    await until(page, 'Tab', 'username')
    await page.keyboard.type(server.owner)
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByTestId('side-menu').waitFor()
    await settled(page)

    // The menu, past header tools.
    await until(page, 'Tab', 'Devices')
    await page.keyboard.press('Enter')
    await console_.isAt('/manage/device')
    // Rows of devices: for a moment the list that was left is still there.
    await page.locator('tr[data-row]').filter({ hasText: '水泵' }).first().waitFor()

    // The list: find, walk, open.
    await page.keyboard.press('/')
    await page.keyboard.type('水泵 3')
    await page.waitForFunction(() => document.querySelectorAll('tr[data-row]').length === 1)
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByRole('toolbar').waitFor()
    await page.keyboard.press('x')
    await page.getByRole('toolbar').waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await console_.isAt('/manage/device/DeviceSet/DeviceCenter')
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
    await settled(page)

    // Its form: a drawer that holds the focus and gives it back.
    await until(page, 'Tab', 'Edit')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await holdsFocus(page.getByRole('dialog'))
    // Round the end, where a browser goes through its own bar, and never onto the page behind.
    for (let i = 0; i < 25; i++) {
      await page.keyboard.press('Tab')
      const behind = await page.evaluate(() => {
        const at = document.activeElement
        return at !== document.body && !document.querySelector('.ant-drawer')?.contains(at) ? at?.outerHTML : null
      })
      expect(behind).toBeNull()
    }
    const name = page.getByRole('dialog').getByRole('textbox').first()
    for (let i = 0; i < 40 && !(await name.evaluate(el => el === document.activeElement)); i++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Boiler pump')
    await until(page, 'Tab', 'Save')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Boiler pump' }).waitFor()
    await page.waitForFunction(() => document.activeElement?.textContent?.includes('Edit'))
    const api = await apiClient(server.url)
    const { items } = await api<{ items: unknown[] }>('GET', '/devices?q=Boiler')
    expect(items).toHaveLength(1)
    await context.close()
  })

  it('Ctrl K finds pages, products and devices, goes there, remembers it, and gives the focus back', async () => {
    const { context, page } = await visitor(browser, { locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt('/manage/product')
    await settled(page)
    await until(page, 'Tab', '搜索设备')
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: '全局搜索' })
    await holdsFocus(field)
    await page.keyboard.press('Escape')
    await page.getByTestId('palette').waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toContain('搜索设备')

    await page.keyboard.press('Control+k')
    await holdsFocus(field)
    await page.keyboard.type('DEVICES')
    await page.getByRole('option', { name: '设备管理' }).waitFor()
    await page.keyboard.press('Enter')
    await console_.isAt('/manage/device')

    await page.keyboard.press('Control+k')
    await holdsFocus(field)
    await page.getByRole('group', { name: '最近访问' }).getByText('设备管理').waitFor()
    await page.keyboard.type('水泵 5')
    await page.getByRole('group', { name: '设备' }).getByRole('option').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await console_.isAt('/manage/device/DeviceSet/DeviceCenter')
    await page.keyboard.press('Control+k')
    await holdsFocus(field)
    await page.keyboard.type('zzzz no such thing')
    await page.getByRole('status').getByText('没有找到').waitFor()
    await context.close()
  })

  it('the first Tab of a page leads past header and menu to its content', async () => {
    const { context, page } = await visitor(browser, { locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(`/manage/product/ProductSet/ProductSetInfo?id=${furniture.productId}`)
    await settled(page)
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('跳到正文')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await expect
      .poll(() => page.evaluate(() => document.querySelector('main')?.contains(document.activeElement)))
      .toBe(true)
    await context.close()
  })

  it('an announcement rings the bell while one looks, is opened, read and closed', async () => {
    const { context, page } = await visitor(browser, { locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt('/manage/device')
    await settled(page)
    const bell = page.getByTestId('bell')
    const unread = async () => Number(/\d+/.exec((await bell.getAttribute('aria-label')) ?? '')?.[0] ?? 0)
    const before = await page.evaluate(async () => {
      const { access_token } = JSON.parse(localStorage.getItem('userToken')!)
      const reply = await fetch('/api/v1/inbox/unread', { headers: { authorization: `Bearer ${access_token}` } })
      return ((await reply.json()) as { count: number }).count
    })
    await expect.poll(unread).toBe(before)
    const operator = await apiClient(server.url, 'operator')
    const draft = await operator<{ id: string }>('POST', '/operator/announcements', {
      level: 'warning',
      title: { zh: '今晚 23 点升级', en: 'Upgrade at 23:00' },
      text: { zh: '约十分钟。', en: 'About ten minutes.' },
      statuses: null,
      tenantIds: [server.companyId],
      expiresAt: null,
    })
    await operator('POST', `/operator/announcements/${draft.id}/publish`, {})
    await expect.poll(unread).toBe(before + 1)

    await until(page, 'Tab', '通知')
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog', { name: '通知' })
    await drawer.getByText('今晚 23 点升级').waitFor()
    await holdsFocus(drawer)
    await until(page, 'Tab', '今晚 23 点升级')
    await page.keyboard.press('Enter')
    await expect.poll(unread).toBe(before)
    if (await drawer.isVisible()) await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await context.close()
  })

  it('a view of a list is kept, opens the list from then on, and is shared with nobody unless asked', async () => {
    const { context, page } = await visitor(browser, { locale: 'en' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt('/manage/device?q=Pump')
    await settled(page)
    // The side menu stands before the list; its entries grow with the product.
    await until(page, 'Tab', 'Skip to content')
    await page.keyboard.press('Enter')
    await until(page, 'Tab', 'Saved views')
    await page.keyboard.press('Enter')
    const panel = page.getByRole('dialog', { name: 'Saved views' })
    await panel.getByRole('textbox').waitFor()
    await holdsFocus(panel)
    await until(page, 'Tab', 'View name')
    await page.keyboard.type('Only pumps')
    await page.keyboard.press('Enter')
    await panel.getByText('Only pumps').waitFor()
    await until(page, 'Shift+Tab', 'Actions for view “Only pumps”')
    await page.keyboard.press('Enter')
    await holdsFocus(page.getByRole('menuitem', { name: 'Set as default' }))
    await page.keyboard.press('Enter')
    await panel.getByText('Default').waitFor()
    await console_.open('/manage/device')
    await page.waitForFunction(() => new URL(location.href).searchParams.get('q') === 'Pump')
    await context.close()
  })
})
