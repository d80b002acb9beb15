import { BUILTIN_ROLES } from '@thingwright/contracts/permissions'
import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withDatabase } from './fixtures/arrange.ts'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { addressOf, builtPages, type Furniture, furnish, visitorOf } from './fixtures/furnished.ts'
import { PASSWORD } from './fixtures/people.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { settled } from './fixtures/settled.ts'
import { ConsolePage } from './pages/console-page.ts'

const OUTSIDE = 'Hidden hall'
/** Logs, members and roles are rights of their own, which no scope narrows. */
const WHOLE_COMPANY = /^(audit|user-log|member|role):/
const MENU_EDITOR = '/system/menuList'

// What people of a company may not see or change, on every page of the console.
describe('limits of what people of a company reach', () => {
  let server: RunningServer
  let browser: Browser
  let furniture: Furniture
  let api: Awaited<ReturnType<typeof apiClient>>

  beforeAll(async () => {
    server = await startServer({ env: { DEV_FLAG: '1' } })
    browser = await openBrowser()
    furniture = await furnish(server)
    api = await apiClient(server.url)
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  it('the platform’s menu is edited by its operators alone', async () => {
    const operator = await apiClient(server.url, 'operator')
    const read = async () => (await operator<{ items: { id: string; version: number }[] }>('GET', '/menu-items')).items
    const before = await read()
    const { id, version } = before[0]!
    for (const [method, path, body] of [
      ['GET', '/menu-items'],
      ['POST', '/menu-items', { name: 'x', kind: 'group' }],
      ['PATCH', `/menu-items/${id}`, { version, name: 'x' }],
      ['DELETE', `/menu-items/${id}`],
      ['POST', '/menu-items/reset', {}],
    ] as const)
      await expect(api(method, path, body), `${method} ${path}`).rejects.toThrow(/: 403 /)
    expect(await read()).toEqual(before)

    const { context, page } = await visitor(browser, { locale: 'en' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt('/manage/device')
    expect(await page.locator(`nav a[href="${MENU_EDITOR}"]`).count()).toBe(0)
    await console_.open(MENU_EDITOR)
    await page.getByTestId('no-permission').waitFor()
    expect(await page.getByRole('button', { name: /Add entry|Reset to default/ }).count()).toBe(0)
    await context.close()
    expect(WEB_ROUTES.find(({ path }) => path === MENU_EDITOR)?.devOnly).toBe(true)
  })

  describe('somebody with a part of the devices', () => {
    const told: string[] = []
    let context: BrowserContext
    let page: Page
    let console_: ConsolePage
    let own: { id: string }

    beforeAll(async () => {
      own = await hallOf('hall')
      const visit = await visitor(browser, { locale: 'en' })
      context = visit.context
      page = visit.page
      page.on('response', response => {
        if (!response.url().includes('/api/v1/')) return
        const asked = `${response.request().method()} ${new URL(response.url()).pathname}`
        response
          .text()
          .then(text => text.includes(OUTSIDE) && told.push(asked))
          // Given up by a page that was left.
          .catch(() => undefined)
      })
      page.on('websocket', socket =>
        socket.on('framereceived', ({ payload }) => {
          if (String(payload).includes(OUTSIDE)) told.push(`live ${String(payload).slice(0, 80)}`)
        }),
      )
      console_ = new ConsolePage(page, server.url)
      await console_.enterAt('/manage/device', 'hall', PASSWORD)
      await page.getByText('Own pump').first().waitFor()
    })
    afterAll(() => context?.close())

    const pages = builtPages.filter(each => visitorOf(each) === 'owner' && !each.devOnly)
    it.each(pages.map(route => [route.path, route] as const))(
      'is told no name of a group outside by %s, and by no answer to it',
      async (_, route) => {
        await console_.open(addressOf(route, { ...furniture, deviceId: own.id }))
        await settled(page)
        expect(await page.locator('body').innerText()).not.toContain(OUTSIDE)
        expect(told).toEqual([])
      },
    )

    it('is told none where everything is looked for', async () => {
      await console_.open('/manage/device')
      await page.getByText('Own pump').first().waitFor()
      await page.keyboard.press('Control+k')
      const search = page.getByRole('dialog').getByRole('combobox')
      await search.fill('pump')
      await page.getByRole('option', { name: /Own pump/ }).waitFor()
      await search.fill('hidden')
      await page.getByRole('option', { name: /Own pump/ }).waitFor({ state: 'detached' })
      await settled(page)
      expect(await page.locator('body').innerText()).not.toContain(OUTSIDE)
      expect(told).toEqual([])
    })
  })

  /** Groups inside and outside, and somebody whose role reaches the one inside. @returns his device */
  async function hallOf(username: string): Promise<{ id: string }> {
    const group = (kind: string, name: string, parentId?: string) =>
      api<{ id: string }>('POST', '/groups', { kind, name, ...(parentId ? { parentId } : {}) })
    const inside = await group('device', 'Own hall')
    const outside = await group('device', OUTSIDE)
    await group('device', `${OUTSIDE}, cellar`, outside.id)
    await group('product', `${OUTSIDE}, products`)
    const made = (name: string, groupId: string) =>
      api<{ id: string }>('POST', '/devices', { name, productId: furniture.productId, groupId })
    const own = await made('Own pump', inside.id)
    await made('Foreign pump', outside.id)
    const role = await api<{ id: string }>('POST', '/roles', {
      name: 'Own hall',
      permissions: BUILTIN_ROLES.administrator.permissions.filter(right => !WHOLE_COMPANY.test(right)),
      menuKeys: ['*'],
      dataScope: { kind: 'groups', groupIds: [inside.id] },
    })
    await withDatabase(server, async client => {
      await client.query(
        `insert into logins (id, tenant_id, kind, username, display_name, password_hash)
         select gen_random_uuid(), tenant_id, 'member', $1, 'Hall', password_hash from logins where username = 'admin'`,
        [username],
      )
      await client.query(
        `insert into login_roles (login_id, role_id, tenant_id) select id, $1, tenant_id from logins where username = $2`,
        [role.id, username],
      )
    })
    return own
  }
})
