import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectAsync } from 'mqtt'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../../tools/lib/free-port.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded/embedded-postgres.ts'
import { temporaryFolder } from '../db/testing.ts'
import { ownCertificate } from '../ingest/process/certificate.ts'
import { silentLogger } from '../lib/log.ts'

const folder = temporaryFolder('tw-external-server-')
const ca = join(folder.path, 'keys', 'mqtts-cert.pem')
const ADMIN = 'an-admin-password-1'
/** What a URL must escape, what SQL must escape, and what Unicode writes in two ways. */
const PASSWORD = 'p@ss:w/rd?#[]%25 "quoted\' \\ ö密码'
let postgres: EmbeddedPostgres
let port: number
const running: ChildProcess[] = []

/** A server of somebody else's: reached over TCP with TLS only, and everybody must give a password. */
beforeAll(async () => {
  await ownCertificate(join(folder.path, 'keys'), Date.now())
  const hba = join(folder.path, 'hba.conf')
  writeFileSync(hba, 'local all postgres trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n')
  port = await freePort()
  postgres = await startEmbeddedPostgres({
    dataDir: join(folder.path, 'd'),
    logger: silentLogger,
    settings: {
      hba_file: hba,
      fsync: 'off',
      listen_addresses: '127.0.0.1',
      port: String(port),
      password_encryption: 'scram-sha-256',
      ssl: 'on',
      ssl_cert_file: ca,
      ssl_key_file: join(folder.path, 'keys', 'mqtts-key.pem'),
    },
    syncNewCluster: false,
  })
})
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }
})
afterAll(async () => {
  await postgres.stop()
  folder.remove()
})

async function asAdministrator<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ host: postgres.address.socketDir, port, user: 'postgres', database: 'postgres' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** An owner who is no superuser, and his database. */
async function customer(name: string, rights: string): Promise<URL> {
  await asAdministrator(async client => {
    const owner = client.escapeIdentifier(name)
    await client.query(`create role ${owner} login ${rights} password ${client.escapeLiteral(PASSWORD)}`)
    await client.query(`create database ${owner} owner ${owner}`)
  })
  const url = new URL(`postgresql://127.0.0.1:${port}/${encodeURIComponent(name)}?sslmode=verify-full`)
  url.username = encodeURIComponent(name)
  url.password = encodeURIComponent(PASSWORD)
  url.searchParams.set('sslrootcert', ca)
  return url
}

interface Started {
  child: ChildProcess
  dataDir: string
  env: NodeJS.ProcessEnv
  output(): string
  exited: Promise<number | null>
}

function start(databaseUrl: URL): Started {
  const dataDir = join(folder.path, randomBytes(4).toString('hex'))
  mkdirSync(dataDir)
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl.href,
    ADMIN_PASSWORD: ADMIN,
    DEMO: '0',
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'json',
    ...Object.fromEntries(['HTTP', 'MQTT', 'MQTTS', 'TCP', 'UDP', 'COAP'].map(name => [`${name}_PORT`, '0'])),
  }
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
  return {
    child,
    dataDir,
    env,
    output: () => text,
    exited: new Promise(resolve => child.once('exit', resolve)),
  }
}

/** A command beside a running server. */
function command(server: Started, file: string, ...words: string[]): Promise<{ code: number | null; says: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, file), ...words], {
    cwd: import.meta.dirname,
    env: server.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let says = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', data => {
      says += data
    })
  return new Promise(resolve => child.once('close', code => resolve({ code, says })))
}

/** Where it listens, once it is ready. */
async function ready(server: Started): Promise<{ http: string; mqtt: number }> {
  const ended = server.exited.then(code => Promise.reject(new Error(`ended with ${code}: ${server.output()}`)))
  await Promise.race([ended, expect.poll(server.output).toContain(' is ready (')])
  const run = JSON.parse(readFileSync(join(server.dataDir, 'run.json'), 'utf8'))
  return { http: run.urls.http, mqtt: run.ports.mqtt }
}

describe('the whole server on a database with a password, over TLS', () => {
  it('starts, takes a device’s message and shows its value', async () => {
    const server = start(await customer('Betrieb #7/a', 'createrole'))
    const { http, mqtt } = await ready(server)
    const signIn = await fetch(`${http}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'password', username: 'admin', password: ADMIN }),
    })
    const { access_token: token } = (await signIn.json()) as { access_token: string }
    const api = async <T>(path: string, body?: object): Promise<T> => {
      const response = await fetch(`${http}/api/v1${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      expect(response.ok, `${path}: ${response.status}`).toBe(true)
      return (await response.json()) as T
    }
    const product = await api<{ id: string; productKey: string }>('/products', {
      name: 'Thermometer',
      linkType: 'mqtt',
      thingModel: { properties: [{ identifier: 'n', name: 'n', dataType: { type: 'int32' }, access: 'r' }] },
    })
    const device = await api<{ id: string; deviceNo: string; deviceSecret: string }>('/devices', {
      productId: product.id,
      name: 'One',
    })
    const client = await connectAsync(`mqtt://127.0.0.1:${mqtt}`, {
      username: `${product.productKey}/${device.deviceNo}`,
      password: device.deviceSecret,
    })
    await client.publishAsync(`things/${product.productKey}/${device.deviceNo}/property/post`, '{"n":42}', { qos: 1 })
    await client.endAsync()
    // Written by the gateway's lane, sealed and shown by the consumers: three processes, three roles.
    await expect
      .poll(() => api(`/devices/${device.id}/properties`))
      .toMatchObject({
        items: expect.arrayContaining([expect.objectContaining({ identifier: 'n', value: 42 })]),
      })
    const connections = await asAdministrator(async admin => {
      const { rows } = await admin.query<{ usename: string; ssl: boolean }>(
        `select distinct usename, ssl from pg_stat_activity join pg_stat_ssl using (pid) where datname = 'Betrieb #7/a'`,
      )
      return rows
    })
    expect(new Set(connections.map(row => row.ssl))).toEqual(new Set([true]))
    expect(new Set(connections.map(row => row.usename.replace(/^.*_/, '')))).toEqual(
      new Set(['app', 'system', 'telemetry']),
    )
    expect(server.output()).not.toContain('database connection lost')

    const verified = await command(server, 'audit-verify.ts')
    expect(verified).toMatchObject({ code: 0, says: expect.stringMatching(/^ok /m) })
    expect(await command(server, 'reset-password.ts', 'admin')).toMatchObject({ code: 0 })
  })

  it('whose owner may make no roles ends with 1 after the SQL to run was printed', async () => {
    const server = start(await customer('no_roles', ''))
    expect(await server.exited).toBe(1)
    expect(server.output()).toContain('create role "no_roles_telemetry" login')
    expect(server.output()).not.toContain(PASSWORD)
  })

  it('whose certificate is not the one that was asked for ends with 1 and one line', async () => {
    const url = await customer('strict', 'createrole')
    url.searchParams.delete('sslrootcert')
    const server = start(url)
    expect(await server.exited).toBe(1)
    expect(server.output()).toMatch(
      /^DATABASE_URL: cannot connect to strict@127\.0\.0\.1:\d+\/strict: .*certificate.*\n$/,
    )
  })
})
