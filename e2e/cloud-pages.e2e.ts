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

const WORDS = {
  zh: {
    create: '新建页面',
    name: '名称',
    address: '地址',
    search: /搜索 \d+ 个图元/,
    tank: '立式储罐',
    switchName: '开关',
    saved: '已自动保存',
    publish: '发布',
    published: '已发布 v1',
    pin: '操作密码',
    confirm: '确定',
    done: '已完成',
    off: '页面不存在或已下线',
  },
  en: {
    create: 'Create page',
    name: 'Name',
    address: 'Address',
    search: /Search \d+ elements/,
    tank: 'Upright tank',
    switchName: 'Switch',
    saved: 'Saved',
    publish: 'Publish',
    published: 'v1 is published',
    pin: 'PIN',
    confirm: 'Confirm',
    done: 'Done',
    off: 'The page does not exist or was withdrawn',
  },
} as const

interface Drawn {
  id: string
  version: number
  scene: {
    nodes: { id: string; kind: string; x: number; y: number; bind: object[]; events: object[] }[]
    roles: object[]
  }
}

describe.each(['zh', 'en'] as const)('a cloud page, in %s', language => {
  it('is drawn, published, seen alive by a stranger and worked with its PIN', async () => {
    const words = WORDS[language]
    const suffix = `journey-${language}`
    const api = await apiClient(server.url)
    const product = await api<{ id: string; productKey: string }>('POST', '/products', {
      name: `Station ${language}`,
      linkType: 'mqtt',
      thingModel: {
        properties: [
          { identifier: 'level', name: 'Level', unit: 'm', dataType: { type: 'double' }, access: 'r' },
          { identifier: 'valve', name: 'Valve', dataType: { type: 'bool' }, access: 'rw' },
        ],
      },
    })
    const device = await api<{ id: string; deviceNo: string; deviceSecret: string }>('POST', '/devices', {
      name: `Tank ${language}`,
      productId: product.id,
    })
    const prefix = `things/${product.productKey}/${device.deviceNo}`
    pump = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: `${product.productKey}/${device.deviceNo}`,
      password: device.deviceSecret,
    })
    const report = (values: object) => pump!.publishAsync(`${prefix}/property/post`, JSON.stringify(values), { qos: 1 })
    // The device does what it is told and says so.
    const told: unknown[] = []
    const answers: Promise<unknown>[] = []
    pump.on('message', (_topic, payload) => {
      const { id, params } = JSON.parse(String(payload)) as { id: string; params: { valve: boolean } }
      told.push(params)
      answers.push(
        pump!
          .publishAsync(`${prefix}/property/set_reply`, JSON.stringify({ id, code: 0 }), { qos: 1 })
          .then(() => report(params)),
      )
    })
    await pump.subscribeAsync(`${prefix}/property/set`, { qos: 1 })
    await report({ level: 20, valve: false })

    // ── drawn ──
    const { context, page } = await visitor(browser, { locale: language })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt('/manage/user/center/cloudConfig')
    await page.getByRole('button', { name: words.create }).first().click()
    const drawer = page.getByRole('dialog')
    await drawer.getByLabel(words.name).fill(`Station ${language}`)
    await drawer.getByLabel(words.address).fill(suffix)
    await drawer.getByRole('button', { name: words.create }).click()
    const editor = page.getByTestId('page-editor')
    await editor.getByRole('searchbox', { name: words.search }).fill(words.tank)
    await editor.getByRole('button', { name: words.tank, exact: true }).click()
    const stage = editor.getByTestId('stage')
    const tank = stage.locator('[data-node]').first()
    const before = (await tank.boundingBox())!
    await page.mouse.move(before.x + before.width / 2, before.y + before.height / 2)
    await page.mouse.down()
    await page.mouse.move(before.x + before.width / 2 - 120, before.y + before.height / 2, { steps: 5 })
    await page.mouse.up()
    expect((await tank.boundingBox())!.x).toBeLessThan(before.x - 60)
    await editor.getByRole('searchbox', { name: words.search }).fill(words.switchName)
    await editor.getByRole('button', { name: words.switchName, exact: true }).click()
    await page.keyboard.press('Control+z')
    await expect.poll(() => stage.locator('[data-node]').count()).toBe(1)
    await page.keyboard.press('Control+y')
    await expect.poll(() => stage.locator('[data-node]').count()).toBe(2)
    await editor.getByRole('status').getByText(words.saved, { exact: true }).waitFor()

    // ── bound: what the panel at the right writes, said by the API, and open in the editor again ──
    const [listed] = (await api<{ items: Drawn[] }>('GET', `/pages?q=${suffix}`)).items
    const drawn = await api<Drawn>('GET', `/pages/${listed!.id}`)
    const source = (point: string) => ({ from: 'property', role: 'tank', point })
    const bound = await api<{ version: number }>('PUT', `/pages/${drawn.id}/draft`, {
      version: drawn.version,
      scene: {
        ...drawn.scene,
        roles: [{ key: 'tank', name: 'Tank', productId: product.id, deviceId: device.id, choices: [] }],
        nodes: [
          ...drawn.scene.nodes.map(node =>
            node.kind === 'switch'
              ? {
                  ...node,
                  bind: [{ prop: 'value', source: source('valve') }],
                  events: [{ on: 'change', do: 'set', role: 'tank', point: 'valve' }],
                }
              : { ...node, bind: [{ prop: 'value', source: source('level') }] },
          ),
          { id: 'n', kind: 'number', name: 'Level', x: 40, y: 40, bind: [{ prop: 'value', source: source('level') }] },
        ],
      },
    })
    await api('PATCH', `/pages/${drawn.id}`, { version: bound.version, control: 'pin', pin: '2580' })
    await page.reload()
    await editor.getByTestId('stage').getByText('20.0').waitFor()

    // ── published ──
    await editor.getByRole('button', { name: words.publish, exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: words.publish, exact: true }).click()
    await dialog.getByText(words.published).waitFor()

    // ── seen by a stranger: within a second of the report ──
    const stranger = await visitor(browser, { locale: language })
    await stranger.page.goto(`${server.url}/page/${suffix}`)
    const seen = stranger.page.getByRole('main')
    await seen.getByText('20.0').waitFor()
    expect(await stranger.page.getByTestId('side-menu').count()).toBe(0)
    await report({ level: 35.5 })
    await seen.getByText('35.5').waitFor()

    // ── worked with the PIN ──
    const valve = seen.getByRole('switch')
    expect(await valve.getAttribute('aria-checked')).toBe('false')
    await valve.click()
    const ask = stranger.page.getByRole('dialog')
    await ask.getByLabel(words.pin).fill('2580')
    await ask.getByRole('button', { name: words.confirm, exact: true }).click()
    await stranger.page.getByRole('status').getByText(words.done).waitFor()
    await Promise.all(answers)
    expect(told).toEqual([{ valve: true }])
    await expect.poll(() => valve.getAttribute('aria-checked')).toBe('true')

    // ── withdrawn: the open page says so by itself ──
    await api('POST', `/pages/${drawn.id}/withdraw`)
    await stranger.page.getByText(words.off).waitFor()
    await stranger.context.close()
    await context.close()
    await pump.endAsync()
    pump = null
  })
})
