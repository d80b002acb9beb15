import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withDatabase } from './fixtures/arrange.ts'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { PASSWORD } from './fixtures/people.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { ConsolePage } from './pages/console-page.ts'

// Specification §6 and §4: roles decide what people reach and see; the menu is edited with the dev flag.
describe('roles, data scope and menu', () => {
  let server: RunningServer
  let browser: Browser
  let api: Awaited<ReturnType<typeof apiClient>>
  let group: string
  let roleId: string

  beforeAll(async () => {
    server = await startServer({ env: { DEV_FLAG: '1' } })
    browser = await openBrowser()
    api = await apiClient(server.url)
    group = (await api<{ id: string }>('POST', '/groups', { kind: 'device', name: 'North' })).id
    const product = await api<{ id: string }>('POST', '/products', { name: 'Meter', linkType: 'mqtt' })
    await api('POST', '/devices', { productId: product.id, name: 'Northern meter', groupId: group })
    await api('POST', '/devices', { productId: product.id, name: 'Southern meter' })
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function consoleOf(
    username: string,
    path: string,
  ): Promise<{ page: Page; console: ConsolePage; done: () => Promise<void> }> {
    const { page, context } = await visitor(browser, { locale: 'en' })
    const console = new ConsolePage(page, server.url)
    await console.enterAt(path, username)
    return { page, console, done: () => context.close() }
  }

  it('are made in the console: rights by keyboard, a group for its data', async () => {
    const { page, console, done } = await consoleOf('admin', '/manage/role')
    await page.getByRole('button', { name: 'Create role' }).first().click()
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('textbox', { name: /^Name/ }).fill('North team')
    await drawer.getByRole('radio', { name: /Selected groups/ }).check()
    await drawer.getByRole('combobox', { name: 'Selected groups' }).click()
    await page.locator('.ant-select-tree-title').getByText('North', { exact: true }).click()
    await page.keyboard.press('Escape')
    await drawer.getByRole('checkbox', { name: /whole menu/ }).check()
    const box = drawer.getByRole('checkbox', { name: 'Devices View' })
    await box.focus()
    await page.keyboard.press('Space')
    await expect.poll(() => box.isChecked()).toBe(true)
    await drawer.getByRole('checkbox', { name: 'Products View' }).check()
    await drawer.getByRole('checkbox', { name: 'Groups View' }).check()
    await drawer.getByRole('button', { name: 'Save' }).click()
    await console.hasNotice('Role saved')
    const { items } = await api<{ items: { id: string; name: string; dataScope: object; permissions: string[] }[] }>(
      'GET',
      '/roles?q=North',
    )
    expect(items).toMatchObject([
      {
        name: 'North team',
        dataScope: { kind: 'groups', groupIds: [group] },
        permissions: ['product:read', 'device:read', 'group:read'],
      },
    ])
    roleId = items[0]!.id
    await done()
  })

  it('show their holders what is in their scope, and follow changes while the page is open', async () => {
    await withDatabase(server, async client => {
      const { rows } = await client.query(
        `insert into logins (id, tenant_id, kind, username, display_name, password_hash)
         select gen_random_uuid(), tenant_id, 'member', 'norbert', 'Norbert', password_hash from logins where username = 'admin'
         returning id, tenant_id`,
      )
      await client.query('insert into login_roles (login_id, role_id, tenant_id) values ($1, $2, $3)', [
        rows[0].id,
        roleId,
        rows[0].tenant_id,
      ])
    })
    const { page, done } = await consoleOf('norbert', '/manage/device')
    await page.getByText('Northern meter').waitFor()
    await expect.poll(() => page.getByText('Southern meter').count()).toBe(0)
    // His role loses the group: the open list is read anew and is empty.
    await api('PATCH', `/roles/${roleId}`, { version: 1, dataScope: { kind: 'own' } })
    await page.getByText('Northern meter').waitFor({ state: 'detached' })
    await api('PATCH', `/roles/${roleId}`, { version: 2, dataScope: { kind: 'groups', groupIds: [group] } })
    await page.getByText('Northern meter').waitFor()
    // What changes before the page listens is taken over as soon as it does.
    let listen = () => {}
    const changed = new Promise<void>(resolve => {
      listen = resolve
    })
    await page.routeWebSocket('**/api/v1/live', async socket => {
      await changed
      socket.connectToServer()
    })
    await page.reload()
    await page.getByText('Northern meter').waitFor()
    await api('PATCH', `/roles/${roleId}`, { version: 3, dataScope: { kind: 'own' } })
    listen()
    await page.getByText('Northern meter').waitFor({ state: 'detached' })
    await api('PATCH', `/roles/${roleId}`, { version: 4, dataScope: { kind: 'groups', groupIds: [group] } })
    await page.getByText('Northern meter').waitFor()
    await done()
  })

  it('can be tried on, with a bar that says so and leads back', async () => {
    const { page, console, done } = await consoleOf('admin', '/manage/role?q=North')
    await page.getByText('North team').waitFor()
    await page.getByRole('button', { name: /More/ }).first().click()
    await page.getByRole('menuitem', { name: 'Preview as this role' }).click()
    const bar = page.getByTestId('preview-bar')
    await bar.waitFor()
    // A page that is left while it asks what the role may: the preview goes on all the same.
    await page.route('**/roles/*/preview', () => undefined)
    const asked = page.waitForRequest('**/roles/*/preview')
    await page.reload({ waitUntil: 'commit' })
    await asked
    await page.unroute('**/roles/*/preview')
    await console.open('/manage/device')
    await page.getByText('Northern meter').waitFor()
    await expect.poll(() => page.getByText('Southern meter').count()).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: 'Add device' }).count()).toBe(0)
    await bar.getByRole('button').click()
    await console.isAt('/manage/role')
    await bar.waitFor({ state: 'detached' })
    await console.open('/manage/device')
    await page.getByText('Southern meter').waitFor()
    await done()
  })

  async function actOn(page: Page, name: string, action: string): Promise<void> {
    const row = page.getByRole('row').filter({ hasText: name })
    const direct = row.getByRole('button', { name: action, exact: true })
    await row.waitFor()
    if (await direct.isVisible()) return direct.click()
    await row.getByRole('button', { name: /More/ }).click()
    await page.getByRole('menuitem', { name: action, exact: true }).click()
  }

  it('ask for a second step of their holders once that is set', async () => {
    const { page, console, done } = await consoleOf('admin', '/manage/role?q=North')
    await actOn(page, 'North team', 'Edit')
    await page
      .getByRole('dialog')
      .getByRole('switch', { name: /Require two-step verification/ })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await console.hasNotice('Role saved')
    await console.open('/admin/member?q=Norbert')
    await actOn(page, 'Norbert', 'Sign-in security')
    const drawer = page.getByTestId('member-security')
    await drawer.getByText(/required/).waitFor()
    await api('PATCH', `/roles/${roleId}`, {
      version: (await api<{ version: number }>('GET', `/roles/${roleId}`)).version,
      requireSecondFactor: false,
    })
    await done()
  })

  it('a member is signed out everywhere from his security drawer', async () => {
    const his = await consoleOf('norbert', '/manage/device')
    const { page, done } = await consoleOf('admin', '/admin/member?q=Norbert')
    await actOn(page, 'Norbert', 'Sign-in security')
    const drawer = page.getByTestId('member-security')
    await drawer.getByRole('button', { name: 'End all' }).click()
    await page.locator('.ant-popconfirm').getByRole('button', { name: 'End all' }).click()
    await drawer.getByText('No active sessions').waitFor()
    await his.page.getByTestId('sign-in-card').waitFor()
    await Promise.all([his.done(), done()])
  })

  it('the menu changes for everybody at once, by the operator’s keyboard, and comes back with a reset', async () => {
    const editor = await consoleOf('operator', '/system/menuList')
    const reader = await consoleOf('norbert', '/manage/device')
    const { page } = editor
    await page.getByRole('button', { name: 'Add entry' }).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('textbox', { name: /^Name/ }).fill('Help desk')
    await drawer.getByLabel('English name').fill('Help desk')
    await drawer.getByLabel('Address').fill('https://help.example')
    await drawer.getByText('A console page').click()
    await page.locator('.ant-select-item-option').getByText('A new window').click()
    await drawer.getByRole('button', { name: 'Add entry' }).click()
    const menu = reader.page.getByTestId('side-menu')
    await menu.getByText('Help desk').waitFor()
    // The new entry is the one that is edited now, the last of its level.
    await drawer.waitFor({ state: 'detached' })
    await expect.poll(() => page.getByRole('textbox', { name: /^Name/ }).inputValue()).toBe('Help desk')
    const operator = await apiClient(server.url, 'operator')
    const order = async () => {
      const { items } = await operator<{ items: { name: string; order: number }[] }>('GET', '/menu-items')
      return items.find(({ name }) => name === 'Help desk')!.order
    }
    const last = await order()
    const up = page.getByRole('button', { name: 'Move up' })
    await up.focus()
    await page.keyboard.press('Enter')
    await expect.poll(order).toBe(last - 1)
    await page.getByRole('button', { name: 'Reset to default' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset to default' }).click()
    await editor.console.hasNotice('reset to default')
    await menu.getByText('Help desk').waitFor({ state: 'detached' })
    await Promise.all([editor.done(), reader.done()])
  })

  it('the owner hands the company over after a proof of who he is, and is an administrator then', async () => {
    const { page, console, done } = await consoleOf('admin', '/admin/member?q=Norbert')
    await actOn(page, 'Norbert', 'Transfer ownership')
    await page.getByRole('dialog').getByRole('button', { name: 'Transfer ownership' }).click()
    await page.getByTestId('proof-input').fill(PASSWORD)
    await page.getByTestId('proof-submit').click()
    await console.hasNotice('Ownership transferred to')
    const { items } = await api<{ items: { username: string; isOwner: boolean }[] }>('GET', '/members?limit=10')
    expect(Object.fromEntries(items.map(member => [member.username, member.isOwner]))).toMatchObject({
      admin: false,
      norbert: true,
    })
    await done()
  })
})
