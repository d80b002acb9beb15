import mqtt, { type MqttClient } from 'mqtt'
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

interface Made {
  id: string
  deviceNo: string
  deviceSecret: string
}

// What happens while an answer is on its way to the page is neither in the answer nor lost.
describe('a page that reads and listens', () => {
  let server: SharedServer
  let browser: Browser
  let api: Awaited<ReturnType<typeof apiClient>>
  let product: { id: string; productKey: string }
  const clients: MqttClient[] = []

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
    api = await apiClient(server.url)
    product = await api('POST', '/products', {
      name: 'Thermostat',
      linkType: 'mqtt',
      thingModel: {
        properties: [{ identifier: 'temperature', name: 't', dataType: { type: 'double' }, access: 'r' }],
        events: [{ identifier: 'overheated', name: 'Overheated', level: 'warning', params: [] }],
      },
    })
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.endAsync(true)
  })
  afterAll(() => browser?.close())

  const device = (name: string) => api<Made>('POST', '/devices', { name, productId: product.id })
  async function connect({ deviceNo, deviceSecret }: Made): Promise<MqttClient> {
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: `${product.productKey}/${deviceNo}`,
      password: deviceSecret,
      reconnectPeriod: 0,
    })
    clients.push(client)
    return client
  }

  /** Opens a page whose first answer of this address is held back until something has happened meanwhile. */
  async function open(path: string, address: RegExp, meanwhile: () => Promise<unknown>): Promise<Page> {
    const { page } = await visitor(browser, { locale: 'en' })
    let held = false
    await page.route(address, async (route: Route) => {
      if (held) return route.continue()
      held = true
      const answer = await route.fetch()
      await meanwhile()
      await route.fulfill({ response: answer })
    })
    await new ConsolePage(page, server.url).enterAt(path)
    return page
  }

  /** Closes the page once nothing that it asked for is still being answered by the test. */
  async function leave(page: Page): Promise<void> {
    await page.unrouteAll({ behavior: 'wait' })
    await page.context().close()
  }

  it('shows an event that came while the first list was on its way', async () => {
    const own = await device('Kitchen')
    const client = await connect(own)
    const page = await open(
      `/manage/device/DeviceSet/DeviceCenter?id=${own.id}&tab=events`,
      /\/devices\/[^/]+\/events\?/,
      async () => {
        await client.publishAsync(
          `things/${product.productKey}/${own.deviceNo}/event/overheated/post`,
          '{"params":{}}',
          { qos: 1 },
        )
        await expect
          .poll(async () => (await api<{ items: unknown[] }>('GET', `/devices/${own.id}/events?limit=5`)).items.length)
          .toBe(1)
      },
    )
    await page.getByText('Overheated').last().waitFor()
    await leave(page)
  })

  it('shows a device online that came while the list of devices was on its way', async () => {
    const own = await device('Cellar')
    const page = await open('/manage/device?q=Cellar', /\/api\/v1\/devices\?/, async () => {
      await connect(own)
      await expect.poll(async () => (await api<{ link: string }>('GET', `/devices/${own.id}`)).link).toBe('online')
    })
    const row = page.getByRole('row').filter({ hasText: 'Cellar' })
    await row.getByText('Online').waitFor()
    await leave(page)
  })

  it('shows the session that began while the answer about it was on its way', async () => {
    const own = await device('Attic')
    const page = await open(`/manage/device/DeviceSet/DeviceSetLink?id=${own.id}`, /\/session$/, async () => {
      await connect(own)
      await expect
        .poll(async () => (await api<{ session: unknown }>('GET', `/devices/${own.id}/session`)).session)
        .not.toBeNull()
    })
    await page.getByText('127.0.0.1').first().waitFor()
    await leave(page)
  })
})
