import mqtt from 'mqtt'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { settled } from './fixtures/settled.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

const HOUR = 3_600_000

// What happens to a console on real machines: clocks that are wrong, laptops that sleep, upgrades, input methods.
describe('a console as it is used', () => {
  let server: SharedServer
  let browser: Browser
  let device: { id: string; deviceNo: string; deviceSecret: string }

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
    const api = await apiClient(server.url)
    const product = await api<{ id: string; productKey: string }>('POST', '/products', {
      name: '温度计',
      linkType: 'mqtt',
      thingModel: {
        properties: [{ identifier: 'temperature', name: '温度', dataType: { type: 'double' }, access: 'r' }],
      },
    })
    device = await api('POST', '/devices', { name: '水泵 1', productId: product.id })
    await api('POST', '/devices', { name: '冷库 2', productId: product.id })
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: `${product.productKey}/${device.deviceNo}`,
      password: device.deviceSecret,
      reconnectPeriod: 0,
    })
    await client.publishAsync(
      `things/${product.productKey}/${device.deviceNo}/property/post`,
      JSON.stringify({ temperature: 21.5 }),
      { qos: 1 },
    )
    await client.endAsync()
  })
  afterAll(() => browser?.close())

  /** Shifts the clock of a page's machine by so many milliseconds. */
  const shifted = (page: Page, by: number) =>
    page.addInitScript(offset => {
      const Real = Date
      class Shifted extends Real {
        constructor(...given: unknown[]) {
          // biome-ignore lint/suspicious/noExplicitAny: the arguments of Date as they come
          super(...((given.length === 0 ? [Real.now() + offset] : given) as [any]))
        }
        static override now = () => Real.now() + offset
      }
      globalThis.Date = Shifted as DateConstructor
    }, by)

  it.each([
    ['8 hours slow', -8 * HOUR],
    ['30 minutes fast', HOUR / 2],
  ])('with a clock %s keeps its token, shows the data of now and how long ago it came', async (_name, by) => {
    const { context, page } = await visitor(browser, { locale: 'zh' })
    await shifted(page, by)
    let renewals = 0
    page.on('request', request => {
      if (request.url().endsWith('/oauth/token') && (request.postData() ?? '').includes('refresh_token')) renewals++
    })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(`/manage/device/DeviceSet/DeviceCenter?id=${device.id}&tab=history`)
    await page.locator('canvas').first().waitFor()
    await settled(page)
    const words = await page.locator('main').innerText()
    expect(words).not.toContain('暂无数据')
    await console_.open('/manage/device')
    const row = page.locator('tr[data-row]').filter({ hasText: '水泵 1' })
    await row.waitFor()
    await settled(page)
    expect(await row.innerText()).toMatch(/刚刚|秒前|分钟前/)
    expect(await page.locator('main').innerText()).not.toMatch(/小时后|分钟后/)
    // The page has one token; a clock that is fast made it ask for a new one each second.
    expect(renewals).toBeLessThanOrEqual(2)
    await context.close()
  })

  it('after a sleep is not green before the connection has proved itself', async () => {
    const { context, page } = await visitor(browser, { locale: 'zh' })
    let asleep = false
    await page.routeWebSocket(/\/api\/v1\/live/, socket => {
      const there = socket.connectToServer()
      // A connection that a router has forgotten: neither side learns of it, nothing arrives.
      socket.onMessage(message => {
        if (!asleep) there.send(message)
      })
      there.onMessage(message => {
        if (!asleep) socket.send(message)
      })
    })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt('/manage/device')
    const mark = page.getByTestId('live-state')
    await expect.poll(() => mark.getAttribute('data-state')).toBe('live')
    asleep = true
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await expect.poll(() => mark.getAttribute('data-state'), { timeout: 40_000 }).toBe('reconnecting')
    asleep = false
    await expect.poll(() => mark.getAttribute('data-state'), { timeout: 40_000 }).toBe('live')
    await context.close()
  })

  it('reloads once when a part of it is gone after an upgrade', async () => {
    const { context, page } = await visitor(browser, { locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt('/manage/device')
    await page.locator('tr[data-row]').first().waitFor()
    await settled(page)
    let gone = true
    let loads = 0
    // The page that is asked for anew names the parts of the new version.
    page.on('request', request => {
      if (!request.isNavigationRequest()) return
      loads++
      gone = false
    })
    await page.route(/\/assets\/.*\.js$/, route => (gone ? route.fulfill({ status: 404, body: '' }) : route.continue()))
    await page.locator('[data-testid=side-menu] a[href="/manage/product"]').click()
    await console_.isAt('/manage/product')
    await expect.poll(() => loads).toBe(1)
    await page.locator('tr[data-row]').filter({ hasText: '温度计' }).waitFor()
    await settled(page)
    expect(loads).toBe(1)
    await context.close()
  })

  it('searches for what an input method has written, not for its letters', async () => {
    const { context, page } = await visitor(browser, { locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt('/manage/device')
    await page.locator('tr[data-row]').nth(1).waitFor()
    await settled(page)
    const asked: string[] = []
    page.on('request', request => {
      const q = new URL(request.url()).searchParams.get('q')
      if (q !== null) asked.push(q)
    })
    await page.keyboard.press('/')
    await page.clock.install()
    const keys = await context.newCDPSession(page)
    for (const text of ['s', 'sh', 'shui', "shui'beng"])
      await keys.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
    // The page's clock passes the pause after which typed letters are searched for.
    await page.clock.runFor(2000)
    expect(asked).toEqual([])
    await keys.send('Input.insertText', { text: '水泵' })
    await expect.poll(() => page.locator('tr[data-row]').count()).toBe(1)
    expect(asked.every(q => q === '水泵')).toBe(true)
    await context.close()
  })
})
