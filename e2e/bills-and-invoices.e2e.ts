import mqtt from 'mqtt'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { PASSWORD } from './fixtures/people.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

let server: SharedServer
let browser: Browser
const own = Date.now().toString(36)
beforeAll(async () => {
  server = await sharedServer()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
})

interface Order {
  id: string
  no: string
  payments: { id: string }[]
}

const asOperator = () => apiClient(server.url, 'operator')
async function sells(item: object): Promise<void> {
  const operator = await asOperator()
  const words = { text: '', etext: '', state: 'published', position: 0 }
  await operator('POST', '/operator/catalogue', { ...words, ...item })
}
async function operatorAt(path: string) {
  const { page } = await visitor(browser, { locale: 'zh' })
  const console_ = new ConsolePage(page, server.url)
  await console_.enterAt(path, 'operator')
  return page
}

describe('an invoice', () => {
  it('is asked for, issued with its file, and taken back by a red-letter one', async () => {
    await sells({
      sku: `bill-sms-${own}`,
      kind: 'sms',
      name: `短信 ${own}`,
      ename: `Messages ${own}`,
      spec: { units: 100, gift: 0, months: 12 },
      priceFen: 12_300,
    })
    const api = await apiClient(server.url)
    const order = await api<Order>('POST', '/orders', { items: [{ sku: `bill-sms-${own}` }] })
    const paid = await api<Order>('POST', `/orders/${order.id}/pay`, { provider: 'simulated' })
    await api('POST', `/payments/${paid.payments[0]!.id}/simulate`, { outcome: 'paid' })
    await api('POST', '/invoice-titles', { kind: 'company', title: '水泵有限公司', taxNo: '91350100M000100Y43' })

    const { page } = await visitor(browser, { locale: 'zh' })
    const company = new ConsolePage(page, server.url)
    await company.enterAt('/invoice/InvoiceRequest')
    const row = page.locator('tr[data-row]').filter({ hasText: order.no })
    await row.getByRole('checkbox').check()
    await page.getByRole('button', { name: '申请开票' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: '提交' }).click()
    await page.waitForURL(/InvoiceList\?id=/)
    const drawer = page.getByRole('dialog')
    await drawer.getByText('待审核').first().waitFor()
    const { items } = await api<{ items: { id: string; no: string }[] }>('GET', '/invoices')
    const { id, no } = items[0]!

    // The operator issues it: the file of the tax office, its number.
    const desk = await operatorAt('/operator/money?tab=invoices')
    const work = async (number: string, of: string) => {
      await desk.locator('tr[data-row]').filter({ hasText: number }).getByText('处理', { exact: true }).click()
      const process = desk.getByRole('dialog')
      await process.getByRole('button', { name: '开始开票' }).click()
      await desk
        .getByTestId('invoice-file')
        .setInputFiles({ name: `${of}.pdf`, mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 invoice') })
      await process.getByText(`${of}.pdf`).waitFor()
      await process.getByLabel('发票号码').fill(of)
      await process.getByRole('button', { name: '已开票' }).click()
      await process.getByText('已开票').first().waitFor()
      await desk.keyboard.press('Escape')
      await process.waitFor({ state: 'detached' })
    }
    const blue = `26${Date.now()}`
    await work(no, blue)

    await company.open(`/invoice/InvoiceList?id=${id}`)
    await drawer.getByText(blue).first().waitFor()
    await drawer.getByText(`${blue}.pdf`).waitFor()
    await drawer.getByRole('button', { name: '申请红冲' }).click()
    await page.getByRole('dialog').last().getByRole('button', { name: '提交' }).click()
    await expect
      .poll(async () => (await api<{ items: { redOf: string | null }[] }>('GET', '/invoices')).items.map(i => i.redOf))
      .toContain(id)
    const red = (await api<{ items: { no: string; redOf: string | null }[] }>('GET', '/invoices')).items.find(
      item => item.redOf === id,
    )!
    await desk.reload()
    await work(red.no, `27${Date.now()}`)
    await company.open('/invoice/InvoiceList')
    await page.getByTestId('list').getByText('已全额红冲').waitFor()
    // The whole amount can be invoiced again.
    expect(await api('GET', '/invoices/account')).toMatchObject({ openFen: 12_300 })
  }, 240_000)
})

describe('an order of SIM cards', () => {
  it('is paid for, shipped from the stock, received, and its cards are listed', async () => {
    const sku = `bill-card-${own}`
    const spec = { carrier: 'cmcc', use: 'single', forms: ['2ff'], monthMb: 100, months: 12, cardFen: 100 }
    await sells({ sku, kind: 'sim', name: `流量卡 ${own}`, ename: `Card ${own}`, spec, priceFen: 1_200 })
    const operator = await asOperator()
    const source = await operator<{ id: string }>('POST', '/operator/card-sources', {
      name: `Source ${own}`,
      kind: 'onelink',
      account: 'A1',
      password: 'p1',
    })
    const serial = (n: number) => `898603${String(Date.now()).slice(-11)}${String(n).padStart(3, '0')}`
    const [first, last] = [serial(1), serial(2)]
    await operator('POST', '/operator/card-stock', {
      sourceId: source.id,
      form: '2ff',
      use: 'single',
      cards: [{ iccid: first }, { iccid: last }],
    })

    const { page } = await visitor(browser, { locale: 'zh' })
    const company = new ConsolePage(page, server.url)
    await company.enterAt('/cost/account/cardBuy')
    await page.getByRole('button', { name: `下单 流量卡 ${own}` }).click()
    const form = page.getByRole('dialog')
    for (const [label, value] of [
      ['数量（张）', '2'],
      ['收件人', '张三'],
      ['联系电话', '13800000000'],
      ['省市区', '福建省福州市'],
      ['详细地址', '软件大道 89 号'],
    ] as const)
      await form.getByLabel(new RegExp(`^${label}`)).fill(value)
    await form.getByRole('button', { name: '提交订单' }).click()
    const pay = page.getByRole('dialog').filter({ hasText: '模拟支付' })
    await pay.getByRole('radio', { name: '模拟支付' }).check()
    await pay.getByRole('button', { name: /^支付 ¥/ }).click()
    await pay.getByRole('button', { name: '模拟支付成功' }).click()
    const api = await apiClient(server.url)
    const orders = () => api<{ items: { no: string; state: string }[] }>('GET', '/card-orders')
    await expect.poll(async () => (await orders()).items[0]?.state).toBe('processing')

    const desk = await operatorAt('/operator/money?tab=cards')
    const { no } = (await orders()).items[0]!
    await desk.locator('tr[data-row]').filter({ hasText: no }).getByText('发货', { exact: true }).click()
    const ship = desk.getByRole('dialog')
    for (const [label, value] of [
      ['起始 ICCID', first],
      ['结束 ICCID', last],
      ['承运商', '顺丰'],
      ['物流单号', 'SF0001'],
    ] as const)
      await ship.getByLabel(new RegExp(`^${label}`)).fill(value)
    await ship.getByRole('button', { name: '发货' }).click()
    await ship.waitFor({ state: 'detached' })

    await company.open('/cost/account/cardInfo')
    await page.locator('tr[data-row]').filter({ hasText: no }).getByText('确认收货', { exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: '确认收货' }).click()
    await company.hasNotice('已收货，卡已加入流量卡列表')
    await company.open('/flowCard/CmccFlowCard')
    await page.getByTestId('list').getByText(first).first().waitFor()
    await page.getByTestId('list').getByText(last).first().waitFor()
  }, 240_000)
})

describe('the prepaid balance of a customer', () => {
  it('runs out, is told of, cuts the device off when it reports so, and restores it within ten seconds of payment', async () => {
    const api = await apiClient(server.url)
    const product = await api<{ id: string; productKey: string }>('POST', '/products', {
      name: `Meter ${own}`,
      linkType: 'mqtt',
      thingModel: {
        properties: [
          { identifier: 'energy', name: 'Energy', dataType: { type: 'double' }, access: 'r' },
          { identifier: 'relay', name: 'Relay', dataType: { type: 'bool' }, access: 'rw' },
        ],
      },
    })
    const device = await api<{ id: string; deviceNo: string; deviceSecret: string }>('POST', '/devices', {
      name: `Meter ${own}`,
      productId: product.id,
    })
    const prefix = `things/${product.productKey}/${device.deviceNo}`
    const meter = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: `${product.productKey}/${device.deviceNo}`,
      password: device.deviceSecret,
    })
    const says = (values: object) => meter.publishAsync(`${prefix}/property/post`, JSON.stringify(values), { qos: 1 })
    const switched: { relay: boolean; at: number }[] = []
    const unsaid: Error[] = []
    meter.on('message', (_topic, payload) => {
      const { params } = JSON.parse(payload.toString()) as { params: { relay?: boolean } }
      if (params.relay === undefined) return
      switched.push({ relay: params.relay, at: Date.now() })
      // It does what it was told and reports it.
      says({ relay: params.relay }).catch((error: Error) => unsaid.push(error))
    })
    await meter.subscribeAsync(`${prefix}/property/set`, { qos: 1 })
    await says({ energy: 100, relay: true })

    const username = `metered-${own}`
    const customer = await api<{ id: string }>('POST', '/end-users', { username, name: '王五', password: PASSWORD })
    await api('POST', `/end-users/${customer.id}/devices`, { deviceIds: [device.id] })
    const { version } = await api<{ version: number }>('GET', '/meter-settings')
    const settings = { online: 'simulated', drawMinutes: 1, waitMinutes: 0, freshMinutes: 60, lowFen: 100 }
    await api('PATCH', '/meter-settings', { ...settings, version })
    const tariff = await api<{ id: string }>('POST', '/tariffs', {
      name: `电 ${own}`,
      unit: 'kWh',
      validFrom: '2026-01-01',
      rates: { kind: 'fixed', price: '1' },
    })
    await api('POST', `/meter-accounts/${customer.id}/payments`, { amountFen: 500, remark: '现金' })
    const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Shanghai' }).format(new Date())
    await says({ energy: 110 })
    await api('POST', '/meters', {
      name: `电表 ${own}`,
      deviceId: device.id,
      property: 'energy',
      endUserId: customer.id,
      tariffId: tariff.id,
      mode: 'prepaid',
      fromDay: today,
      startValue: '100',
      cutProperty: 'relay',
      cutValue: false,
      restoreValue: true,
    })

    // He used more than he had paid: he is told, and the device is cut off and says so.
    const cutoffs = async () =>
      (await api<{ items: { state: string }[] }>('GET', `/meter-cutoffs?endUserId=${customer.id}`)).items[0]?.state
    await expect.poll(cutoffs, { timeout: 90_000 }).toBe('cut')
    expect(switched.map(({ relay }) => relay)).toEqual([false])
    const his = await apiClient(server.url, username)
    const inbox = await his<{ items: { kind: string }[] }>('GET', '/inbox')
    expect(inbox.items.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['meter.noticed', 'meter.cut']))

    const { page } = await visitor(browser, { locale: 'zh' })
    const home = new ConsolePage(page, server.url)
    await home.enterAt('/manage/user/center/info?tab=ownMetering', username)
    await page.getByText(`“电表 ${own}”：已断供`).waitFor()
    await page.getByRole('button', { name: '付款', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('金额（元）').fill('50')
    await dialog.getByRole('button', { name: '下一步' }).click()
    const paidAt = Date.now()
    await dialog.getByRole('button', { name: '模拟支付 ¥50.00' }).click()
    await expect.poll(cutoffs, { timeout: 20_000 }).toBe('restored')
    expect(switched.map(({ relay }) => relay)).toEqual([false, true])
    expect(switched[1]!.at - paidAt).toBeLessThan(10_000)
    await home.open('/manage/user/center/info?tab=ownMetering')
    await page.getByText('¥45.00').first().waitFor()
    expect(await page.getByText('已断供').count()).toBe(0)
    expect(unsaid).toEqual([])
    await meter.endAsync()
  }, 240_000)
})
