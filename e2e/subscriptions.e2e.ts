import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import mqtt, { type MqttClient } from 'mqtt'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

interface Item {
  id: string
  type: string
  deviceNo: string
  data: Record<string, unknown>
}
interface Received {
  items: Item[]
  /** Whether the signature fits the secret that the console showed. */
  genuine(secret: string): boolean
}

/** A receiver as a customer runs it; answers what `answer` says. */
class Receiver {
  answer = 204
  readonly got: Received[] = []
  private server!: Server

  async start(): Promise<string> {
    const receive = async (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks)
      const signature = String(request.headers['thingwright-signature'])
      if (this.answer < 300)
        this.got.push({
          items: (JSON.parse(body.toString()) as { items: Item[] }).items,
          genuine(secret) {
            const { t, n, v1 } = Object.fromEntries(signature.split(',').map(part => part.split('=')))
            return v1 === createHmac('sha256', secret).update(`${t}.${n}.`).update(body).digest('hex')
          },
        })
      response.writeHead(this.answer).end()
    }
    this.server = createServer((request, response) => {
      receive(request, response).catch((error: Error) => response.destroy(error))
    })
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/in`
  }

  /** Readings that arrived, test samples left out; what came again because its answer was late counts once, as told to receivers. */
  temperatures(): unknown[] {
    const items = this.got.flatMap(({ items }) => items).filter(({ id }) => !id.startsWith('test-'))
    return [...new Map(items.map(({ id, data }) => [id, data.temperature])).values()]
  }

  stop(): void {
    this.server?.closeAllConnections()
    this.server?.close()
  }
}

describe('data subscriptions', () => {
  const receiver = new Receiver()
  let server: SharedServer
  let browser: Browser
  let thermometer: MqttClient
  let url: string
  let latest: () => Promise<unknown[]>
  let publish: (temperature: number) => Promise<unknown>

  beforeAll(async () => {
    url = await receiver.start()
    // The receiver stands on this machine: an operator would have to let it through as well.
    server = await sharedServer()
    browser = await openBrowser()
    const api = await apiClient(server.url)
    const product = await api<{ id: string; productKey: string }>('POST', '/products', {
      name: 'Thermometer',
      linkType: 'mqtt',
      thingModel: {
        properties: [{ identifier: 'temperature', name: '温度', dataType: { type: 'double' }, access: 'r' }],
      },
    })
    const device = await api<{ id: string; deviceNo: string; deviceSecret: string }>('POST', '/devices', {
      name: 'Hall',
      productId: product.id,
      deviceNo: 'HALL-1',
    })
    thermometer = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: `${product.productKey}/${device.deviceNo}`,
      password: device.deviceSecret,
      clientId: 'hall',
    })
    publish = temperature =>
      thermometer.publishAsync(
        `things/${product.productKey}/${device.deviceNo}/property/post`,
        JSON.stringify({ temperature }),
        { qos: 1 },
      )
    latest = async () => {
      const { items } = await api<{ items: { value: unknown }[] }>('GET', `/devices/${device.id}/properties`)
      return items.map(({ value }) => value)
    }
  })
  afterAll(async () => {
    await thermometer?.endAsync(true)
    await browser?.close()
    receiver.stop()
  })

  it('a webhook is made with its secret shown once, tested, fed, refused into the dead letters, replayed, paused and deleted', async () => {
    await publish(20.25)
    await expect.poll(latest).toEqual([20.25])
    const { context, page } = await visitor(browser, { locale: 'en' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt('/develop/DataSubscription')
    await page.getByTestId('empty').getByRole('button', { name: 'New subscription' }).click()

    // The preview is of the reading that has just come.
    await page.getByTestId('payload-preview').getByText('20.25').waitFor()
    await page.getByLabel(/^Name/).first().fill('ERP')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Required').first().waitFor()
    await page.getByLabel(/^URL/).fill(url)
    await page.getByRole('button', { name: 'Create' }).click()
    const once = page.getByRole('dialog').filter({ hasText: 'Signing secret' })
    await once.getByRole('button', { name: /^Show/ }).click()
    await expect.poll(() => once.getByTestId('secret').textContent()).toMatch(/^[\w-]{40,}$/)
    const secret = (await once.getByTestId('secret').textContent())!
    await once.getByRole('button', { name: /saved securely/i }).click()

    // It leads to how to receive, in the languages that people use.
    await page.getByText('createHmac').waitFor()
    await page.getByText('PHP', { exact: true }).click()
    await page.getByText('hash_hmac').waitFor()

    await page.getByRole('button', { name: 'Test', exact: true }).click()
    const result = page.getByTestId('test-result')
    await result.getByText('Delivered', { exact: true }).waitFor()
    expect(receiver.got[0]!.items[0]!.id).toMatch(/^test-/)
    expect(receiver.got[0]!.genuine(secret)).toBe(true)
    expect(receiver.got[0]!.genuine(`${secret}x`)).toBe(false)
    await page.getByRole('button', { name: 'Close', exact: true }).last().click()

    await publish(21.5)
    await expect.poll(() => receiver.temperatures()).toEqual([21.5])
    expect(receiver.got.at(-1)!.genuine(secret)).toBe(true)
    await page.getByTestId('delivered').getByText('1', { exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Delivery log' }).click()
    await page.getByRole('button', { name: 'Details' }).first().click()
    await page.getByRole('dialog').getByText('HALL-1').waitFor()
    await page.keyboard.press('Escape')

    // A body that is refused three times is given up; nothing else waits for it.
    receiver.answer = 422
    await publish(99)
    await page.getByRole('tab', { name: 'Dead letters 1' }).waitFor()
    receiver.answer = 200
    await page.getByRole('tab', { name: 'Dead letters 1' }).click()
    await page.getByRole('button', { name: 'Replay all' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
    await console_.hasNotice('1 item queued again')
    await expect.poll(() => receiver.temperatures()).toEqual([21.5, 99])

    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
    await console_.hasNotice('“ERP” paused')
    await publish(22)
    await page.getByTestId('backlog').getByText('1', { exact: true }).waitFor()
    expect(receiver.temperatures()).toEqual([21.5, 99])
    await page.getByRole('button', { name: 'Resume' }).click()
    await expect.poll(() => receiver.temperatures()).toEqual([21.5, 99, 22])

    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('ERP')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByTestId('empty').waitFor()
    await context.close()
  })
})
