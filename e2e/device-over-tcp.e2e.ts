import { spawn, spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../tools/lib/free-port.ts'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { ConsolePage } from './pages/console-page.ts'

const HOUR_MS = 3_600_000
const HAS_NC = spawnSync('sh', ['-c', 'command -v nc']).status === 0

/** A line to the server as people have it: `nc` where there is one, else a plain socket. */
function dial(port: number): { write(text: string): void; close(): void; got(): string } {
  let text = ''
  const take = (bytes: Buffer) => {
    text += bytes.toString('latin1')
  }
  if (HAS_NC) {
    const nc = spawn('nc', ['127.0.0.1', String(port)])
    nc.stdout.on('data', take)
    nc.stdin.on('error', () => undefined)
    return { write: bytes => void nc.stdin.write(bytes, 'latin1'), close: () => void nc.kill(), got: () => text }
  }
  const socket = connect(port, '127.0.0.1')
  socket.on('data', take)
  socket.on('error', () => undefined)
  return { write: bytes => void socket.write(bytes, 'latin1'), close: () => socket.destroy(), got: () => text }
}

interface MadeDevice {
  id: string
  deviceNo: string
  deviceSecret: string
}

// The DTU job: a device that knows nothing but bytes on a TCP connection, from the first packet to the chart.
describe('a DTU over raw TCP with a protocol label', () => {
  let server: RunningServer
  let browser: Browser
  let product: { id: string; productKey: string }
  let device: MadeDevice

  beforeAll(async () => {
    const own = await freePort()
    server = await startServer({ env: { TCP_PORT_RANGE: `${own}-${own}` } })
    browser = await openBrowser()
    const api = await apiClient(server.url)
    const number = (identifier: string, name: string, unit: string) => ({
      identifier,
      name,
      dataType: { type: 'double' },
      unit,
      access: 'r',
    })
    product = await api('POST', '/products', {
      name: 'Greenhouse DTU',
      linkType: 'tcp',
      thingModel: { properties: [number('temperature', '温度', '°C'), number('humidity', '湿度', '%')] },
    })
    await api('PUT', `/products/${product.id}/format`, {
      kind: 'label',
      label: '[H:#],[D?],[S:,],[D?],[T:#]',
      fields: ['temperature', 'humidity'],
    })
    device = await api('POST', '/devices', { name: 'North house', productId: product.id })
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function open() {
    const { context, page } = await visitor(browser, { locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(`/manage/device/DeviceSet/DeviceCenter?id=${device.id}`)
    return { context, page }
  }

  it('registers by its line, its frames appear in the open page, in the history and in the chart', async () => {
    const { context, page } = await open()
    await page.getByText('North house').first().waitFor()
    const line = dial(server.ports.tcp!)
    line.write(`${product.productKey}/${device.deviceNo}/${device.deviceSecret}\r\n`)
    line.write('#21.5,48#\r\n')
    await page.getByText('21.5').first().waitFor()
    await page.getByText('48').first().waitFor()
    line.write('#22.75,49#\r\n')
    await page.getByText('22.75').first().waitFor()
    const api = await apiClient(server.url)
    const session = () => api<{ session: { transport: string } | null }>('GET', `/devices/${device.id}/session`)
    await expect.poll(async () => (await session()).session?.transport).toBe('tcp')
    const now = Date.now()
    const span = `from=${now - HOUR_MS}&to=${now + HOUR_MS}`
    await expect
      .poll(async () => {
        const path = `/devices/${device.id}/telemetry/raw?identifier=temperature&${span}`
        const { items } = await api<{ items: [number, number][] }>('GET', path)
        return items.map(([, value]) => value)
      })
      .toEqual([21.5, 22.75])
    await new ConsolePage(page, server.url).open(`/manage/device/DeviceSet/DeviceCenter?id=${device.id}&tab=history`)
    await page
      .getByRole('img')
      .filter({ has: page.locator('canvas') })
      .first()
      .waitFor()
    await context.close()
    line.close()
    await expect.poll(async () => (await api<{ link: string }>('GET', `/devices/${device.id}`)).link).toBe('offline')
  })

  it('on a port of the product’s own, claimed in the browser, the number alone is enough', async () => {
    const { context, page } = await visitor(browser, { locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(`/manage/product/ProductSet/ProductSetLink?id=${product.id}`)
    await page.getByText('文本编号', { exact: true }).click()
    await page.getByText('独立端口', { exact: true }).click()
    await page.getByRole('button', { name: '保存', exact: true }).click()
    await page.getByText('已打开').waitFor()
    await context.close()
    const api = await apiClient(server.url)
    const link = await api<{ port: { number: number; state: string } }>('GET', `/products/${product.id}/link`)
    expect(link.port.state).toBe('open')
    const line = dial(link.port.number)
    line.write(`${device.deviceNo}\r\n`)
    line.write('#23.25,50#\r\n')
    await expect
      .poll(
        async () =>
          (await api<{ items: { identifier: string; value: number }[] }>('GET', `/devices/${device.id}/properties`))
            .items,
      )
      .toEqual(expect.arrayContaining([expect.objectContaining({ identifier: 'temperature', value: 23.25 })]))
    line.close()
  })
})
