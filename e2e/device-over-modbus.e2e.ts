import { EventEmitter } from 'node:events'
import { connect, type Socket } from 'node:net'
import Modbus from 'jsmodbus'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

/** A slave that is not ours (jsmodbus), behind a connection that dials out as a DTU does. */
function slave(mode: 'rtu' | 'tcp', port: number, register: string) {
  const socket: Socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => socket.write(register))
  socket.on('error', () => undefined)
  const memory = {
    holding: Buffer.alloc(256),
    input: Buffer.alloc(256),
    coils: Buffer.alloc(32),
    discrete: Buffer.alloc(32),
  }
  if (mode === 'rtu') new Modbus.server.RTU(socket as never, memory)
  else {
    const door = new EventEmitter()
    new Modbus.server.TCP(door as never, memory)
    door.emit('connection', socket)
  }
  return { ...memory, close: () => socket.destroy() }
}

interface MadeDevice {
  id: string
  deviceNo: string
  deviceSecret: string
}

describe('a Modbus slave that is not ours', () => {
  let server: SharedServer
  let browser: Browser

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  it.each(['rtu', 'tcp'] as const)(
    'is polled, written from the browser, read back, and stands in the chart: %s',
    async mode => {
      const api = await apiClient(server.url)
      const product = await api<{ id: string; productKey: string }>('POST', '/products', {
        name: `Meter ${mode}`,
        linkType: mode === 'rtu' ? 'modbus_rtu' : 'modbus_tcp',
        thingModel: {
          properties: [
            { identifier: 'voltage', name: '电压', dataType: { type: 'double' }, unit: 'V', access: 'r' },
            { identifier: 'power', name: '功率', dataType: { type: 'double' }, unit: 'W', access: 'r' },
            { identifier: 'relay', name: '继电器', dataType: { type: 'bool' }, access: 'rw' },
            { identifier: 'limit', name: '限值', dataType: { type: 'double' }, access: 'rw' },
          ],
        },
      })
      await api('PUT', `/products/${product.id}/format`, {
        kind: 'modbus',
        registers: [
          { identifier: 'voltage', function: 3, address: 0, dataType: 'uint16', scale: 0.1 },
          { identifier: 'power', function: 4, address: 10, dataType: 'float32', byteOrder: 'CDAB' },
          { identifier: 'limit', function: 3, address: 4, dataType: 'int32' },
          { identifier: 'relay', function: 1, address: 3, dataType: 'bool' },
        ],
      })
      await api('PUT', `/products/${product.id}/link`, {
        // The slave lives in this process, which may be held up for seconds.
        modbus: { cycleSeconds: 1, slave: 1, timeoutMs: 10_000, retries: 3, maxGap: 8, pauseMs: 0 },
      })
      const device = await api<MadeDevice>('POST', '/devices', { name: 'Main meter', productId: product.id })
      const bus = slave(mode, server.ports.tcp!, `${product.productKey}/${device.deviceNo}/${device.deviceSecret}\r\n`)
      bus.holding.writeUInt16BE(2305, 0)
      const float = Buffer.alloc(4)
      float.writeFloatBE(1250.5)
      float.copy(bus.input, 22, 0, 2)
      float.copy(bus.input, 20, 2, 4)
      const { context, page } = await visitor(browser, { locale: 'zh' })
      const console_ = new ConsolePage(page, server.url)
      await console_.enterAt(`/manage/device/DeviceSet/DeviceCenter?id=${device.id}`)
      await page.getByText('230.5').first().waitFor()
      await page
        .getByText(/1.?250\.5/)
        .first()
        .waitFor()
      bus.holding.writeUInt16BE(2312, 0)
      await page.getByText('231.2').first().waitFor()

      await page.getByRole('switch').first().click()
      await expect.poll(() => (bus.coils[0]! >> 3) & 1).toBe(1)
      await page.locator('[role="switch"][aria-checked="true"]').first().waitFor()

      const { id } = await api<{ id: string }>('POST', `/devices/${device.id}/commands`, {
        kind: 'property_set',
        params: { limit: -70_000 },
        timeoutMs: 60_000,
      })
      await expect
        .poll(async () => (await api<{ state: string }>('GET', `/devices/${device.id}/commands/${id}`)).state)
        .toBe('succeeded')
      expect(bus.holding.readInt32BE(8)).toBe(-70_000)
      await context.close()

      const chart = await visitor(browser, { locale: 'zh' })
      const charts = new ConsolePage(chart.page, server.url)
      await charts.enterAt(`/manage/device/DeviceSet/DeviceCenter?id=${device.id}&tab=history`)
      await chart.page
        .getByRole('img')
        .filter({ has: chart.page.locator('canvas') })
        .first()
        .waitFor()
      await chart.context.close()
      bus.close()
    },
  )
})
