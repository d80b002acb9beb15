import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import mqtt from 'mqtt'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { ConsolePage } from './pages/console-page.ts'

const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

interface MadeDevice {
  id: string
  deviceNo: string
  deviceSecret: string
  productKey: string
}

// The one job: a device's first message on the screen, and a command back to it.
describe('from a device’s first message to the screen', () => {
  let server: RunningServer
  let browser: Browser
  let device: MadeDevice
  let prefix: string
  let username: string

  beforeAll(async () => {
    server = await startServer()
    browser = await openBrowser()
    const api = await apiClient(server.url)
    const product = await api<{ id: string; productKey: string }>('POST', '/products', {
      name: 'Thermostat',
      linkType: 'mqtt',
      thingModel: {
        properties: [
          {
            identifier: 'temperature',
            name: '温度',
            ename: 'Temperature',
            dataType: { type: 'double' },
            unit: '°C',
            access: 'r',
          },
          { identifier: 'heating', name: '加热', ename: 'Heating', dataType: { type: 'bool' }, access: 'rw' },
        ],
      },
    })
    const made = await api<Omit<MadeDevice, 'productKey'>>('POST', '/devices', {
      name: 'Kitchen',
      productId: product.id,
    })
    device = { ...made, productKey: product.productKey }
    username = `${device.productKey}/${device.deviceNo}`
    prefix = `things/${username}`
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function center() {
    const { context, page } = await visitor(browser, { moving: true, locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(`/manage/device/DeviceSet/DeviceCenter?id=${device.id}`)
    await page.getByText('Kitchen').first().waitFor()
    return { context, page }
  }

  /** When the page first showed these words, by the clock of the browser, which is the machine's. */
  const drawnAt = (page: Page, words: string) =>
    page.evaluate(
      words =>
        new Promise<number>(resolve => {
          const look = () => {
            if (!document.body.innerText.includes(words)) return
            watch.disconnect()
            resolve(Date.now())
          }
          const watch = new MutationObserver(look)
          watch.observe(document.body, { childList: true, subtree: true, characterData: true })
          look()
        }),
      words,
    )

  const client = () =>
    mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username,
      password: device.deviceSecret,
      clientId: 'kitchen',
    })

  it('a message over MQTT appears in the open page by itself, and in the history', async () => {
    const { context, page } = await center()
    const publisher = await client()
    await publisher.publishAsync(`${prefix}/property/post`, JSON.stringify({ temperature: 21.5 }), { qos: 1 })
    const acknowledged = Date.now()
    await page.getByText('21.5').first().waitFor()
    // The page is live now: from here on a second is enough. The shortest of several counts: a machine that stands still
    // makes single ones late, and one that asks now and then, or holds back, is late with each that is sent after the last.
    let shortest = Number.POSITIVE_INFINITY
    for (let temperature = -18.25; shortest >= 1000 && temperature > -28; temperature--) {
      const drawn = drawnAt(page, String(temperature))
      const sent = Date.now()
      await publisher.publishAsync(`${prefix}/property/post`, JSON.stringify({ temperature }), { qos: 1 })
      shortest = Math.min(shortest, (await drawn) - sent)
    }
    expect(shortest).toBeLessThan(1000)
    const api = await apiClient(server.url)
    const { items } = await api<{ items: [number, number][] }>(
      'GET',
      `/devices/${device.id}/telemetry/raw?identifier=temperature&from=${acknowledged - 60_000}&to=${acknowledged + 60_000}`,
    )
    expect(items.map(([, value]) => value)).toContain(21.5)
    await publisher.endAsync()
    await context.close()
  })

  it.skipIf(!has('mosquitto_pub'))('mosquitto_pub as the README says', async () => {
    const { context, page } = await center()
    const run = spawnSync('mosquitto_pub', [
      '-h',
      '127.0.0.1',
      '-p',
      String(server.mqttPort),
      '-q',
      '1',
      '-u',
      username,
      '-P',
      device.deviceSecret,
      '-t',
      `${prefix}/property/post`,
      '-m',
      '{"temperature":22.25}',
    ])
    expect(run.status).toBe(0)
    await page.getByText('22.25').first().waitFor()
    await context.close()
  })

  it.skipIf(!has('curl'))('curl as the README says', async () => {
    const { context, page } = await center()
    const run = spawnSync('curl', [
      '-sS',
      '-f',
      '-X',
      'POST',
      `${server.url}/device/v1/${username}/property`,
      '-H',
      `Authorization: Bearer ${device.deviceSecret}`,
      '-H',
      'Content-Type: application/json',
      '-d',
      '{"temperature":23.75}',
    ])
    expect(run.status).toBe(0)
    await page.getByText('23.75').first().waitFor()
    await context.close()
  })

  it('a switch in the browser reaches the device, and its reply closes the command', async () => {
    const receiver = await client()
    await receiver.subscribeAsync(`${prefix}/property/set`, { qos: 1 })
    const { context, page } = await center()
    const received = new Promise<[string, Buffer]>(resolve =>
      receiver.once('message', (topic, payload) => resolve([topic, payload])),
    )
    await page.getByRole('switch').first().click()
    const [topic, payload] = await received
    expect(topic).toBe(`${prefix}/property/set`)
    const { id, params } = JSON.parse(payload.toString()) as { id: string; params: Record<string, unknown> }
    expect(params).toEqual({ heating: true })
    await receiver.publishAsync(`${prefix}/property/set_reply`, JSON.stringify({ id, code: 0 }), { qos: 1 })
    await receiver.publishAsync(`${prefix}/property/post`, JSON.stringify({ heating: true }), { qos: 1 })
    const api = await apiClient(server.url)
    await expect
      .poll(async () => (await api<{ state: string }>('GET', `/devices/${device.id}/commands/${id}`)).state)
      .toBe('succeeded')
    await page.locator('[role="switch"][aria-checked="true"]').first().waitFor()
    await receiver.endAsync()
    await context.close()
  })

  it.skipIf(!has('mosquitto_sub'))('a command reaches mosquitto_sub', async () => {
    const subscriber = spawn('mosquitto_sub', [
      '-h',
      '127.0.0.1',
      '-p',
      String(server.mqttPort),
      '-q',
      '1',
      '-u',
      username,
      '-P',
      device.deviceSecret,
      '-t',
      `${prefix}/property/set`,
      '-C',
      '1',
    ])
    const line = once(subscriber.stdout, 'data') as Promise<[Buffer]>
    const api = await apiClient(server.url)
    await api('POST', `/devices/${device.id}/commands`, { kind: 'property_set', params: { heating: false } })
    expect(JSON.parse(String((await line)[0]))).toMatchObject({ params: { heating: false } })
    subscriber.kill()
  })

  it('a refused message is acknowledged, disturbs nobody, and is listed with its reason', async () => {
    const publisher = await client()
    await publisher.publishAsync(`${prefix}/property/post`, '{"temperature":"warm"}', { qos: 1 })
    await publisher.publishAsync(`${prefix}/property/post`, '{"temperature":24.5}', { qos: 1 })
    const api = await apiClient(server.url)
    const messages = (
      await api<{
        items: { kind: string; refusedReason: string | null; text: string | null; values: Record<string, unknown> }[]
      }>('GET', `/devices/${device.id}/messages?limit=10`)
    ).items
    expect(messages.find(m => m.kind === 'refused')).toMatchObject({
      refusedReason: 'property_type',
      text: '{"temperature":"warm"}',
    })
    expect(messages.find(m => m.kind === 'property')?.values).toEqual({ temperature: 24.5 })
    await publisher.endAsync()
  })
})
