import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import { embeddedConnection } from '../../db/embedded/embedded-postgres.ts'
import { temporaryFolder, testServerAddress } from '../../db/testing.ts'
import { freePort } from '../../lib/testing/free-port.ts'

const ADMIN = 'an-admin-password-1'
/** Only against hanging. */
export const LONG_MS = 120_000

const gone = (child: ChildProcess) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise<void>(resolve => child.once('exit', () => resolve()))

/**
 * A server in a process of its own, on a database and a folder that outlive it: it can be killed and started again.
 * @param database a name that no other test has
 */
export async function serverProcess(database: string, settings: Record<string, string> = {}) {
  const folder = temporaryFolder(`tw-${database}-`)
  const at = await testServerAddress()
  const running: ChildProcess[] = []
  const asAdministrator = async (name = database): Promise<pg.Client> => {
    const client = new pg.Client(embeddedConnection(await testServerAddress(), 'postgres', name))
    // Ended with the database when a test fails.
    client.on('error', () => undefined)
    await client.connect()
    return client
  }
  const first = await asAdministrator('postgres')
  await first.query(`create database ${database}`)
  await first.end()
  const dataDir = join(folder.path, 'd')
  mkdirSync(dataDir)
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DATA_DIR: dataDir,
    DATABASE_URL: `postgresql://postgres@${encodeURIComponent(at.socketDir)}:${at.port}/${database}`,
    ADMIN_PASSWORD: ADMIN,
    DEMO: '0',
    LOG_FORMAT: 'json',
    ...Object.fromEntries(['MQTTS', 'TCP', 'UDP', 'COAP'].map(name => [`${name}_PORT`, '0'])),
    HTTP_PORT: String(await freePort()),
    MQTT_PORT: String(await freePort()),
    ...settings,
  }
  const tokens = new Map<string, string>()
  return {
    env,
    asAdministrator,
    /** Starts it and waits until it is ready. */
    async start(): Promise<void> {
      const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, '../../main.ts')], {
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
    },
    /** kill -9 */
    async kill(): Promise<void> {
      for (const child of running.splice(0)) {
        child.kill('SIGKILL')
        await gone(child)
      }
    },
    async api<T>(
      path: string,
      body?: object,
      method = body ? 'POST' : 'GET',
      as = 'admin',
      password = ADMIN,
    ): Promise<T> {
      const http = `http://127.0.0.1:${env.HTTP_PORT}`
      if (!tokens.has(as)) {
        const reply = await fetch(`${http}/oauth/token`, {
          method: 'POST',
          headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
          body: new URLSearchParams({ grant_type: 'password', username: as, password }),
        })
        tokens.set(as, ((await reply.json()) as { access_token: string }).access_token)
      }
      const response = await fetch(`${http}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${tokens.get(as)}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return (await response.json()) as T
    },
    /** Removes everything. Killed, not asked to end: after a failed test it may wait for a lock that the test holds. */
    async end(): Promise<void> {
      for (const child of running.splice(0)) {
        child.kill('SIGKILL')
        await gone(child)
      }
      folder.remove()
      const client = await asAdministrator('postgres')
      await client.query(`drop database ${database} with (force)`)
      await client.end()
    },
  }
}
