import mqtt, { type MqttClient } from 'mqtt'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

let server: SharedServer
let browser: Browser
let pump: MqttClient | null = null
beforeAll(async () => {
  server = await sharedServer()
  browser = await openBrowser()
})
afterAll(async () => {
  await pump?.endAsync()
  await browser?.close()
})

/** Words of the journey in each language. */
const WORDS = {
  zh: {
    add: '新建任务',
    name: '名称',
    pair: '开/关一对',
    on: '开',
    off: '关',
    property: '属性',
    save: '保存并启用',
    onNow: '立即开',
    more: '更多',
    runs: '执行记录',
    done: '成功',
  },
  en: {
    add: 'New task',
    name: 'Name',
    pair: 'On/off pair',
    on: 'On',
    off: 'Off',
    property: 'Property',
    save: 'Save and enable',
    onNow: 'On now',
    more: 'More',
    runs: 'Run log',
    done: 'Done',
  },
} as const

describe.each(['zh', 'en'] as const)('an on/off pair of a pump, in %s', language => {
  it('is made from the page of the device, waits for its time, and switches the pump', async () => {
    const words = WORDS[language]
    const api = await apiClient(server.url)
    const product = await api<{ id: string; productKey: string }>('POST', '/products', {
      name: `Pump ${language}`,
      linkType: 'mqtt',
      thingModel: { properties: [{ identifier: 'run', name: 'Run', dataType: { type: 'bool' }, access: 'rw' }] },
    })
    const device = await api<{ id: string; deviceNo: string; deviceSecret: string }>('POST', '/devices', {
      name: `Night pump ${language}`,
      productId: product.id,
    })
    const prefix = `things/${product.productKey}/${device.deviceNo}`
    const machine = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: `${product.productKey}/${device.deviceNo}`,
      password: device.deviceSecret,
    })
    pump = machine
    const heard: unknown[] = []
    machine.on('message', (_topic, payload) => void heard.push(JSON.parse(payload.toString())))
    await machine.subscribeAsync(`${prefix}/property/set`, { qos: 1 })

    const { context, page } = await visitor(browser, { locale: language })
    const console_ = new ConsolePage(page, server.url)
    const tasks = `/manage/device/DeviceSet/DeviceCenter?id=${device.id}&tab=timed-tasks`
    await console_.enterAt(tasks)
    await page.getByRole('tabpanel').getByRole('button', { name: words.add }).first().click()
    await page.getByLabel(words.name, { exact: true }).fill(`Night ${language}`)
    await page.getByText(words.pair, { exact: true }).click()
    await page.getByLabel(words.on, { exact: true }).first().fill('22:00')
    await page.getByLabel(words.off, { exact: true }).first().fill('06:00')
    // The device is there already; its end is the other way round of its beginning.
    await page.getByLabel(words.property, { exact: true }).first().click()
    await page.locator('.ant-select-item-option', { hasText: 'Run' }).first().click()
    await page.getByTestId('next-runs').getByText(/22:00/).first().waitFor()
    await page.getByRole('button', { name: words.save }).click()
    await page.waitForURL(/timedTasks$/)
    const { items } = await api<{ items: { schedule: object; offActions: { command: object }[] }[] }>(
      'GET',
      `/timed-tasks?deviceId=${device.id}`,
    )
    expect(items).toMatchObject([
      {
        schedule: { kind: 'pair', on: '22:00', off: '06:00' },
        offActions: [{ command: { kind: 'property_set', params: { run: false } } }],
      },
    ])

    // On the page of the device it is run by hand, and the pump hears it.
    await console_.open(tasks)
    const row = page.getByRole('row', { name: new RegExp(`Night ${language}`) })
    await row.waitFor()
    const now = row.getByRole('button', { name: words.onNow })
    if ((await now.count()) === 0) {
      await row.getByRole('button', { name: words.more }).click()
      await page.getByRole('menuitem', { name: words.onNow }).click()
    } else await now.click()
    await expect.poll(() => JSON.stringify(heard), { timeout: 45_000 }).toContain('"run":true')
    await console_.open('/manage/user/center/timedTasks?tab=runs')
    const run = page.getByTestId('list').getByRole('row', { name: new RegExp(`Night ${language}`) })
    await run.getByText(words.done, { exact: true }).first().waitFor()
    await context.close()
    await machine.endAsync()
  })
})
