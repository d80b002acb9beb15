import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import mqtt, { type MqttClient } from 'mqtt'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

let server: SharedServer
let browser: Browser
let machine: MqttClient | null = null
beforeAll(async () => {
  server = await sharedServer()
  browser = await openBrowser()
})
afterAll(async () => {
  await machine?.endAsync()
  await browser?.close()
})

/** Words of the journey in each language. */
const WORDS = {
  zh: {
    acknowledge: '确认报警',
    done: '报警已确认',
    used: /此链接已使用/,
    refused: '链接已使用过',
    acknowledged: /已确认/,
  },
  en: {
    acknowledge: 'Acknowledge',
    done: 'The alarm is acknowledged',
    used: /This link was used/,
    refused: 'The link was used already',
    acknowledged: /Acknowledged/,
  },
} as const

interface Mail {
  to: string
  subject: string
  text: string
  at: string
}

/** Mails that no mail server takes are kept in a file of the server, the newest first. */
function outbox(): Mail[] {
  const path = join(server.dataDir, 'outbox', 'mail.ndjson')
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Mail)
}

async function mailTo(address: string, about: RegExp): Promise<Mail> {
  let found: Mail | undefined
  await expect
    .poll(
      () => {
        found = outbox().find(({ to, subject, text }) => to === address && about.test(`${subject}\n${text}`))
        return found
      },
      { message: `no mail to ${address}`, timeout: 45_000 },
    )
    .toBeDefined()
  return found!
}

describe.each(['zh', 'en'] as const)('an alarm that reaches a person, in %s', language => {
  it('comes as a mail and into the inbox, and its link acknowledges it once', async () => {
    const words = WORDS[language]
    const api = await apiClient(server.url)
    const name = `Room too warm ${language}`
    const email = `duty-${language}-${server.owner}@example.com`
    const product = await api<{ id: string; productKey: string }>('POST', '/products', {
      name: `Cold room ${language}`,
      linkType: 'mqtt',
      thingModel: {
        properties: [{ identifier: 't', name: 'T', unit: '°C', dataType: { type: 'double' }, access: 'r' }],
      },
    })
    const device = await api<{ id: string; deviceNo: string; deviceSecret: string }>('POST', '/devices', {
      name: `Room ${language}`,
      productId: product.id,
    })
    const contact = await api<{ id: string }>('POST', '/contacts', {
      name: 'Duty',
      email,
      locale: language,
      minLevel: 1,
    })
    await api('POST', `/contacts/${contact.id}/code`, {})
    const { text } = await mailTo(email, /\d{6}/)
    await api('POST', `/contacts/${contact.id}/verify`, { code: /\d{6}/.exec(text)![0] })
    const policy = await api<{ version: number }>('GET', '/notification-policy')
    await api('PUT', '/notification-policy', {
      levels: [{ level: 4, channels: ['email', 'inbox'] }],
      escalation: [],
      recovery: true,
      quiet: null,
      version: policy.version,
    })
    await api('POST', '/triggers', {
      name,
      scope: { deviceIds: [device.id] },
      kind: 'above',
      property: 't',
      high: -15,
      alarm: { level: 4 },
    })

    // Somebody has the console open: the bell says it by itself.
    const { context, page } = await visitor(browser, { locale: language })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt('/manage/user/center/alarm')
    machine = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: `${product.productKey}/${device.deviceNo}`,
      password: device.deviceSecret,
    })
    await machine.publishAsync(`things/${product.productKey}/${device.deviceNo}/property/post`, '{"t":-9.5}', {
      qos: 1,
    })
    await page.getByTestId('bell').click()
    await page.getByTestId('inbox-notice').filter({ hasText: name }).first().waitFor()
    await page.keyboard.press('Escape')

    const mail = await mailTo(email, new RegExp(name))
    expect(mail.text).toContain(`Room ${language}`)
    const link = /https?:\/\/\S+\/alonePage\/Acknowledge#\S+/.exec(mail.text)![0]
    const at = new URL(link)
    const here = `${server.url}${at.pathname}${at.hash}`

    // On a telephone that nobody is signed in on, and on a second one that opened it before.
    const phone = await visitor(browser, { locale: language, width: 390, height: 844 })
    const other = await visitor(browser, { locale: language, width: 390, height: 844 })
    for (const { page: own } of [phone, other]) {
      await own.goto(here)
      await own.getByTestId('acknowledge').getByText(name).waitFor()
    }
    const { items } = await api<{ items: { id: string; acknowledged: boolean; triggerName: string }[] }>(
      'GET',
      '/alarms?limit=100',
    )
    const alarm = items.find(({ triggerName }) => triggerName === name)!
    // To open it is not to acknowledge it.
    expect(alarm.acknowledged).toBe(false)
    await phone.page.getByRole('button', { name: words.acknowledge, exact: true }).click()
    await phone.page.getByRole('status').getByText(words.done).waitFor()
    expect(await api('GET', `/alarms/${alarm.id}`)).toMatchObject({ acknowledged: true, acknowledgedName: 'Duty' })

    // A second use is refused: for who had it open, and for who opens it now.
    await other.page.getByRole('button', { name: words.acknowledge, exact: true }).click()
    await other.page.getByRole('alert').getByText(words.refused).waitFor()
    await phone.page.reload()
    await phone.page.getByRole('status').getByText(words.used).waitFor()
    expect(await phone.page.getByRole('button', { name: words.acknowledge, exact: true }).count()).toBe(0)

    await page
      .getByTestId('list')
      .getByRole('row', { name: new RegExp(name) })
      .getByText(words.acknowledged)
      .waitFor()
    for (const { context: own } of [phone, other]) await own.close()
    await context.close()
    await machine.endAsync()
  })
})
