import mqtt from 'mqtt'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { hasNotice } from './fixtures/notices.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

interface MadeDevice {
  id: string
  deviceNo: string
  deviceSecret: string
}

// features.md §1.9, §1.10: why a device does not come, its bytes, and a device played in the browser.
describe('finding out what a device does', () => {
  let server: SharedServer
  let browser: Browser
  let product: { id: string; productKey: string }
  let api: Awaited<ReturnType<typeof apiClient>>

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
    api = await apiClient(server.url)
    product = await api('POST', '/products', {
      name: 'Thermostat',
      linkType: 'mqtt',
      thingModel: {
        properties: [
          {
            identifier: 'temperature',
            name: '温度',
            ename: 'Temperature',
            dataType: { type: 'double', min: -40, max: 80 },
            unit: '°C',
            access: 'r',
          },
          { identifier: 'heating', name: '加热', ename: 'Heating', dataType: { type: 'bool' }, access: 'rw' },
        ],
      },
    })
  })
  afterAll(() => browser?.close())

  const device = (name: string) => api<MadeDevice>('POST', '/devices', { name, productId: product.id })
  const connect = ({ deviceNo, deviceSecret }: MadeDevice, password = deviceSecret) =>
    mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: `${product.productKey}/${deviceNo}`,
      password,
      clientId: `e2e-${deviceNo}`,
      reconnectPeriod: 0,
    })

  async function looking(
    path: string,
    prepare: (page: Page) => Promise<void> = async () => undefined,
  ): Promise<{ page: Page; done: () => Promise<void> }> {
    const { context, page } = await visitor(browser, { locale: 'en' })
    await prepare(page)
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(path)
    return { page, done: () => context.close() }
  }
  const center = (id: string, tab: string) => looking(`/manage/device/DeviceSet/DeviceCenter?id=${id}&tab=${tab}`)
  const link = (id: string, prepare?: (page: Page) => Promise<void>) =>
    looking(`/manage/device/DeviceSet/DeviceSetLink?id=${id}`, prepare)
  const cause = (page: Page, name: string) =>
    page.locator(`[data-testid="diagnosis-verdict"][data-cause="${name}"]`).waitFor()

  /** Sets a property of a device. @returns the command's address */
  async function ordered(made: MadeDevice): Promise<string> {
    const params = { heating: true }
    const order = { kind: 'property_set', params, timeoutMs: 60_000 }
    const { id } = await api<{ id: string }>('POST', `/devices/${made.id}/commands`, order)
    return `/devices/${made.id}/commands/${id}`
  }
  const isDone = (command: string) =>
    expect.poll(async () => (await api<{ state: string }>('GET', command)).state).toBe('succeeded')

  it('names a wrong secret, with where it came from, and is content once the device is right', async () => {
    const made = await device('Wrong secret')
    const { page, done } = await center(made.id, 'diagnose')
    await cause(page, 'never_connected')
    await expect(connect(made, 'not the secret')).rejects.toThrow()
    await page.getByRole('button', { name: 'Check again' }).click()
    await cause(page, 'secret_wrong')
    await expect.poll(() => page.getByTestId('diagnosis-verdict').textContent()).toContain('127.0.0.1')
    await expect.poll(() => page.locator('[data-step="sign_in"]').getAttribute('data-state')).toBe('broken')

    const client = await connect(made)
    await client.subscribeAsync(`things/${product.productKey}/${made.deviceNo}/#`)
    await client.publishAsync(`things/${product.productKey}/${made.deviceNo}/property/post`, '{"temperature":21}', {
      qos: 1,
    })
    await page.getByRole('button', { name: 'Check again' }).click()
    await cause(page, '')
    await client.endAsync()
    await done()
  })

  it('shows the bytes of a device while they come, and sends it some', async () => {
    const made = await device('Bytes')
    const prefix = `things/${product.productKey}/${made.deviceNo}`
    const client = await connect(made)
    const { page, done } = await link(made.id)
    const frames = page.getByTestId('frames')
    await frames.waitFor()
    await client.publishAsync(`${prefix}/property/post`, '{"temperature":22.5}', { qos: 1 })
    await frames.getByText('7b 22 74 65 6d 70', { exact: false }).waitFor()

    await page.getByLabel('Bytes to send').fill('01 03 00 00 00 0A')
    await page.getByText('CRC16 (Modbus)').or(page.getByTitle('Nothing')).first().click()
    await page.getByTitle('CRC16 (Modbus)').click()
    await page.getByText('8 bytes will be sent').waitFor()
    // Nobody has subscribed to raw bytes yet: that is said.
    await page.getByRole('button', { name: /Send$/ }).click()
    await hasNotice(page, 'raw/down')
    await client.subscribeAsync(`${prefix}/raw/down`, { qos: 1 })
    const got = new Promise<string>(resolve =>
      client.on('message', (_topic, payload) => resolve(payload.toString('hex'))),
    )
    await page.getByRole('button', { name: /Send$/ }).click()
    expect(await got).toBe('01030000000ac5cd')
    await frames.getByText('01 03 00 00 00 0a c5 cd').waitFor()
    await client.endAsync()
    await done()
  })

  it('plays a device in the browser: the light turns green, and the log says that it was played', async () => {
    const made = await device('Played')
    const { page, done } = await link(made.id)
    const light = page.getByTestId('first-message')
    await light.waitFor()
    await expect.poll(() => light.getAttribute('data-state')).toBe('waiting')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.locator('[data-testid="simulator"][data-on="true"]').waitFor()
    await page.getByRole('button', { name: 'Send temperature' }).click()
    await page.locator('[data-testid="first-message"][data-state="received"]').waitFor()
    await expect.poll(() => page.getByTestId('simulator-outcome').textContent()).toBe('Accepted')

    // A command reaches it and is answered.
    await isDone(await ordered(made))

    await page.goto(`${server.url}/manage/device/DeviceSet/DeviceCenter?id=${made.id}&tab=messages&kind=property`)
    const row = page.getByRole('row').filter({ hasText: 'temperature' }).first()
    await row.getByText('Simulated').waitFor()
    await row.getByText('Details').click()
    await page.getByRole('dialog').getByText('Parsed').waitFor()
    await done()
  })

  it('misses nothing of a played device whose messages are quicker than the live connection', async () => {
    const made = await device('Played unseen')
    let connect = () => {}
    const connected = new Promise<void>(resolve => {
      connect = resolve
    })
    const { page, done } = await link(made.id, page =>
      page.routeWebSocket('**/api/v1/live', socket => {
        const said: (string | Buffer)[] = []
        socket.onMessage(message => void said.push(message))
        connected
          .then(() => {
            const server = socket.connectToServer()
            socket.onMessage(message => server.send(message))
            for (const message of said) server.send(message)
          })
          .catch(() => socket.close())
      }),
    )
    const light = page.getByTestId('first-message')
    await expect.poll(() => light.getAttribute('data-state')).toBe('waiting')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.locator('[data-testid="simulator"][data-on="true"]').waitFor()
    await page.getByRole('button', { name: 'Send temperature' }).click()
    await expect.poll(() => page.getByTestId('simulator-outcome').textContent()).toBe('Accepted')
    const command = await ordered(made)
    await expect.poll(async () => (await api<{ state: string }>('GET', command)).state).toBe('sent')
    connect()
    await expect.poll(() => light.getAttribute('data-state')).toBe('received')
    await isDone(command)
    await done()
  })
})
