import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EzvizVendor, startEzviz } from '../tools/simulators/ezviz/ezviz.ts'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

/** How far the picture of a player has come, in seconds. */
const secondsOf = (player: Locator) =>
  player.locator('video').evaluate(video => (video as HTMLVideoElement).currentTime)

describe('EZVIZ video', () => {
  let server: SharedServer
  let browser: Browser
  let vendor: EzvizVendor

  beforeAll(async () => {
    vendor = await startEzviz({ count: 5 })
    vendor.cameras.push({ ...vendor.cameras[0]!, serial: 'E12345678', name: 'Yard', owner: null })
    server = await sharedServer()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await vendor?.close()
  })

  /** Every answer of the server that the page got, as far as it is text. */
  function answersTo(page: Page): string[] {
    const answers: string[] = []
    page.on('response', response => {
      const type = response.headers()['content-type'] ?? ''
      if (!/json|mpegurl|text/.test(type)) return
      response
        .text()
        .then(text => answers.push(text))
        .catch(() => {})
    })
    return answers
  }

  it('an account is connected, its cameras play, turn while a button is held, and keep pictures; the token stays', async () => {
    const { context, page } = await visitor(browser, { locale: 'en' })
    const answers = answersTo(page)
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt('/manage/ezviz')

    // An account, tested and synced.
    await page.getByTestId('empty').getByRole('button', { name: 'EZVIZ accounts' }).click()
    await page.getByRole('button', { name: 'Connect account' }).click()
    await page.getByLabel(/^Name/).fill('Site')
    await page.getByLabel(/^AppKey/).fill('a0b1c2d3e4f5')
    await page.getByLabel(/^AppSecret/).fill('wrong')
    await page.getByLabel(/^API address/).fill(vendor.url)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const account = page.getByRole('region', { name: 'Site' })
    await account.getByRole('button', { name: 'Test', exact: true }).click()
    await account.getByText('appkey和appsecret不匹配').waitFor()
    await account.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel(/^AppSecret/).fill('simulated')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await account.getByRole('button', { name: 'Sync', exact: true }).click()
    await console_.hasNotice(/8 channels synced, 8 new/)
    await page.locator('.ant-drawer-close').click()

    // A camera by what stands on its label. The list is read again after the sync; while it is empty it has this button too.
    await page.getByTestId('empty').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Add camera' }).click()
    await page.getByRole('menuitem', { name: 'By serial number' }).click()
    await page.getByLabel(/^Serial number/).fill('e12345678')
    await page.getByLabel(/^Verification code/).fill('ZZZZZZ')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page
      .getByText(/The verification code is wrong/)
      .first()
      .waitFor()
    await page.getByLabel(/^Verification code/).fill('abcdef')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await console_.hasNotice('1 camera added')

    // It plays.
    await page.getByRole('link', { name: 'Yard' }).click()
    const camera = page.getByTestId('camera')
    const player = camera.getByTestId('player')
    await expect.poll(() => player.getAttribute('data-state')).toBe('playing')
    await expect.poll(() => secondsOf(player)).toBeGreaterThan(1)

    // It turns while a button is held down, and no longer.
    const left = camera.getByRole('button', { name: 'Left', exact: true })
    await left.hover()
    await page.mouse.down()
    await expect.poll(() => vendor.turning.get('E12345678/1')).toBe('2')
    await page.mouse.up()
    await expect.poll(() => vendor.turning.size).toBe(0)
    await left.focus()
    await page.keyboard.down('Space')
    await expect.poll(() => vendor.turning.get('E12345678/1')).toBe('2')
    await page.keyboard.up('Space')
    await expect.poll(() => vendor.turning.size).toBe(0)

    // A position is stored and gone to; the picture is kept.
    await camera.getByRole('button', { name: 'Save position' }).click()
    await page.getByRole('dialog').filter({ hasText: 'Saves where' }).getByLabel('Name').fill('Door')
    await page
      .getByRole('dialog')
      .filter({ hasText: 'Saves where' })
      .getByRole('button', { name: 'Save', exact: true })
      .click()
    await camera.getByRole('button', { name: 'Door', exact: true }).click()
    await console_.hasNotice('Turning to the preset')
    await camera.getByRole('button', { name: 'Take snapshot' }).click()
    await console_.hasNotice(/Snapshot taken/)
    await camera.getByRole('tab', { name: 'Snapshots' }).click()
    await expect
      .poll(() =>
        camera.locator('img').evaluateAll(images => images.map(image => (image as HTMLImageElement).naturalWidth > 0)),
      )
      .toEqual([true])

    // What was recorded yesterday is found on the time line and plays.
    await camera.getByRole('tab', { name: 'Playback' }).click()
    await camera.getByRole('button', { name: 'Previous day' }).click()
    const line = camera.getByRole('slider')
    await expect.poll(() => line.locator('span').count()).toBeGreaterThan(20)
    const box = (await line.boundingBox())!
    await line.click({ position: { x: box.width / 2, y: box.height / 2 } })
    await expect.poll(() => camera.getByTestId('player').getAttribute('data-state')).toBe('playing')
    await expect.poll(() => secondsOf(camera.getByTestId('player'))).toBeGreaterThan(0.5)

    expect(vendor.tokens.length).toBeGreaterThan(0)
    for (const token of vendor.tokens)
      for (const answer of answers) {
        expect(answer).not.toContain(token)
        expect(answer).not.toContain(`${vendor.url}/stream`)
      }
    await context.close()
  })

  it('a camera stops when the page is left while it turns; several play beside each other', async () => {
    const api = await apiClient(server.url)
    const { items } = await api<{ items: { id: string; serial: string }[] }>('GET', '/video/channels?state=online')
    const one = items.find(({ serial }) => serial === 'D10000000')!
    const { context, page } = await visitor(browser, { locale: 'en' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(`/manage/ezviz?channel=${one.id}`)
    await page.getByTestId('camera').getByRole('button', { name: 'Up', exact: true }).hover()
    await page.mouse.down()
    await expect.poll(() => vendor.turning.get('D10000000/1')).toBe('0')
    await console_.open('/manage/ezviz?tab=wall&screens=4')
    await expect.poll(() => vendor.turning.size).toBe(0)
    await expect
      .poll(() => page.getByTestId('player').evaluateAll(all => all.map(each => (each as HTMLElement).dataset.state)))
      .toEqual(['playing', 'playing', 'playing', 'playing'])
    await context.close()
  })

  it('a trigger takes a picture of the camera of its device, and it hangs on the alarm; the token stays', async () => {
    const api = await apiClient(server.url)
    const { items } = await api<{ items: { id: string; serial: string; version: number }[] }>(
      'GET',
      '/video/channels?state=online',
    )
    const camera = items.find(({ serial }) => serial === 'D10000000')!
    const product = await api<{ id: string; productKey: string }>('POST', '/products', {
      name: 'Gate',
      linkType: 'http',
      thingModel: {
        properties: [{ identifier: 'opened', name: 'Opened', dataType: { type: 'double' }, access: 'r' }],
      },
    })
    const gate = await api<{ id: string; deviceNo: string; deviceSecret: string }>('POST', '/devices', {
      name: 'Gate 1',
      productId: product.id,
    })
    const { version } = await api<{ version: number }>('GET', `/video/channels/${camera.id}`)
    await api('PATCH', `/video/channels/${camera.id}`, { version, deviceId: gate.id })
    await api('POST', '/triggers', {
      name: 'Gate wide open',
      kind: 'above',
      scope: { deviceIds: [gate.id] },
      property: 'opened',
      high: 80,
      alarm: { level: 3 },
      actions: [{ kind: 'snapshot' }],
    })
    const { context, page } = await visitor(browser, { locale: 'en' })
    const answers = answersTo(page)
    await new ConsolePage(page, server.url).enterAt('/manage/user/center/alarm')
    const said = await fetch(`${server.url}/device/v1/${product.productKey}/${gate.deviceNo}/property`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gate.deviceSecret}`, 'content-type': 'application/json' },
      body: '{"opened":95}',
    })
    expect(said.status).toBe(200)
    await page.getByTestId('list').getByRole('link', { name: 'Gate wide open' }).click({ timeout: 30_000 })
    const pictures = page.getByTestId('alarm').getByRole('region', { name: 'Pictures of cameras' })
    await expect
      .poll(
        () =>
          pictures
            .locator('img')
            .evaluateAll(images => images.map(image => (image as HTMLImageElement).naturalWidth > 0)),
        { timeout: 30_000 },
      )
      .toEqual([true])
    for (const token of vendor.tokens) for (const answer of answers) expect(answer).not.toContain(token)
    await context.close()
  })
})
