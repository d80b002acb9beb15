import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { connect as dial } from 'node:net'
import mqtt from 'mqtt'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

interface Made {
  id: string
  productId: string
  productKey: string
  deviceNo: string
  deviceSecret: string
  accessToken?: string
}

const HOUR_MS = 3_600_000

const hasMosquitto = spawnSync('sh', ['-c', 'command -v mosquitto_pub']).status === 0

// Firmware of other platforms, unchanged: from its first connection to the chart.
describe('devices that speak another platform’s language', () => {
  let server: SharedServer
  let browser: Browser
  let api: Awaited<ReturnType<typeof apiClient>>

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
    api = await apiClient(server.url)
  })
  afterAll(() => browser?.close())

  async function product(name: string, linkType: string, nodeType = 'device') {
    const number = (identifier: string, title: string) => ({
      identifier,
      name: title,
      dataType: { type: 'double' },
      access: 'rw',
    })
    return api<{ id: string; productKey: string }>('POST', '/products', {
      name,
      linkType,
      nodeType,
      thingModel: { properties: [number('temperature', '温度'), number('target', '目标温度')] },
    })
  }
  async function device(of: { id: string; productKey: string }, name: string): Promise<Made> {
    const made = await api<Made>('POST', '/devices', { name, productId: of.id })
    return { ...made, productKey: of.productKey }
  }

  async function open(path: string) {
    const { context, page } = await visitor(browser, { locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(path)
    return { context, page }
  }

  /** Runs `post` while the device's page is open, and looks for the value there, in the history and in the chart. */
  async function fromConnectToChart(made: Made, value: number, post: () => Promise<void>) {
    const center = `/manage/device/DeviceSet/DeviceCenter?id=${made.id}`
    const { context, page } = await open(center)
    await page.getByText(made.deviceNo).first().waitFor()
    await post()
    await page.locator('[data-property=temperature]').getByText(String(value)).waitFor()
    const now = Date.now()
    const span = `from=${now - HOUR_MS}&to=${now + HOUR_MS}`
    await expect
      .poll(async () => {
        const path = `/devices/${made.id}/telemetry/raw?identifier=temperature&${span}`
        const { items } = await api<{ items: [number, number][] }>('GET', path)
        return items.map(([, stored]) => stored)
      })
      .toContain(value)
    await page.goto(`${server.url}${center}&tab=history`)
    await page
      .getByRole('img')
      .filter({ has: page.locator('canvas') })
      .first()
      .waitFor()
    await context.close()
  }

  it('ThingsBoard: switched on in the browser, telemetry by token, a wanted value as shared attribute', async () => {
    const of = await product('TB board', 'mqtt')
    const { context, page } = await open(`/manage/product/ProductSet/ProductSetLink?id=${of.id}`)
    await page.getByRole('switch', { name: 'ThingsBoard 设备接口' }).click()
    await page.getByText('v1/devices/me/telemetry').first().waitFor()
    await context.close()
    const made = await device(of, 'TB board 1')
    const { accessToken } = made
    expect(accessToken).toBeTruthy()
    await fromConnectToChart(made, 21.5, async () => {
      if (hasMosquitto) {
        const run = spawnSync('mosquitto_pub', [
          ...['-h', '127.0.0.1', '-p', String(server.mqttPort), '-q', '1'],
          ...['-t', 'v1/devices/me/telemetry', '-u', accessToken as string, '-m', '{"temperature":21.5}'],
        ])
        expect(run.status, String(run.stderr)).toBe(0)
        return
      }
      const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, { username: accessToken as string })
      await client.publishAsync('v1/devices/me/telemetry', '{"temperature":21.5}', { qos: 1 })
      await client.endAsync()
    })
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, { username: accessToken as string })
    const wanted = new Promise<string>(resolve =>
      client.on('message', (topic, payload) => resolve(`${topic} ${payload.toString()}`)),
    )
    await client.subscribeAsync('v1/devices/me/attributes', { qos: 1 })
    const command = await api<{ id: string }>('POST', `/devices/${made.id}/commands`, {
      kind: 'property_set',
      params: { target: 19 },
      timeoutMs: 60_000,
    })
    expect(await wanted).toBe('v1/devices/me/attributes {"target":19}')
    await expect
      .poll(async () => (await api<{ state: string }>('GET', `/devices/${made.id}/commands/${command.id}`)).state)
      .toBe('succeeded')
    await client.endAsync()
    const posted = await fetch(`${server.url}/api/v1/${accessToken}/telemetry`, {
      method: 'POST',
      body: '{"temperature":22}',
    })
    expect(posted.status).toBe(200)
  })

  it('Alibaba: a signed client posts, is answered, and takes a service call', async () => {
    const of = await product('Ali board', 'mqtt')
    await api('PUT', `/products/${of.id}/dialects`, { alibaba: true })
    const made = await device(of, 'Ali board 1')
    const { productKey, deviceNo } = made
    const thing = `/sys/${productKey}/${deviceNo}/thing`
    const timestamp = '1767225600000'
    const content = `clientIdboard-7deviceName${deviceNo}productKey${productKey}timestamp${timestamp}`
    const options = {
      clientId: `board-7|securemode=3,signmethod=hmacsha256,timestamp=${timestamp}|`,
      username: `${deviceNo}&${productKey}`,
      password: createHmac('sha256', made.deviceSecret).update(content).digest('hex'),
    }
    const heard: { topic: string; body: Record<string, unknown> }[] = []
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, { ...options, reconnectPeriod: 0 })
    client.on('message', (topic, payload) => heard.push({ topic, body: JSON.parse(payload.toString()) }))
    await fromConnectToChart(made, 18.25, async () => {
      const params = { temperature: { value: 18.25, time: Date.now() } }
      const body = { id: '41', version: '1.0', params, method: 'thing.event.property.post' }
      await client.publishAsync(`${thing}/event/property/post`, JSON.stringify(body), { qos: 1 })
    })
    await expect
      .poll(() => heard)
      .toMatchObject([{ topic: `${thing}/event/property/post_reply`, body: { id: '41', code: 200 } }])
    const command = await api<{ id: string }>('POST', `/devices/${made.id}/commands`, {
      kind: 'property_set',
      params: { target: 20 },
      timeoutMs: 60_000,
    })
    await expect.poll(() => heard[1]?.topic).toBe(`${thing}/service/property/set`)
    const { id, params } = heard[1]!.body
    expect(params).toEqual({ target: 20 })
    const reply = JSON.stringify({ id, code: 200, data: {} })
    await client.publishAsync(`${thing}/service/property/set_reply`, reply, { qos: 1 })
    await expect
      .poll(async () => (await api<{ state: string }>('GET', `/devices/${made.id}/commands/${command.id}`)).state)
      .toBe('succeeded')
    await client.endAsync()
    const forged = { ...options, password: createHmac('sha256', 'guess').update(content).digest('hex') }
    await expect(
      mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, { ...forged, reconnectPeriod: 0 }),
    ).rejects.toThrow()
  })

  it('ESP: a bare HTTP POST as its firmware writes it', async () => {
    const made = await device(await product('ESP board', 'http'), 'ESP board 1')
    await fromConnectToChart(made, 26.75, async () => {
      const body = '{"temperature":26.75}'
      const { hostname, port } = new URL(server.url)
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = dial(Number(port), hostname)
        let text = ''
        socket.on('data', bytes => {
          text += bytes
        })
        socket.on('error', reject)
        socket.on('close', () => resolve(text))
        socket.write(
          [
            `POST /device/v1/${made.productKey}/${made.deviceNo}/property HTTP/1.1`,
            `Host: ${hostname}`,
            'User-Agent: ESP8266HTTPClient',
            'Accept-Encoding: identity;q=1,chunked;q=0.1,*;q=0',
            `Authorization: Bearer ${made.deviceSecret}`,
            'Content-Type: application/json',
            'Connection: close',
            `Content-Length: ${body.length}`,
            '',
            body,
          ].join('\r\n'),
        )
      })
      expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    })
  })

  it('a gateway: its sub-device is added in the browser, comes online with it and shows what it said', async () => {
    const gateways = await product('Gateway', 'mqtt', 'gateway')
    await product('Probe', 'mqtt', 'sub_device')
    const box = await device(gateways, 'Box 1')
    const { context, page } = await open(`/manage/device/DeviceSet/DeviceCenter?id=${box.id}&tab=subDevices`)
    await page.getByRole('button', { name: '添加子设备' }).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('combobox').first().click()
    await page.getByText('Probe', { exact: true }).last().click()
    await drawer.getByLabel('设备名称').or(drawer.getByLabel('名称')).first().fill('Probe 1')
    await drawer.getByLabel('网关内地址').fill('07')
    await drawer.getByRole('button', { name: '添加子设备' }).click()
    await page.getByRole('table').getByText('Probe 1').waitFor()
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: `${box.productKey}/${box.deviceNo}`,
      password: box.deviceSecret,
    })
    await client.publishAsync(`things/${box.productKey}/${box.deviceNo}/sub/07/property/post`, '{"temperature":4.5}', {
      qos: 1,
    })
    await page.getByRole('table').getByText('Probe 1').click()
    await page.locator('[data-property=temperature]').getByText('4.5').waitFor()
    await context.close()
    await client.endAsync()
  })
})
