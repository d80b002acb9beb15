import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { noticesOf } from './fixtures/notices.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

interface Case {
  what: string
  path: string
  press: (page: Page) => Promise<void>
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialogButton = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
async function typed(page: Page, what: string, name: string): Promise<void> {
  await page.getByRole('dialog').getByRole('textbox').fill(what)
  await dialogButton(page, name).click()
}

// Whatever wants to know that it is still the same person opens its question where it is asked for, and giving it up
// leaves the page as it was.
describe('pages that ask for a proof', () => {
  let server: SharedServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let console_: ConsolePage
  const ids = { product: '', device: '', company: '' }

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
    const api = await apiClient(server.url)
    const product = await api<{ id: string }>('POST', '/products', {
      name: 'Pump',
      linkType: 'mqtt',
      thingModel: {
        properties: [{ identifier: 'run', name: 'run', dataType: { type: 'bool' }, access: 'rw' }],
      },
    })
    ids.product = product.id
    await api('PUT', `/products/${product.id}/dialects`, { thingsboard: true })
    ids.device = (await api<{ id: string }>('POST', '/devices', { name: 'Pump 1', productId: product.id })).id
    const gone = await api<{ id: string }>('POST', '/devices', { name: 'Pump 2', productId: product.id })
    await api('DELETE', `/devices/${gone.id}`)
    ids.company = (await api<{ name: string }>('GET', '/company')).name
    ;({ context, page } = await visitor(browser, { locale: 'en' }))
    console_ = new ConsolePage(page, server.url)
    await console_.enterAt('/admin/security?tab=sessions')
  })
  afterAll(async () => {
    await context?.close()
    await browser?.close()
  })

  const cases: Case[] = [
    {
      what: 'ending another session',
      path: '/admin/security?tab=sessions',
      press: page => button(page, 'End').first().click(),
    },
    {
      what: 'ending all other sessions',
      path: '/admin/security?tab=sessions',
      press: async page => {
        await button(page, 'End all other sessions').click()
        await page.locator('.ant-popconfirm').getByRole('button', { name: 'End all other sessions' }).click()
      },
    },
    {
      what: 'setting up an authenticator app',
      path: '/admin/security?tab=factors',
      press: page => button(page, 'Set up').click(),
    },
    {
      what: 'a new phone number',
      path: '/admin/security?tab=contact',
      press: page => page.getByTestId('change-phone').click(),
    },
    {
      what: 'the rules of the company',
      path: '/admin/security?tab=policy',
      press: async page => {
        await page.getByLabel('Block reuse of last').fill('7')
        await button(page, 'Save').click()
      },
    },
    {
      what: 'single sign-on',
      path: '/admin/security?tab=sso',
      press: async page => {
        await page.getByLabel(/^Issuer/).fill('https://sign-in.example')
        await page.getByLabel(/^Client ID/i).fill('console')
        await page.getByLabel(/^Client secret/i).fill('a secret of theirs')
        await button(page, 'Save').click()
      },
    },
    {
      what: 'closing the company',
      path: '/admin/security?tab=closing',
      press: async page => {
        await button(page, 'Request closure').click()
        await typed(page, ids.company, 'Request closure')
      },
    },
    {
      what: 'the company as a file',
      path: '/admin/account?tab=transfer',
      press: page => button(page, 'Start export').click(),
    },
    {
      what: 'a company’s file to read in',
      path: '/admin/account?tab=transfer',
      press: page =>
        page
          .getByTestId('import-file')
          .setInputFiles({ name: 'company.zip', mimeType: 'application/zip', buffer: Buffer.from('no company') }),
    },
    {
      what: 'a key for programs',
      path: '/develop/LinkInterface?tab=keys',
      press: async page => {
        await button(page, 'Create key').first().click()
        await page.getByRole('dialog').getByLabel(/^Name/).first().fill('Weather station')
        await page.getByRole('checkbox', { name: 'Devices View' }).check()
        await dialogButton(page, 'Create key').click()
      },
    },
    {
      what: 'what firmware must fulfil',
      path: '/develop/FirmwareUpdate?tab=packages',
      press: async page => {
        await button(page, 'Signing and requirements').click()
        const drawer = page.getByRole('dialog', { name: 'Signing and requirements' })
        await drawer.getByRole('combobox').click()
        await page.locator('.ant-select-item-option').getByText('Pump').click()
        await drawer.getByRole('switch', { name: /Signature required/ }).click()
        await drawer.getByRole('button', { name: 'Save' }).click()
      },
    },
    {
      what: 'a device’s access token',
      path: '/manage/device/DeviceSet/DeviceSetLink',
      press: page => button(page, 'Show token').click(),
    },
    {
      what: 'devices deleted for good',
      path: '/manage/device?tab=recycled',
      press: async page => {
        await page.getByRole('checkbox').nth(1).check()
        await page.getByRole('toolbar').getByRole('button', { name: 'Delete permanently' }).click()
        const dialog = page.getByRole('dialog')
        const expected = await dialog.locator('p span').last().innerText()
        await typed(page, expected, 'Delete permanently')
      },
    },
  ]

  it.each(cases)('$what', async ({ path, press }) => {
    const id = path.includes('/DeviceSet/') ? `?id=${ids.device}` : ''
    await console_.open(path + id)
    const before = noticesOf(page).length
    await press(page)
    const dialog = page.getByRole('dialog').filter({ has: page.getByTestId('proof-input') })
    await dialog.waitFor()
    // Pressed with the pointer: it lies above whatever asked.
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    // Not wanted is no error.
    expect(noticesOf(page).slice(before)).toEqual([])
    await page.getByTestId('side-menu').waitFor()
  })
})
