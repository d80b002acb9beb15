import { randomUUID } from 'node:crypto'
import mqtt from 'mqtt'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violations } from './fixtures/axe.ts'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { PASSWORD } from './fixtures/people.ts'
import { settled } from './fixtures/settled.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'

// The portal of a company, as its end users see it on a phone.

const STAMP = randomUUID().slice(0, 8)
const SUFFIX = `pumps-${STAMP}`
const HOST = `${SUFFIX}.portal.test`
const FOREIGN = `valves-${STAMP}.portal.test`
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const WORDS = {
  zh: { brand: '泵业云', alarms: '报警', account: '我的', back: '返回设备', acknowledge: '确认' },
  en: {
    brand: 'Pump cloud',
    alarms: 'Alarms',
    account: 'Account',
    back: 'Back to devices',
    acknowledge: 'Acknowledge',
  },
} as const
type Locale = keyof typeof WORDS

interface Pump {
  id: string
  productKey: string
  deviceNo: string
  deviceSecret: string
}

let server: SharedServer
let browser: Browser
let pump: Pump
const customer = `customer-${STAMP}`
beforeAll(async () => {
  const other = await sharedServer()
  server = await sharedServer()
  browser = await openBrowser(['--host-resolver-rules=MAP *.portal.test 127.0.0.1'])
  await portal(other.owner, { name: 'Valves', suffix: `valves-${STAMP}` }, { host: FOREIGN })
  const api = await portal(
    server.owner,
    { name: WORDS.zh.brand, suffix: SUFFIX },
    { nameEn: WORDS.en.brand, host: HOST, colour: '#0b5fff', copyright: '© Pumps Ltd', icp: '闽ICP备1号' },
  )
  pump = await furnishPump(api)
}, 120_000)
afterAll(async () => {
  await browser?.close()
})

type Api = Awaited<ReturnType<typeof apiClient>>

/** Makes the portal of the owner's company and enables it. */
async function portal(owner: string, brand: { name: string; suffix: string }, more: object): Promise<Api> {
  const api = await apiClient(server.url, owner)
  const made = await api<{ id: string; version: number }>('POST', '/web-apps', brand)
  const logo = await api<{ version: number }>('PUT', `/web-apps/${made.id}/images/logo`, { data: PNG })
  await api('PATCH', `/web-apps/${made.id}`, { ...more, enabled: true, version: logo.version })
  return api
}

/** Two pumps, one of them the customer's, with a trigger. */
async function furnishPump(api: Api): Promise<Pump> {
  const product = await api<{ id: string; productKey: string }>('POST', '/products', {
    name: 'Pump',
    linkType: 'mqtt',
    thingModel: {
      properties: [
        { identifier: 'level', name: '液位', ename: 'Level', unit: 'm', dataType: { type: 'double' }, access: 'r' },
        { identifier: 'pump', name: '水泵', ename: 'Pump', dataType: { type: 'bool' }, access: 'rw' },
        {
          identifier: 'mode',
          name: '模式',
          ename: 'Mode',
          dataType: { type: 'enum', items: [{ value: 0, name: '自动', ename: 'Automatic' }] },
          access: 'rw',
        },
        { identifier: 'limit', name: '上限', ename: 'Limit', dataType: { type: 'double' }, access: 'rw' },
      ],
    },
  })
  const device = (name: string) => api<Omit<Pump, 'productKey'>>('POST', '/devices', { name, productId: product.id })
  const mine = await device(`North pump ${'long name '.repeat(4)}`)
  await device('Pump of another')
  const { id } = await api<{ id: string }>('POST', '/end-users', {
    name: 'Water works',
    username: customer,
    password: PASSWORD,
    rights: ['view', 'control', 'triggers'],
  })
  await api('POST', `/end-users/${id}/devices`, { deviceIds: [mine.id] })
  await api('POST', '/triggers', {
    name: 'Too high',
    scope: { deviceIds: [mine.id] },
    kind: 'above',
    property: 'level',
    high: 8,
    alarm: { level: 3 },
  })
  return { ...mine, productKey: product.productKey }
}

/** Everything that a page of the portal may have wrong: wider than the phone, hard to use, or in the looks of another. */
async function isWell(page: Page, locale: Locale, name: string): Promise<void> {
  await settled(page)
  const wide = await page.evaluate(() =>
    document.documentElement.scrollWidth <= window.innerWidth
      ? []
      : [...document.querySelectorAll('body *')]
          .filter(element => element.getBoundingClientRect().right > window.innerWidth + 1)
          .slice(0, 8)
          .map(element => `${element.tagName} ${element.getAttribute('class')} ${element.textContent?.slice(0, 30)}`),
  )
  expect(wide, `${name}: beside the window`).toEqual([])
  expect(await violations(page), `${name}: axe`).toEqual([])
  expect(await page.title(), `${name}: title`).toContain(WORDS[locale].brand)
  expect(await page.locator('html').getAttribute('lang'), `${name}: language`).toMatch(new RegExp(`^${locale}`))
  expect(await page.locator('body').innerText(), name).not.toMatch(/Thingwright|物匠/)
}

const at = (host: string) => `http://${host}:${new URL(server.url).port}`

describe.each(['zh', 'en'] as const)('the portal on a phone, in %s', locale => {
  it.each([
    ['on its own host', () => `${at(HOST)}/`],
    ['at its suffix', () => `${server.url}/w/${SUFFIX}`],
  ])('%s: sign-in, devices, one device, a switch, alarms, account', async (_name, address) => {
    const words = WORDS[locale]
    const machine = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: `${pump.productKey}/${pump.deviceNo}`,
      password: pump.deviceSecret,
    })
    const topic = `things/${pump.productKey}/${pump.deviceNo}/property`
    await machine.subscribeAsync(`${topic}/set`, { qos: 1 })
    const report = (values: object) => machine.publishAsync(`${topic}/post`, JSON.stringify(values), { qos: 1 })
    await report({ level: 3, pump: false, mode: 0, limit: 8 })
    await report({ level: 9 })

    const { context, page } = await visitor(browser, { width: 390, height: 844, locale })
    await page.goto(address())
    const door = page.getByTestId('portal-sign-in')
    await door.getByText('© Pumps Ltd').waitFor()
    await isWell(page, locale, 'sign-in')
    await door.locator('input').first().fill(customer)
    await door.locator('input[type=password]').fill(PASSWORD)
    await page.getByTestId('sign-in-submit').click()

    await page.getByTestId('portal').getByText('North pump').waitFor()
    expect(await page.getByText('Pump of another').count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe(`/w/${SUFFIX}/devices`)
    await isWell(page, locale, 'devices')

    await page.getByText('North pump').click()
    await page.getByText('9 m').waitFor()
    await isWell(page, locale, 'one device')
    const heard = new Promise<Buffer>(resolve => machine.once('message', (_topic, payload) => resolve(payload)))
    await page.getByRole('switch').click()
    expect(JSON.parse((await heard).toString())).toMatchObject({ params: { pump: true } })
    await report({ pump: true })
    await page.locator('[role=switch][aria-checked=true]').waitFor()
    await page.getByRole('link', { name: words.back }).click()

    await page.getByRole('link', { name: words.alarms, exact: true }).click()
    await page.getByText('Too high').waitFor()
    await isWell(page, locale, 'alarms')
    await page.getByRole('link', { name: words.account, exact: true }).click()
    await page.getByText('Water works').first().waitFor()
    await isWell(page, locale, 'account')

    await report({ level: 3 })
    await machine.endAsync()
    await context.close()
  })
})

it('the host of another company shows nothing of the portal', async () => {
  const { context, page } = await visitor(browser, { width: 390, height: 844, locale: 'en' })
  await page.goto(`${at(FOREIGN)}/w/${SUFFIX}`)
  await page.getByText('This portal is not available').waitFor()
  const shown = async () => `${await page.title()}\n${await page.content()}`
  for (const word of [WORDS.en.brand, WORDS.zh.brand, 'Pumps Ltd', '#0b5fff', 'ICP'])
    expect(await shown(), word).not.toContain(word)
  const image = `/api/v1/public/portals/${SUFFIX}/images/logo`
  expect(await page.evaluate(async path => (await fetch(path)).status, image)).toBe(404)
  // A host that no portal has shows the console's own sign-in.
  await page.goto(`${at(`nobody-${STAMP}.portal.test`)}/index`)
  await page.getByTestId('sign-in-card').waitFor()
  expect(await shown()).not.toContain(WORDS.en.brand)
  await context.close()
})
