import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

const CENTER = '/manage/device/DeviceSet/DeviceCenter'

// What a person sees of one device: what it tells before what can be set, where it is, what happened last.
describe('the device centre', () => {
  let server: SharedServer
  let browser: Browser
  let product: { id: string; productKey: string }
  let device: { id: string; deviceNo: string; deviceSecret: string }

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
    const api = await apiClient(server.url)
    product = await api('POST', '/products', {
      name: '水箱',
      linkType: 'mqtt',
      thingModel: {
        properties: [
          { identifier: 'limit', name: '上限', dataType: { type: 'double' }, unit: 'm', access: 'rw' },
          {
            identifier: 'level',
            name: '液位',
            dataType: { type: 'double' },
            unit: 'm',
            access: 'r',
            group: '液位与水质',
          },
          { identifier: 'flow', name: '流量', dataType: { type: 'double' }, unit: 'm³/h', access: 'r' },
        ],
        events: [{ identifier: 'dry', name: '缺水', level: 'error', params: [] }],
      },
    })
    device = await api('POST', '/devices', {
      name: '一号水箱',
      productId: product.id,
      location: { lng: 120.17, lat: 30.27, address: '之江路 368 号' },
    })
    const now = Date.now()
    const ago = (minutes: number, level: number) => ({
      ts: now - minutes * 60_000,
      values: { level, flow: level * 10 },
    })
    await say('property', [ago(40, 1.2), ago(20, 1.4), ago(0, 1.1)])
  })
  afterAll(async () => {
    await browser?.close()
  })

  const say = async (what: string, body: unknown) => {
    const reply = await fetch(`${server.url}/device/v1/${product.productKey}/${device.deviceNo}/${what}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${device.deviceSecret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(reply.status).toBe(200)
  }

  async function looking(work: (page: Page) => Promise<void>, query = '') {
    const { context, page } = await visitor(browser, { locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(`${CENTER}?id=${device.id}${query}`)
    await work(page)
    await context.close()
  }

  it('shows readings before settings, each group with its name, and a line of a device that has just begun', () =>
    looking(async page => {
      await page.locator('[data-property=level]').getByText(/^1\.1/).waitFor()
      expect(
        await page
          .locator('main h3')
          .allInnerTexts()
          .then(all => all.map(text => text.split('\n')[0])),
      ).toEqual(expect.arrayContaining(['液位与水质', '读数', '控制与设定']))
      const order = await page
        .locator('[data-property]')
        .evaluateAll(all => all.map(each => each.getAttribute('data-property')))
      expect(order).toEqual(['level', 'flow', 'limit'])
      const line = page.locator('[data-property=level] svg path[stroke]').first()
      await line.waitFor({ state: 'attached' })
      // Of all the width, not a stroke at its edge.
      const box = await line.evaluate(path => (path as SVGPathElement).getBBox().width)
      expect(box).toBeGreaterThan(100)
      await page
        .locator('[data-property=level]')
        .getByText(/近 1.?小时/)
        .waitFor()
    }))

  it('shows where it is on a map, with the province when nobody wrote an address', () =>
    looking(async page => {
      const card = page.getByRole('region', { name: '位置' })
      await card.getByText('之江路 368 号').waitFor()
      await card.getByText('120.17000, 30.27000').waitFor()
      await card.locator('svg text', { hasText: '浙江' }).waitFor()
      const api = await apiClient(server.url)
      const { version } = await api<{ version: number }>('GET', `/devices/${device.id}`)
      await api('PATCH', `/devices/${device.id}`, { version, location: { lng: 104.07, lat: 30.57 } })
      await page.reload()
      await card.locator('p', { hasText: '四川' }).waitFor()
    }))

  it('takes what a company notes under names of its own, and shows it in the head', () =>
    looking(async page => {
      await page.getByRole('button', { name: '编辑', exact: true }).click()
      const form = page.getByRole('dialog')
      const attributes = form.getByRole('group', { name: '自定义属性' })
      await attributes.getByRole('button', { name: '添加' }).click()
      await attributes.getByLabel('属性名').fill('合同号')
      await attributes.getByLabel('值', { exact: true }).fill('HT-7')
      await form.getByRole('button', { name: '保存' }).click()
      await form.waitFor({ state: 'detached' })
      const fact = page.locator('dl div', { has: page.locator('dt', { hasText: '合同号' }) })
      await expect.poll(() => fact.locator('dd').innerText()).toBe('HT-7')
    }))

  it('shows the last commands and what happened, as it happens', () =>
    looking(async page => {
      const events = page.getByRole('region', { name: '最近事件' })
      await events
        .getByText(/还没有事件|上线/)
        .first()
        .waitFor()
      await say('event/dry', { params: {} })
      await events.getByText('缺水').waitFor()
      const commands = page.getByRole('region', { name: '最近指令' })
      await commands.getByText('还没有指令').waitFor()
      const api = await apiClient(server.url)
      await api('POST', `/devices/${device.id}/commands`, { kind: 'property_set', params: { limit: 3.5 } })
      await commands.getByText('上限 3.5 m').waitFor()
      await commands.getByRole('link', { name: '全部：最近指令' }).click()
      await page.waitForURL(/tab=commands/)
    }))

  it('remembers for a product whether one looks at cards, a table or curves', () =>
    looking(async page => {
      await page.getByText('表格', { exact: true }).click()
      const row = page.getByRole('row', { name: /液位/ })
      await row.getByText('1.1', { exact: true }).waitFor()
      await page.reload()
      await row.getByText('1.1', { exact: true }).waitFor()
      await page.getByText('曲线', { exact: true }).click()
      await page
        .getByRole('img')
        .filter({ has: page.locator('canvas') })
        .first()
        .waitFor()
    }))
})
