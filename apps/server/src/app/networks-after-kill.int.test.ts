import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type CmccCarrier, startCmcc } from '../../../../tools/simulators/carrier-cmcc/carrier-cmcc.ts'
import { type ChirpStackSimulator, startChirpStack } from '../../../../tools/simulators/chirpstack/chirpstack.ts'
import { embeddedConnection } from '../db/embedded/embedded-postgres.ts'
import { temporaryFolder, testServerAddress } from '../db/testing.ts'
import { freePort } from '../lib/testing/free-port.ts'

// A real server process, killed with SIGKILL in the middle of long work at a carrier and at a network server. What the
// issues ask for is 10,000 of each: `AFTER_KILL_ROWS=10000`. The usual run does less of the same.

const ROWS = Number(process.env.AFTER_KILL_ROWS ?? 600)
/** Cards that the carrier lets be asked for in a second. */
const PER_SECOND = 100
const folder = temporaryFolder('tw-networks-kill-')
const ADMIN = 'an-admin-password-1'
const DATABASE = 'networks_after_kill'
/** Only against hanging. */
const LONG_MS = 120_000 + ROWS * 60
const running: ChildProcess[] = []
let carrier: CmccCarrier
let chirpstack: ChirpStackSimulator
let env: NodeJS.ProcessEnv
let sql: pg.Client

async function asAdministrator(database: string): Promise<pg.Client> {
  const client = new pg.Client(embeddedConnection(await testServerAddress(), 'postgres', database))
  // Ended with the database when a test fails.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

beforeAll(async () => {
  const at = await testServerAddress()
  const client = await asAdministrator('postgres')
  await client.query(`create database ${DATABASE}`)
  await client.end()
  sql = await asAdministrator(DATABASE)
  carrier = await startCmcc({ count: ROWS })
  chirpstack = await startChirpStack()
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
    OUTBOUND_ALLOW: '127.0.0.1/32',
    ...Object.fromEntries(['MQTTS', 'TCP', 'UDP', 'COAP'].map(name => [`${name}_PORT`, '0'])),
    HTTP_PORT: String(await freePort()),
    MQTT_PORT: String(await freePort()),
  }
})
afterEach(async () => {
  for (const child of running.splice(0)) await end(child)
})
afterAll(async () => {
  await sql?.end()
  await carrier.close()
  await chirpstack.close()
  folder.remove()
  const client = await asAdministrator('postgres')
  await client.query(`drop database ${DATABASE} with (force)`)
  await client.end()
})

/** Starts a server on the folder and database of this file, and waits until it is ready. */
async function start(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, '../main.ts')], {
    cwd: import.meta.dirname,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', data => {
      said += data
    })
  await expect.poll(() => said.includes(' is ready (') || child.exitCode !== null, { timeout: LONG_MS }).toBe(true)
  expect(child.exitCode, said).toBe(null)
  return child
}

const gone = (child: ChildProcess) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise<void>(resolve => child.once('exit', () => resolve()))

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await gone(child)
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await gone(child)
}

let signedIn: string | undefined
async function api<T>(path: string, body?: object): Promise<T> {
  const http = `http://127.0.0.1:${env.HTTP_PORT}`
  if (!signedIn) {
    const reply = await fetch(`${http}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'password', username: 'admin', password: ADMIN }),
    })
    signedIn = ((await reply.json()) as { access_token: string }).access_token
  }
  const form = body instanceof FormData
  const response = await fetch(`${http}/api/v1${path}`, {
    method: body ? (path.endsWith('/lora') ? 'PUT' : 'POST') : 'GET',
    headers: { authorization: `Bearer ${signedIn}`, ...(form ? {} : { 'content-type': 'application/json' }) },
    ...(body ? { body: form ? body : JSON.stringify(body) } : {}),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

function table(fields: Record<string, string>, lines: readonly string[]): FormData {
  const form = new FormData()
  for (const [key, value] of Object.entries(fields)) form.append(key, value)
  form.append('file', new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' }), 'table.csv')
  return form
}

const task = async (id: string) => {
  const { rows } = await sql.query('select state, done, total, summary from tasks where id = $1', [id])
  return rows[0] as { state: string; done: number; total: number; summary: Record<string, number> }
}
async function ended(id: string): Promise<void> {
  const open = ['queued', 'running']
  await expect.poll(async () => open.includes((await task(id)).state), { timeout: LONG_MS, interval: 200 }).toBe(false)
  expect((await task(id)).state).toBe('succeeded')
}
const one = async <T>(text: string): Promise<T> => (await sql.query(text)).rows[0] as T

describe('the work that a killed server left', { timeout: LONG_MS * 3 }, () => {
  it('at a carrier: every card is asked for once, no faster than the carrier allows', async () => {
    const first = await start()
    const { id } = await api<{ id: string }>('/carriers', {
      name: 'Cards',
      kind: 'onelink',
      baseUrl: carrier.url,
      account: '100002000000',
      password: 'simulated',
      perSecond: PER_SECOND,
    })
    const lines = carrier.cards.map(({ iccid }) => iccid)
    await api('/sim-cards/import', table({ connectionId: id }, ['ICCID', ...lines]))
    carrier.statesAsked.clear()
    const began = Date.now()
    const { taskId } = await api<{ taskId: string }>(`/carriers/${id}/sync`, {})
    await expect.poll(() => carrier.statesAsked.size, { timeout: LONG_MS }).toBeGreaterThan(ROWS * 0.4)
    await kill(first)
    const atKill = carrier.statesAsked.size
    const worked = Date.now() - began
    expect(atKill).toBeLessThan(ROWS)
    expect(atKill).toBeLessThanOrEqual((worked / 1_000) * PER_SECOND + 1)
    const again = Date.now()
    await start()
    await ended(taskId)
    expect(ROWS - atKill).toBeLessThanOrEqual(((Date.now() - again) / 1_000) * PER_SECOND + 1)
    const asked = [...carrier.statesAsked.values()]
    expect(asked).toHaveLength(ROWS)
    // The one that was asked for when the process ended may have been asked for again.
    expect(asked.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(ROWS + 1)
    expect(
      await one(`select count(*)::int as cards, count(distinct iccid)::int as numbers,
      count(*) filter (where state <> 'unsynced' and synced_at is not null and sync_fault is null)::int as known
      from sim_cards`),
    ).toEqual({ cards: ROWS, numbers: ROWS, known: ROWS })
    expect(carrier.faults).toEqual([])
  })

  it('at ChirpStack: every device of a table is made once, here and there, with its own keys', async () => {
    const first = await start()
    const { id: connectionId } = await api<{ id: string }>('/lora/connections', {
      name: 'LoRa',
      url: chirpstack.url,
      remoteTenantId: chirpstack.tenantId,
      apiKey: chirpstack.apiKey,
    })
    const profile = await api<{ id: string }>('/lora/profiles', { connectionId, name: 'Meter', region: 'CN470' })
    const product = await api<{ id: string }>('/products', {
      name: 'LoRa meter',
      linkType: 'lorawan',
      thingModel: { properties: [{ identifier: 't', name: 't', dataType: { type: 'double' }, access: 'r' }] },
    })
    const applicationId = chirpstack.things.applications[0]!.id
    await api(`/products/${product.id}/lora`, { connectionId, applicationId, profileId: profile.id })
    const hex = (n: number, length: number) => n.toString(16).padStart(length, '0')
    const keys = new Map(Array.from({ length: ROWS }, (_, n) => [`70b3d5${hex(n, 10)}`, hex(n + 1, 32)]))
    const lines = [...keys].map(([eui, key]) => `${eui},Meter ${eui},${key}`)
    const { taskId } = await api<{ taskId: string }>(
      '/lora/devices/import',
      table({ productId: product.id }, ['DevEUI,Name,AppKey', ...lines]),
    )
    await expect.poll(() => chirpstack.devices.size, { timeout: LONG_MS }).toBeGreaterThan(ROWS * 0.4)
    await kill(first)
    expect(chirpstack.devices.size).toBeLessThan(ROWS)
    await start()
    await ended(taskId)
    expect(await task(taskId)).toMatchObject({ done: ROWS, total: ROWS, summary: { failed: 0 } })
    // LoRaWAN 1.0: ChirpStack takes the AppKey in the field of the network key.
    expect(new Map([...chirpstack.devices].map(([eui, { keys: there }]) => [eui, there?.nwkKey]))).toEqual(keys)
    expect(
      await one(`select count(*)::int as made, count(distinct device_no)::int as numbers,
      (select count(*)::int from lora_keys where state = 'registered') as registered from devices`),
    ).toEqual({
      made: ROWS,
      numbers: ROWS,
      registered: ROWS,
    })
  })
})
