import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

const property = (identifier: string, name: string) => ({
  identifier,
  name,
  dataType: { type: 'double' },
  access: 'r',
})

// A change of a thing model, from the edit to its consequences and back.
describe('a thing model on the screen', () => {
  let server: SharedServer
  let browser: Browser
  let product: { id: string; productKey: string }
  let device: { id: string; deviceNo: string; deviceSecret: string }

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
    const api = await apiClient(server.url)
    product = await api('POST', '/products', {
      name: 'Oven',
      linkType: 'http',
      unknownKeys: 'refuse',
      thingModel: { properties: [property('temp', '温度'), property('hum', '湿度')] },
    })
    device = await api('POST', '/devices', { name: 'Oven one', productId: product.id })
    await api('PUT', `/devices/${device.id}/thing-model`, { changed: { hum: { unit: '%' } } })
  })
  afterAll(() => browser?.close())

  const post = async (values: object) =>
    (
      await fetch(`${server.url}/device/v1/${product.productKey}/${device.deviceNo}/property`, {
        method: 'POST',
        headers: { authorization: `Bearer ${device.deviceSecret}`, 'content-type': 'application/json' },
        body: JSON.stringify(values),
      })
    ).status

  it('is edited, shown with what it breaks, published, and rolled back', async () => {
    const { context, page } = await visitor(browser, { locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(`/manage/product/ProductSet/ProductSetInfo?id=${product.id}`)
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    const drawer = page.getByRole('dialog')
    expect(await post({ hum: 40 })).toBe(200)

    // Edit: a unit and a dead band for one property, the other one taken out.
    await row('temp').getByRole('button', { name: '编辑' }).click()
    await drawer.getByLabel('单位').fill('°C')
    await drawer.getByText('死区', { exact: true }).click()
    await drawer.getByLabel(/^死区/).last().fill('0.5')
    await drawer.getByRole('button', { name: '确定' }).click()
    await row('temp').getByText('死区 0.5').waitFor()
    await row('hum').getByRole('button', { name: '更多' }).click()
    await page.getByRole('menuitem', { name: '删除' }).click()
    await row('hum').waitFor({ state: 'detached' })

    // Impact: who is touched must be agreed to.
    await page.getByRole('button', { name: '发布物模型' }).click()
    await drawer.getByText('1 台设备有本机改动').waitFor()
    const publish = drawer.getByRole('button', { name: '发布', exact: true })
    await expect.poll(() => publish.isDisabled()).toBe(true)
    await drawer.getByLabel('说明').fill('去掉湿度')
    await drawer.getByRole('checkbox').check()
    await publish.click()
    await drawer.waitFor({ state: 'detached' })
    await expect.poll(() => post({ hum: 40 })).toBe(422)

    // Back: the old version under the next number.
    await page.getByRole('tab', { name: '版本' }).click()
    await row('去掉湿度').waitFor()
    await row('版本 1').getByRole('button', { name: '回滚' }).click()
    const back = drawer.getByRole('button', { name: '回滚', exact: true })
    await drawer.getByText('版本 1 将作为版本 3 重新发布').waitFor()
    if (await drawer.getByRole('checkbox').count()) await drawer.getByRole('checkbox').check()
    await back.click()
    await row('回滚自版本 1').getByText('使用中').waitFor()
    await expect.poll(() => post({ hum: 40 })).toBe(200)
    await context.close()
  })

  it('of a device shows what is its own, and gives it up', async () => {
    const { context, page } = await visitor(browser, { locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(`/manage/device/DeviceSet/DeviceCenter?id=${device.id}&tab=model`)
    await page.getByText('1 项本机改动').waitFor()
    await page.getByRole('button', { name: '全部恢复' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '全部恢复' }).click()
    await page.getByText('0 项本机改动').first().waitFor()
    await context.close()
  })
})
