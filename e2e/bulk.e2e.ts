import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

interface DeviceList {
  items: { deviceNo: string; name: string; groupName: string | null }[]
  total: number
}

// Devices in bulk, as a person does it: from a table, many at once, onto paper; and a product from the library.
describe('devices in bulk', () => {
  let server: SharedServer
  let browser: Browser
  let api: Awaited<ReturnType<typeof apiClient>>

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
    api = await apiClient(server.url)
  })
  afterAll(() => browser?.close())

  async function at(path: string, options: Parameters<typeof visitor>[1] = {}) {
    const { context, page } = await visitor(browser, { locale: 'zh', ...options })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(path)
    return { context, page }
  }

  it('a product of the library becomes one’s own with one click', async () => {
    const { context, page } = await at('/manage/product')
    await page.getByRole('button', { name: '产品库' }).first().click()
    const drawer = page.getByRole('dialog', { name: '从产品库添加' })
    await drawer.getByPlaceholder('搜索名称、厂商、型号、协议').fill('XY-MD02')
    await drawer.getByRole('button', { name: '安装“RS485 温湿度变送器 XY-MD02”' }).click()
    await expect
      .poll(
        async () =>
          (await api<{ items: { name: string; format: object; status: string }[] }>('GET', '/products')).items,
      )
      .toMatchObject([{ name: 'RS485 温湿度变送器 XY-MD02', status: 'published', format: { kind: 'modbus' } }])
    await context.close()
  })

  it('a table with two bad lines is tried, imported, and its secrets are handed out once', async () => {
    const { context, page } = await at('/manage/device')
    const table = join(server.dataDir, 'devices.csv')
    writeFileSync(
      table,
      '\ufeff设备编号,设备名称,产品,分组路径,标签\r\nth-1,一号库,RS485 温湿度变送器 XY-MD02,一厂/冷库,冷链\r\nth-2,二号库,无此产品,一厂/冷库,\r\nth-3,三号库,RS485 温湿度变送器 XY-MD02,一厂/冷库,冷链\r\n编号 4,四号库,RS485 温湿度变送器 XY-MD02,,\r\n',
    )
    await page.getByRole('button', { name: '导入' }).first().click()
    const drawer = page.getByRole('dialog', { name: '导入设备' })
    await drawer.locator('input[type=file]').setInputFiles(table)
    await drawer.getByText('devices.csv：4 行（UTF-8）').waitFor()
    await drawer.getByRole('cell', { name: '三号库' }).waitFor()
    await drawer.getByLabel('自动创建不存在的分组').check()
    await drawer.getByRole('button', { name: '试导入（不改动数据）' }).click()
    await drawer.getByText('试导入完成，未改动任何数据；2 行有问题').waitFor()
    await drawer.getByText('没有产品 无此产品').waitFor()
    expect((await api<DeviceList>('GET', '/devices?total=1')).total).toBe(0)
    const failures = page.waitForEvent('download')
    await drawer.getByRole('button', { name: '下载失败明细' }).click()
    const lines = readFileSync((await (await failures).path())!, 'utf8')
      .trimEnd()
      .split('\r\n')
    expect(lines).toHaveLength(3)
    expect(lines[2]).toContain('编号 4')
    await drawer.getByRole('button', { name: '开始导入' }).click()
    await drawer.getByText('导入完成，2 行失败').waitFor()
    const secrets = page.waitForEvent('download')
    await drawer.getByRole('button', { name: '下载密钥' }).click()
    expect(readFileSync((await (await secrets).path())!, 'utf8')).toMatch(/th-1,一号库,'?[\w-]{43}/)
    await expect.poll(() => drawer.getByRole('button', { name: '下载密钥' }).count()).toBe(0)
    await drawer
      .getByRole('button', { name: '关 闭' })
      .or(drawer.getByRole('button', { name: '关闭', exact: true }))
      .last()
      .click()
    await page.getByText('三号库').waitFor()
    const { items } = await api<DeviceList>('GET', '/devices?sort=createdAt')
    expect(items.map(({ deviceNo, groupName }) => [deviceNo, groupName])).toEqual([
      ['th-1', '冷库'],
      ['th-3', '冷库'],
    ])
    await context.close()
  })

  it('many are moved at once, all that match beyond the page too', async () => {
    const { items } = await api<{ items: { id: string }[] }>('GET', '/products')
    for (let n = 0; n < 30; n++)
      await api('POST', '/devices', { name: `泵 ${n}`, deviceNo: `p-${n}`, productId: items[0]!.id })
    await api('POST', '/groups', { kind: 'device', name: '二厂' })
    const { context, page } = await at('/manage/device?q=%E6%B3%B5')
    await page.locator('tr', { hasText: '泵 29' }).locator('input[type=checkbox]').check()
    await page.getByRole('button', { name: '选择全部 30 条' }).click()
    await page.getByRole('toolbar', { name: /已选/ }).getByRole('button', { name: '移动分组' }).click()
    const dialog = page.getByRole('dialog', { name: '移动 30 台设备' })
    await dialog.getByRole('combobox').click()
    await page.getByTitle('二厂').last().click()
    await dialog.getByRole('button', { name: '移动分组' }).click()
    await page.getByText('已处理 30 / 30').waitFor()
    const moved = await api<DeviceList>('GET', '/devices?q=%E6%B3%B5&limit=100')
    expect(moved.items.filter(device => device.groupName === '二厂')).toHaveLength(30)
    await context.close()
  })

  it('labels of the chosen ones lie on sheets of A4, each code leads to its device', async () => {
    const { context, page } = await at('/manage/device?q=th-')
    await page.locator('tr', { hasText: '一号库' }).locator('input[type=checkbox]').check()
    await page.locator('tr', { hasText: '三号库' }).locator('input[type=checkbox]').check()
    await page.getByRole('toolbar', { name: /已选/ }).getByRole('button', { name: '更多' }).click()
    await page.getByRole('menuitem', { name: '打印二维码' }).click()
    const sheet = page.getByRole('dialog', { name: '二维码标签' })
    await sheet.getByText('2 张标签，1 页 A4').waitFor()
    await expect.poll(() => sheet.getByTestId('qr-code').locator('svg').count()).toBe(2)
    await sheet.getByText('th-1').waitFor()
    // On paper there is nothing but the sheets.
    await page.emulateMedia({ media: 'print' })
    await expect.poll(() => page.getByRole('toolbar', { name: /已选/ }).isVisible()).toBe(false)
    await expect.poll(() => sheet.getByText('一号库').isVisible()).toBe(true)
    await page.emulateMedia({ media: 'screen' })
    await page.keyboard.press('Escape')
    await expect.poll(() => sheet.count()).toBe(0)
    await context.close()
  })
})
