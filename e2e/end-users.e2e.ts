import mqtt from 'mqtt'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { PASSWORD } from './fixtures/people.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

let server: SharedServer
let browser: Browser
beforeAll(async () => {
  server = await sharedServer()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
})

/** Words of the journey in each language. */
const WORDS = {
  zh: {
    add: '添加用户',
    name: '名称',
    username: '账号',
    link: '只生成链接',
    done: '完成',
    devices: '设备',
    assign: '分配设备',
    trigger: '新建触发器',
    edit: '编辑',
    triggers: '编辑触发器',
    save: '保存',
    high: '上限',
    property: '属性',
    saveTrigger: '保存并启用',
    diagnosis: /从未|没有来过|设备/,
  },
  en: {
    add: 'Add user',
    name: 'Name',
    username: 'Username',
    link: 'Create a link only',
    done: 'Done',
    devices: 'Devices',
    assign: 'Assign devices',
    trigger: 'Create trigger',
    edit: 'Edit',
    triggers: 'Edit triggers',
    save: 'Save',
    high: 'Upper limit',
    property: 'Property',
    saveTrigger: 'Save and enable',
    diagnosis: /device/i,
  },
} as const

describe.each(['zh', 'en'] as const)('a customer of the company, in %s', language => {
  it('is invited, sees two devices, switches a pump, and may add a trigger once that is granted', async () => {
    const words = WORDS[language]
    const api = await apiClient(server.url)
    const product = await api<{ id: string; productKey: string }>('POST', '/products', {
      name: `Pump ${language}`,
      linkType: 'mqtt',
      thingModel: {
        properties: [
          { identifier: 'level', name: 'Level', dataType: { type: 'double' }, access: 'r' },
          { identifier: 'pump', name: 'Pump', dataType: { type: 'bool' }, access: 'rw' },
        ],
      },
    })
    const device = (name: string) =>
      api<{ id: string; deviceNo: string; deviceSecret: string }>('POST', '/devices', { name, productId: product.id })
    const [one, two] = [await device(`North pump ${language}`), await device(`South pump ${language}`)]
    await device(`Pump of another ${language}`)
    const prefix = `things/${product.productKey}/${one.deviceNo}`
    const machine = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: `${product.productKey}/${one.deviceNo}`,
      password: one.deviceSecret,
    })
    await machine.subscribeAsync(`${prefix}/property/set`, { qos: 1 })
    await machine.publishAsync(`${prefix}/property/post`, JSON.stringify({ pump: false, level: 3 }), { qos: 1 })

    // The company makes him and gives him two devices.
    const username = `water-works-${language}`
    const company = await visitor(browser, { locale: language })
    const desk = new ConsolePage(company.page, server.url)
    await desk.enterAt('/manage/user')
    await company.page.getByRole('button', { name: words.add }).first().click()
    const drawer = company.page.getByRole('dialog')
    await drawer.getByLabel(new RegExp(`^${words.name}`)).fill(`Water works ${language}`)
    await drawer.getByLabel(new RegExp(`^${words.username}`)).fill(username)
    await drawer.getByText(words.link, { exact: true }).click()
    await drawer.getByRole('button', { name: words.add }).click()
    const link = await company.page.getByTestId('invite-link').innerText()
    await company.page.getByRole('button', { name: words.done }).click()
    await company.page
      .getByRole('link', { name: `Water works ${language}` })
      .first()
      .click()
    await company.page.getByRole('tab', { name: words.devices, exact: true }).click()
    await company.page.getByRole('button', { name: words.assign }).first().click()
    const choose = company.page.getByRole('dialog')
    for (const name of [`North pump ${language}`, `South pump ${language}`]) {
      await choose.getByRole('combobox').fill(name)
      await company.page.locator('.ant-select-item-option', { hasText: name }).click()
    }
    await company.page.keyboard.press('Escape')
    await choose.getByRole('button', { name: words.assign }).click()
    await company.page.getByTestId('list').getByText(`South pump ${language}`).waitFor()

    // He sets his password by the link and comes in.
    const his = await visitor(browser, { locale: language })
    const home = new ConsolePage(his.page, server.url)
    const { search, hash } = new URL(link)
    await home.open(`/index${search}${hash}`)
    await his.page.getByTestId('reset-dialog').locator('input[type=password]').fill(PASSWORD)
    await his.page.getByTestId('reset-submit').click()
    await his.page.getByTestId('reset-dialog').waitFor({ state: 'detached' })
    await home.signIn(username)
    await his.page.getByTestId('side-menu').waitFor()
    await home.open('/manage/device')
    const list = his.page.getByTestId('list')
    await list.getByText(`North pump ${language}`).waitFor()
    await list.getByText(`South pump ${language}`).waitFor()
    expect(await list.getByText(`Pump of another ${language}`).count()).toBe(0)

    // The pump is switched, and the machine hears it.
    await home.open(`/manage/device/DeviceSet/DeviceCenter?id=${one.id}`)
    const heard = new Promise<Buffer>(resolve => machine.once('message', (_topic, payload) => resolve(payload)))
    await his.page.getByRole('switch').first().click()
    expect(JSON.parse((await heard).toString())).toMatchObject({ params: { pump: true } })

    // A trigger is not his to add, in the page and at the server.
    await home.open('/manage/user/center/trigger')
    await his.page.getByRole('heading', { level: 1 }).waitFor()
    expect(await his.page.getByRole('button', { name: words.trigger }).count()).toBe(0)
    const customer = await apiClient(server.url, username)
    const trigger = {
      name: 'Too high',
      scope: { deviceIds: [two.id] },
      kind: 'above',
      property: 'level',
      high: 8,
      alarm: { level: 3 },
    }
    await expect(customer('POST', '/triggers', trigger)).rejects.toThrow(/403/)

    // The company grants it; his open page learns of it without a new sign-in.
    await company.page.getByRole('button', { name: words.edit, exact: true }).first().click()
    await company.page.getByRole('dialog').getByRole('checkbox', { name: words.triggers }).check()
    await company.page.getByRole('dialog').getByRole('button', { name: words.save, exact: true }).click()
    await his.page.getByRole('button', { name: words.trigger }).first().click()
    await his.page.getByLabel(words.name, { exact: true }).fill('Too high')
    await his.page.waitForURL(/trigger\?id=new/)
    expect(await customer<{ name: string }>('POST', '/triggers', trigger)).toMatchObject({ name: 'Too high' })

    await machine.endAsync()
    await his.context.close()
    await company.context.close()
  })
})
