import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CmccCarrier, startCmcc } from '../tools/simulators/carrier-cmcc/carrier-cmcc.ts'
import { type ChirpStackSimulator, startChirpStack } from '../tools/simulators/chirpstack/chirpstack.ts'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

const GATEWAY = '0016c001f1500899'

describe('cards and networks', () => {
  let server: SharedServer
  let browser: Browser
  let api: Awaited<ReturnType<typeof apiClient>>
  let carrier: CmccCarrier
  let chirpstack: ChirpStackSimulator

  beforeAll(async () => {
    carrier = await startCmcc({ count: 3, pauseMs: 0 })
    chirpstack = await startChirpStack()
    server = await sharedServer()
    browser = await openBrowser()
    api = await apiClient(server.url)
  })
  afterAll(async () => {
    await browser?.close()
    await carrier?.close()
    await chirpstack?.close()
  })

  async function looking(path: string): Promise<{ page: Page; console_: ConsolePage; done: () => Promise<void> }> {
    const { context, page } = await visitor(browser, { locale: 'en' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(path)
    return { page, console_, done: () => context.close() }
  }

  it('cards are imported, one is bound, stopped and resumed, and the doctor names the stopped one', async () => {
    const [card] = carrier.cards
    const iccid = card!.iccid
    const account = await api<{ id: string }>('POST', '/carriers', {
      name: 'Mobile',
      kind: 'onelink',
      baseUrl: carrier.url,
      account: '100002000000',
      password: 'simulated',
      perSecond: 100,
      cooldownSeconds: 0,
    })
    const product = await api<{ id: string }>('POST', '/products', { name: 'Tracker', linkType: 'mqtt' })
    const device = await api<{ id: string }>('POST', '/devices', { name: 'Van 7', productId: product.id })
    const { page, console_, done } = await looking('/flowCard/CmccFlowCard')

    // Imported, with a line that is no card.
    await page.getByRole('button', { name: 'Import', exact: true }).first().click()
    const drawer = page.getByRole('dialog', { name: 'Import', exact: true })
    await drawer.locator('input[type=file]').setInputFiles({
      name: 'cards.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`ICCID\n${carrier.cards.map(one => one.iccid).join('\n')}\n12345\n`),
    })
    await drawer.getByRole('button', { name: 'Import', exact: true }).click()
    await drawer.getByText('Added 3, updated 0, skipped 0, failed 1').waitFor()
    await drawer.getByRole('cell', { name: '12345' }).waitFor()
    await drawer.getByRole('button', { name: 'Close', exact: true }).last().click()
    const { taskId } = await api<{ taskId: string }>('POST', `/carriers/${account.id}/sync`)
    await expect
      .poll(async () => (await api<{ state: string }>('GET', `/tasks/${taskId}`)).state, { timeout: 20_000 })
      .toBe('succeeded')

    // Bound to a device.
    await page.reload()
    const shown = page.getByRole('dialog', { name: iccid })
    await page.getByRole('button', { name: iccid, exact: true }).click()
    await shown.getByRole('button', { name: 'Bind to a device' }).click()
    const binding = page.getByRole('dialog', { name: 'Bind to a device' })
    await binding.getByRole('combobox').click()
    await page.locator('.ant-select-item-option').filter({ hasText: 'Van 7' }).click()
    await binding.getByRole('button', { name: 'Save', exact: true }).click()
    await console_.hasNotice('Saved')

    // Stopped: the carrier has it, and the doctor of the device says so.
    await shown.getByRole('button', { name: 'Stop', exact: true }).click()
    await page
      .getByRole('dialog', { name: 'Stop', exact: true })
      .getByRole('button', { name: 'Stop', exact: true })
      .click()
    await console_.hasNotice('1 card queued')
    await expect.poll(() => card!.status, { timeout: 20_000 }).toBe('4')
    const state = async () =>
      (await api<{ items: { state: string }[] }>('GET', `/sim-cards?deviceId=${device.id}`)).items[0]!.state
    await expect.poll(state, { timeout: 20_000 }).toBe('stopped')
    await page.goto(`${server.url}/manage/device/DeviceSet/DeviceCenter?id=${device.id}&tab=diagnose`)
    const verdict = page.locator('[data-testid="diagnosis-verdict"][data-cause="sim_stopped"]')
    await verdict.waitFor()
    expect(await verdict.textContent()).toContain(iccid)

    // Resumed.
    await page.goto(`${server.url}/flowCard/CmccFlowCard`)
    await page.getByRole('button', { name: iccid, exact: true }).click()
    await shown.getByRole('button', { name: 'Resume', exact: true }).click()
    await page
      .getByRole('dialog', { name: 'Resume', exact: true })
      .getByRole('button', { name: 'Resume', exact: true })
      .click()
    await expect.poll(() => card!.status, { timeout: 20_000 }).toBe('2')
    await expect.poll(state, { timeout: 20_000 }).toBe('active')
    await done()
  })

  it('a device profile is made from a template, its codec tried with a frame, and a gateway goes online', async () => {
    const { page, done } = await looking('/ChirpStack/DeviceProfiles')

    // ChirpStack is connected.
    await page.getByRole('button', { name: 'ChirpStack connections' }).first().click()
    await page.getByRole('button', { name: 'Add connection' }).click()
    await page.getByLabel(/^Name/).fill('Lab')
    await page.getByLabel(/^Server address/).fill(chirpstack.url)
    await page.getByLabel(/^Tenant ID/).fill(chirpstack.tenantId)
    await page.getByLabel(/^API key/).fill(chirpstack.apiKey)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const connection = page.getByRole('region', { name: 'Lab' })
    await connection.getByRole('button', { name: 'Test', exact: true }).click()
    await connection.getByText('Works').waitFor()

    // A profile begins with a device of the library; its codec says what a frame means.
    await page.goto(`${server.url}/ChirpStack/DeviceProfiles/add`)
    await page.getByRole('combobox', { name: 'Begin with a device' }).click()
    await page.keyboard.type('EM300')
    await page.locator('.ant-select-item-option').first().click()
    await page.getByRole('tab', { name: 'Codec', exact: true }).click()
    const tester = page.getByRole('region', { name: 'Try the codec' })
    await tester.getByLabel('Bytes of the uplink (hex)').fill('01 75 5C 03 67 34 01 04 68 65')
    await tester.getByRole('button', { name: 'Run', exact: true }).click()
    await tester.getByText(/"temperature": 30\.8/).waitFor()
    await page.getByRole('tab', { name: 'General', exact: true }).click()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await expect.poll(() => chirpstack.things.profiles.size).toBe(1)

    // A gateway is registered, and seen when it reports.
    await page.goto(`${server.url}/ChirpStack/Gateways/add`)
    await page.getByLabel(/^Name/).fill('Roof')
    await page.getByLabel(/^Gateway ID/).fill(GATEWAY)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('Waiting for the gateway').waitFor()
    chirpstack.gatewayStats(GATEWAY, { heard: 4, sent: 1 })
    await page.getByText('Online', { exact: true }).first().waitFor({ timeout: 40_000 })

    // What it hears is shown as it comes; its certificate once.
    chirpstack.traffic.tell(`gateway ${GATEWAY}`, { description: 'JoinRequest', body: { phy_payload: { mic: 'aa' } } })
    await page.getByText('JoinRequest').first().waitFor({ timeout: 40_000 })
    await page.getByRole('button', { name: 'Make certificate' }).click()
    await page
      .getByRole('dialog', { name: 'Make a new connection certificate?' })
      .getByRole('button', { name: 'Make certificate' })
      .click()
    await page.getByText('BEGIN PRIVATE KEY').waitFor()
    await done()
  })
})
