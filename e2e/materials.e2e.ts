import { deflateSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { hasNotice } from './fixtures/notices.ts'
import { settled } from './fixtures/settled.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

/** A PNG of its size; `whole` false: only its head promises the pixels. */
function png(width: number, height: number, whole = true): Buffer {
  const crcOf = (bytes: Buffer) => {
    let crc = 0xffffffff
    for (const byte of bytes) {
      crc ^= byte
      for (let k = 0; k < 8; k++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
    }
    return (crc ^ 0xffffffff) >>> 0
  }
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(data.length, 0)
    ends.writeUInt32BE(crcOf(body), 4)
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 0, 0, 0, 0], 8)
  const pixels = whole ? Buffer.alloc(height * (width + 1), 0x60) : Buffer.alloc(4)
  for (let y = 0; whole && y < height; y++) pixels[y * (width + 1)] = 0
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

describe('materials, addresses and public pages', () => {
  let server: SharedServer
  let browser: Browser
  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  async function entered(path: string, locale: 'zh' | 'en' = 'en'): Promise<Page> {
    const { page } = await visitor(browser, { locale })
    await new ConsolePage(page, server.url).enterAt(path)
    return page
  }
  const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true })

  it('somebody uploads several files, sees them, and is told what is wrong with one', async () => {
    const page = await entered('/admin/material')
    await page.getByText('No media files yet').waitFor()
    await page.setInputFiles('[data-testid=media-files]', [
      { name: '水泵.png', mimeType: 'image/png', buffer: png(300, 200) },
      { name: 'bomb.png', mimeType: 'image/png', buffer: png(60_000, 60_000, false) },
      {
        name: 'evil.svg',
        mimeType: 'image/svg+xml',
        buffer: Buffer.from(
          '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title="owned"</script><rect width="9" height="9"/></svg>',
        ),
      },
    ])
    await page.getByText('2 done, 1 failed').waitFor()
    await page.getByText('The image has too many pixels').waitFor()
    await card(page, '水泵.png').waitFor()
    const picture = card(page, '水泵.png').locator('img')
    await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(300)

    // A drawing opened by its address shows its shape and runs nothing.
    const address = await card(page, 'evil.svg').locator('img').getAttribute('src')
    const alone = await page.context().newPage()
    const response = await alone.goto(server.url + address)
    expect(response?.headers()['content-security-policy']).toContain('sandbox')
    expect(await response?.text()).not.toContain('script')
    expect(await alone.title()).not.toBe('owned')
    await page.context().close()
  })

  it('a folder is made, a material moves into it, gets a lasting link, and is replaced', async () => {
    const page = await entered('/admin/material')
    await page.setViewportSize({ width: 1600, height: 900 })
    await page.getByRole('button', { name: 'New folder' }).click()
    await page.getByLabel('Folder name').fill('Pumps')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('treeitem', { name: 'Pumps' }).waitFor()

    await card(page, '水泵.png').getByRole('checkbox').check()
    await page.getByRole('toolbar').getByRole('button', { name: 'Move', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox').click()
    await page.getByTitle('Pumps', { exact: true }).last().click()
    await dialog.getByRole('button', { name: 'Move' }).click()
    await page.getByRole('treeitem', { name: 'Pumps' }).click()
    await card(page, '水泵.png').waitFor()
    await expect.poll(() => page.getByRole('article').count()).toBe(1)

    await page.getByRole('button', { name: 'Actions for 水泵.png' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.getByRole('switch').click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByLabel('Public link is on').first().waitFor()
    const api = await apiClient(server.url)
    const list = () =>
      api<{ items: { id: string; name: string; publicUrl: string; sha256: string; width: number }[] }>(
        'GET',
        '/media?q=水泵',
      )
    const [before] = (await list()).items
    expect((await fetch(server.url + before!.publicUrl)).status).toBe(200)

    await page.getByRole('button', { name: 'Actions for 水泵.png' }).click()
    await page.getByRole('menuitem', { name: 'Replace' }).click()
    await page
      .getByRole('dialog')
      .locator('input[type=file]')
      .setInputFiles({ name: 'other.png', mimeType: 'image/png', buffer: png(120, 90) })
    await hasNotice(page, 'Content replaced')
    const [after] = (await list()).items
    expect(after).toMatchObject({ id: before!.id, name: '水泵.png', width: 120, publicUrl: before!.publicUrl })
    expect(after!.sha256).not.toBe(before!.sha256)
    await page.context().close()
  })

  it('what is deleted is gone, after a question', async () => {
    const page = await entered('/admin/material', 'zh')
    await card(page, 'evil.svg').waitFor()
    await page.getByRole('button', { name: 'evil.svg 的操作' }).click()
    await page.getByRole('menuitem', { name: '删除' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '删除' }).click()
    await hasNotice(page, '已删除 1 个素材')
    await expect.poll(() => card(page, 'evil.svg').count()).toBe(0)
    await page.context().close()
  })

  it('a pasted address fills the form; the first one is the default', async () => {
    const page = await entered('/admin/address', 'zh')
    await page.getByRole('button', { name: '添加地址' }).first().click()
    await page
      .getByLabel('粘贴识别')
      .last()
      .fill('收件人:张三,手机:+86 138 1234 5678,浙江省杭州市西湖区文三路100号2幢301室')
    await page.getByRole('button', { name: '识别', exact: true }).click()
    await page.getByText('已填入下方，请核对').waitFor()
    await page.getByRole('button', { name: '保存' }).click()
    const row = page.getByRole('row').filter({ hasText: '张三' })
    await row.waitFor()
    await expect.poll(() => row.textContent()).toContain('浙江省杭州市西湖区文三路100号2幢301室')
    await expect.poll(() => row.textContent()).toContain('默认')
    await page.context().close()
  })

  it('anybody reads the interfaces, the functions, the downloads and the terms', async () => {
    const { page, context } = await visitor(browser, { locale: 'zh' })
    await page.goto(`${server.url}/alonePage/ApiInterfaceOpen`)
    await page.getByRole('heading', { name: '接口文档' }).waitFor()
    await page.getByLabel('搜索接口、路径或权限').fill('media/{id} patch')
    await page.getByText('共 1 个接口').waitFor()
    await page.locator('details summary').click()
    await page.getByText(`curl -X PATCH '${server.url}/api/v1/media/ID'`).waitFor()
    await page.getByRole('heading', { name: '2. MQTT' }).waitFor()
    for (const [path, heading] of [
      ['FunctionsAndCharges', '功能与资费'],
      ['AppDown', '下载'],
      ['TermsService', '服务条款与隐私政策'],
    ]) {
      await page.goto(`${server.url}/alonePage/${path}`)
      await page.getByRole('heading', { name: heading!, level: 1 }).waitFor()
      await expect.poll(() => page.locator('[data-layout=bare]').count()).toBe(1)
    }
    await page.getByText('自 2026-11-01 起生效').first().waitFor()
    await page.goto(`${server.url}/alonePage/AppDown`)
    await page.locator('figure svg').first().waitFor()
    await settled(page)
    await context.close()
  })
})
