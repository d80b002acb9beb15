import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, isIP, type LookupFunction } from 'node:net'
import type { MqttClient } from 'mqtt'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type KafkaBroker, startKafkaBroker } from '../../../../tools/simulators/kafka/kafka-broker.ts'
import { type NatsServer, startNatsServer } from '../../../../tools/simulators/nats/nats-server.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../../../tools/simulators/webhook/webhook-receiver.ts'
import { createKafkaAdapter } from '../adapters/subscription-target/kafka/kafka-target.ts'
import { createMqttAdapter } from '../adapters/subscription-target/mqtt/mqtt-target.ts'
import { createNatsAdapter, subjectOf } from '../adapters/subscription-target/nats/nats-target.ts'
import { createWebhookAdapter, signatureOf } from '../adapters/subscription-target/webhook/webhook-target.ts'
import { createStreams, type StreamServer } from '../adapters/subscription-target/websocket/websocket-target.ts'
import { connectClient, type Harness, startHarness } from '../ingest/transports/mqtt/testing/harness.ts'
import { createAddressGuard } from '../lib/outbound/outbound-guard.ts'
import { freePort } from '../lib/testing/free-port.ts'
import type {
  DeliveryBatch,
  DeliveryItem,
  DeliveryOutcome,
  Target,
  TargetAdapter,
  TargetSettings,
} from '../modules/subscriptions/target.port.ts'
import { createGatewaySubscribers } from './gateway-subscribers.ts'

const ID = '0190b6c2-7b1e-7aaa-8000-0000000000aa'
const SECRET = 'a-secret-of-thirty-two-characters'
const HERE = ['127.0.0.0/8']
const never = new AbortController().signal
/** Longer than anything here is waited for, unless the other side falls silent on purpose. */
const PATIENT_MS = 60_000

let cursor = 0
function item(n: number, data: unknown = { n }): DeliveryItem {
  const facts = {
    id: `item-${n}`,
    type: 'property',
    ts: 1767225600000 + n,
    productKey: 'pk',
    deviceNo: `d${n % 3}`,
    deviceId: ID,
  }
  return { ...facts, cursor: ++cursor, payload: JSON.stringify({ ...facts, data }) }
}

function batchOf(items: readonly DeliveryItem[], attempt = 1): DeliveryBatch {
  const body = `{"items":[${items.map(({ payload }) => payload).join(',')}]}`
  return { subscriptionId: ID, tenantId: ID, items, body, contentType: 'application/json', attempt }
}

const settingsOf = (target: TargetSettings['target'], secrets = [SECRET]): TargetSettings => ({
  subscriptionId: ID,
  tenantId: ID,
  name: 'Warehouse',
  target,
  secrets,
})

/** What the other side of an adapter looks like to the suite. */
interface Side {
  adapter: TargetAdapter
  target: TargetSettings['target']
  /** Texts of the items that arrived, oldest first. */
  arrived(): string[]
  /** What the other side found wrong about us. */
  faults(): readonly string[]
  /** From now on it takes nothing and says nothing. */
  hang(): void
  /** It takes again. Resolves when it can. */
  take(): Promise<void> | void
  /** It is not there at all, then again. */
  away(): Promise<void>
  back(): Promise<void>
  /** What a try comes to while it is not there. */
  missing: DeliveryOutcome['kind']
  close(): Promise<void>
}

/** What every adapter of the port promises. */
function targetContract(name: string, start: () => Promise<Side>): void {
  describe(`a target of kind ${name}`, () => {
    let side: Side
    let target: Target
    let wakes = 0
    beforeAll(async () => {
      side = await start()
      target = side.adapter.open(settingsOf(side.target), { wake: () => void wakes++ })
    })
    afterAll(async () => {
      await target.close()
      await side.close()
    })
    afterEach(() => expect(side.faults()).toEqual([]))
    const fresh = async (batch: DeliveryBatch): Promise<string[]> => {
      const before = side.arrived().length
      let rest = batch
      let outcome = await target.deliver(rest, never)
      // As the deliverer does: what is behind the part that arrived comes next.
      while (outcome.kind === 'partial') {
        rest = batchOf(rest.items.slice(outcome.acknowledged))
        outcome = await target.deliver(rest, never)
      }
      expect(outcome).toMatchObject({ kind: 'ok', latencyMs: expect.any(Number) })
      return side.arrived().slice(before)
    }

    it('takes a batch whole and in order, letter by letter', async () => {
      const items = [
        item(1),
        item(2, { text: '温度 🌡 "quoted" \\ \n\u2028 end' }),
        item(3, { deep: { list: [1, null, true] } }),
      ]
      expect(await fresh(batchOf(items))).toEqual(items.map(({ payload }) => payload))
      const many = Array.from({ length: 100 }, (_, n) => item(100 + n, { long: 'x'.repeat(n * 10) }))
      expect(await fresh(batchOf(many))).toEqual(many.map(({ payload }) => payload))
    })

    it('gets the same again after a try that nobody knows the end of', async () => {
      const items = [item(10), item(11)]
      side.hang()
      const stop = new AbortController()
      const hanging = target.deliver(batchOf(items), stop.signal)
      setTimeout(() => stop.abort(), 50)
      expect((await hanging).kind).toBe('away')
      await side.take()
      const again = await fresh(batchOf(items, 2))
      // At least once: what had arrived before comes again, in its order, with the ids it had.
      expect(again.slice(-2)).toEqual(items.map(({ payload }) => payload))
    })

    it('is missed when it is not there, and found when it is back', async () => {
      const items = [item(20)]
      await side.away()
      expect((await target.deliver(batchOf(items), never)).kind).toBe(side.missing)
      const before = wakes
      await side.back()
      if (side.missing === 'away') await expect.poll(() => wakes).toBeGreaterThan(before)
      expect(await fresh(batchOf(items, 2))).toEqual(items.map(({ payload }) => payload))
    })

    it('takes a sample beside its queue', async () => {
      const sample = side.adapter.open(settingsOf(side.target), { wake: () => undefined })
      const items = [item(30), item(31)]
      const before = side.arrived().length
      const [delivered, tried] = await Promise.all([
        target.deliver(batchOf(items), never),
        sample.test(batchOf([item(32)]), never),
      ])
      expect([delivered.kind, tried.kind]).toEqual(['ok', 'ok'])
      await sample.close()
      expect(side.arrived().slice(before).sort()).toEqual([...items, item(32)].map(({ payload }) => payload).sort())
      expect(await fresh(batchOf([item(33)]))).toHaveLength(1)
    })
  })
}

// ── webhook ──

const webhookAt = (port: number): TargetSettings['target'] => ({
  kind: 'webhook',
  url: `http://127.0.0.1:${port}/hook`,
})

targetContract('webhook', async () => {
  const port = await freePort()
  let receiver = await startWebhookReceiver({ secret: SECRET, port })
  const arrived: string[] = []
  const faults: string[] = []
  const read = () => {
    arrived.push(...receiver.items.splice(0).map(one => JSON.stringify(one)))
    faults.push(...receiver.faults.splice(0))
  }
  return {
    adapter: createWebhookAdapter({ allow: HERE, now: () => Date.now(), timeoutMs: PATIENT_MS }),
    target: webhookAt(port),
    arrived: () => {
      read()
      return arrived
    },
    faults: () => {
      read()
      return faults
    },
    hang: () => receiver.behave({ kind: 'hang' }),
    take: () => receiver.behave({ kind: 'take' }),
    away: () => {
      read()
      return receiver.close()
    },
    async back() {
      receiver = await startWebhookReceiver({ secret: SECRET, port })
    },
    missing: 'retry',
    close: () => receiver.close(),
  }
})

// ── our own MQTT listener ──

targetContract('mqtt', async () => {
  const harness: Harness = await startHarness({
    subscribers: {
      signIn: async () => true,
      ready: id => subscribers.receive({ type: 'subscriber_ready', subscriptionId: id }),
    },
  })
  // The channel between the two processes, without the processes.
  const subscribers = createGatewaySubscribers(() => message => {
    if (message.type !== 'subscriber_deliver') return
    harness.transport.subscribers.deliver(
      message.subscriptionId,
      message.flow,
      structuredClone(message.messages),
      answer => subscribers.receive({ type: 'subscriber_answer', id: message.id, answer }),
    )
  })
  const arrived: string[] = []
  let client: MqttClient
  let hanging = false
  const connect = async () => {
    client = await connectClient(`mqtt://127.0.0.1:${harness.port}`, {
      username: `sub/${ID}`,
      password: 'x',
      clean: false,
      clientId: 'receiver',
    })
    client.handleMessage = (packet, done) => {
      if (hanging) return
      const { topic, payload } = packet as { topic: string; payload: Buffer }
      const { type, productKey, deviceNo } = JSON.parse(String(payload)) as DeliveryItem
      arrived.push(topic === `subscriptions/${ID}/${type}/${productKey}/${deviceNo}` ? String(payload) : topic)
      done()
    }
    await client.subscribeAsync(`subscriptions/${ID}/#`, { qos: 1 })
  }
  await connect()
  return {
    adapter: createMqttAdapter(subscribers),
    target: { kind: 'mqtt' },
    arrived: () => arrived,
    faults: () => [],
    hang: () => {
      hanging = true
    },
    async take() {
      hanging = false
      await client.endAsync(true)
      await connect()
    },
    away: () => client.endAsync(true),
    back: connect,
    missing: 'away',
    async close() {
      await client.endAsync(true)
      await harness.stop()
    },
  }
})

// ── WebSocket ──

async function streamServer(
  authorise: (token: string) => number | null,
): Promise<{ streams: StreamServer; url: string; close(): Promise<void> }> {
  const streams = createStreams({
    addressOf: () => '127.0.0.1',
    now: () => Date.now(),
    recheckMs: 30,
  })
  const web: Server = createServer()
  web.on('upgrade', (request, socket, head) =>
    streams.upgrade(request, socket, head, ID, async token => authorise(token)),
  )
  web.listen(0, '127.0.0.1')
  await once(web, 'listening')
  return {
    streams,
    url: `ws://127.0.0.1:${(web.address() as AddressInfo).port}/`,
    async close() {
      streams.close()
      web.closeAllConnections()
      await new Promise(resolve => web.close(resolve))
    },
  }
}

interface Frame {
  op: string
  cursor?: number
  items?: unknown[]
}

async function streamClient(
  url: string,
  token: string,
  onFrame: (frame: Frame, socket: WebSocket) => void,
): Promise<WebSocket> {
  const socket = new WebSocket(url)
  socket.on('message', data => onFrame(JSON.parse(String(data)) as Frame, socket))
  await once(socket, 'open')
  socket.send(JSON.stringify({ op: 'auth', token }))
  return socket
}

targetContract('websocket', async () => {
  const { streams, url, close } = await streamServer(token => (token === 'right' ? Date.now() + 60_000 : null))
  const arrived: string[] = []
  let hanging = false
  let socket: WebSocket
  const connect = async () => {
    let ready = () => {}
    const isReady = new Promise<void>(resolve => {
      ready = resolve
    })
    socket = await streamClient(url, 'right', (frame, from) => {
      if (frame.op === 'ready') ready()
      if (frame.op !== 'items' || hanging) return
      arrived.push(...frame.items!.map(one => JSON.stringify(one)))
      from.send(JSON.stringify({ op: 'ack', cursor: frame.cursor }))
    })
    await isReady
  }
  await connect()
  const leave = async () => {
    const closed = once(socket, 'close')
    socket.close()
    await closed
    await expect.poll(() => streams.connections()).toBe(0)
  }
  return {
    adapter: streams.adapter,
    target: { kind: 'websocket' },
    arrived: () => arrived,
    faults: () => [],
    hang: () => {
      hanging = true
    },
    async take() {
      hanging = false
      await leave()
      await connect()
    },
    away: leave,
    back: connect,
    missing: 'away',
    close,
  }
})

// ── NATS ──

for (const jetStream of [false, true])
  targetContract(jetStream ? 'nats with a stream' : 'nats', async () => {
    const settings = {
      account: { username: 'u', password: 'p' },
      ...(jetStream ? { stream: { name: 'S', prefix: 'devices.' } } : {}),
    }
    const port = await freePort()
    let server = await startNatsServer({ ...settings, port })
    const arrived: string[] = []
    const faults: string[] = []
    const read = () => {
      for (const { subject, payload, headers } of server.messages.splice(0)) {
        const { id, type, productKey, deviceNo } = JSON.parse(payload) as DeliveryItem
        const right = subject === `devices.${type}.${productKey}.${deviceNo}` && headers['Nats-Msg-Id'] === id
        arrived.push(right ? payload : `${subject} ${JSON.stringify(headers)}`)
      }
      faults.push(...server.faults.splice(0))
    }
    return {
      adapter: createNatsAdapter(createAddressGuard(HERE), PATIENT_MS),
      target: {
        kind: 'nats',
        url: `nats://127.0.0.1:${port}`,
        subject: 'devices.{type}.{productKey}.{deviceNo}',
        username: 'u',
        password: 'p',
        jetStream,
      },
      arrived: () => {
        read()
        return arrived
      },
      faults: () => {
        read()
        return faults
      },
      hang: () => server.behave({ kind: 'hang' }),
      take: () => server.behave({ kind: 'take' }),
      away: () => {
        read()
        return server.close()
      },
      async back() {
        server = await startNatsServer({ ...settings, port })
      },
      missing: 'retry',
      close: () => server.close(),
    }
  })

// ── Kafka ──

targetContract('kafka', async () => {
  const settings = { topic: 'devices', account: { username: 'u', password: 'p' } }
  const port = await freePort()
  let broker = await startKafkaBroker({ ...settings, port })
  const arrived: string[] = []
  const faults: string[] = []
  let order = new Map<string, string[]>()
  const read = () => {
    const records = broker.records.splice(0)
    // Order is promised within a device; the suite sends its items in the order of their ids.
    for (const { key, value, headers } of records) {
      const { id, productKey, deviceNo } = JSON.parse(value) as DeliveryItem
      const right = key === `${productKey}/${deviceNo}` && headers.id === id
      order.set(key ?? '', [...(order.get(key ?? '') ?? []), right ? value : `${key} ${JSON.stringify(headers)}`])
    }
    faults.push(...broker.faults.splice(0))
    const flat = [...order.values()].flat()
    order = new Map()
    const number = (text: string) => Number(/"item-(\d+)"/.exec(text)?.[1])
    arrived.push(...merged(flat, number))
  }
  return {
    adapter: createKafkaAdapter(createAddressGuard(HERE), PATIENT_MS),
    target: {
      kind: 'kafka',
      brokers: [`127.0.0.1:${port}`],
      topic: 'devices',
      mechanism: 'PLAIN',
      username: 'u',
      password: 'p',
    },
    arrived: () => {
      read()
      return arrived
    },
    faults: () => {
      read()
      return faults
    },
    hang: () => broker.behave({ kind: 'hang' }),
    take: () => broker.behave({ kind: 'take' }),
    away: () => {
      read()
      return broker.close()
    },
    async back() {
      broker = await startKafkaBroker({ ...settings, port })
    },
    missing: 'retry',
    close: () => broker.close(),
  }
})

const merged = (texts: string[], number: (text: string) => number): string[] =>
  texts.sort((a, b) => number(a) - number(b))

// ── what each of them has of its own ──

const opened: Target[] = []
const targetOf = (adapter: TargetAdapter, target: TargetSettings['target'], secrets?: string[]): Target => {
  const made = adapter.open(settingsOf(target, secrets), { wake: () => undefined })
  opened.push(made)
  return made
}
afterEach(async () => {
  vi.useRealTimers()
  for (const target of opened.splice(0)) await target.close()
})

describe('a webhook', () => {
  let receiver: WebhookReceiver
  const adapter = (over: Partial<Parameters<typeof createWebhookAdapter>[0]> = {}) =>
    createWebhookAdapter({ allow: HERE, now: () => Date.now(), timeoutMs: PATIENT_MS, ...over })
  const one = batchOf([item(1)])
  beforeAll(async () => {
    receiver = await startWebhookReceiver({ secret: SECRET })
  })
  afterAll(() => receiver.close())

  it('is signed as documented', () => {
    expect(signatureOf('{"items":[]}', ['k'], 1767225600000, 'abc')).toBe(
      't=1767225600000,n=abc,v1=6f2fae89b2063aaddbf7203648787ef24a839e30ffd4dd787b8aa722f0225687',
    )
  })

  it('is signed with both secrets while one takes the place of the other, and with no stranger’s', async () => {
    receiver.behave({ kind: 'take' })
    const both = targetOf(adapter(), webhookAt(receiver.port), ['the-new-secret-of-the-receiver', SECRET])
    expect((await both.deliver(one, never)).kind).toBe('ok')
    const stranger = targetOf(adapter(), webhookAt(receiver.port), ['somebody-else-altogether'])
    expect(await stranger.deliver(one, never)).toMatchObject({ kind: 'retry', reason: 'unauthorized', status: 401 })
    expect(receiver.faults.splice(0)).toEqual(['the signature does not fit'])
  })

  it.each([
    [200, { kind: 'ok', status: 200 }],
    [204, { kind: 'ok', status: 204 }],
    [301, { kind: 'retry', reason: 'redirect', status: 301 }],
    [307, { kind: 'retry', reason: 'redirect', status: 307 }],
    [400, { kind: 'refused', reason: 'status' }],
    [403, { kind: 'retry', reason: 'unauthorized' }],
    [404, { kind: 'retry', reason: 'status' }],
    [410, { kind: 'retry', reason: 'status' }],
    [413, { kind: 'refused', reason: 'status' }],
    [422, { kind: 'refused', reason: 'status' }],
    [429, { kind: 'retry', reason: 'status', retryAfterMs: 7000 }],
    [500, { kind: 'retry', reason: 'status', answer: 'answer of the receiver' }],
    [503, { kind: 'retry', reason: 'status', retryAfterMs: 7000 }],
  ])('answers %i, and that means what it means', async (status, outcome) => {
    receiver.behave({
      kind: 'status',
      status,
      headers: { 'retry-after': '7', location: 'http://127.0.0.1:1/inside' },
      ...(status === 204 ? {} : { body: 'answer of the receiver' }),
    })
    const before = receiver.requests
    expect(await targetOf(adapter(), webhookAt(receiver.port)).deliver(one, never)).toMatchObject(outcome)
    expect(receiver.requests).toBe(before + 1)
  })

  it('may be slow up to its time, answer at length, or break off', async () => {
    const target = targetOf(adapter(), webhookAt(receiver.port))
    receiver.behave({ kind: 'slow', ms: 30 })
    expect((await target.deliver(one, never)).kind).toBe('ok')
    receiver.behave({ kind: 'hang' })
    const hasty = targetOf(adapter({ timeoutMs: 300 }), webhookAt(receiver.port))
    expect(await hasty.deliver(one, never)).toMatchObject({ kind: 'retry', reason: 'timeout' })
    receiver.behave({ kind: 'cut' })
    expect(await target.deliver(one, never)).toMatchObject({ kind: 'retry', reason: 'unreachable' })
    receiver.behave({ kind: 'status', status: 200, body: 'x'.repeat(300_000) })
    const long = (await target.deliver(one, never)) as { kind: string; answer: string }
    expect([long.kind, long.answer.length]).toEqual(['ok', 2048])
  })

  it('is never an address inside, however it is written, and never another one than was checked', async () => {
    const before = receiver.requests
    for (const url of [
      `http://127.0.0.1:${receiver.port}/hook`,
      `https://0x7f.1:${receiver.port}/hook`,
      `https://[::ffff:127.0.0.1]:${receiver.port}/hook`,
      'https://169.254.169.254/latest',
      'https://100.100.100.200/latest',
      'https://user@127.0.0.1/',
      'gopher://127.0.0.1/',
    ]) {
      const outcome = await targetOf(adapter({ allow: [] }), { kind: 'webhook', url }).deliver(one, never)
      expect(outcome).toMatchObject({ kind: 'retry', reason: 'blocked' })
    }
    let looks = 0
    const lookup: LookupFunction = (_host, _options, callback) => {
      const address = looks++ === 0 ? '127.0.0.1' : '10.0.0.1'
      callback(null, [{ address, family: isIP(address) }])
    }
    receiver.behave({ kind: 'take' })
    const rebinding = () =>
      targetOf(adapter({ allow: ['127.0.0.1'], lookup }), {
        kind: 'webhook',
        url: `http://rebinding.test:${receiver.port}/hook`,
      })
    expect((await rebinding().deliver(one, never)).kind).toBe('ok')
    expect(await rebinding().deliver(one, never)).toMatchObject({ kind: 'retry', reason: 'blocked' })
    expect([looks, receiver.requests]).toEqual([2, before + 1])
  })

  it('gets the headers that were asked for, except those that are not theirs to set', async () => {
    let seen: Record<string, unknown> = {}
    const server = createServer((request, response) => {
      seen = request.headers
      request.resume().on('end', () => response.end())
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const target = targetOf(adapter(), {
      kind: 'webhook',
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      headers: {
        Authorization: 'Bearer x',
        Host: 'inside',
        'Content-Length': '1',
        'Transfer-Encoding': 'chunked',
        'Thingwright-Signature': 'forged',
        'Content-Type': 'text/html',
      },
    })
    expect((await target.deliver(one, never)).kind).toBe('ok')
    expect(seen).toMatchObject({
      authorization: 'Bearer x',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(one.body)),
      'thingwright-subscription': ID,
      'thingwright-attempt': '1',
      'thingwright-signature': expect.stringMatching(/^t=\d{13},n=[0-9a-f]{24},v1=[0-9a-f]{64}$/),
    })
    expect(seen.host).not.toBe('inside')
    server.closeAllConnections()
    server.close()
  })
})

describe('a NATS server', () => {
  let server: NatsServer
  const guard = createAddressGuard(HERE)
  const at = (over: object = {}): TargetSettings['target'] => ({
    kind: 'nats',
    url: `nats://127.0.0.1:${server.port}`,
    subject: 'devices.{deviceNo}',
    token: 'right',
    ...over,
  })
  const one = batchOf([item(1)])
  const tryOf = (target: TargetSettings['target'], batch = one) =>
    targetOf(createNatsAdapter(guard, PATIENT_MS), target).deliver(batch, never)
  beforeAll(async () => {
    server = await startNatsServer({
      account: { token: 'right' },
      maxPayload: 4096,
      stream: { name: 'S', prefix: 'devices.' },
    })
  })
  afterAll(() => server.close())
  afterEach(() => {
    server.behave({ kind: 'take' })
    expect(server.faults.splice(0)).toEqual([])
  })

  it('says who may come in and who may publish', async () => {
    expect(await tryOf(at({ token: 'wrong' }))).toMatchObject({ kind: 'retry', reason: 'unauthorized' })
    server.behave({ kind: 'forbid' })
    expect(await tryOf(at())).toMatchObject({ kind: 'retry', reason: 'unauthorized' })
  })

  it('stores, refuses, or has no stream', async () => {
    expect(await tryOf(at({ jetStream: true }))).toMatchObject({ kind: 'ok' })
    server.behave({ kind: 'refuse', code: 400, description: 'maximum bytes exceeded' })
    expect(await tryOf(at({ jetStream: true }))).toMatchObject({ kind: 'retry', reason: 'status', status: 400 })
    expect(await tryOf(at({ jetStream: true, subject: 'other.{deviceNo}' }))).toMatchObject({
      kind: 'retry',
      reason: 'status',
    })
  })

  it('takes what is before a message that is too long, and never that one', async () => {
    const long = item(2, { text: 'x'.repeat(5000) })
    expect(await tryOf(at(), batchOf([item(1), long, item(3)]))).toMatchObject({ kind: 'partial', acknowledged: 1 })
    expect(await tryOf(at(), batchOf([long, item(3)]))).toMatchObject({ kind: 'refused', status: 413 })
  })

  it('is cut in the middle, and found again', async () => {
    const target = targetOf(createNatsAdapter(guard, PATIENT_MS), at())
    server.behave({ kind: 'cut' })
    expect(await target.deliver(one, never)).toMatchObject({ kind: 'retry', reason: 'unreachable' })
    server.behave({ kind: 'take' })
    expect((await target.deliver(one, never)).kind).toBe('ok')
  })

  it('is never inside, and never spoken to without TLS where TLS was asked for', async () => {
    expect(await tryOf(at({ url: 'nats://10.0.0.1:4222' }))).toMatchObject({ kind: 'retry', reason: 'blocked' })
    expect(await tryOf(at({ url: 'nats://93.184.215.14:4222' }))).toMatchObject({ kind: 'retry', reason: 'blocked' })
    expect(await tryOf(at({ url: 'http://127.0.0.1:4222' }))).toMatchObject({ kind: 'retry', reason: 'blocked' })
    const before = server.messages.length
    expect((await tryOf(at({ url: `tls://127.0.0.1:${server.port}` }))).kind).toBe('retry')
    expect(server.messages.length).toBe(before)
  })

  it('has subjects of which a device’s number cannot make others', () => {
    const named = (deviceNo: string) => subjectOf('a.{type}.{deviceNo}', { type: 'event', productKey: 'pk', deviceNo })
    expect(named('d1')).toBe('a.event.d1')
    expect(named('a.b')).toBe('a.event.a_b')
    expect(named('*')).toBe('a.event._')
    expect(named('d1 5\r\nPUB x 1')).not.toMatch(/\s/)
    for (const pattern of ['a b', 'a..b', '.a', 'a.', 'a.>', 'a\r\nPUB b'])
      expect(() => subjectOf(pattern, { type: 'event', productKey: 'pk', deviceNo: 'd' })).toThrow(/not a subject/)
  })
})

describe('a Kafka broker', () => {
  let broker: KafkaBroker
  const at = (over: object = {}): TargetSettings['target'] => ({
    kind: 'kafka',
    brokers: [`127.0.0.1:${broker.port}`],
    topic: 'devices',
    ...over,
  })
  const one = batchOf([item(1)])
  const tryOf = (target: TargetSettings['target'], batch = one, allow = HERE) =>
    targetOf(createKafkaAdapter(createAddressGuard(allow), PATIENT_MS), target).deliver(batch, never)
  beforeAll(async () => {
    broker = await startKafkaBroker({ topic: 'devices', maxMessageBytes: 4096 })
  })
  afterAll(() => broker.close())
  afterEach(() => {
    broker.behave({ kind: 'take' })
    broker.advertise('127.0.0.1')
    expect(broker.faults.splice(0)).toEqual([])
  })

  it('answers with an error of its protocol', async () => {
    expect(await tryOf(at({ topic: 'unknown' }))).toMatchObject({ kind: 'retry', reason: 'status', status: 3 })
    broker.behave({ kind: 'error', code: 19 })
    expect(await tryOf(at())).toMatchObject({ kind: 'retry', reason: 'status', status: 19 })
    broker.behave({ kind: 'error', code: 29 })
    expect(await tryOf(at())).toMatchObject({ kind: 'retry', reason: 'unauthorized', status: 29 })
    broker.behave({ kind: 'take' })
    const long = batchOf([item(2, { text: 'x'.repeat(5000) })])
    expect(await tryOf(at(), long)).toMatchObject({ kind: 'refused', status: 10 })
  })

  it('says who may come in', async () => {
    const guarded = await startKafkaBroker({ topic: 'devices', account: { username: 'u', password: 'p' } })
    const target = {
      ...at({ mechanism: 'PLAIN', username: 'u', password: 'wrong' }),
      brokers: [`127.0.0.1:${guarded.port}`],
    }
    expect(await tryOf(target as TargetSettings['target'])).toMatchObject({ kind: 'retry', reason: 'unauthorized' })
    await guarded.close()
  })

  it('is cut in the middle, and found again', async () => {
    const target = targetOf(createKafkaAdapter(createAddressGuard(HERE), PATIENT_MS), at())
    broker.behave({ kind: 'cut' })
    expect(await target.deliver(one, never)).toMatchObject({ kind: 'retry', reason: 'unreachable' })
    broker.behave({ kind: 'take' })
    expect((await target.deliver(one, never)).kind).toBe('ok')
  })

  it('is silent, and found again', async () => {
    const target = targetOf(createKafkaAdapter(createAddressGuard(HERE), 400), at())
    broker.behave({ kind: 'hang' })
    expect(await target.deliver(one, never)).toMatchObject({ kind: 'retry', reason: 'timeout' })
    broker.behave({ kind: 'take' })
    // Tried again as the queue does: one try may still take longer than this target has.
    await expect.poll(async () => (await target.deliver(one, never)).kind).toBe('ok')
  })

  it('is never inside, nor are the brokers that it names', async () => {
    expect(await tryOf(at({ brokers: ['10.0.0.1:9092'] }))).toMatchObject({ kind: 'retry', reason: 'blocked' })
    expect(await tryOf(at({ brokers: ['93.184.215.14:9092'] }))).toMatchObject({ kind: 'retry', reason: 'blocked' })
    expect(await tryOf(at({ brokers: ['127.0.0.1:9092'], tls: true }), one, [])).toMatchObject({ reason: 'blocked' })
    // It is reached where it may be, and says that its partitions are somewhere else.
    let reached = 0
    const inside = createTcpServer(() => void reached++).listen(broker.port, '127.0.0.9')
    await once(inside, 'listening')
    broker.advertise('127.0.0.9')
    expect(await tryOf(at(), one, ['127.0.0.1'])).toMatchObject({ kind: 'retry', reason: 'blocked' })
    expect(reached).toBe(0)
    inside.close()
  })
})

describe('a stream', () => {
  it('is opened by who may read it, and by nobody for longer than that', async () => {
    let until: number | null = Date.now() + 60_000
    const { url, close } = await streamServer(token => (token === 'right' ? until : null))
    const codeOf = async (socket: WebSocket) => (await once(socket, 'close'))[0]
    expect(await codeOf(await streamClient(url, 'wrong', () => undefined))).toBe(4401)
    const first = await streamClient(url, 'right', () => undefined)
    await once(first, 'message')
    const firstCode = codeOf(first)
    const second = await streamClient(url, 'right', () => undefined)
    expect(await firstCode).toBe(4409)
    const secondCode = codeOf(second)
    until = null
    expect(await secondCode).toBe(4401)
    await close()
  })

  it('is closed when nobody says who he is, but not for what the server has yet to read', async () => {
    const turn = setTimeout
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { url, close } = await streamServer(() => Date.now() + 60_000)
    const [silent, late] = [new WebSocket(url), new WebSocket(url)]
    await Promise.all([once(silent, 'open'), once(late, 'open')])
    const [closed, ready] = [once(silent, 'close'), once(late, 'message')]
    // A process that was held up: the time is over, and what came meanwhile is not read yet.
    turn(() => {
      late.send(JSON.stringify({ op: 'auth', token: 'right' }))
      vi.advanceTimersByTime(5000)
    }, 0)
    expect((await closed)[0]).toBe(4401)
    expect(String((await ready)[0])).toContain('"ready"')
    await close()
  })

  it('has delivered what was acknowledged, and no more when the client goes or falls silent', async () => {
    const STALLED_MS = 5000
    const streams = createStreams({
      addressOf: () => '',
      now: () => Date.now(),
      stalledMs: STALLED_MS,
    })
    const web = createServer().listen(0, '127.0.0.1')
    web.on('upgrade', (request, socket, head) =>
      streams.upgrade(request, socket, head, ID, async () => Date.now() + 60_000),
    )
    await once(web, 'listening')
    const url = `ws://127.0.0.1:${(web.address() as AddressInfo).port}/`
    const items = [item(1), item(2), item(3)]
    // The time of the silence comes when the test says so.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const target = targetOf(streams.adapter, { kind: 'websocket' })
    for (const [acknowledged, then] of [
      [2, 'goes'],
      [1, 'stays'],
      [0, 'stays'],
    ] as const) {
      const socket = new WebSocket(url)
      socket.on('message', data => {
        const { op } = JSON.parse(String(data)) as Frame
        // The answer to what is no message: what was sent before it has been read.
        if (op === 'error') vi.advanceTimersByTime(STALLED_MS)
        if (op !== 'items') return
        if (acknowledged > 0) socket.send(JSON.stringify({ op: 'ack', cursor: items[acknowledged - 1]!.cursor }))
        if (then === 'goes') socket.close()
        else socket.send('{}')
      })
      await once(socket, 'open')
      socket.send('{"op":"auth","token":"x"}')
      await once(socket, 'message')
      const closed = once(socket, 'close')
      const outcome = await target.deliver(batchOf(items), never)
      if (acknowledged > 0) expect(outcome).toMatchObject({ kind: 'partial', acknowledged })
      else expect(outcome).toMatchObject({ kind: 'retry', reason: 'timeout' })
      expect((await closed)[0]).toBe(then === 'goes' ? 1005 : 4408)
      await expect.poll(() => streams.connections()).toBe(0)
    }
    expect(await target.deliver(batchOf(items), never)).toEqual({ kind: 'away' })
    streams.close()
    web.close()
  })
})
