import { createHash } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { PASSWORD } from './fixtures/people.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

interface Made {
  id: string
  deviceNo: string
  deviceSecret: string
}
interface Notice {
  id: string | null
  version: string
  size: number
  sha256: string
  url: string
}

const FIRMWARE = '/develop/FirmwareUpdate'
const IMAGE = Buffer.from('pump firmware 1.4.2 '.repeat(5_000))

// From a file on somebody's desk to the report of the last pump, the way a person goes; the pumps speak HTTP.
describe('firmware', () => {
  let server: SharedServer
  let browser: Browser
  let product: { id: string; productKey: string }
  const pumps: Made[] = []

  /** One request of a pump. */
  async function says<T>(pump: Made, method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    const reply = await fetch(`${server.url}/device/v1/${product.productKey}/${pump.deviceNo}/ota/${path}`, {
      method,
      headers: { authorization: `Bearer ${pump.deviceSecret}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    expect(reply.ok, `${path}: ${reply.status}`).toBe(true)
    return (await reply.json()) as T
  }
  const told = async (pump: Made): Promise<Notice & { id: string }> => {
    let notice: Notice | null = null
    await expect
      .poll(
        async () => {
          notice = await says<Notice>(pump, 'GET', 'pull')
          return notice.id
        },
        { interval: 200 },
      )
      .toEqual(expect.any(String))
    return notice as unknown as Notice & { id: string }
  }
  /** Loads, checks, installs, starts again and says so. */
  async function updates(pump: Made): Promise<void> {
    const notice = await told(pump)
    const { pathname, search } = new URL(notice.url)
    const bytes = Buffer.from(await (await fetch(server.url + pathname + search)).arrayBuffer())
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(notice.sha256)
    for (const state of ['downloaded', 'verified', 'installing'])
      await says(pump, 'POST', 'progress', { id: notice.id, state })
    await says(pump, 'POST', 'inform', { version: notice.version })
  }

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
    const api = await apiClient(server.url)
    product = await api('POST', '/products', { name: '水泵控制器', linkType: 'http', thingModel: { properties: [] } })
    for (const name of ['一号泵', '二号泵', '三号泵'])
      pumps.push(await api('POST', '/devices', { name, productId: product.id }))
    for (const pump of pumps) await says(pump, 'POST', 'inform', { version: '1.3.0' })
  })
  afterAll(() => browser?.close())

  it('goes up, is rolled out while one looks, a failed pump is tried again, and the versions tell', async () => {
    const { context, page } = await visitor(browser, { locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(`${FIRMWARE}?tab=packages`)
    await page.getByRole('button', { name: '上传固件包' }).first().click()
    const drawer = page.getByRole('dialog', { name: '上传固件包' })
    await drawer
      .locator('input[type=file]')
      .setInputFiles({ name: 'pump_v1.4.2.bin', mimeType: 'application/octet-stream', buffer: IMAGE })
    await drawer.getByTestId('file-hash').getByText(createHash('sha256').update(IMAGE).digest('hex')).waitFor()
    await expect.poll(() => drawer.getByLabel(/^版本号/).inputValue()).toBe('1.4.2')
    await drawer.getByLabel(/^产品/).click()
    await page.locator('.ant-select-item-option').getByText('水泵控制器').click()
    await drawer.getByLabel(/^版本序号/).fill('1')
    await drawer.getByLabel(/^核对 SHA-256/).fill('0'.repeat(64))
    await drawer.getByRole('button', { name: '上传', exact: true }).click()
    await drawer.getByText('与所选文件的 SHA-256 不一致').waitFor()
    await drawer.getByLabel(/^核对 SHA-256/).fill('')
    await drawer.getByRole('button', { name: '上传', exact: true }).click()
    await drawer.getByTestId('uploaded').getByText('SHA-256 与本机一致').waitFor()

    await drawer.getByRole('button', { name: '创建升级任务' }).click()
    const next = page.getByRole('button', { name: '下一步' })
    await expect.poll(() => page.getByLabel(/^任务名称/).inputValue()).toBe('水泵控制器 1.4.2')
    await next.click()
    await page.getByRole('radio', { name: /^全部/ }).check()
    await page.getByTestId('targets').getByText('3', { exact: true }).waitFor()
    await next.click()
    await next.click()
    await page.getByLabel(/^自动重试/).fill('0')
    await page.getByRole('switch', { name: /失败率/ }).click()
    await next.click()
    await page.getByText('未设置失败率自动停止').waitFor()
    await page.getByRole('button', { name: '开始升级' }).click()
    const proof = page.getByRole('dialog', { name: '身份验证' })
    await proof.locator('input[type=password]').fill(PASSWORD)
    await proof.getByRole('button', { name: '确认' }).click()

    const summary = page.getByTestId('campaign-summary')
    await summary.waitFor()
    const [first, second, third] = pumps as [Made, Made, Made]
    await updates(first)
    const notice = await told(second)
    await says(second, 'POST', 'progress', { id: notice.id, state: 'downloading', percent: 40 })
    await page.locator('tr', { hasText: '二号泵' }).getByText('40 %').waitFor()
    await says(second, 'POST', 'progress', { id: notice.id, state: 'failed', message: '闪存写入失败' })
    await updates(third)

    await summary.getByRole('button', { name: /失败 1/ }).click()
    await page.locator('tr', { hasText: '二号泵' }).getByRole('link', { name: '时间线' }).click()
    const line = page.getByRole('dialog', { name: '二号泵' })
    await line.getByTestId('time-line').getByText('闪存写入失败').first().waitFor()
    await line.getByRole('button', { name: '重试' }).click()
    await page.getByRole('dialog', { name: '重试 二号泵' }).getByRole('button', { name: '重试' }).click()
    await line.getByTestId('time-line').getByText('重试').waitFor()
    await updates(second)
    await line.getByText('1.4.2').first().waitFor()
    await line.getByRole('button', { name: '关闭' }).last().click()
    await summary.getByText('3 / 3 台成功').waitFor()
    await expect.poll(() => summary.getAttribute('data-state')).toBe('completed')

    await console_.open(`${FIRMWARE}?tab=versions`)
    const row = page.getByTestId('fleet').locator('tr', { hasText: '1.4.2' })
    await row.getByText('100 %').waitFor()
    await console_.open(`/manage/device/DeviceSet/DeviceCenter?id=${second.id}&tab=firmware`)
    await page.getByTestId('device-modules').getByText('1.4.2').waitFor()
    await page.getByTestId('time-line').getByText('闪存写入失败').first().waitFor()
    await context.close()
  })
})
