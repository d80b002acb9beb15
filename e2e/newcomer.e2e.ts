import { createHmac, hkdfSync, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import mqtt from 'mqtt'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, visitor } from './fixtures/console.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { ConsolePage } from './pages/console-page.ts'

const SECRET_KEY = 'a secret key of the newcomer journey, long enough'
const PASSWORD = 'Green-Heron-Window-4'
const LETTERS = 'HKMPT'
const PHONE = '13912345678'
/** From the first page to the first value of one's own device. */
const CLICKS_AT_MOST = 12

let server: RunningServer
let browser: Browser
beforeAll(async () => {
  server = await startServer({ env: { SECRET_KEY, LOG_LEVEL: 'info' } })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

/** The letters of the picture are known: only whoever holds the installation's key can make one. */
async function knownCaptcha(page: Page): Promise<void> {
  const key = Buffer.from(hkdfSync('sha256', SECRET_KEY, '', 'thingwright:captcha', 32))
  await page.route('**/oauth/captcha', route => {
    const [id, expires] = [randomUUID(), Date.now() + 240_000]
    const mac = createHmac('sha256', key).update(`${id}.${expires}.${LETTERS}`).digest('base64url')
    const image = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 150 50"><text x="9" y="30">${LETTERS}</text></svg>`
    return route.fulfill({
      contentType: 'application/json',
      body: JSON.stringify({ captchaId: `${id}.${expires}.${mac}`, image }),
    })
  })
}

/** The code that was sent to the phone, from the file of what no carrier takes. */
async function sentCode(): Promise<string> {
  const path = join(server.dataDir, 'outbox', 'sms.ndjson')
  const code = () => (existsSync(path) ? (/\b\d{6}\b/.exec(readFileSync(path, 'utf8'))?.[0] ?? null) : null)
  await expect.poll(code).not.toBeNull()
  return code()!
}

/** Counts what the visitor presses with the mouse, over every page that he sees. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  let clicks = 0
  await page.exposeFunction('pressed', () => {
    clicks++
  })
  await page.addInitScript(() => {
    const count = () => (window as unknown as { pressed: () => void }).pressed()
    window.addEventListener('click', event => event.isTrusted && event.detail > 0 && count(), true)
  })
  return async () => {
    // What the page has told by now is counted: the call comes after them.
    await page.evaluate(() => undefined)
    return clicks
  }
}

describe('a newcomer', () => {
  it('comes from signing up to the first value of his own device in at most twelve clicks', async () => {
    const { context, page } = await visitor(browser, { locale: 'en' })
    const clicks = await countClicks(page)
    await knownCaptcha(page)
    const console_ = new ConsolePage(page, server.url)
    await console_.open('/index')
    await page.getByTestId('open-register').click()
    const dialog = page.getByTestId('register-dialog')
    await dialog.locator('[name=companyName]').fill('Morning Cold Chain')
    await dialog.locator('[name=username]').fill('morning')
    await dialog.locator('[name=phone]').fill(PHONE)
    await dialog.getByTestId('captcha').locator('img').waitFor()
    await dialog.locator('[name=captcha]').fill(LETTERS)
    await dialog.getByTestId('send-code').click()
    await dialog.locator('[name=code]').fill(await sentCode())
    await dialog.locator('[name=password]').fill(PASSWORD)
    await dialog.locator('[name=acceptTerms]').check()
    await page.getByTestId('register-submit').click()

    await console_.isAt('/stat/EnterpriseOverview')
    const start = page.getByTestId('start')
    const step = (number: number) => start.getByTestId(`start-step-${number}`)
    const stateOf = (number: number) => step(number).getAttribute('data-state')
    await start.getByText('0 of 3 done').waitFor()
    await start.getByRole('button', { name: 'Add product' }).click()
    await expect.poll(() => stateOf(1)).toBe('done')
    await start.getByLabel('Device name').fill('Cold room 1')
    await start.getByRole('button', { name: 'Add device' }).click()
    await expect.poll(() => stateOf(2)).toBe('done')
    await start.getByText('Waiting for the first message').waitFor()

    // The code of message-step as it stands, sent by a device.
    const code = start.locator('pre')
    await code.waitFor()
    const command = (await code.innerText()).replaceAll(/\\\n\s*/g, '')
    const given = (option: string) =>
      new RegExp(` ${option} (?:'([^']*)'|(\\S+))`).exec(command)!.slice(1).find(Boolean)!
    const password = given('-P')
    expect(await start.getByTestId('start-secret').innerText()).toContain(password)
    const device = await mqtt.connectAsync(`mqtt://${given('-h')}:${given('-p')}`, { username: given('-u'), password })
    await device.publishAsync(given('-t'), given('-m'), { qos: 1 })
    await start.getByTestId('start-received').getByText('21.5').waitFor()
    await start.getByText('3 of 3 done').waitFor()
    expect(await stateOf(3)).toBe('done')

    await start.getByRole('link', { name: 'View live values' }).click()
    await console_.isAt('/manage/device/DeviceSet/DeviceCenter')
    await page.getByText('21.5').first().waitFor()
    expect(await clicks()).toBeGreaterThanOrEqual(7)
    expect(await clicks()).toBeLessThanOrEqual(CLICKS_AT_MOST)

    // Whoever is led no longer is left alone with it.
    await console_.open('/stat/EnterpriseOverview')
    await page.locator('[data-card="facts"]').getByText('Devices').first().waitFor()
    await expect.poll(() => start.count()).toBe(0)
    await device.endAsync()
    await context.close()
  })
})
