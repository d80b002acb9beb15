import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { embeddedConnection } from '../db/embedded/embedded-postgres.ts'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { TEST_AUDIT_KEY, TEST_SECRET_KEY, temporaryFolder, testServerAddress } from '../db/testing.ts'
import { createCryptoBox } from '../lib/crypto/crypto-box.ts'
import { sealDeviceSecret } from '../lib/crypto/secrets.ts'
import { openDatabase } from '../lib/database/database.ts'
import { freePort } from '../lib/testing/free-port.ts'
import { hashPassword } from '../modules/identity/index.ts'

// A real server process, killed with SIGKILL while 10,000 devices change their owner.

const folder = temporaryFolder('tw-owners-')
const PASSWORD = 'an-admin-password-1'
const DATABASE = 'owners_after_kill'
const DEVICES = 10_000
/** Only against hanging. */
const LONG_MS = 240_000
const running: ChildProcess[] = []
let env: NodeJS.ProcessEnv
let sql: pg.Client

async function connected(database: string): Promise<pg.Client> {
  const client = new pg.Client(embeddedConnection(await testServerAddress(), 'postgres', database))
  // Ended with the database when a test fails.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

beforeAll(async () => {
  const at = await testServerAddress()
  const client = await connected('postgres')
  await client.query(`create database ${DATABASE}`)
  await client.end()
  const dataDir = join(folder.path, 'd')
  mkdirSync(dataDir)
  env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DATA_DIR: dataDir,
    DATABASE_URL: `postgresql://postgres@${encodeURIComponent(at.socketDir)}:${at.port}/${DATABASE}`,
    ADMIN_PASSWORD: PASSWORD,
    SECRET_KEY: TEST_SECRET_KEY,
    DEMO: '0',
    LOG_FORMAT: 'json',
    ...Object.fromEntries(['MQTTS', 'TCP', 'UDP', 'COAP'].map(name => [`${name}_PORT`, '0'])),
    HTTP_PORT: String(await freePort()),
    MQTT_PORT: String(await freePort()),
  }
  sql = await connected(DATABASE)
}, 60_000)
afterAll(async () => {
  for (const child of running.splice(0)) await end(child)
  await sql?.end()
  folder.remove()
  const client = await connected('postgres')
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

/** The server ends in the middle of a word, and another one starts. */
async function killAndStart(): Promise<void> {
  const child = running.pop()!
  child.kill('SIGKILL')
  await gone(child)
  // The lease of a task is 30 s, counted from its last sign of life; here it is over.
  await sql.query(`update tasks set lease_until = now() - interval '1 second' where state = 'running'`)
  await start()
}

async function signIn(username: string): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${env.HTTP_PORT}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD }),
  })
  const { access_token } = (await reply.json()) as { access_token: string }
  await api(access_token, '/security/proof', { method: 'password', password: PASSWORD })
  return access_token
}

async function api<T>(token: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${env.HTTP_PORT}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

const PUMP = {
  name: 'Pump',
  linkType: 'mqtt',
  thingModel: { properties: [{ identifier: 't', name: 't', dataType: { type: 'double' }, access: 'r' }] },
}

/** A second company, whose owner signs in as `taker`. */
async function otherCompany(): Promise<string> {
  const connection = embeddedConnection(await testServerAddress(), 'postgres', DATABASE)
  const access = { app: connection, system: connection, telemetry: connection }
  const database = openDatabase(access, () => undefined, TEST_AUDIT_KEY)
  const passwordHash = await hashPassword(PASSWORD)
  await database.withSystemScope('seed', scope =>
    seedCompany(scope, {
      name: 'Takes',
      owner: { username: 'taker', passwordHash, displayName: 'Taker', kind: 'member' },
    }),
  )
  await database.close()
  return signIn('taker')
}

/** A product of 10,000 devices: one is made by the API, the others are like it, each with a secret of its own. */
async function fleet(token: string, name: string): Promise<{ productId: string; prefix: string }> {
  const { id: productId } = await api<{ id: string }>(token, '/products', { ...PUMP, name })
  const prefix = `${name.toLowerCase()}-`
  const { id } = await api<{ id: string }>(token, '/devices', { productId, name: `${name} 1`, deviceNo: `${prefix}1` })
  await sql.query(
    `insert into devices (id, tenant_id, product_id, product_num, device_no, name, secret_hash, secret_cipher, created_by)
     select gen_random_uuid(), d.tenant_id, d.product_id, d.product_num, $2 || n, $3 || ' ' || n, d.secret_hash, d.secret_cipher, d.created_by
     from devices d, generate_series(2, $4::int) n where d.id = $1`,
    [id, prefix, name, DEVICES],
  )
  const box = createCryptoBox(TEST_SECRET_KEY, 'device-secret')
  const { rows } = await sql.query('select id from devices where product_id = $1', [productId])
  const ids = rows.map(row => row.id as string)
  const sealed = ids.map(device => sealDeviceSecret(box, device, `secret of ${device}`))
  await sql.query(
    `update devices d set secret_hash = v.hash, secret_cipher = v.cipher from unnest($1::uuid[], $2::bytea[], $3::bytea[]) as v (id, hash, cipher)
     where d.id = v.id`,
    [ids, sealed.map(({ hash }) => hash), sealed.map(({ cipher }) => cipher)],
  )
  return { productId, prefix }
}

/** Looks again and again how many owners each device has, until it is told to stop; every finding is kept. */
function watcher(prefix: string, column: 'tenant_id' | 'owner_id') {
  const wrong: string[] = []
  let looked = 0
  let mixed = 0
  let on = true
  const done = (async () => {
    const own = await connected(DATABASE)
    while (on) {
      const { rows } = await own.query(
        `select count(*)::int as devices, count(distinct device_no)::int as numbers, count(distinct coalesce(${column}::text, ''))::int as owners
         from devices where starts_with(device_no, $1) and recycled_at is null`,
        [prefix],
      )
      const { devices, numbers, owners } = rows[0]
      if (devices !== DEVICES || numbers !== DEVICES) wrong.push(`${devices} rows of ${numbers} devices`)
      if (owners > 1) mixed++
      looked++
    }
    await own.end()
  })()
  return {
    async stop() {
      on = false
      await done
      return { wrong, looked, mixed }
    },
  }
}

/** How far a task is; it was seen to have begun and not to have ended. */
async function inTheMiddle(moved: () => Promise<number>): Promise<number> {
  let count = 0
  await expect
    .poll(
      async () => {
        count = await moved()
        return count
      },
      { timeout: LONG_MS, interval: 20 },
    )
    .toBeGreaterThan(0)
  return count
}

const count = async (text: string, values: unknown[]): Promise<number> => (await sql.query(text, values)).rows[0].n

describe('10,000 devices and kill -9 in the middle', () => {
  it(
    'go to another company: each has one company at every moment, and all of them arrive',
    async () => {
      if (running.length === 0) await start()
      const giver = await signIn('admin')
      const { productId, prefix } = await fleet(giver, 'Leaving')
      const { code, id } = await api<{ code: string; id: string }>(giver, '/company-transfers', {
        target: { filter: { productId } },
      })
      const taker = await otherCompany()
      const { id: into } = await api<{ id: string }>(taker, '/products', { ...PUMP, name: 'Arriving' })
      const watch = watcher(prefix, 'tenant_id')
      await api(taker, '/company-transfers/accept', { code, products: [{ from: productId, to: into }] })
      const arrived = () =>
        count('select count(*)::int as n from devices where product_id = $1 and starts_with(device_no, $2)', [
          into,
          prefix,
        ])
      const before = await inTheMiddle(arrived)
      expect(before).toBeLessThan(DEVICES)
      await killAndStart()
      const taken = await signIn('taker')
      await expect
        .poll(async () => (await api<{ state: string }>(taken, `/company-transfers/${id}`)).state, {
          timeout: LONG_MS,
          interval: 500,
        })
        .toBe('done')
      const seen = await watch.stop()
      expect(seen.wrong).toEqual([])
      // It looked while some were here and some there.
      expect(seen.mixed).toBeGreaterThan(0)
      expect(await arrived()).toBe(DEVICES)
      expect(await api(taken, `/company-transfers/${id}`)).toMatchObject({ total: DEVICES, moved: DEVICES, failed: 0 })
      const left = await count(
        `select count(*)::int as n from audit_logs where action = 'device.leave' and after ->> 'transferId' = $1`,
        [id],
      )
      expect(left).toBe(DEVICES)
      expect(
        await count('select count(*)::int as n from company_transfer_items where transfer_id = $1 and not settled', [
          id,
        ]),
      ).toBe(0)
    },
    4 * LONG_MS,
  )

  it(
    'go to an end user of the company: each has one owner at every moment and one record',
    async () => {
      if (running.length === 0) await start()
      const owner = await signIn('admin')
      const { prefix } = await fleet(owner, 'Owned')
      const make = (username: string) =>
        api<{ id: string }>(owner, '/end-users', { username, name: username, password: PASSWORD })
      const [first, second] = [await make('first'), await make('second')]
      await sql.query('update devices set owner_id = $1 where starts_with(device_no, $2)', [first.id, prefix])
      const watch = watcher(prefix, 'owner_id')
      const { taskId } = await api<{ taskId: string }>(owner, `/end-users/${first.id}/transfer`, {
        to: second.id,
        withHistory: false,
      })
      const moved = () => count('select count(*)::int as n from devices where owner_id = $1', [second.id])
      expect(await inTheMiddle(moved)).toBeLessThan(DEVICES)
      await killAndStart()
      const again = await signIn('admin')
      await expect
        .poll(async () => (await api<{ state: string }>(again, `/tasks/${taskId}`)).state, {
          timeout: LONG_MS,
          interval: 500,
        })
        .toBe('succeeded')
      const seen = await watch.stop()
      expect(seen.wrong).toEqual([])
      expect(seen.mixed).toBeGreaterThan(0)
      expect(await moved()).toBe(DEVICES)
      expect(
        await count(
          `select count(*)::int as n from devices d where starts_with(d.device_no, $1) and d.history_from is not null
             and (select count(*) from device_handovers h where h.device_id = d.id and h.to_id = $2) = 1`,
          [prefix, second.id],
        ),
      ).toBe(DEVICES)
    },
    4 * LONG_MS,
  )
})
