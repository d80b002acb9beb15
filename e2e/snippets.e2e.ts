import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { PRESENT, runCoap, runCurl, runMosquitto, runNc, startNode, startProgram, words } from './fixtures/replay.ts'
import { playArduino, playQuectel, playUsr } from './fixtures/replay-modules.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

interface Way {
  way: string
  addresses: { kind: string; url: string }[]
  snippets: { name: string; text: string }[]
}
interface Made {
  id: string
  deviceNo: string
  deviceSecret: string
  productId: string
  productKey: string
}

const root = join(import.meta.dirname, '..')
const MODEL = {
  properties: [
    { identifier: 'temperature', name: 'Temperature', dataType: { type: 'double' }, access: 'r' },
    { identifier: 'note', name: 'Note', dataType: { type: 'string', maxLength: 64 }, access: 'r' },
  ],
  events: [
    {
      identifier: 'overheated',
      name: 'Overheated',
      level: 'warning',
      params: [{ identifier: 'temperature', name: 'Temperature', dataType: { type: 'double' } }],
    },
  ],
}

// What the console (link/snippet-tabs.tsx, product-link/ways.tsx) and the documents offer for copying is copied, and sent to the listeners of a whole server.
describe('code to copy', () => {
  let server: SharedServer
  let browser: Browser
  let folder: string
  let api: Awaited<ReturnType<typeof apiClient>>
  let count = 0
  const running: (() => void)[] = []

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
    api = await apiClient(server.url)
    folder = mkdtempSync(join(tmpdir(), 'tw-snippets-'))
  })
  afterEach(() => {
    for (const end of running.splice(0)) end()
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const product = (linkType: string) =>
    api<{ id: string; productKey: string }>('POST', '/products', {
      name: `Sensor ${++count}`,
      linkType,
      thingModel: MODEL,
    })
  async function device(of: { id: string; productKey: string }, deviceNo?: string): Promise<Made> {
    const made = await api<Made>('POST', '/devices', {
      name: `Device ${++count}`,
      productId: of.id,
      ...(deviceNo ? { deviceNo } : {}),
    })
    return { ...made, productKey: of.productKey }
  }
  const latest = async (id: string) =>
    Object.fromEntries(
      (await api<{ items: { identifier: string; value: unknown }[] }>('GET', `/devices/${id}/properties`)).items.map(
        ({ identifier, value }) => [identifier, value],
      ),
    )
  const arrived = (id: string) => expect.poll(() => latest(id)).toMatchObject({ temperature: 21.5 })

  /** Runs one piece of code as it was copied. @returns false where the program it is for is not on this machine */
  async function run(way: string, name: string, text: string): Promise<boolean> {
    switch (name) {
      case 'curl':
        expect((await runCurl(text)).status).toBe(200)
        return true
      case 'mosquitto':
        await runMosquitto(text)
        return true
      case 'nc':
        running.push(await runNc(text))
        return true
      case 'node': {
        const started = startNode(text)
        running.push(started.end)
        return true
      }
      case 'coap':
        expect(await runCoap(text)).toBe('2.04')
        return true
      case 'wscat': {
        const args = words(text)
        const [url, auth, message] = ['-c', '--auth', '-x'].map(name => JSON.stringify(args[args.indexOf(name) + 1]))
        const code = `import { WebSocket } from 'ws'
          const socket = new WebSocket(${url}, { auth: ${auth} })
          socket.on('open', () => socket.send(${message}))`
        running.push(startNode(code).end)
        return true
      }
      case 'python': {
        if (!PRESENT.python) return false
        expect(spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.argv[1])', text]).status).toBe(0)
        // Its MQTT and CoAP are other people's.
        const library = way === 'mqtt' ? 'paho.mqtt.client' : way === 'coap' ? 'aiocoap' : null
        if (library && spawnSync('python3', ['-c', `import ${library}`]).status !== 0) return false
        running.push(startProgram('python3', ['-c', text]).end)
        return true
      }
      case 'c': {
        if (!PRESENT.cc) return false
        const source = join(folder, `device${++count}.c`)
        writeFileSync(source, text)
        const built = spawnSync(PRESENT.cc, ['-Wall', '-Werror', '-o', `${source}.out`, source], { encoding: 'utf8' })
        expect(built.stderr).toBe('')
        running.push(startProgram(`${source}.out`, []).end)
        return true
      }
      case 'quectel':
        running.push(await playQuectel(text))
        return true
      case 'usr':
        running.push(await playUsr(text, '{"temperature":21.5}\r\n'))
        return true
      case 'arduino':
        await playArduino(text)
        return true
      default:
        throw new Error(`no hands for ${name}`)
    }
  }

  it('connects a device every way in, as the server gives it', async () => {
    const left: string[] = []
    for (const linkType of ['mqtt', 'http', 'tcp', 'udp', 'websocket', 'coap']) {
      const of = await product(linkType)
      const sample = await device(of)
      const { ways } = await api<{ ways: Way[] }>('GET', `/devices/${sample.id}/access`)
      const [way] = ways as [Way]
      expect(way.way).toBe(linkType)
      for (const { name } of way.snippets) {
        const own = await device(of, `D:${linkType}.${name}`)
        const access = await api<{ ways: Way[]; secretPlace: string; host: string }>('GET', `/devices/${own.id}/access`)
        const { text } = access.ways[0]!.snippets.find(each => each.name === name)!
        expect(text, `${linkType} ${name}`).toContain(access.host)
        expect(text, `${linkType} ${name}`).toContain(access.secretPlace)
        if (await run(linkType, name, text.replaceAll(access.secretPlace, own.deviceSecret)))
          await expect
            .poll(() => latest(own.id), { message: `${linkType} ${name}` })
            .toMatchObject({ temperature: 21.5 })
        else left.push(`${linkType} ${name}`)
        for (const end of running.splice(0)) end()
      }
    }
    process.stdout.write(`code that needs what is not on this machine: ${left.join(', ') || 'none'}\n`)
  })

  it('is on the device’s and the product’s page letter by letter, with addresses that answer', async () => {
    const of = await product('mqtt')
    const own = await device(of, 'SN:1')
    const { context, page } = await visitor(browser, { locale: 'en' })
    const seen = new ConsolePage(page, server.url)
    await seen.enterAt(`/manage/device/DeviceSet/DeviceSetLink?id=${own.id}`)
    const code = page.getByTestId('snippet').locator('pre')
    for (const name of ['mosquitto_pub', 'curl (HTTP)']) {
      await page.getByText(name, { exact: true }).click()
      const shown = (await code.innerText()).replaceAll('DEVICE_SECRET', own.deviceSecret)
      if (name === 'mosquitto_pub') await runMosquitto(shown)
      else expect(await runCurl(shown)).toMatchObject({ status: 200 })
    }
    await arrived(own.id)
    const address = await page
      .getByText(/^http:\/\/.*\/device\/v1\//)
      .first()
      .innerText()
    const answer = await fetch(`${address.trim()}/property`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own.deviceSecret}`, 'content-type': 'application/json' },
      body: '{"temperature":22}',
    })
    expect(answer.status).toBe(200)

    await seen.open(`/manage/product/ProductSet/ProductSetLink?id=${of.id}`)
    await page.getByText('HTTP', { exact: true }).first().click()
    const shown = (await page.getByTestId('snippet').locator('pre').innerText())
      .replaceAll('DEVICE_SECRET', own.deviceSecret)
      .replaceAll('DEVICE_NO', encodeURIComponent(own.deviceNo))
    expect(await runCurl(shown)).toMatchObject({ status: 200 })
    await context.close()
  })

  /** Blocks of a document between ``` that are for a shell, with this server's addresses and this device's names. */
  function commandsOf(file: string, own: Made): string[] {
    const text = readFileSync(join(root, file), 'utf8')
    const blocks = [...text.matchAll(/```(?:sh)?\n([\s\S]*?)```/g)].map(([, block]) => block!)
    return blocks
      .flatMap(block => {
        const named: Record<string, string> = {}
        for (const [, name, quoted, plain] of block.matchAll(/(?:^|; )([A-Z]+)=(?:'([^']*)'|([^;\s]*))/gm))
          named[name!] = quoted ?? plain ?? ''
        return block
          .replace(/\\\n\s*/g, ' ')
          .split('\n')
          .filter(line => /^(curl|mosquitto_pub) /.test(line))
          .map(line => line.replace(/\$(BASE|AUTH)/g, (_, name: string) => named[name] ?? ''))
      })
      .map(line =>
        line
          .replaceAll('http://127.0.0.1:8080', server.url)
          .replaceAll('-p 1883', `-p ${server.mqttPort}`)
          .replaceAll(/\b(PRODUCT_KEY|PRODUCT)\b/g, own.productKey)
          .replaceAll(/\b(DEVICE_NO|DEVICE)\b/g, own.deviceNo)
          .replaceAll(/\b(DEVICE_SECRET|SECRET)\b/g, own.deviceSecret),
      )
  }

  it.each(['README.md', 'docs/device-protocol.md'])('of %s does what it says', async file => {
    const own = await device(await product('mqtt'))
    const registration = await product('mqtt')
    await api('PUT', `/products/${registration.id}/identity`, { registration: 'allow_new' })
    const { productSecret } = await api<{ productSecret: string }>(
      'POST',
      `/products/${registration.id}/rotate-secret`,
      {},
    )
    const ran: string[] = []
    for (const command of commandsOf(file, own)) {
      if (command.startsWith('mosquitto_pub')) await runMosquitto(command)
      else if (command.includes('/register ')) {
        const answer = await runCurl(
          command.replace(own.productKey, registration.productKey).replace('twp_…', productSecret),
        )
        expect(answer.status, command).toBe(201)
      } else if (command.includes('/reply ')) {
        const made = await api<{ id: string }>('POST', `/devices/${own.id}/commands`, {
          kind: 'raw',
          payload: { text: 'x' },
        })
        const asked = await runCurl(ran.find(each => each.includes('/commands?wait='))!)
        expect(asked.body).toContain(made.id)
        expect((await runCurl(command.replace('0199…', made.id))).status, command).toBe(200)
      } else if (command.includes('/commands?wait=')) {
        ran.push(command.replace('wait=50', 'wait=1'))
        expect((await runCurl(ran.at(-1)!)).status, command).toBe(200)
        continue
      } else expect((await runCurl(command)).status, command).toBe(200)
      ran.push(command)
    }
    expect(ran.length).toBeGreaterThan(1)
    await expect.poll(() => latest(own.id)).toHaveProperty('temperature')
  })
})
