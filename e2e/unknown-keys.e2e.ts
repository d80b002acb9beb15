import mqtt from 'mqtt'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { PASSWORD } from './fixtures/people.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

interface Made {
  id: string
  productId: string
  productKey: string
  deviceNo: string
  deviceSecret: string
}

const WORDS = {
  en: {
    rule: 'Messages with unknown keys',
    refuse: 'Reject the message',
    ignore: 'Ignore unknown keys',
    collect: 'Collect unknown keys',
    add: 'Add to model',
    added: 'Added to the draft',
    inDraft: 'Already in the draft',
    saved: 'Saved',
  },
  zh: {
    rule: '含未知字段的消息',
    refuse: '拒绝整条消息',
    ignore: '忽略未知字段',
    collect: '收集未知字段',
    add: '加入物模型',
    added: '草稿',
    inDraft: '已在草稿中',
    saved: '已保存',
  },
} as const

// Devices that say more than their model knows: what the product chose to do with it, and what somebody makes of it.
describe('keys that the model does not know', () => {
  let server: SharedServer
  let browser: Browser
  let api: Awaited<ReturnType<typeof apiClient>>

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
    api = await apiClient(server.url)
  })
  afterAll(() => browser?.close())

  async function device(name: string): Promise<Made> {
    const properties = [{ identifier: 'temperature', name: '温度', dataType: { type: 'double' }, access: 'r' }]
    const { id, productKey } = await api<{ id: string; productKey: string }>('POST', '/products', {
      name,
      linkType: 'mqtt',
      thingModel: { properties },
    })
    const made = await api<Made>('POST', '/devices', { name: `${name} 1`, productId: id })
    return { ...made, productId: id, productKey }
  }
  async function post(of: Made, body: unknown) {
    const reply = await fetch(`${server.url}/device/v1/${of.productKey}/${of.deviceNo}/property`, {
      method: 'POST',
      headers: { authorization: `Bearer ${of.deviceSecret}`, 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify(body),
    })
    return { status: reply.status, text: await reply.text() }
  }
  async function latest(of: Made): Promise<unknown> {
    const { items } = await api<{ items: { identifier: string; value: unknown }[] }>(
      'GET',
      `/devices/${of.id}/properties`,
    )
    return items.find(({ identifier }) => identifier === 'temperature')?.value
  }
  async function open(path: string, locale: 'zh' | 'en') {
    const { context, page } = await visitor(browser, { locale })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(path)
    return { context, page, console_ }
  }
  async function choose(page: Page, rule: string, label: string, said: string, console_: ConsolePage) {
    await page.getByRole('radiogroup', { name: rule }).getByText(label, { exact: true }).click()
    await console_.hasNotice(said)
  }

  it.each(['zh', 'en'] as const)(
    'are refused, ignored or collected as the product says; collected ones become properties (%s)',
    async locale => {
      const words = WORDS[locale]
      const of = await device(`meter ${locale}`)
      const { context, page, console_ } = await open(
        `/manage/product/ProductSet/ProductSetInfo?id=${of.productId}`,
        locale,
      )

      await choose(page, words.rule, words.refuse, words.saved, console_)
      const refused = await post(of, { temperature: 1, volts: 3.1 })
      expect(refused.status).toBe(422)
      expect(refused.text).toContain('volts')
      expect(await latest(of)).toBeUndefined()

      await choose(page, words.rule, words.ignore, words.saved, console_)
      expect((await post(of, { temperature: 2, volts: 3.2 })).status).toBe(200)
      await expect.poll(() => latest(of)).toBe(2)

      await choose(page, words.rule, words.collect, words.saved, console_)
      expect((await post(of, { temperature: 3, volts: 3.3 })).status).toBe(200)
      const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
        username: `${of.productKey}/${of.deviceNo}`,
        password: of.deviceSecret,
        reconnectPeriod: 0,
      })
      const body = JSON.stringify({ temperature: 4, volts: 3.4, '9 bad': true })
      await client.publishAsync(`things/${of.productKey}/${of.deviceNo}/property/post`, body, { qos: 1 })
      await client.endAsync()
      await expect.poll(() => latest(of)).toBe(4)

      const row = page.locator('tr[data-row=volts]')
      await expect
        .poll(async () => {
          await page.reload()
          await page.locator('tr[data-row]').last().waitFor()
          return (await page.locator('tr[data-row="9 bad"]').count()) > 0 ? row.innerText() : ''
        })
        .toMatch(/3\.3\s+3\.4/)
      // Ignored ones are not listed, and what cannot be an identifier is not offered.
      expect(await row.innerText()).not.toContain('3.2')
      expect(await row.innerText()).toContain(of.deviceNo)
      expect(await page.locator('tr[data-row="9 bad"]').getByRole('button').isDisabled()).toBe(true)
      await row.getByRole('button', { name: words.add }).click()
      await console_.hasNotice(words.added)
      await row.getByText(words.inDraft).waitFor()
      const { thingModel, version } = await api<{
        thingModel: { properties: { identifier: string }[] }
        version: number
      }>('GET', `/products/${of.productId}`)
      expect(thingModel.properties.map(({ identifier }) => identifier)).toEqual(['temperature', 'volts'])
      await api('POST', `/products/${of.productId}/publish`, { version })
      expect((await post(of, { volts: 3.5 })).status).toBe(200)
      await page.goto(`${server.url}/manage/device/DeviceSet/DeviceCenter?id=${of.id}`)
      await page.locator('[data-property=volts]').getByText('3.5').waitFor()
      await context.close()
    },
  )

  it('devices that were there before get their tokens when ThingsBoard’s firmware is switched on, all of them', async () => {
    const of = await device('board')
    const others = await Promise.all(
      [2, 3].map(n => api<Made>('POST', '/devices', { name: `board ${n}`, productId: of.productId })),
    )
    const { context, page } = await open(`/manage/product/ProductSet/ProductSetLink?id=${of.productId}`, 'en')
    await page.getByRole('switch', { name: /ThingsBoard/ }).click()
    await page.getByText('v1/devices/me/telemetry').first().waitFor()
    const tokens: string[] = []
    for (const { id } of [of, ...others]) {
      await page.goto(`${server.url}/manage/device/DeviceSet/DeviceSetLink?id=${id}`)
      const shown = page.waitForResponse(
        response => response.url().endsWith(`/devices/${id}/access-token/show`) && response.status() === 200,
      )
      await page.getByRole('button', { name: 'Show token' }).click()
      // Once for this sign-in: a fresh proof counts for the next ones.
      if (tokens.length === 0) {
        await page.getByTestId('proof-input').fill(PASSWORD)
        await page.getByTestId('proof-submit').click()
      }
      const { accessToken } = (await (await shown).json()) as { accessToken: string }
      tokens.push(accessToken)
      const telemetry = (token: string) =>
        fetch(`${server.url}/api/v1/${token}/telemetry`, { method: 'POST', body: '{"temperature":"21.5"}' })
      expect((await telemetry(accessToken)).status).toBe(200)
      await expect.poll(() => latest({ ...of, id })).toBe(21.5)
      const wrong = accessToken.slice(0, -1) + (accessToken.endsWith('A') ? 'B' : 'A')
      expect((await telemetry(wrong)).status).toBe(401)
    }
    expect(new Set(tokens).size).toBe(3)
    await context.close()
  })
})
