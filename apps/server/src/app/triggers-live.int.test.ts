import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { connectAsync } from 'mqtt'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { embeddedConnection } from '../db/embedded/embedded-postgres.ts'
import { temporaryFolder, testServerAddress } from '../db/testing.ts'
import { freePort } from '../lib/testing/free-port.ts'

const folder = temporaryFolder('tw-triggers-live-')
const ADMIN = 'an-admin-password-1'
const DATABASE = 'triggers_live'
/** Only against hanging. */
const LONG_MS = 120_000
const running: ChildProcess[] = []
let env: NodeJS.ProcessEnv
let mqtt: number

async function asAdministrator(): Promise<pg.Client> {
  const client = new pg.Client(embeddedConnection(await testServerAddress(), 'postgres', DATABASE))
  // Ended with the database when a test fails.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

beforeAll(async () => {
  const at = await testServerAddress()
  const client = new pg.Client(embeddedConnection(at, 'postgres', 'postgres'))
  await client.connect()
  await client.query(`create database ${DATABASE}`)
  await client.end()
  mqtt = await freePort()
  const dataDir = join(folder.path, 'd')
  mkdirSync(dataDir)
  env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DATA_DIR: dataDir,
    DATABASE_URL: `postgresql://postgres@${encodeURIComponent(at.socketDir)}:${at.port}/${DATABASE}`,
    ADMIN_PASSWORD: ADMIN,
    DEMO: '0',
    LOG_FORMAT: 'json',
    ...Object.fromEntries(['MQTTS', 'TCP', 'UDP', 'COAP'].map(name => [`${name}_PORT`, '0'])),
    HTTP_PORT: String(await freePort()),
    MQTT_PORT: String(mqtt),
  }
})
afterEach(async () => {
  for (const child of running.splice(0)) await end(child)
})
afterAll(async () => {
  folder.remove()
  const client = new pg.Client(embeddedConnection(await testServerAddress(), 'postgres', 'postgres'))
  await client.connect()
  await client.query(`drop database ${DATABASE} with (force)`)
  await client.end()
})

function start(): { child: ChildProcess; output(): string } {
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, '../main.ts')], {
    cwd: import.meta.dirname,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', data => {
      text += data
    })
  return { child, output: () => text }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

async function ready({ child, output }: { child: ChildProcess; output(): string }): Promise<void> {
  await expect.poll(() => output().includes(' is ready (') || child.exitCode !== null, { timeout: LONG_MS }).toBe(true)
  expect(child.exitCode, output()).toBe(null)
}

let signedIn: string | undefined

/** One sign-in for all: hashing a password for each question would slow the server down that is asked. */
async function token(http: string): Promise<string> {
  if (signedIn) return signedIn
  const signIn = await fetch(`${http}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'password', username: 'admin', password: ADMIN }),
  })
  signedIn = ((await signIn.json()) as { access_token: string }).access_token
  return signedIn
}

async function api<T>(path: string, body?: object): Promise<T> {
  const http = `http://127.0.0.1:${env.HTTP_PORT}`
  const response = await fetch(`${http}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${await token(http)}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  expect(response.ok, `${path}: ${response.status}`).toBe(true)
  return (await response.json()) as T
}

interface Made {
  id: string
  productKey: string
  deviceNo: string
  deviceSecret: string
}
interface Alarms {
  items: {
    id: string
    active: boolean
    acknowledged: boolean
    count: number
    raiseValues: { property: string; value: unknown }[]
  }[]
}

async function publish(device: Made, productKey: string, values: object): Promise<void> {
  const client = await connectAsync(`mqtt://127.0.0.1:${mqtt}`, {
    username: `${productKey}/${device.deviceNo}`,
    password: device.deviceSecret,
    reconnectPeriod: 0,
  })
  await client.publishAsync(`things/${productKey}/${device.deviceNo}/property/post`, JSON.stringify(values), { qos: 1 })
  await client.endAsync()
}

describe('a trigger of a running server', () => {
  it(
    'raises an alarm from a message over MQTT, told live, and once over a kill -9',
    async () => {
      const first = start()
      await ready(first)
      const product = await api<Made>('/products', {
        name: 'Cold room',
        linkType: 'mqtt',
        thingModel: { properties: [{ identifier: 't', name: 't', dataType: { type: 'double' }, access: 'r' }] },
      })
      const device = await api<Made>('/devices', { productId: product.id, name: 'One' })
      const trigger = await api<{ id: string }>('/triggers', {
        name: 'Too warm',
        scope: { deviceIds: [device.id] },
        kind: 'above',
        property: 't',
        high: -15,
        alarm: { level: 4 },
      })
      const alarms = () => api<Alarms>(`/alarms?triggerId=${trigger.id}`)
      const live = await liveAlarms()
      await publish(device, product.productKey, { t: -15 })
      await publish(device, product.productKey, { t: -14.9 })
      await expect.poll(alarms, { timeout: LONG_MS }).toMatchObject({
        items: [{ active: true, acknowledged: false, count: 1, raiseValues: [{ value: -14.9 }] }],
      })
      await expect.poll(() => live.patches.length, { timeout: LONG_MS }).toBeGreaterThan(0)
      expect(live.patches[0]).toMatchObject({ triggerId: trigger.id, level: 4, active: true })
      live.close()
      // A device that is new has its state a moment after its first message.
      await expect.poll(() => api(`/devices/${device.id}`), { timeout: LONG_MS }).toMatchObject({ alarmLevel: 4 })
      const { id } = (await alarms()).items[0]!
      await api(`/alarms/${id}/ack`, {})
      await publish(device, product.productKey, { t: -20 })
      await expect.poll(alarms, { timeout: LONG_MS }).toMatchObject({ items: [{ active: false, acknowledged: true }] })

      // The lock keeps the alarm from being written, while the reading is stored.
      const holder = await asAdministrator()
      await holder.query('begin; lock table alarms in exclusive mode')
      await publish(device, product.productKey, { t: -3 })
      first.child.kill('SIGKILL')
      await new Promise(resolve => first.child.once('exit', resolve))
      await holder.query('rollback')
      await holder.end()
      const second = start()
      await ready(second)
      await expect.poll(alarms, { timeout: LONG_MS }).toMatchObject({
        items: [{ active: true, raiseValues: [{ value: -3 }] }, { active: false }],
      })
      await end(second.child)
      const third = start()
      await ready(third)
      await publish(device, product.productKey, { t: -2 })
      await publish(device, product.productKey, { t: -30 })
      await expect.poll(alarms, { timeout: LONG_MS }).toMatchObject({ items: [{ active: false }, { active: false }] })
      expect((await alarms()).items).toHaveLength(2)
    },
    // Three starts and five conditions; what never comes is named by its own limit.
    4 * LONG_MS,
  )
})

describe('a geofence of a running server', () => {
  it(
    'raises an alarm when a device over MQTT enters it, once over a kill -9, and clears it when the device leaves',
    async () => {
      const first = start()
      await ready(first)
      const product = await api<Made>('/products', {
        name: 'Truck',
        linkType: 'mqtt',
        thingModel: {
          properties: [{ identifier: 'position', name: 'position', dataType: { type: 'geo' }, access: 'r' }],
        },
      })
      const truck = await api<Made>('/devices', { productId: product.id, name: 'Truck 1' })
      const square = [
        [120, 30],
        [121, 30],
        [121, 31],
        [120, 31],
      ].map(([lng, lat]) => ({ lng, lat }))
      const fence = await api<{ id: string }>('/geofences', {
        name: 'Depot',
        shape: { kind: 'polygon', points: square },
      })
      const trigger = await api<{ id: string }>('/triggers', {
        name: 'At the depot',
        scope: { productIds: [product.id] },
        kind: 'general',
        condition: { type: 'geofence', fence: fence.id, when: 'enter' },
        alarm: { level: 2 },
      })
      const alarms = () => api<Alarms>(`/alarms?triggerId=${trigger.id}`)
      const drive = (lng: number) => publish(truck, product.productKey, { position: { lng, lat: 30.5 } })
      const outside = { lng: 119.9, lat: 30.5 }
      // From here on it is judged, and remembered.
      const watcher = await asAdministrator()
      const isKept = async () =>
        (await watcher.query('select packed from trigger_engine where packed is not null')).rows.some(({ packed }) =>
          gunzipSync(packed).includes(trigger.id),
        )
      await expect.poll(isKept, { timeout: LONG_MS }).toBe(true)
      await watcher.end()
      await drive(outside.lng)
      await expect
        .poll(() => api<{ items: { value: unknown }[] }>(`/devices/${truck.id}/properties`), { timeout: LONG_MS })
        .toMatchObject({ items: [{ value: outside }] })
      first.child.kill('SIGKILL')
      await new Promise(resolve => first.child.once('exit', resolve))
      const second = start()
      await ready(second)
      // That it was outside is known from before the end.
      await drive(120)
      await expect.poll(alarms, { timeout: LONG_MS }).toMatchObject({
        items: [{ active: true, count: 1, raiseValues: [{ property: 'position', value: { lng: 120, lat: 30.5 } }] }],
      })
      expect(await api(`/geofences/${fence.id}/devices`)).toMatchObject({ count: 1, items: [{ name: 'Truck 1' }] })
      await drive(121.1)
      await expect.poll(alarms, { timeout: LONG_MS }).toMatchObject({ items: [{ active: false }] })
      expect((await alarms()).items).toHaveLength(1)
    },
    4 * LONG_MS,
  )
})

/** Follows the live topic of alarms. */
async function liveAlarms(): Promise<{ patches: Record<string, unknown>[]; close(): void }> {
  const patches: Record<string, unknown>[] = []
  const signIn = await fetch(`http://127.0.0.1:${env.HTTP_PORT}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'password', username: 'admin', password: ADMIN }),
  })
  const { access_token: token } = (await signIn.json()) as { access_token: string }
  const socket = new WebSocket(`ws://127.0.0.1:${env.HTTP_PORT}/api/v1/live`)
  const subscribed = new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('message', data => {
      const message = JSON.parse(String(data)) as { op?: string; topic?: string; patch?: Record<string, unknown> }
      if (message.op === 'ready') socket.send(JSON.stringify({ op: 'subscribe', topics: ['alarms'] }))
      if (message.op === 'subscribed') resolve()
      if (message.op === 'denied') reject(new Error(String(data)))
      if (message.topic === 'alarms' && message.patch) patches.push(message.patch)
    })
  })
  socket.on('open', () => socket.send(JSON.stringify({ op: 'auth', token })))
  await subscribed
  return { patches, close: () => socket.close() }
}
