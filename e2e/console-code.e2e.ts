import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startNatsServer } from '../tools/simulators/nats/nats-server.ts'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { PASSWORD } from './fixtures/people.ts'
import { PRESENT, type Program, runCurl, startMosquittoSub, startNode, startProgram } from './fixtures/replay.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

const has = (...command: [string, ...string[]]) => spawnSync(command[0], command.slice(1)).status === 0
const root = join(import.meta.dirname, '..')

// What the console offers for copying besides the ways in of a device (snippets.e2e.ts) is read off its pages and run.
// Pages: access/access-tab.tsx, keys/key-secret.tsx, sdk/sdk-tab.tsx, explorer/operation-panel.tsx, api/api-page.tsx,
// public-pages/downloads-page.tsx, identity/ca-panel.tsx, receive/guide-tab.tsx, payload-format/json-examples.tsx.
describe('code of the console', () => {
  let server: SharedServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let seen: ConsolePage
  let folder: string
  let api: Awaited<ReturnType<typeof apiClient>>
  let key: string
  let product: { id: string; productKey: string }
  let device: { id: string; deviceNo: string; deviceSecret: string }
  const running: { end(): unknown }[] = []

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
    folder = mkdtempSync(join(tmpdir(), 'tw-console-code-'))
    api = await apiClient(server.url)
    await api('POST', '/security/proof', { method: 'password', password: PASSWORD })
    const scopes = ['device:read', 'telemetry:read', 'subscription:read', 'subscription:write', 'developer:read']
    key = (await api<{ key: string }>('POST', '/api-keys', { name: 'console', scopes })).key
    product = await api('POST', '/products', {
      name: 'Meter',
      linkType: 'mqtt',
      thingModel: {
        properties: [
          { identifier: 'temperature', name: 'Temperature', dataType: { type: 'double' }, access: 'r' },
          { identifier: 'pump', name: 'Pump', dataType: { type: 'bool' }, access: 'rw' },
        ],
      },
    })
    device = await api('POST', '/devices', { name: 'Meter 1', productId: product.id })
    ;({ context, page } = await visitor(browser, { locale: 'en' }))
    seen = new ConsolePage(page, server.url)
    await seen.enterAt('/develop/LinkInterface')
  })
  afterEach(async () => {
    for (const each of running.splice(0)) await each.end()
  })
  afterAll(async () => {
    await context?.close()
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const box = (label: string) => page.locator(`pre[aria-label="${label}"]`).first()
  const shown = (label: string) => box(label).innerText()
  const choose = (label: string) =>
    page.locator('.ant-segmented-item').getByText(label, { exact: true }).first().click()
  const post = async (temperature: number) => {
    const answer = await fetch(`${server.url}/device/v1/${product.productKey}/${device.deviceNo}/property`, {
      method: 'POST',
      headers: { authorization: `Bearer ${device.deviceSecret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ temperature }),
    })
    expect(answer.status).toBe(200)
  }
  const keep = (program: Program) => {
    running.push(program)
    return program
  }

  it('of the link interface lets a program in', async () => {
    const [first, , second] = (await shown('First call')).split('\n\n') as [string, string, string]
    const list = await runCurl(first, { API_KEY: key })
    expect([list.status, list.body]).toEqual([200, expect.stringContaining('Meter 1')])
    const asked = second.replace('twk_…', key.slice(0, 12))
    const token = await runCurl(asked, { API_KEY: key })
    expect([token.status, JSON.parse(token.body)]).toMatchObject([200, { access_token: expect.any(String) }])

    const { mcpServers } = JSON.parse((await shown('AI tools')).replace('twk_…', key)) as {
      mcpServers: { thingwright: { url: string; headers: Record<string, string> } }
    }
    const answer = await fetch(mcpServers.thingwright.url, {
      method: 'POST',
      headers: {
        ...mcpServers.thingwright.headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
    })
    expect(answer.status).toBe(200)
  })

  it('of its explorer does in every language what the page would send', async () => {
    await seen.open('/develop/LinkInterface?tab=explorer')
    await page.getByRole('searchbox').fill('get /api/v1/devices list')
    await page.getByText('/api/v1/devices', { exact: true }).first().click()
    const env = { TOKEN: key }
    const left: string[] = []
    for (const [language, label, program] of [
      ['curl', 'curl', PRESENT.curl ? (text: string) => ['sh', ['-c', text]] : null],
      ['JavaScript', 'JavaScript', (text: string) => [process.execPath, ['--input-type=module', '-e', text]]],
      [
        'Python',
        'Python',
        has('python3', '-c', 'import requests') ? (text: string) => ['python3', ['-c', text]] : null,
      ],
      [
        'Java',
        'Java',
        has('javac', '-version')
          ? (text: string) => {
              writeFileSync(join(folder, 'Call.java'), text)
              return ['java', ['-XX:TieredStopAtLevel=1', join(folder, 'Call.java')]]
            }
          : null,
      ],
    ] as [string, string, ((text: string) => [string, string[]]) | null][]) {
      await choose(language)
      const text = await shown(label)
      expect(text).toContain(`${server.url}/api/v1/devices`)
      if (program)
        await expect.poll(keep(startProgram(...program(text), env)).output, { message: text }).toContain('Meter 1')
      else left.push(language)
    }
    process.stdout.write(`code that needs what is not on this machine: ${left.join(', ') || 'none'}\n`)
  })

  it('of the library is a device at this installation’s own address', async () => {
    await seen.open('/develop/LinkInterface?tab=sdk')
    const text = (await shown('Device library for Node.js'))
      .replace("'PRODUCT'", `'${product.productKey}'`)
      .replace("'DEVICE'", `'${device.deviceNo}'`)
    const parts = 'const readSensor = () => 31.5'
    const flags = ['--import', 'tsx', '--input-type=module', '-e']
    const env = { DEVICE_SECRET: device.deviceSecret }
    const program = keep(startProgram(process.execPath, [...flags, `${parts}\n${text}`], env))
    const { id } = await api<{ id: string }>('POST', `/devices/${device.id}/commands`, {
      kind: 'property_set',
      params: { pump: true },
    })
    const state = async () => (await api<{ state: string }>('GET', `/devices/${device.id}/commands/${id}`)).state
    await expect.poll(state, { message: program.output() }).toBe('succeeded')
    await expect
      .poll(async () => JSON.stringify(await api('GET', `/devices/${device.id}/properties`)))
      .toContain('31.5')
  })

  it('of the public pages signs in and connects', async () => {
    const visitor_ = await context.newPage()
    await visitor_.goto(`${server.url}/alonePage/ApiInterfaceOpen`)
    const start = (await visitor_.locator('pre').first().innerText())
      .replace('username=NAME', `username=${server.owner}`)
      .replace('password=PASSWORD', `password=${PASSWORD}`)
    if (PRESENT.curl && has('jq', '--version'))
      await expect.poll(keep(startProgram('sh', ['-c', start])).output).toContain('Meter 1')
    const operation = visitor_
      .locator('details')
      .filter({ has: visitor_.getByText('/api/v1/devices', { exact: true }) })
    await operation.first().locator('summary').click()
    const list = await runCurl(await operation.first().locator('pre[aria-label="curl"]').innerText(), { TOKEN: key })
    expect([list.status, list.body]).toEqual([200, expect.stringContaining('Meter 1')])

    await visitor_.goto(`${server.url}/alonePage/AppDown`)
    await visitor_.locator('pre').nth(2).waitFor()
    const [address, library, command] = await visitor_.locator('pre').allInnerTexts()
    expect((await fetch(address!.trim())).status).toBe(200)
    const parts = `const productKey = '${product.productKey}', deviceNo = '${device.deviceNo}', deviceSecret = '${device.deviceSecret}'`
    const text = library!.replace('mqtt://host:1883', `mqtt://127.0.0.1:${server.mqttPort}`)
    keep(startProgram(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', `${parts}\n${text}`]))
    await expect
      .poll(async () => JSON.stringify(await api('GET', `/devices/${device.id}/properties`)))
      .toContain('21.5')
    const help = spawnSync('sh', ['-c', command!], { cwd: root, encoding: 'utf8' })
    expect([help.status, help.stdout]).toEqual([0, expect.stringContaining('--devices')])
    await visitor_.close()
  })

  it.runIf(has('openssl', 'version'))('of the certificate authorities proves that one holds the key', async () => {
    const openssl = (command: string) => spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' })
    const made = openssl(
      'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 30 -subj /CN=Works',
    )
    expect(made.status, made.stderr).toBe(0)
    const certificate = (name: string) => readFileSync(join(folder, name), 'utf8')
    const ca = await api<{ id: string }>('POST', '/device-cas', { name: 'Works', certificate: certificate('ca.pem') })
    await seen.open(`/manage/product/ProductSet/ProductSetLink?id=${product.id}`)
    const row = page.getByRole('row', { name: /Works/ })
    await row.getByText('Verify', { exact: true }).click()
    const commands = await page.getByRole('dialog').locator('pre').innerText()
    const ran = openssl(`set -e\n${commands}`)
    expect(ran.status, ran.stderr).toBe(0)
    const proven = await api<{ state: string }>('POST', `/device-cas/${ca.id}/prove`, {
      certificate: certificate('proof.pem'),
    })
    expect(proven.state).toBe('active')
    await page.keyboard.press('Escape')
  })

  it('of a product’s format is what its devices may send', async () => {
    await seen.open(`/manage/product/ProductSet/ProductFormat?id=${product.id}`)
    for (const [label, path] of [
      ['Properties', 'property'],
      ['With timestamp', 'property'],
      ['Several reports', 'property'],
    ] as const) {
      await choose(label)
      const answer = await fetch(`${server.url}/device/v1/${product.productKey}/${device.deviceNo}/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${device.deviceSecret}`, 'content-type': 'application/json' },
        body: await page.locator('main pre').first().innerText(),
      })
      expect(answer.status, label).toBe(200)
    }
  })

  describe('of a subscription', () => {
    async function subscription(target: object): Promise<{ id: string; password: string }> {
      const made = await api<{ id: string; credentials?: { password?: string } }>('POST', '/subscriptions', {
        name: `To ${JSON.stringify(target)}`.slice(0, 60),
        kinds: ['property'],
        target,
      })
      await seen.open(`/develop/DataSubscription?id=${made.id}&tab=guide`)
      await box('Code').waitFor()
      return { id: made.id, password: made.credentials?.password ?? '' }
    }
    /** The client as it is shown prints what comes from the device. */
    async function prints(program: Program, temperature: number, taken?: () => Promise<unknown>) {
      keep(program)
      await post(temperature)
      await expect.poll(program.output).toContain(String(temperature))
      await taken?.()
      await program.end()
    }

    it('by MQTT takes its items', async () => {
      const { password } = await subscription({ kind: 'mqtt' })
      const env = { SUBSCRIPTION_PASSWORD: password }
      await prints(await startMosquittoSub((await shown('Code')).trim(), env), 40.25)
      await choose('Node.js')
      await prints(startNode(await shown('Code'), env), 41.25)
    })

    it('by WebSocket takes its items', async () => {
      await subscription({ kind: 'websocket' })
      await prints(startNode(await shown('Code'), { API_KEY: key }), 42.25)
    })

    it('that is pulled takes its items', async () => {
      const { id } = await subscription({ kind: 'pull' })
      await post(43.25)
      const commands = (await shown('Code')).split('\n\n').map(each => each.replace(/^#.*\n/, '').trim())
      const [items, acknowledge] = commands as [string, string]
      const waiting = await runCurl(items, { API_KEY: key })
      expect([waiting.status, waiting.body]).toEqual([200, expect.stringContaining('43.25')])
      const { cursor } = JSON.parse(waiting.body) as { cursor: number }
      const taken = await runCurl(acknowledge.replace('"cursor": 100', `"cursor": ${cursor}`), { API_KEY: key })
      expect([taken.status, JSON.parse(taken.body)]).toEqual([200, { cursor, backlog: 0 }])
      const backlog = async () => (await api<{ backlog: number }>('GET', `/subscriptions/${id}`)).backlog
      for (const [language, value] of [
        ['Node.js', 44.25],
        ['Python', 45.25],
      ] as const) {
        await choose(language)
        const text = await shown('Code')
        const taken = () => expect.poll(backlog).toBe(0)
        if (language === 'Node.js') await prints(startNode(text, { API_KEY: key }), value, taken)
        else if (PRESENT.python) await prints(startProgram('python3', ['-c', text], { API_KEY: key }), value, taken)
      }
    })

    it('by NATS takes its items', async () => {
      const nats = await startNatsServer({ port: 0, host: '127.0.0.1', stream: { name: 'DEVICES', prefix: '' } })
      running.push({ end: () => nats.close() })
      await subscription({ kind: 'nats', url: `nats://127.0.0.1:${nats.port}`, subject: 'things.{type}.{deviceNo}' })
      await choose('Node.js')
      expect(await shown('Code')).toContain(`nats://127.0.0.1:${nats.port}`)
      expect(await shown('Code')).toContain("'things.*.*'")
    })
  })
})
