import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CmccCarrier, startCmcc } from '../tools/simulators/carrier-cmcc/carrier-cmcc.ts'
import { type CtwingPlatform, startCtwing } from '../tools/simulators/ctwing/ctwing.ts'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

const CENTER = '/manage/device/DeviceSet/DeviceCenter'
const IMEI = '869000000000017'
const PLATFORM_PRODUCT = '10000001'

// An NB-IoT meter behind CTWing, with a card of a carrier: from its first report to the chart, and why it is silent.
describe('an NB-IoT device', () => {
  let server: SharedServer
  let browser: Browser
  let api: Awaited<ReturnType<typeof apiClient>>
  let platform: CtwingPlatform
  let carrier: CmccCarrier
  let device: { id: string }
  let callback: string

  beforeAll(async () => {
    platform = await startCtwing()
    carrier = await startCmcc({ count: 200, pauseMs: 0 })
    server = await sharedServer()
    browser = await openBrowser()
    api = await apiClient(server.url)
    const key = await api<{ id: string; callbackUrl: string }>('POST', '/telecom-keys', {
      name: 'Meters',
      platform: 'ctwing',
      baseUrl: platform.url,
      account: 'simulated-app',
      appSecret: 'simulated-secret',
    })
    // The port of the server stands in front of it here; the way is what the platform was given.
    callback = `${server.url}${new URL(key.callbackUrl).pathname}`
    const product = await api<{ id: string }>('POST', '/products', {
      name: 'Water meter',
      linkType: 'nbiot',
      thingModel: {
        properties: [{ identifier: 'flow', name: 'Flow', dataType: { type: 'double' }, unit: 'm³/h', access: 'r' }],
      },
    })
    await api('PUT', `/products/${product.id}/telecom`, {
      keyId: key.id,
      platformProduct: PLATFORM_PRODUCT,
      masterKey: '00112233445566778899aabbccddeeff',
    })
    device = await api('POST', '/devices', { name: 'Meter 17', productId: product.id })
    await api('PUT', `/devices/${device.id}/telecom`, { imei: IMEI, imsi: null, sn: null })
  })
  afterAll(async () => {
    await browser?.close()
    await platform?.close()
    await carrier?.close()
  })

  async function looking(path: string): Promise<{ page: Page; console_: ConsolePage; done: () => Promise<void> }> {
    const { context, page } = await visitor(browser, { locale: 'en' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(path)
    return { page, console_, done: () => context.close() }
  }

  it('is made at its platform, and what it reports there reaches the open page, the history and the chart', async () => {
    await expect.poll(() => platform.devices.map(({ imei }) => imei), { timeout: 30_000 }).toEqual([IMEI])
    const { deviceId } = platform.devices[0]!
    const { page, console_, done } = await looking(`${CENTER}?id=${device.id}`)
    await page.getByText('Meter 17').first().waitFor()
    const told = async (flow: number) => {
      expect(await platform.report(callback, deviceId, { flow })).toMatchObject({ status: 200 })
      await page.locator('[data-property=flow]').getByText(String(flow)).first().waitFor()
    }
    await told(21.5)
    await told(22.75)
    const span = `from=${Date.now() - 3_600_000}&to=${Date.now() + 3_600_000}`
    const { items } = await api<{ items: [number, number][] }>(
      'GET',
      `/devices/${device.id}/telemetry/raw?identifier=flow&${span}`,
    )
    expect(items.map(([, value]) => value)).toEqual([21.5, 22.75])
    await console_.open(`${CENTER}?id=${device.id}&tab=history`)
    await page
      .getByRole('img')
      .filter({ has: page.locator('canvas') })
      .first()
      .waitFor()
    await done()
  })

  it('is silent because its card is stopped, and the doctor names the card', async () => {
    // A card belongs to one company of a platform, and other journeys have the first ones.
    const card = carrier.cards.findLast(({ status }) => status === carrier.cards[0]!.status)
    const account = await api<{ id: string }>('POST', '/carriers', {
      name: 'Mobile',
      kind: 'onelink',
      baseUrl: carrier.url,
      account: '100002000000',
      password: 'simulated',
      perSecond: 100,
    })
    const sync = async () => {
      const { taskId } = await api<{ taskId: string }>('POST', `/carriers/${account.id}/sync`)
      const state = async () => (await api<{ state: string }>('GET', `/tasks/${taskId}`)).state
      await expect.poll(state, { timeout: 20_000 }).toBe('succeeded')
    }
    const { id } = await api<{ id: string }>('POST', '/sim-cards', { connectionId: account.id, iccid: card!.iccid })
    await sync()
    await api('POST', `/sim-cards/${id}/bind`, { deviceId: device.id })
    // Stopped by the carrier, and not from here.
    card!.status = '4'
    await sync()
    const { page, done } = await looking(`${CENTER}?id=${device.id}&tab=diagnose`)
    const verdict = page.locator('[data-testid="diagnosis-verdict"][data-cause="sim_stopped"]')
    await verdict.waitFor()
    expect(await verdict.textContent()).toContain(card!.iccid)
    await done()
  })
})
