import mqtt, { type MqttClient } from 'mqtt'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

interface Made {
  id: string
  deviceNo: string
  deviceSecret: string
}

describe('commands of a product', () => {
  let server: SharedServer
  let browser: Browser
  let api: Awaited<ReturnType<typeof apiClient>>
  let product: { id: string; productKey: string }
  let device: Made
  let motor: MqttClient
  const frames: string[] = []

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
    api = await apiClient(server.url)
    product = await api('POST', '/products', {
      name: 'Motor',
      linkType: 'mqtt',
      thingModel: {
        properties: [{ identifier: 'pump', name: '水泵', dataType: { type: 'bool' }, access: 'rw' }],
      },
    })
    device = await api('POST', '/devices', { name: 'Motor A', productId: product.id })
    const prefix = `things/${product.productKey}/${device.deviceNo}/`
    // A motor that answers every write with the same frame, as Modbus does.
    motor = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: `${product.productKey}/${device.deviceNo}`,
      password: device.deviceSecret,
      clientId: 'motor',
    })
    motor.on('message', (_, payload) => {
      frames.push(payload.toString('hex'))
      motor.publish(`${prefix}raw/up`, payload, { qos: 1 })
    })
    await motor.subscribeAsync(`${prefix}raw/down`, { qos: 1 })
  })
  afterAll(async () => {
    await motor?.endAsync(true)
    await browser?.close()
  })

  const signedIn = async (path: string) => {
    const { context, page } = await visitor(browser, { locale: 'en' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(path)
    return { context, page, console_ }
  }

  it('a template is made, its bytes seen before they are sent, tested on a device and confirmed by its answer', async () => {
    const { context, page, console_ } = await signedIn(`/manage/product/ProductSet/ProductSetOrder?id=${product.id}`)
    await page.getByRole('button', { name: 'Create template' }).click()
    await page.getByLabel(/^Name/).first().fill('Set speed')
    await page.getByLabel(/^Code/).fill('set-speed')
    await page.getByLabel(/^Frame/).fill('01 06 00 10 05 DC')
    await page.getByLabel(/^Reply starts with/).fill('01 06')
    await page.getByTestId('template-preview').getByText('01 06 00 10 05 DC', { exact: true }).waitFor()
    await page.getByLabel(/^Append checksum/).click()
    await page.locator('.ant-select-item-option').getByText('CRC16-Modbus, low first').click()
    await page.locator('.ant-select-item-option').getByText('CRC16-Modbus, low first').waitFor({ state: 'hidden' })
    await page.getByTestId('template-preview').getByText('01 06 00 10 05 DC 8A C6', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await console_.hasNotice('Saved')
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByRole('button', { name: 'Send to device' }).click()
    const result = page.getByTestId('test-result')
    await result.getByText('Succeeded').waitFor()
    await result.getByText('01 06 00 10 05 DC 8A C6', { exact: true }).waitFor()
    expect(frames).toEqual(['0106001005dc8ac6'])
    await context.close()
  })

  it('bytes that the product calls dangerous leave the device’s page only with the PIN', async () => {
    const { version } = await api<{ version: number }>('GET', `/products/${product.id}/command-rules`)
    await api('PUT', `/products/${product.id}/command-rules`, {
      version,
      rules: { raw: { danger: { level: 'pin', text: 'Bytes can stop the motor.' } } },
      pin: '2468',
    })
    frames.length = 0
    const { context, page } = await signedIn(`/manage/device/DeviceSet/DeviceCenter?id=${device.id}&tab=commands`)
    await page.getByLabel('Command type').click()
    await page.getByTitle('Raw data', { exact: true }).click()
    await page.getByLabel(/^Hex/).fill('AA 55')
    await page.getByRole('button', { name: 'Send raw data' }).click()
    const ask = page.getByTestId('command-ask')
    await ask.getByText('Bytes can stop the motor.').waitFor()
    await ask.getByLabel('Command PIN').fill('1111')
    await ask.getByRole('button', { name: 'Send' }).click()
    await ask.getByText('Incorrect PIN').waitFor()
    await ask.getByLabel('Command PIN').fill('2468')
    await ask.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('table').getByText('AA 55').waitFor()
    await expect.poll(() => frames).toEqual(['aa55'])
    await context.close()
  })
})
