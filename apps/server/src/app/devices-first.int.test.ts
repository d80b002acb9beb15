import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { connectAsync } from 'mqtt'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { embeddedConnection } from '../db/embedded/embedded-postgres.ts'
import { temporaryFolder, testServerAddress } from '../db/testing.ts'
import { freePort } from '../lib/testing/free-port.ts'

const folder = temporaryFolder('tw-devices-first-')
const ADMIN = 'an-admin-password-1'
const DATABASE = 'devices_first'
/** Only against hanging. */
const LONG_MS = 280_000
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

const ready = (server: { output(): string }) =>
  expect.poll(server.output, { timeout: LONG_MS }).toContain(' is ready (')

async function api<T>(path: string, body?: object): Promise<T> {
  const http = `http://127.0.0.1:${env.HTTP_PORT}`
  const signIn = await fetch(`${http}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'password', username: 'admin', password: ADMIN }),
  })
  const { access_token: token } = (await signIn.json()) as { access_token: string }
  const response = await fetch(`${http}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  expect(response.ok, `${path}: ${response.status}`).toBe(true)
  return (await response.json()) as T
}

describe('a start', () => {
  it('lets devices in before those who read the journal can, and nothing of theirs is missed', async () => {
    const first = start()
    await ready(first)
    const product = await api<{ id: string; productKey: string }>('/products', {
      name: 'Thermometer',
      linkType: 'mqtt',
      thingModel: { properties: [{ identifier: 'n', name: 'n', dataType: { type: 'int32' }, access: 'r' }] },
    })
    const device = await api<{ id: string; deviceNo: string; deviceSecret: string }>('/devices', {
      productId: product.id,
      name: 'One',
    })
    await end(first.child)

    // Consumers can say where they are only when this is over: as long as if they had very much to read.
    const holder = await asAdministrator()
    await holder.query('begin; lock table consumer_cursors in exclusive mode')
    const second = start()
    const isIn = () =>
      connectAsync(`mqtt://127.0.0.1:${mqtt}`, {
        username: `${product.productKey}/${device.deviceNo}`,
        password: device.deviceSecret,
        reconnectPeriod: 0,
      }).then(
        async client => {
          await client.publishAsync(`things/${product.productKey}/${device.deviceNo}/property/post`, '{"n":42}', {
            qos: 1,
          })
          await client.endAsync()
          return 'acknowledged'
        },
        (error: Error) => error.message,
      )
    await expect.poll(isIn, { timeout: LONG_MS }).toBe('acknowledged')
    expect(second.output()).not.toContain(' is ready (')
    await holder.query('rollback')
    await holder.end()

    await ready(second)
    await expect
      .poll(() => api(`/devices/${device.id}/properties`))
      .toMatchObject({ items: expect.arrayContaining([expect.objectContaining({ identifier: 'n', value: 42 })]) })
    const reader = await asAdministrator()
    const behind = async () =>
      (
        await reader.query(
          `select consumer from consumer_cursors c where consumer not in ('store', 'latest')
             and seq < (select max(seq) from journal j where j.lane = c.lane)`,
        )
      ).rows
    await expect.poll(behind, { timeout: LONG_MS }).toEqual([])
    await reader.end()
  })
})
