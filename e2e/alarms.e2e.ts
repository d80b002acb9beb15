import mqtt, { type MqttClient } from 'mqtt'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { runMosquitto } from './fixtures/replay.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

let server: SharedServer
let browser: Browser
let room: MqttClient | null = null
beforeAll(async () => {
  server = await sharedServer()
  browser = await openBrowser()
})
afterAll(async () => {
  await room?.endAsync()
  await browser?.close()
})

/** Words of the journey in each language. */
const WORDS = {
  zh: {
    create: '新建触发器',
    name: '名称',
    property: '属性',
    high: '上限',
    save: '保存并启用',
    dryRun: '试运行',
    week: '近 7 天',
    would: /会产生 1 条报警/,
    active: '报警中',
    acknowledge: '确认',
    acknowledged: /已确认/,
    more: '更多',
    clear: '解除报警',
    ended: '已恢复',
    cleared: /人工解除/,
    title: '报警中心',
    runs: '执行记录',
    raised: '触发',
    all: '全部',
  },
  en: {
    create: 'Create trigger',
    name: 'Name',
    property: 'Property',
    high: 'Upper limit',
    save: 'Save and enable',
    dryRun: 'Run',
    week: '7 days',
    would: /1 alarm would have been raised/,
    active: 'Active',
    acknowledge: 'Acknowledge',
    acknowledged: /Acknowledged/,
    more: 'More',
    clear: 'Clear alarm',
    ended: 'Cleared',
    cleared: /Cleared by hand/,
    title: 'Alarms',
    runs: 'Run log',
    raised: 'Raised',
    all: 'All',
  },
} as const

describe.each(['zh', 'en'] as const)('a trigger and its alarm, in %s', language => {
  it('is made on the page of a device, tried on the past, raises live, is acknowledged and cleared', async () => {
    const words = WORDS[language]
    const api = await apiClient(server.url)
    const product = await api<{ id: string; productKey: string }>('POST', '/products', {
      name: `Cold room ${language}`,
      linkType: 'mqtt',
      thingModel: {
        properties: [
          { identifier: 'temperature', name: 'Temperature', unit: '°C', dataType: { type: 'double' }, access: 'r' },
        ],
      },
    })
    const device = await api<{ id: string; deviceNo: string; deviceSecret: string }>('POST', '/devices', {
      name: `Room ${language}`,
      productId: product.id,
    })
    room = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: `${product.productKey}/${device.deviceNo}`,
      password: device.deviceSecret,
    })
    const topic = `things/${product.productKey}/${device.deviceNo}/property/post`
    const report = (temperature: number) => room!.publishAsync(topic, JSON.stringify({ temperature }), { qos: 1 })
    // The past that the dry run looks at: once too warm, and cold again.
    for (const value of [-20, -10, -20]) await report(value)
    await room.endAsync()
    room = null

    const { context, page } = await visitor(browser, { locale: language })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(`/manage/device/DeviceSet/DeviceCenter?id=${device.id}&tab=triggers`)
    await page.getByRole('tabpanel').getByRole('button', { name: words.create }).first().click()
    await page.getByLabel(words.name, { exact: true }).fill('Too warm')
    await page.getByLabel(words.property, { exact: true }).fill('temperature')
    await page.keyboard.press('Escape')
    await page.getByLabel(words.high, { exact: true }).fill('-15')
    const dry = page.getByTestId('dry-run')
    await dry.getByText(words.week).click()
    await dry.getByRole('button', { name: words.dryRun, exact: true }).click()
    await dry.getByRole('status').getByText(words.would).waitFor()
    await page.getByRole('button', { name: words.save }).click()
    await page.waitForURL(/trigger\?id=[0-9a-f-]{36}$/)

    // The list stands open before the value is sent: the alarm comes by itself.
    await console_.open('/manage/user/center/alarm')
    await page.getByRole('heading', { name: words.title, level: 1 }).waitFor()
    await runMosquitto(
      [
        `mosquitto_pub -h 127.0.0.1 -p ${server.mqttPort} -q 1`,
        `-u '${product.productKey}/${device.deviceNo}' -P '${device.deviceSecret}'`,
        `-t '${topic}' -m '{"temperature":-14.5}'`,
      ].join(' '),
    )
    const row = page
      .getByTestId('list')
      .getByRole('row', { name: /Too warm/ })
      .filter({ hasText: `Room ${language}` })
    await row.getByText(words.active, { exact: true }).waitFor()
    await row.getByRole('link', { name: 'Too warm' }).click()
    const alarm = page.getByTestId('alarm')
    await alarm.getByText('-14.5', { exact: false }).first().waitFor()
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('button', { name: words.acknowledge, exact: true }).click()
    await alarm.getByRole('region').or(alarm).getByText(words.acknowledged).first().waitFor()
    await drawer.getByRole('button', { name: words.more }).click()
    await page.getByRole('menuitem', { name: words.clear }).click()
    await page.getByRole('button', { name: words.clear, exact: true }).click()
    await alarm.getByText(words.cleared).first().waitFor()
    await page.keyboard.press('Escape')

    // It is over: under the cleared ones, in the log of its trigger and in the tab of its device.
    await page.getByRole('tab', { name: words.ended }).click()
    await row.getByText(words.ended, { exact: true }).waitFor()
    const [trigger] = (await api<{ items: { id: string }[] }>('GET', `/triggers?deviceId=${device.id}`)).items
    await console_.open(`/manage/user/center/trigger?id=${trigger!.id}&tab=runs`)
    await page.getByRole('table', { name: words.runs }).getByText(words.raised, { exact: true }).first().waitFor()
    await console_.open(`/manage/device/DeviceSet/DeviceCenter?id=${device.id}&tab=alarms`)
    await page.getByRole('tabpanel').locator('.ant-segmented-item', { hasText: words.all }).click()
    await page.getByRole('tabpanel').getByRole('link', { name: 'Too warm' }).waitFor()
    expect((await api<{ items: unknown[] }>('GET', `/alarms?deviceId=${device.id}&active=1`)).items).toEqual([])
    await context.close()
  })
})
