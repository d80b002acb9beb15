import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { apiClient } from './fixtures/console.ts'
import { codeOf } from './fixtures/documents.ts'
import { PASSWORD } from './fixtures/people.ts'
import { runCurl, runMosquitto, runNc, startMosquittoSub, startProgram } from './fixtures/replay.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'

const root = join(import.meta.dirname, '..')
const KNOWLEDGE = 'apps/server/src/modules/assistant/knowledge'
const value = (identifier: string, type: string, access: string) => ({
  identifier,
  name: identifier,
  dataType: { type },
  access,
})
const MODEL = {
  properties: [
    value('temperature', 'double', 'r'),
    value('humidity', 'double', 'r'),
    value('level', 'double', 'r'),
    value('pump', 'bool', 'rw'),
  ],
  services: [
    {
      identifier: 'flush',
      name: 'flush',
      mode: 'async',
      input: [{ identifier: 'seconds', name: 'seconds', dataType: { type: 'int32' } }],
      output: [{ identifier: 'litres', name: 'litres', dataType: { type: 'double' } }],
    },
  ],
}
interface Made {
  id: string
  deviceNo: string
  deviceSecret: string
  productId: string
  productKey: string
}

// What README.md and device-protocol.md offer a device is sent in snippets.e2e.ts; here is what all others offer.
describe('code of the documents', () => {
  let server: RunningServer
  let folder: string
  let api: Awaited<ReturnType<typeof apiClient>>
  let key: string
  let count = 0
  const ends: (() => unknown)[] = []

  beforeAll(async () => {
    server = await startServer({ env: { OUTBOUND_ALLOW: '127.0.0.1/32' } })
    folder = mkdtempSync(join(tmpdir(), 'tw-documents-'))
    api = await apiClient(server.url)
    await api('POST', '/security/proof', { method: 'password', password: PASSWORD })
    const scopes = ['device:read', 'telemetry:read', 'subscription:read']
    key = (await api<{ key: string }>('POST', '/api-keys', { name: 'documents', scopes })).key
  })
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })
  afterAll(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const product = (linkType = 'mqtt') =>
    api<{ id: string; productKey: string }>('POST', '/products', { name: `P ${++count}`, linkType, thingModel: MODEL })
  async function device(of?: { id: string; productKey: string }): Promise<Made> {
    const own = of ?? (await product())
    const made = await api<Made>('POST', '/devices', { name: `D ${++count}`, productId: own.id })
    return { ...made, productKey: own.productKey }
  }
  const latest = async ({ id }: { id: string }) =>
    Object.fromEntries(
      (await api<{ items: { identifier: string; value: unknown }[] }>('GET', `/devices/${id}/properties`)).items.map(
        each => [each.identifier, each.value],
      ),
    )
  /** The words that stand for the reader's own device, and the addresses of this installation. */
  const filled = (code: string, own: Made) =>
    code
      .replaceAll(/http:\/\/[^/:]+:8080/g, server.url)
      .replaceAll(/-h \S+ -p 1883/g, `-h 127.0.0.1 -p ${server.mqttPort}`)
      .replaceAll(/-h \S+ -p 8883/g, `-h localhost -p ${server.ports.mqtts}`)
      .replaceAll('127.0.0.1 6001', `127.0.0.1 ${server.ports.tcp}`)
      .replaceAll('mqtt://127.0.0.1:1883', `mqtt://127.0.0.1:${server.mqttPort}`)
      .replaceAll(/\bPRODUCT\b/g, own.productKey)
      .replaceAll(/\bDEVICE\b/g, own.deviceNo)
      .replaceAll(/(?<=['/ ])SECRET\b/g, own.deviceSecret)
      .replaceAll(/Bearer (?!twp_|twk_)[^']+/g, `Bearer ${own.deviceSecret}`)

  it('of device-protocol.md receives commands, and sends by certificate and over a raw link', async () => {
    const own = await device()
    const listening = await startMosquittoSub(filled(codeOf('docs/device-protocol.md', 'mosquitto_sub'), own))
    ends.push(listening.end)
    await api('POST', `/devices/${own.id}/commands`, { kind: 'property_set', params: { pump: true } })
    await expect
      .poll(listening.output)
      .toMatch(new RegExp(`^things/${own.productKey}/${own.deviceNo}/property/set \\{.*"pump":true`, 'm'))

    const ca = await api<{ id: string }>('POST', '/device-cas/generate', { name: 'Works', years: 1 })
    const made = await api<{ pem: string; privateKey: string }>('POST', `/devices/${own.id}/certificates`, {
      caId: ca.id,
      days: 30,
    })
    const endpoints = await api<{ certificates: { pem: string }[] }>('GET', '/developer/endpoints')
    writeFileSync(join(folder, 'server.pem'), endpoints.certificates[0]!.pem)
    writeFileSync(join(folder, 'device.pem'), made.pem)
    writeFileSync(join(folder, 'device.key'), made.privateKey)
    const line = filled(codeOf('docs/device-protocol.md', 'mosquitto_pub -h host -p 8883'), own)
    await runMosquitto(line.replaceAll(/(server|device)\.(pem|key)/g, join(folder, '$1.$2')))
    await expect.poll(() => latest(own)).toEqual({ temperature: 21.5 })

    const meter = await product('tcp')
    const label = { kind: 'label', label: '[H:#],[D?],[S:,],[D?],[T:#]', fields: ['temperature', 'humidity'] }
    await api('PUT', `/products/${meter.id}/format`, label)
    const raw = await device(meter)
    ends.push(await runNc(filled(codeOf('docs/device-protocol.md', '(printf').trim(), raw)))
    await expect.poll(() => latest(raw)).toEqual({ temperature: 21.5, humidity: 48 })
  })

  it.each(['en', 'zh'])('of the assistant’s pages does what they say: %s', async language => {
    const page = (name: string) => `${KNOWLEDGE}/${language}/${name}.md`
    const own = await device()
    expect((await runCurl(filled(codeOf(page('connect-http'), 'curl'), own).trim())).status).toBe(200)
    const overMqtt = await device()
    await runMosquitto(filled(codeOf(page('connect-mqtt'), 'mosquitto_pub'), overMqtt))
    await expect.poll(() => latest(overMqtt)).toEqual({ temperature: 21.5 })

    const open = await product()
    await api('PUT', `/products/${open.id}/identity`, { registration: 'allow_new' })
    const { productSecret } = await api<{ productSecret: string }>('POST', `/products/${open.id}/rotate-secret`, {})
    const asks = filled(codeOf(page('registration'), 'curl'), { ...own, productKey: open.productKey })
    const registered = await runCurl(asks.replace('twp_…', productSecret).trim())
    expect([registered.status, JSON.parse(registered.body).deviceNo]).toEqual([201, 'SN-001'])

    const asked = codeOf(page('api-keys'), 'curl')
      .replace(/https:\/\/[^/]+/, server.url)
      .replace('twk_…', key)
    const devices = await runCurl(asked.trim())
    expect(devices.status).toBe(200)
    expect(devices.body).toContain(own.deviceNo)
  })

  it.each([
    ['docs/formats.md', 'docs/formats.md'],
    [`${KNOWLEDGE}/en/format-json.md`, `${KNOWLEDGE}/en/format-script.md`],
    [`${KNOWLEDGE}/zh/format-json.md`, `${KNOWLEDGE}/zh/format-script.md`],
  ])('of %s and %s is a format as it stands', async (ofJson, ofScript) => {
    const { id } = await product()
    const trial = (body: object) =>
      api<{ ok: boolean; rows: unknown[]; frames: { hex: string }[] }>('POST', `/products/${id}/format/try`, body)
    const format = JSON.parse(codeOf(ofJson, '{ "kind": "json"')) as { device?: string }
    const frame = { at: 1_767_225_600, list: [{ sn: 'S-1', data: { temp: [215, 0] } }] }
    const sub = format.device === undefined ? {} : { sub: 'S-1' }
    expect(await trial({ format, payload: JSON.stringify(frame) })).toMatchObject({
      ok: true,
      rows: [{ ts: 1_767_225_600_000, values: { temperature: 21.5 }, ...sub }],
    })
    const script = { kind: 'script', source: codeOf(ofScript, 'function decode') }
    expect(await trial({ format: script, payload: '00d7', encoding: 'hex' })).toMatchObject({
      ok: true,
      rows: [{ values: { temperature: 21.5 } }],
    })
    const command = { kind: 'property_set', params: { pump: true } }
    expect(await trial({ format: script, direction: 'down', command })).toMatchObject({
      ok: true,
      frames: [{ hex: '0102' }],
    })
  })

  it('of mcp.md lets a program in and calls a tool', async () => {
    const own = await device()
    await runMosquitto(filled(codeOf(`${KNOWLEDGE}/en/connect-mqtt.md`, 'mosquitto_pub'), own))
    const here = (code: string) => code.replaceAll('https://iot.example.com', server.url)
    const file = JSON.parse(here(codeOf('docs/mcp.md', '{\n')).replace('twk_…', key)) as {
      mcpServers: { thingwright: { type: string; url: string; headers: Record<string, string> } }
    }
    const { url, headers, type } = file.mcpServers.thingwright
    expect(type).toBe('http')
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
    })
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"list_devices"')])

    const call = here(codeOf('docs/mcp.md', 'curl https')).trim()
    await expect.poll(async () => (await runCurl(call, { API_KEY: key })).body).toContain(own.deviceNo)
    const called = await runCurl(call, { API_KEY: key })
    expect([called.status, JSON.parse(called.body)]).toMatchObject([200, { jsonrpc: '2.0', id: 1, result: {} }])
    expect(called.body).not.toContain('"isError":true')
    for (const begins of ['claude mcp add', 'npx mcp-remote'])
      expect(codeOf('docs/mcp.md', begins)).toContain('https://iot.example.com/mcp')
  })

  it('of data-subscriptions.md believes what we sent, and nothing else; items are what it shows', async () => {
    const got: { header: string; body: string }[] = []
    const receiver = createServer((request, response) => {
      let body = ''
      request.on('data', chunk => {
        body += chunk
      })
      request.on('end', () => {
        got.push({ header: String(request.headers['thingwright-signature']), body })
        response.writeHead(204).end()
      })
    })
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
    ends.push(() => receiver.close())
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/in`
    const made = await api<{ id: string; credentials: { secret: string } }>('POST', '/subscriptions', {
      name: 'documents',
      kinds: ['property'],
      target: { kind: 'webhook', url },
    })
    ends.push(() => api('POST', `/subscriptions/${made.id}/pause`, {}))
    const own = await device()
    await runCurl(filled(codeOf(`${KNOWLEDGE}/en/connect-http.md`, 'curl'), own).trim())
    await expect.poll(() => got.length).toBeGreaterThan(0)

    const file = 'docs/data-subscriptions.md'
    const { header, body } = got[0]!
    const believed = (text: string, secret: string) =>
      spawnSync(
        process.execPath,
        ['-e', `${codeOf(file, 'const crypto')}\nconsole.log(isOurs(...process.argv.slice(1)))`, header, text, secret],
        {
          encoding: 'utf8',
        },
      ).stdout.trim()
    expect(believed(body, made.credentials.secret)).toBe('true')
    expect(believed(body.replace('21.5', '99.5'), made.credentials.secret)).toBe('false')
    expect(believed(body, `${made.credentials.secret}x`)).toBe('false')

    const [item] = (JSON.parse(body) as { items: Record<string, unknown>[] }).items
    const shown = JSON.parse(codeOf(file, '{"id":"…","type"')) as Record<string, unknown>
    expect(Object.keys(item!)).toEqual(Object.keys(shown))
    for (const name of Object.keys(shown)) expect(typeof item![name], name).toBe(typeof shown[name])
    expect(item!.data).toEqual(shown.data)
  })

  /** A program of the reference library's page, with the reader's own parts in front. */
  function startDevice(code: string, own: Made, parts: string, env: Record<string, string> = {}) {
    const program = startProgram(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', `${parts}\n${filled(code, own)}`],
      { DEVICE_SECRET: own.deviceSecret, ...env },
    )
    ends.push(program.end)
    return program
  }

  it('of packages/device-sdk/README.md is a device that posts, obeys and says what it runs', async () => {
    const file = 'packages/device-sdk/README.md'
    const own = await device()
    const parts = 'const tankIsFull = () => false, flush = async seconds => seconds * 2, readLevel = () => 42'
    const program = startDevice(codeOf(file, 'import { CommandRefusal'), own, parts)
    const call = async (body: object) => {
      const { id } = await api<{ id: string }>('POST', `/devices/${own.id}/commands`, body)
      return async () => (await api<{ state: string }>('GET', `/devices/${own.id}/commands/${id}`)).state
    }
    await expect
      .poll(await call({ kind: 'property_set', params: { pump: true } }), { message: program.output() })
      .toBe('succeeded')
    await expect.poll(await call({ kind: 'service', identifier: 'flush', params: { seconds: 3 } })).toBe('succeeded')
    await expect.poll(() => latest(own)).toEqual({ pump: true, level: 42 })

    const updating = await device()
    const firmware = codeOf(file, 'import { chooseSlot').replace('/var/lib/pump/firmware', join(folder, 'firmware'))
    const credentials = {
      url: `mqtt://127.0.0.1:${server.mqttPort}`,
      productKey: updating.productKey,
      deviceNo: updating.deviceNo,
      deviceSecret: updating.deviceSecret,
    }
    startDevice(
      firmware,
      updating,
      `const credentials = ${JSON.stringify(credentials)}, everythingWorks = () => true`,
      {
        FIRMWARE_KEY: Buffer.alloc(32, 1).toString('base64'),
      },
    )
    await expect
      .poll(async () => (await api<{ modules: unknown[] }>('GET', `/devices/${updating.id}/firmware`)).modules)
      .toMatchObject([{ module: 'default', version: '1.0.0' }])
  })

  // An outside database is restored into an empty one, which this machine's other tests would have to make.
  it.skipIf(process.env.E2E_DATABASE)('of operations/backup.md saves the installation and restores it', () => {
    const [backup, restore] = codeOf('docs/operations/backup.md', "BACKUP_PASSPHRASE='").trim().split('\n') as [
      string,
      string,
    ]
    const line = (command: string) =>
      spawnSync(
        'sh',
        [
          '-c',
          command
            .replace("'…'", "'a passphrase for tests'")
            .replace('/backups/', `${folder}/`)
            .replace('/srv/thingwright', join(folder, 'restored')),
        ],
        {
          cwd: root,
          encoding: 'utf8',
          env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: server.dataDir },
        },
      )
    const saved = line(backup)
    expect(saved.status, saved.stderr).toBe(0)
    const restored = line(restore)
    expect(restored.status, restored.stderr).toBe(0)
    expect(existsSync(join(folder, 'restored/keys'))).toBe(true)
    expect(readFileSync(join(folder, 'monday.backup')).subarray(0, 11).toString()).toBe('THINGWRIGHT')
  })
})
