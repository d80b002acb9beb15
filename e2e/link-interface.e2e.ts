import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { PASSWORD } from './fixtures/people.ts'
import { runCurl } from './fixtures/replay.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

let server: SharedServer
let browser: Browser
beforeAll(async () => {
  server = await sharedServer()
  browser = await openBrowser()
})
afterAll(() => browser?.close())

/** Chooses one of a segmented row; its inputs are hidden, their labels are what people press. */
const choose = (page: Page, label: string) => page.locator('.ant-segmented-item', { hasText: label }).first().click()

describe('the link interface', () => {
  it('gives a program its key, shows what it called, and lets the browser speak as a device', async () => {
    const api = await apiClient(server.url)
    const product = await api<{ id: string; productKey: string }>('POST', '/products', {
      name: 'Tank',
      linkType: 'mqtt',
      thingModel: { properties: [{ identifier: 'level', name: 'Level', dataType: { type: 'double' }, access: 'r' }] },
    })
    const device = await api<{ id: string; deviceNo: string; deviceSecret: string }>('POST', '/devices', {
      name: 'Tank 1',
      productId: product.id,
    })
    const { context, page } = await visitor(browser, { locale: 'en' })
    const console = new ConsolePage(page, server.url)

    // A key that may only look at devices: asked who it is, shown once.
    await console.enterAt('/develop/LinkInterface?tab=keys')
    await page.getByRole('button', { name: 'Create key' }).first().click()
    await page.getByRole('dialog').getByLabel(/^Name/).first().fill('Weather station')
    await page.getByRole('checkbox', { name: 'Devices View' }).check()
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await page.getByTestId('proof-input').fill(PASSWORD)
    await page.getByTestId('proof-submit').click()
    // Not the eye of the password that is still fading away.
    await page.getByTestId('secret').locator('..').getByRole('button').first().click()
    await expect.poll(() => page.getByTestId('secret').textContent()).toMatch(/^twk_\w{8}_/)
    const key = await page.getByTestId('secret').textContent()
    // key-secret.tsx shows how it is used: the line is run as it stands there.
    const use = await page.getByRole('dialog').locator('pre').innerText()
    expect(await runCurl(use, { API_KEY: key! })).toMatchObject({ status: 200 })
    await page.getByRole('button', { name: 'Saved securely' }).click()
    const row = page.getByTestId('list').getByRole('row', { name: /Weather station/ })
    await row.getByText('Active').waitFor()
    // The row stands under the dialog already: the key is gone with the dialog.
    await page.getByTestId('secret').waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(key)

    const asProgram = (path: string, method = 'GET') =>
      fetch(`${server.url}/api/v1${path}`, { method, headers: { authorization: `Bearer ${key}` } })
    expect((await asProgram('/devices')).status).toBe(200)
    expect((await asProgram(`/devices/${device.id}`, 'DELETE')).status).toBe(403)

    // The explorer sends what the form says, as the key.
    await page.getByRole('tab', { name: 'API explorer' }).click()
    await page.getByRole('searchbox').fill('get /devices/{id} one device')
    await page.getByRole('button', { name: 'GET One device', exact: true }).click()
    // The form of the list stands there until this one is open, and its `productId` has an "id" too.
    const operation = page.getByTestId('operation')
    await operation.getByRole('heading', { name: 'One device', exact: true }).waitFor()
    await operation.getByLabel(/^id\b/).fill(device.id)
    await choose(page, 'API key')
    await page.getByPlaceholder('twk_…').fill(key!)
    await page.getByTestId('try').click()
    const reply = page.getByTestId('reply')
    await reply.getByText('200').waitFor()
    await expect.poll(() => reply.textContent()).toContain('Tank 1')
    await choose(page, 'Python')
    await expect.poll(() => operation.textContent()).toContain(`/api/v1/devices/${device.id}`)

    // Every call is there, the refused one with its code.
    await page.getByRole('tab', { name: 'Calls' }).click()
    const log = page.getByTestId('call-log')
    const refused = log.getByRole('row', { name: /DELETE/ })
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Refresh' }).click()
        return refused.count()
      })
      .toBe(1)
    await expect.poll(() => refused.textContent()).toContain('403')
    await refused.getByTestId('call').click()
    await page.getByTestId('call-drawer').getByText('Request ID').waitFor()
    await page.keyboard.press('Escape')

    // The browser as the device: subscribed, a post acknowledged when it is stored, a command received.
    await page.getByRole('tab', { name: 'Web clients' }).click()
    const client = page.getByTestId('mqtt-client')
    await client.getByLabel('Username').fill(`${product.productKey}/${device.deviceNo}`)
    await client.getByLabel('Password').fill(device.deviceSecret)
    await client.getByRole('button', { name: 'Connect' }).click()
    const messages = page.getByTestId('mqtt-log')
    await messages.getByText('Connected').waitFor()
    await client.getByRole('button', { name: 'Subscribe' }).click()
    await messages.getByText(/Subscribed to things/).waitFor()
    await client.getByLabel('Message', { exact: true }).fill('{"level": 3.5}')
    await client.getByRole('button', { name: 'Publish' }).click()
    await messages.getByText(/Acknowledged/).waitFor()
    // Acknowledged means stored.
    expect(JSON.stringify(await api('GET', `/devices/${device.id}/properties`))).toContain('3.5')
    await context.close()
  })
})
