import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { ManualClock } from '../../../lib/clock.ts'
import { ownCertificate } from '../../process/certificate.ts'
import { A_COMMAND } from '../../testing/entries.ts'
import { connectClient, credentials, type Harness, startHarness, until } from './testing/harness.ts'

let harness: Harness
let folder: string
let num = 0
const clock = new ManualClock()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tw-mqtt-'))
  harness = await startHarness({ clock, tls: await ownCertificate(folder, Date.now()) })
})
afterAll(async () => {
  await harness.stop()
  await rm(folder, { recursive: true })
})
beforeEach(() => {
  num++
  harness.ingest.addDevice(num)
  harness.ingest.automatic = true
})

const doors = {
  tcp: () => `mqtt://127.0.0.1:${harness.port}`,
  tls: () => `mqtts://127.0.0.1:${harness.tlsPort}`,
  websocket: () => `ws://127.0.0.1:${harness.wsPort}/mqtt`,
}
const cases = ([4, 5] as const).flatMap(version =>
  (Object.keys(doors) as (keyof typeof doors)[]).map(door => ({ version, door })),
)

describe.each(cases)('the mqtt client, level $version over $door', ({ version, door }) => {
  const connect = (options: IClientOptions = {}): Promise<MqttClient> =>
    connectClient(doors[door](), { ...credentials(num), protocolVersion: version, ...options })
  const topic = (suffix: string): string => `things/P1/d${num}/${suffix}`
  const journalOf = () => harness.ingest.journal.filter(row => row.device === num)

  it('publishes at QoS 0, 1 and 2, acknowledged once stored', async () => {
    const client = await connect()
    await client.publishAsync(topic('property/post'), '{"n":0}', { qos: 0 })
    await client.publishAsync(topic('event/alarm/post'), '{"n":1}', { qos: 1 })
    await client.publishAsync(topic('service/reboot/invoke_reply'), '{"n":2}', { qos: 2 })
    expect(journalOf().map(row => [row.channel, row.text])).toEqual([
      [{ kind: 'property' }, '{"n":0}'],
      [{ kind: 'event', identifier: 'alarm' }, '{"n":1}'],
      [{ kind: 'service_reply', identifier: 'reboot' }, '{"n":2}'],
    ])
    await client.endAsync()
    await until(() => harness.ingest.events.includes(`closed d${num} client`))
  })

  it('receives commands at the granted QoS and says when they have arrived', async () => {
    const client = await connect()
    const device = [...harness.ingest.devices.values()].at(-1)!.device
    const got: string[] = []
    client.on('message', (name, payload, packet) => {
      got.push(`${name.slice(topic('').length)} ${payload} qos${packet.qos}`)
    })
    const delivered: string[] = []
    const deliver = (id: string, suffix: string) =>
      harness.transport.deliver(device, { commandId: id, suffix, payload: Buffer.from(id), command: A_COMMAND }, () =>
        delivered.push(id),
      )
    expect(deliver('early', 'property/set')).toBe('not_reachable')
    await client.subscribeAsync({ [topic('property/set')]: { qos: 0 }, [topic('service/+/invoke')]: { qos: 2 } })
    expect(deliver('zero', 'property/set')).toBe('sent')
    expect(deliver('two', 'service/reboot/invoke')).toBe('sent_confirmed_later')
    await client.subscribeAsync(topic('property/set'), { qos: 1 })
    expect(deliver('one', 'property/set')).toBe('sent_confirmed_later')
    await until(() => delivered.length === 2)
    expect(delivered.toSorted()).toEqual(['one', 'two'])
    expect(got.toSorted()).toEqual([
      'property/set one qos1',
      'property/set zero qos0',
      'service/reboot/invoke two qos2',
    ])
    await client.unsubscribeAsync(topic('property/set'))
    expect(deliver('late', 'property/set')).toBe('not_reachable')
    await client.endAsync()
  })

  it('answers shadow/get and ntp/request where it subscribed', async () => {
    harness.ingest.answerWith = async kind => Buffer.from(kind)
    const client = await connect()
    const got: string[] = []
    client.on('message', (name, payload) => got.push(`${name.slice(topic('').length)} ${payload}`))
    await client.publishAsync(topic('shadow/get'), '{}', { qos: 1 })
    await client.subscribeAsync(topic('#'), { qos: 1 })
    await client.publishAsync(topic('ntp/request'), '{"t0":1}', { qos: 1 })
    await client.publishAsync(topic('shadow/get'), '{}', { qos: 0 })
    await until(() => got.length === 2)
    expect(got).toEqual(['ntp/response ntp', 'shadow/get_reply shadow_get'])
    expect(journalOf()).toEqual([])
    await client.endAsync()
  })

  it('is shown with its facts, and ends when it is kicked', async () => {
    const client = await connect({ clientId: 'my-client', keepalive: 30 })
    client.on('error', () => {})
    await client.subscribeAsync(topic('#'), { qos: 1 })
    await client.publishAsync(topic('property/post'), '{}', { qos: 1 })
    expect(harness.transport.session(num)).toMatchObject({
      transport: { tcp: 'mqtt', tls: 'mqtts', websocket: 'mqtt-ws' }[door],
      clientId: 'my-client',
      protocolVersion: version === 5 ? '5.0' : '3.1.1',
      keepAliveSeconds: 30,
      subscriptions: [{ filter: topic('#'), qos: 1 }],
      messagesIn: 1,
      messagesOut: 0,
    })
    expect(harness.transport.session(num)?.address).toMatch(/^(::ffff:)?127\.0\.0\.1:\d+$/)
    const gone = new Promise<void>(resolve => client.once('close', () => resolve()))
    harness.transport.kick(num, 'kicked')
    await gone
    expect(harness.transport.session(num)).toBeNull()
    expect(harness.ingest.events).toContain(`closed d${num} kicked`)
  })

  it('keeps a session until it expires, and speaks the will of a lost connection', async () => {
    const lasting: IClientOptions =
      version === 5
        ? { clientId: 'x', clean: false, properties: { sessionExpiryInterval: 3600 } }
        : { clientId: 'x', clean: false }
    const first = await connect({
      ...lasting,
      will: { topic: topic('property/post'), payload: Buffer.from('gone'), qos: 1, retain: false },
    })
    first.on('error', () => {})
    await first.subscribeAsync(topic('#'), { qos: 1 })
    first.stream.destroy()
    await until(() => journalOf().some(row => row.text === 'gone'))
    const present = async () => {
      let sessionPresent: boolean | undefined
      const client = mqtt.connect(doors[door](), {
        ...credentials(num),
        protocolVersion: version,
        reconnectPeriod: 0,
        rejectUnauthorized: false,
        ...lasting,
      })
      client.on('connect', connack => {
        sessionPresent = connack.sessionPresent
      })
      await until(() => sessionPresent !== undefined)
      await client.endAsync()
      return sessionPresent
    }
    expect(await present()).toBe(true)
    if (version === 5) {
      await until(() => typeof harness.store.sessions.get(num)?.expiresAt === 'number')
      clock.advance(3_600_000)
      expect(await present()).toBe(false)
    }
  })

  it('refuses a wrong secret as not authorised and leaves a line in the device log', async () => {
    await expect(connect({ password: 'wrong' })).rejects.toMatchObject({ code: version === 5 ? 0x87 : 5 })
    await until(() => harness.ingest.notes.some(note => note.name === `P1/d${num}`))
    expect(harness.ingest.notes.at(-1)).toMatchObject({ event: 'sign_in_refused', detail: { reason: 'wrong_secret' } })
  })

  it('says so when sign-in cannot be checked', async () => {
    harness.ingest.available = false
    await expect(connect()).rejects.toMatchObject({ code: version === 5 ? 0x88 : 3 })
    harness.ingest.available = true
  })

  it('refuses subscriptions outside its own prefix', async () => {
    const client = await connect()
    const filters = ['#', '+/+/+/property/set', 'things/P1/other/#', 'things/P1/+/property/set', `things/P1/d${num}`]
    for (const filter of filters) {
      const granted = await client.subscribeAsync(filter, { qos: 1 }).catch((error: Error) => error)
      if (granted instanceof Error) expect(granted.message).toMatch(/not authorized|unspecified/i)
      else expect(granted[0]?.qos).toBe(version === 5 ? 0x87 : 128)
    }
    expect(harness.transport.session(num)?.subscriptions).toEqual([])
    await client.endAsync()
  })
})

describe('doors', () => {
  it('speak TLS 1.2 and 1.3, nothing older', async () => {
    const version = (max: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') =>
      new Promise<string | null>((resolve, reject) => {
        const socket = connectTls({
          port: harness.tlsPort,
          rejectUnauthorized: false,
          maxVersion: max,
          minVersion: 'TLSv1',
          ciphers: 'DEFAULT@SECLEVEL=0',
        })
        socket.once('secureConnect', () => {
          resolve(socket.getProtocol())
          socket.destroy()
        })
        socket.once('error', reject)
      })
    await expect(version('TLSv1.1')).rejects.toThrow()
    expect(await version('TLSv1.2')).toBe('TLSv1.2')
    expect(await version('TLSv1.3')).toBe('TLSv1.3')
  })

  it('outlive a TLS client that talks nonsense', async () => {
    const { RawClient } = await import('./testing/raw-client.ts')
    const client = await RawClient.open(harness.tlsPort)
    client.bytes('deadbeef'.repeat(20))
    await client.ended()
    await until(() => harness.transport.connections().strangers === 0)
    const next = await connectClient(doors.tls(), credentials(num))
    await next.endAsync()
  })

  it('refuse a WebSocket without the subprotocol mqtt', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${harness.wsPort}/mqtt`, ['chat'])
    await expect(
      new Promise((resolve, reject) => {
        socket.once('open', resolve)
        socket.once('error', reject)
      }),
    ).rejects.toThrow('400')
  })

  it('end a WebSocket that sends text', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${harness.wsPort}/mqtt`, ['mqtt'])
    await new Promise(resolve => socket.once('open', resolve))
    expect(socket.protocol).toBe('mqtt')
    const code = new Promise(resolve => socket.once('close', resolve))
    socket.send('hello')
    expect(await code).toBe(1003)
  })

  it('take the next port when theirs is taken and that is allowed', async () => {
    const { createMqttTransport } = await import('./mqtt.transport.ts')
    const { silentLogger } = await import('../../../lib/log.ts')
    const open = (tryNext?: number) =>
      createMqttTransport({
        ingest: harness.ingest,
        delivered: () => {},
        store: harness.store,
        log: silentLogger,
        tcp: { host: '127.0.0.1', port: harness.port, ...(tryNext ? { tryNext } : {}) },
        tls: null,
      })
    await expect(open().start()).rejects.toMatchObject({ code: 'EADDRINUSE' })
    const second = open(20)
    await second.start()
    expect(second.ports().mqtt).toBeGreaterThan(harness.port)
    await second.stop()
  })
})
