import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ManualClock } from '../../lib/clock.ts'
import { silentLogger } from '../../lib/log.ts'
import { A_COMMAND } from '../testing/entries.ts'
import type { IngestPort } from '../transport.port.ts'
import type { DeviceRecord } from '../uplink.ts'
import { LinkDirectory } from './links/link-directory.ts'
import { type Harness, startHarness } from './mqtt/testing/harness.ts'
import { createTcpTransport } from './tcp/tcp.transport.ts'
import { AtModem, sessionsIn } from './testing/at-modem.ts'

/** docs/device-protocol: what a reader compiles and runs is compiled and run here, against the server's own listeners. */
const EXAMPLES = join(import.meta.dirname, '../../../../../docs/device-protocol')
const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

let harness: Harness
let device: DeviceRecord
let folder: string
const children: ChildProcess[] = []
beforeAll(async () => {
  harness = await startHarness()
  device = harness.ingest.addDevice(1, 'PRODUCT', 'DEVICE', 'SECRET')
  folder = mkdtempSync(join(tmpdir(), 'tw-examples-'))
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  harness.ingest.journal.length = 0
})
afterAll(async () => {
  await harness.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A device of the examples as a program of its own; resolves what it printed when it ends. */
function start(program: string, args: string[], secret = 'SECRET') {
  const child = spawn(program, args, { cwd: folder, env: { PATH: process.env.PATH, DEVICE_SECRET: secret } })
  children.push(child)
  let output = ''
  const note = (data: Buffer) => {
    output += data.toString()
  }
  child.stdout.on('data', note)
  child.stderr.on('data', note)
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  return { ended, says: () => output }
}

const posted = () =>
  harness.ingest.journal.filter(row => row.channel.kind === 'property').map(row => JSON.parse(row.text))
const replies = () =>
  harness.ingest.journal
    .filter(row => row.channel.kind === 'property_set_reply' || row.channel.kind === 'service_reply')
    .map(row => JSON.parse(row.text))

/** Gives the device a command as soon as it is there for it; resolves when it has arrived. */
async function command(id: string, suffix: string, params: object): Promise<void> {
  const payload = Buffer.from(JSON.stringify({ id, params }))
  let arrived = false
  await expect
    .poll(() =>
      harness.transport.deliver(device, { commandId: id, suffix, payload, command: A_COMMAND }, () => {
        arrived = true
      }),
    )
    .toBe('sent_confirmed_later')
  await expect.poll(() => arrived).toBe(true)
}

/** What every example over MQTT has to show: posts that are stored, commands carried out once and reported. */
async function obeys(run: ReturnType<typeof start>): Promise<void> {
  await expect.poll(() => posted().length).toBe(1)
  expect(posted()[0]).toEqual({ temperature: expect.any(Number), pump: false })
  await command('c1', 'property/set', { note: 'a "quoted" } brace', pump: true })
  await expect.poll(() => posted().at(-1)).toMatchObject({ pump: true })
  await command('c1', 'property/set', { note: 'the same once more', pump: false })
  await command('c2', 'service/flush/invoke', { seconds: 3 })
  await command('c3', 'property/set', { other: 1 })
  await expect.poll(() => replies().length).toBe(4)
  expect(replies()).toEqual([
    { id: 'c1', code: 0 },
    { id: 'c1', code: 0 },
    { id: 'c2', code: 0, data: { litres: 12 } },
    expect.objectContaining({ id: 'c3', code: 2 }),
  ])
  // Carried out once: the repetition changed nothing.
  expect(run.says().match(/property\/set/g)).toHaveLength(2)
  expect(posted().at(-1)).toMatchObject({ pump: true })
}

describe.skipIf(!has('gcc'))('the C client', () => {
  it('compiles without a warning, posts, and carries commands out once', async () => {
    const program = join(folder, 'device')
    const sources = ['example.c', 'thingwright.c'].map(name => join(EXAMPLES, 'c', name))
    const flags = ['-std=c99', '-Wall', '-Wextra', '-Werror', '-pedantic', '-fsanitize=address,undefined', '-g']
    // A machine without the sanitizers' libraries compiles without them.
    const build = (extra: string[]) => spawnSync('gcc', [...extra, '-o', program, ...sources], { encoding: 'utf8' })
    let built = build(flags)
    if (/cannot find .*(asan|ubsan)/.test(built.stderr)) built = build(flags.filter(flag => !flag.startsWith('-fs')))
    expect(built.stderr).toBe('')
    const run = start(program, ['127.0.0.1', String(harness.port), 'PRODUCT', 'DEVICE'])
    await obeys(run)
    expect(run.says()).not.toMatch(/ERROR|runtime error/)
  })

  it.skipIf(!has('g++'))('is understood inside an Arduino sketch', () => {
    writeFileSync(
      join(folder, 'WiFi.h'),
      `#include <cstdint>\n#include <cstdio>\n#include <cstring>\n#define WL_CONNECTED 3\n#define OUTPUT 1\n#define HIGH 1\n#define LOW 0
struct { void begin(const char *, const char *) {} int status() { return WL_CONNECTED; } } WiFi;
inline void delay(unsigned long) {}\ninline unsigned long millis() { return 0; }\ninline uint32_t esp_random() { return 4; }
inline void pinMode(int, int) {}\ninline void digitalWrite(int, int) {}\n`,
    )
    const sketch = join(EXAMPLES, 'arduino/thingwright_esp32.ino')
    const flags = [
      '-std=c++11',
      '-Wall',
      '-Wextra',
      '-fsyntax-only',
      '-I',
      folder,
      '-I',
      join(EXAMPLES, 'c'),
      '-x',
      'c++',
    ]
    expect(spawnSync('g++', [...flags, sketch], { encoding: 'utf8' }).stderr).toBe('')
  })
})

describe.skipIf(!has('python3'))('the Python client', () => {
  const file = join(EXAMPLES, 'python/thingwright.py')

  it('posts over MQTT and carries commands out once', async () => {
    const args = ['-B', file, `mqtt://127.0.0.1:${harness.port}`, 'PRODUCT', 'DEVICE']
    await obeys(start('python3', args))
    const refused = start('python3', args, 'wrong')
    await expect.poll(() => refused.says()).toContain('sign-in refused')
  })

  it('posts over HTTP, asks for commands and answers them', async () => {
    const seen: string[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', data => {
        body += data
      })
      request.on('end', () => {
        seen.push(`${request.method} ${request.url} ${request.headers.authorization} ${body}`)
        const first = seen.filter(line => line.startsWith('GET')).length === 1
        const commands = first ? [{ kind: 'service', identifier: 'flush', id: 'c9', params: {} }] : []
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(request.method === 'GET' ? { commands } : { ok: true }))
      })
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const run = start('python3', ['-B', file, url, 'PRODUCT', 'DEVICE', '2'])
    expect(await run.ended, run.says()).toBe(0)
    server.close()
    const base = '/device/v1/PRODUCT/DEVICE'
    expect(seen.map(line => line.replace(/"temperature": [\d.]+/, '"temperature": 1'))).toEqual([
      `POST ${base}/property Bearer SECRET {"temperature": 1, "pump": false}`,
      `GET ${base}/commands?wait=10 Bearer SECRET `,
      `POST ${base}/commands/c9/reply Bearer SECRET {"code": 0, "data": {"litres": 12}}`,
      `POST ${base}/property Bearer SECRET {"temperature": 1, "pump": false}`,
    ])
  })
})

describe('sessions of AT commands', () => {
  const sessions = sessionsIn(readFileSync(join(EXAMPLES, 'at-commands.md'), 'utf8'))

  it.each([...sessions.keys()].filter(name => name.endsWith('-mqtt')))(
    '%s brings a message and takes a command',
    async name => {
      const modem = new AtModem({ mqtt: harness.port, tcp: 0 })
      for (const line of sessions.get(name)!) {
        if (line.kind === 'says' && line.text.startsWith('+MQTTSUBRECV')) {
          await command('c1', 'property/set', { pump: true })
          await expect.poll(() => modem.received).toEqual([line.text])
        }
        await modem.play(line)
      }
      expect(posted()).toEqual([{ temperature: 21.5 }])
      if (modem.received.length > 0) expect(replies()).toEqual([{ id: 'c1', code: 0 }])
      modem.close()
    },
  )

  it('esp-tcp registers and sends a frame', async () => {
    const frames: string[] = []
    const signedIn: string[] = []
    const transport = createTcpTransport({
      port: {
        signIn: async ({ productKey, deviceNo, secret }: { productKey: string; deviceNo: string; secret: Buffer }) => {
          signedIn.push(`${productKey} ${deviceNo} ${secret}`)
          return { ok: true, device }
        },
        settingsOf: () => ({ linkType: 'tcp', link: {}, format: { kind: 'label' } }),
        hasRoom: () => true,
        accept: ({ payload }: { payload: Buffer }) => void frames.push(payload.toString()),
        sessionOpened: () => undefined,
        sessionReady: () => undefined,
        sessionClosed: () => undefined,
        frame: () => undefined,
        note: () => undefined,
      } as unknown as IngestPort,
      products: new LinkDirectory({ load: async () => [], logger: silentLogger }),
      clock: new ManualClock(0),
      monotonic: new ManualClock(1_000),
      logger: silentLogger,
      host: '127.0.0.1',
      listen: { port: 0, tryNext: 0 },
      whenCurrent: (_product, then) => then(),
    })
    await transport.start()
    const modem = new AtModem({ mqtt: 0, tcp: transport.port()! })
    for (const line of sessions.get('esp-tcp')!) await modem.play(line)
    await expect.poll(() => frames).toEqual(['#21.5,48#'])
    expect(signedIn).toEqual(['PRODUCT DEVICE SECRET'])
    modem.close()
    await transport.stop()
  })

  it('are all played', () => {
    expect([...sessions.keys()]).toEqual(['esp-mqtt', 'simcom-mqtt', 'quectel-mqtt', 'esp-tcp'])
  })
})
