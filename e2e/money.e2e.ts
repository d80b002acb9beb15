import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

let server: SharedServer
let browser: Browser
beforeAll(async () => {
  server = await sharedServer()
  browser = await openBrowser()
  const operator = await apiClient(server.url, 'operator')
  const item = { text: '', etext: '', state: 'published', position: 0 }
  const { items } = await operator<{ items: { sku: string }[] }>('GET', '/operator/catalogue')
  if (items.some(({ sku }) => sku === 'journey-basic')) return
  await operator('POST', '/operator/catalogue', {
    ...item,
    sku: 'journey-basic',
    kind: 'plan',
    name: '基础版',
    ename: 'Basic',
    spec: { months: 1, quotas: { devices: 100 } },
    priceFen: 9_900,
  })
  await operator('POST', '/operator/catalogue', {
    ...item,
    sku: 'journey-sms',
    kind: 'sms',
    name: '短信 100 条',
    ename: '100 messages',
    spec: { units: 100, gift: 10, months: 12 },
    priceFen: 800,
  })
})
afterAll(async () => {
  await browser?.close()
})

const WORDS = {
  zh: { buy: '购买', simulated: '模拟支付', pay: /^支付 ¥/, paid: '模拟支付成功', topUp: '充值', next: '去支付' },
  en: {
    buy: 'Buy',
    simulated: 'Simulated payment',
    pay: /^Pay ¥/,
    paid: 'Simulate success',
    topUp: 'Top up',
    next: 'Continue to payment',
  },
} as const

describe.each(['zh', 'en'] as const)('a company that pays, in %s', language => {
  it('starts on the page that blocks it, tops up, buys messages and sees what it has', async () => {
    const words = WORDS[language]
    const operator = await apiClient(server.url, 'operator')
    const username = `payer.${language}.${Date.now().toString(36)}`
    const made = await operator<{ id: string; password: string }>('POST', '/operator/companies', {
      name: `Payer ${language}`,
      username,
      status: 'inactive',
      expiresAt: null,
    })
    const { page } = await visitor(browser, { locale: language })
    const console_ = new ConsolePage(page, server.url)
    await console_.open('/index')
    await console_.signIn(username, made.password)
    await page.getByTestId('account-inactive').waitFor()
    const plan = page.locator('article', { hasText: language === 'zh' ? '基础版' : 'Basic' })
    await plan.getByRole('button', { name: words.buy }).click()
    const pay = async () => {
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('radio', { name: words.simulated }).check()
      await dialog.getByRole('button', { name: words.pay }).click()
      await dialog.getByRole('button', { name: words.paid }).click()
    }
    await pay()
    const company = await operator<{ company: { status: string } }>('GET', `/operator/companies/${made.id}`)
    await expect.poll(() => new URL(page.url()).pathname).not.toBe('/alonePage/accountNotActivated')
    expect(company.company.status).toMatch(/inactive|active/)

    await console_.open('/cost/recharge')
    await page.getByRole('button', { name: words.topUp, exact: true }).first().click()
    await page.getByRole('button', { name: words.next }).click()
    await pay()
    await console_.open('/cost/account/AccountAssets')
    await page.getByText('¥500.00').first().waitFor()
    await console_.open('/cost/account/MsgOrVmsBuy')
    // By its name: a pack of another journey can have as many units.
    const name = language === 'zh' ? '短信 100 条' : '100 messages'
    const pack = page.locator('article', { has: page.getByRole('heading', { name, exact: true }) })
    await pack.getByRole('button', { name: words.buy }).click()
    await page.getByRole('dialog').getByRole('button', { name: words.pay }).click()
    await console_.open('/cost/account/AccountAssets')
    await page.getByText('¥492.00').first().waitFor()
    await page.getByText('0 / 110').waitFor()
    await console_.open('/cost/account/balance')
    await page.getByText('-¥8.00').waitFor()
  })
})
