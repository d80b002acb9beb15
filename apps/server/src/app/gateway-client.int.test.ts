import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, createServer, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { connectAsync } from 'mqtt'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant, type ProductFixture } from '../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { DEVICE_FRAMES } from '../ingest/channel/device-frames.ts'
import type { GatewayStart, PortRequest } from '../ingest/channel/ipc.ts'
import { decodeBatch } from '../ingest/feed.ts'
import { deviceRequest, gatewayStart, mqttDevice, topicOf } from '../ingest/process/testing.ts'
import { newId } from '../lib/ids.ts'
import { silentLogger } from '../lib/log.ts'
import type { ChangedCommand } from '../lib/news.ts'
import { freePort } from '../lib/testing/free-port.ts'
import { createGatewayClient, type GatewayClient, GatewayStartError } from './gateway-client.ts'

let db: TestDatabase
let product: ProductFixture
let device: DeviceFixture
const ends: (() => Promise<unknown> | unknown)[] = []

beforeAll(async () => {
  db = await testDatabase()
  product = await insertProduct(db.superuser, await insertTenant(db.superuser))
  device = await insertDevice(db.superuser, product)
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** The API process's front door with a gateway process behind it. */
async function world(over: Partial<GatewayStart> = {}, beatMs?: number) {
  const { remove, ...start } = gatewayStart(db)
  ends.push(remove)
  // It comes back on these after a kill, while other tests run.
  for (const request of [start.mqtt, start.mqtts, start.tcp, start.udp, start.coap]) request.port = await freePort()
  const batches: Buffer[] = []
  const changed: ChangedCommand[] = []
  const client = createGatewayClient({
    start: { ...start, ...over },
    logger: silentLogger,
    ...(beatMs === undefined ? {} : { beatMs }),
  })
  ends.push(() => client.stop())
  const ports = await client.start({
    batch: buffer => void batches.push(buffer),
    commandsChanged: rows => void changed.push(...rows),
  })
  const front = createServer((request, response) => client.proxyRequest(request, response))
  front.on('upgrade', (request, socket, head) => client.proxyUpgrade(request, socket, head))
  const at = { host: '127.0.0.1', port: await listen(front) }
  ends.push(() => {
    front.closeAllConnections()
    front.close()
  })
  return { client, ports, at, batches, changed }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const post = (at: { host: string; port: number }, value: number, agent?: Agent) =>
  deviceRequest(at, device, 'property', { body: `{"count":${value}}`, ...(agent ? { agent } : {}) })

async function stored(): Promise<number[]> {
  const { rows } = await db.superuser.query<{ count: number }>(
    `select (values ->> 'count')::int as count from journal where kind = 1 and values ->> 'count' is not null`,
  )
  return rows.map(row => row.count)
}

const up = (client: GatewayClient) => expect.poll(() => client.ready()).toBe(true)

describe('gateway process', () => {
  it('takes devices over HTTP, MQTT and MQTT over WebSocket behind one front door, and feeds the consumers', async () => {
    const { client, ports, at, batches } = await world()
    expect(await post(at, 1)).toMatchObject({ status: 200 })
    expect(await deviceRequest(at, device, 'nowhere')).toMatchObject({
      status: 404,
      body: { code: 'device_path.unknown_path' },
    })
    const plain = await mqttDevice(ports.mqtt, device)
    await plain.publishAsync(topicOf(device, 'property/post'), '{"count":2}', { qos: 1 })
    await expect.poll(() => client.session(device.num)).toMatchObject({ transport: 'mqtt' })
    await plain.endAsync()
    const socket = await mqttDevice(0, device, { protocol: 'ws', host: at.host, port: at.port, path: '/mqtt' })
    await socket.publishAsync(topicOf(device, 'property/post'), '{"count":3}', { qos: 1 })
    const here = { transport: 'mqtt-ws', address: expect.stringMatching(/^127\.0\.0\.1:\d+$/) }
    await expect.poll(() => client.session(device.num)).toMatchObject(here)
    await socket.endAsync()
    expect((await stored()).sort()).toEqual([1, 2, 3])
    const fed = () =>
      batches
        .flatMap(b => decodeBatch(b).rows)
        .filter(row => row.kind === 1)
        .map(row => row.values)
    await expect.poll(fed).toEqual(['{"count":1}', '{"count":2}', '{"count":3}'])
    await expect.poll(() => client.metrics()).toMatchObject({ gateway_uplinks_stored: 3, gateway_sign_ins: 3 })
  })

  it('keeps the channel of the front door from everybody else', async () => {
    const { at } = await world()
    const socket = connect(at)
    let got = ''
    socket.on('data', data => {
      got += data
    })
    socket.write(`GET /mqtt HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${DEVICE_FRAMES}\r\n\r\n`)
    await expect.poll(() => got).toMatch(/^HTTP\/1\.1 \d{3} /)
    socket.destroy()
    expect(got).not.toMatch(/^HTTP\/1\.1 101 /)
  })

  it('refuses a body that is too large on a connection that can go on, and cuts one without end', async () => {
    const { at } = await world()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    ends.push(() => agent.destroy())
    const send = (body: Buffer | string) => deviceRequest(at, device, 'property', { body, agent })
    expect(await send(Buffer.alloc(200_000, 0x20))).toMatchObject({
      status: 413,
      headers: { connection: 'keep-alive' },
      body: { code: 'request.too_large' },
    })
    expect(await send('{"count":4}')).toMatchObject({ status: 200, headers: { connection: 'keep-alive' } })
    const endless = await send(Buffer.alloc(20_000_000, 0x20)).catch((error: NodeJS.ErrnoException) => error.code)
    expect(['ECONNRESET', 'EPIPE', 413]).toContain(typeof endless === 'object' ? endless.status : endless)
  })

  it('brings commands to a poll at the front door, and keeps them for the next when the device hangs up', async () => {
    const { client, at, changed } = await world()
    const queue = async () => {
      const id = newId()
      await db.superuser.query(
        `insert into commands (id, tenant_id, device_id, device, kind, params, expires_at)
         values ($1, $2, $3, $4, 'property_set', '{"switch":true}', now() + interval '1 day')`,
        [id, device.tenantId, device.id, device.num],
      )
      client.wake([device.num])
      return id
    }
    const held = deviceRequest(at, device, 'commands?wait=30')
    await expect.poll(() => client.session(device.num)).toMatchObject({ transport: 'http' })
    const first = await queue()
    expect((await held).body).toMatchObject({ commands: [{ id: first }] })
    await expect.poll(() => changed.map(c => c.id)).toContain(first)

    const agent = new Agent()
    const given = deviceRequest(at, device, 'commands?wait=30', { agent }).catch((error: Error) => error)
    const messages = async () => (await client.session(device.num))?.messagesOut
    await expect.poll(messages).toBeTypeOf('number')
    const before = await messages()
    await expect.poll(async () => (await client.metrics())?.gateway_polls_state).toBe(1)
    agent.destroy()
    expect(await given).toBeInstanceOf(Error)
    await expect.poll(async () => (await client.metrics())?.gateway_polls_state).toBe(0)
    const second = await queue()
    expect((await deviceRequest(at, device, 'commands')).body).toMatchObject({ commands: [{ id: second }] })
    await expect.poll(messages).toBe(before! + 1)
  })

  it('comes back on the same ports after kill -9; nothing acknowledged is lost, and the front door says 503 meanwhile', async () => {
    const { client, ports, at } = await world()
    const acknowledged: number[] = []
    const agent = new Agent({ keepAlive: true })
    ends.push(() => agent.destroy())
    let next = 1_000
    let unavailable = 0
    let stop = false
    const send = async () => {
      while (!stop) {
        const value = next++
        const answer = await post(at, value, agent).catch(() => null)
        if (answer?.status === 200) acknowledged.push(value)
        if (answer?.status === 503) unavailable++
        if (answer?.status !== 200) await new Promise(resolve => setTimeout(resolve, 5))
      }
    }
    const senders = Array.from({ length: 8 }, send)
    for (let kill = 0; kill < 2; kill++) {
      const before = acknowledged.length
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 200)
      process.kill(client.pid()!, 'SIGKILL')
      await expect.poll(() => client.ready()).toBe(false)
      await up(client)
    }
    const after = acknowledged.length
    await expect.poll(() => acknowledged.length).toBeGreaterThan(after + 100)
    stop = true
    await Promise.all(senders)
    const kept = new Set(await stored())
    expect(acknowledged.filter(value => !kept.has(value))).toEqual([])
    expect(unavailable).toBeGreaterThan(0)
    const again = await mqttDevice(ports.mqtt, device)
    await again.endAsync()
  })

  it('hands the queue of a subscription to its account’s client; what was not acknowledged at a kill -9 comes again', async () => {
    const { client, ports } = await world()
    const id = newId()
    await db.superuser.query(
      `insert into subscriptions (id, tenant_id, name, kinds, target_kind, target, password_hash)
       values ($1, $2, 'Receiver', '{property}', 'mqtt', '{"kind":"mqtt"}', sha256('right'))`,
      [id, device.tenantId],
    )
    let ready = 0
    ends.push(client.onSubscriberReady(id, () => void ready++))
    const account = { username: `sub/${id}`, clientId: 'receiver', reconnectPeriod: 20 }
    const at = `mqtt://127.0.0.1:${ports.mqtt}`
    await expect(connectAsync(at, { ...account, password: 'wrong' }, false)).rejects.toThrow(/authorized/i)
    const receiver = await connectAsync(at, { ...account, password: 'right' })
    ends.push(() => receiver.endAsync(true))
    const got: string[] = []
    let holding = false
    receiver.handleMessage = (packet, done) => {
      got.push(String((packet as { payload: Buffer }).payload))
      // Held back: the broker gets no PUBACK for this one and what follows.
      if (!holding || got.length < 150) done()
    }
    await receiver.subscribeAsync(`subscriptions/${id}/#`, { qos: 1 })
    await expect.poll(() => ready).toBe(1)
    const never = new AbortController().signal
    const flow = newId()
    const messages = Array.from({ length: 100 }, (_, n) => ({
      key: n,
      topic: `subscriptions/${id}/property/${device.product.productKey}/${device.deviceNo}`,
      payload: `{"n":${n}}`,
    }))
    const payloads = messages.map(({ payload }) => payload)
    const wholly = async () => {
      for (let done = 0; done < messages.length; ) {
        const answer = await client.deliver(id, flow, messages.slice(done), never)
        if (answer.kind !== 'acknowledged') throw new Error(answer.kind)
        done += answer.acknowledged
      }
    }
    await wholly()
    expect(got).toEqual(payloads)

    holding = true
    const interrupted = client.deliver(id, flow, messages, never)
    await expect.poll(() => got.length).toBeGreaterThanOrEqual(150)
    process.kill(client.pid()!, 'SIGKILL')
    // Nobody says how far it came: the queue begins again where it knows it is.
    expect(await interrupted).toEqual({ kind: 'away' })
    holding = false
    got.length = 0
    await up(client)
    // Once for each connection that can take messages, whatever attempts to start went before.
    await expect.poll(() => ready).toBe(2)
    await wholly()
    expect(got.slice(-100)).toEqual(payloads)
    const closed = new Promise<void>(resolve => receiver.once('close', () => resolve()))
    client.kickSubscriber(id)
    await closed
  })

  it('loses no command of a session that outlives connections when it is killed in the middle, and keeps their order', async () => {
    const { client, ports } = await world()
    const devices = await Promise.all(Array.from({ length: 5 }, () => insertDevice(db.superuser, product)))
    const received = new Map<string, string[]>(devices.map(d => [d.deviceNo, []]))
    const count = () => [...received.values()].reduce((sum, ids) => sum + ids.length, 0)
    for (const d of devices) {
      const mqtt = await mqttDevice(ports.mqtt, d, { clean: false, reconnectPeriod: 50 })
      ends.push(() => mqtt.endAsync(true))
      mqtt.on('message', (_topic, payload) => {
        received.get(d.deviceNo)!.push((JSON.parse(payload.toString()) as { id: string }).id)
      })
      await mqtt.subscribeAsync(topicOf(d, '#'), { qos: 1 })
    }
    await db.superuser.query(
      `insert into commands (id, tenant_id, device_id, device, kind, identifier, timeout_ms, expires_at)
       select gen_random_uuid(), tenant_id, id, num, 'service', 'restart', 600000, now() + interval '1 day'
       from devices, generate_series(1, 60) where num = any ($1) order by num`,
      [devices.map(d => d.num)],
    )
    client.wake(devices.map(d => d.num))
    await expect.poll(count, { interval: 1 }).toBeGreaterThan(20)
    process.kill(client.pid()!, 'SIGKILL')
    const done = async () =>
      (
        await db.superuser.query<{ state: string; count: number }>(
          'select state, count(*)::int as count from commands where device = any ($1) group by state',
          [devices.map(d => d.num)],
        )
      ).rows
    await expect.poll(done).toEqual([{ state: 'delivered', count: 300 }])
    for (const d of devices) {
      const { rows } = await db.superuser.query<{ id: string }>(
        'select id from commands where device = $1 order by position',
        [d.num],
      )
      // A command may come twice around the kill; its first arrival counts.
      expect([...new Set(received.get(d.deviceNo))]).toEqual(rows.map(row => row.id))
    }
  })

  it('stores and acknowledges what it has taken before it stops', async () => {
    const { client, at } = await world()
    const answers = Array.from({ length: 50 }, (_, i) => post(at, 50_000 + i))
    await Promise.race(answers)
    await client.stop()
    const statuses = (await Promise.allSettled(answers)).map(a => (a.status === 'fulfilled' ? a.value.status : 0))
    const kept = new Set(await stored())
    statuses.forEach((status, i) => {
      if (status === 200) expect(kept.has(50_000 + i)).toBe(true)
    })
    expect(statuses.filter(status => status === 200).length).toBeGreaterThan(0)
    expect(await post(at, 1)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { code: 'server.unavailable' },
    })
    expect(await client.session(device.num)).toBeNull()
  })

  it('counts as dead while it does not answer, and is ended and started again when it hangs for long', async () => {
    const { client, at } = await world({}, 100)
    expect(await post(at, 1)).toMatchObject({ status: 200 })
    expect(client.alive()).toBe(true)
    const first = client.pid()!
    process.kill(first, 'SIGSTOP')
    await expect.poll(() => client.alive()).toBe(false)
    process.kill(first, 'SIGCONT')
    await expect.poll(() => client.alive()).toBe(true)
    expect(client.pid()).toBe(first)
    process.kill(first, 'SIGSTOP')
    await expect.poll(() => client.ready() && client.pid() !== first).toBe(true)
    await expect.poll(() => client.alive()).toBe(true)
    await expect.poll(async () => (await post(at, 2)).status).toBe(200)
    expect((await stored()).filter(value => value < 3).length).toBeGreaterThan(0)
  })

  it('names the variable of a busy port that was asked for, and takes the next one otherwise', async () => {
    const other = createTcpServer()
    const port = await listen(other as unknown as Server)
    ends.push(() => other.close())
    const wanted = (explicit: boolean): PortRequest => ({ variable: 'MQTT_PORT', port, explicit })
    const refused = await world({ mqtt: wanted(true) }).catch(error => error as GatewayStartError)
    expect(refused).toBeInstanceOf(GatewayStartError)
    expect((refused as GatewayStartError).failure).toEqual({ kind: 'port_busy', variable: 'MQTT_PORT', port })
    expect((refused as Error).message).toBe(`MQTT_PORT: port ${port} is in use by another program`)
    const { ports } = await world({ mqtt: wanted(false) })
    expect(ports.mqtt).toBeGreaterThan(port)
    expect(ports.mqtt).toBeLessThan(port + 50)
  })

  it('ends by itself when its parent is gone, and ignores the terminal’s Ctrl-C', async () => {
    const { remove, ...start } = gatewayStart(db)
    ends.push(remove)
    const child = fork(fileURLToPath(new URL('../ingest/gateway.main.ts', import.meta.url)), [], {
      serialization: 'advanced',
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const exited = once(child, 'exit')
    const said: unknown[] = []
    child.on('message', message => said.push(message))
    child.send({ type: 'start', options: start })
    await expect.poll(() => said).toContainEqual(expect.objectContaining({ type: 'ready' }))
    child.kill('SIGINT')
    child.kill('SIGTERM')
    child.send({ type: 'ask', id: 1, question: { metrics: true } })
    await expect.poll(() => said).toContainEqual(expect.objectContaining({ type: 'answer', id: 1 }))
    child.disconnect()
    expect(await exited).toEqual([0, null])
  })
})
