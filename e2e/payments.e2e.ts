import jsQR from 'jsqr'
import type { Browser, Locator } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWechatPay, type WechatPay } from '../tools/simulators/wechatpay/wechatpay.ts'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { ConsolePage } from './pages/console-page.ts'

let server: RunningServer
let browser: Browser
let wechat: WechatPay
beforeAll(async () => {
  ;[server, browser, wechat] = await Promise.all([
    startServer({ env: { OUTBOUND_ALLOW: '127.0.0.1/32' } }),
    openBrowser(),
    startWechatPay(),
  ])
  const operator = await apiClient(server.url, 'operator')
  await operator('POST', '/operator/catalogue', {
    sku: 'journey-sms',
    kind: 'sms',
    name: '短信 100 条',
    ename: '100 messages',
    text: '',
    etext: '',
    spec: { units: 100, gift: 0, months: 12 },
    priceFen: 801,
    state: 'published',
    position: 0,
  })
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
  await wechat?.close()
})

/** What a phone reads in the picture. */
async function scanned(code: Locator): Promise<string> {
  const { data, info } = await sharp(await code.screenshot())
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return jsQR(new Uint8ClampedArray(data), info.width, info.height)?.data ?? ''
}

describe('WeChat Pay', () => {
  it('is set up by the operator, and scanned by a company', async () => {
    const operator = await apiClient(server.url, 'operator')
    const desk = await visitor(browser, { locale: 'zh' })
    const deskConsole = new ConsolePage(desk.page, server.url)
    await deskConsole.open('/operator/money?tab=providers')
    await deskConsole.signIn('operator')
    const panel = desk.page.getByTestId('provider-wechat')
    await panel.getByRole('button', { name: '配置' }).click()
    const form = desk.page.getByRole('dialog')
    const { merchant, platform } = wechat
    for (const [label, value] of [
      ['应用 ID', merchant.appId],
      ['商户号', merchant.merchantId],
      ['商户证书序列号', merchant.serial],
      ['微信支付公钥 ID', platform.keyId],
      ['商户私钥', merchant.privateKey],
      ['微信支付公钥', platform.publicKey],
      ['APIv3 密钥', merchant.apiKey],
      ['接口地址', wechat.url],
    ] as const)
      await form.getByLabel(new RegExp(`^${label}\\*`)).fill(value)
    await form.getByRole('switch', { name: '启用' }).click()
    await form.getByRole('button', { name: '保存' }).click()
    await panel.getByRole('button', { name: '测试' }).click()
    await desk.page.getByText('通过', { exact: true }).waitFor()
    expect(await desk.page.content()).not.toContain(merchant.apiKey)

    const username = `scanner.${Date.now().toString(36)}`
    const made = await operator<{ id: string; password: string }>('POST', '/operator/companies', {
      name: 'Scanner',
      username,
      status: 'active',
      expiresAt: null,
    })
    const { page } = await visitor(browser, { locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt('/cost/account/MsgOrVmsBuy', username, made.password)
    await page.locator('article', { hasText: '短信 100 条' }).getByRole('button', { name: '购买' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('radio', { name: '模拟支付' }).count()).toBe(0)
    await dialog.getByRole('radio', { name: '微信支付' }).check()
    await dialog.getByRole('button', { name: /^支付 ¥/ }).click()
    const code = dialog.getByTestId('qr-code')
    await code.waitFor()
    await dialog.getByTestId('pay-state').getByText('请用微信扫码').waitFor()
    await expect.poll(() => scanned(code)).toMatch(/^weixin:\/\/wxpay/)
    expect(await wechat.pay(await scanned(code))).toBe(200)
    await dialog.getByText('已完成').waitFor()
    await dialog.getByRole('button', { name: '关闭' }).last().click()
    await console_.open('/cost/account/AccountAssets')
    await page.getByText('0 / 100').waitFor()
    expect(wechat.faults).toEqual([])
  }, 180_000)
})
