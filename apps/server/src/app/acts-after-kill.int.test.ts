import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { connectAsync } from 'mqtt'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type MailServer, startMailServer } from '../../../../tools/simulators/mail/mail-server.ts'
import { embeddedConnection } from '../db/embedded/embedded-postgres.ts'
import { temporaryFolder, testServerAddress } from '../db/testing.ts'
import { freePort } from '../lib/testing/free-port.ts'

// A real server process is killed with SIGKILL. The next process sends the messages and runs the tasks that were due.

const folder = temporaryFolder('tw-after-kill-')
const ADMIN = 'an-admin-password-1'
const DATABASE = 'after_kill'
/** Longest wait for a condition, ms; a guard against hanging, not a measurement. */
const LONG_MS = 120_000
const running: ChildProcess[] = []
let mail: MailServer
let env: NodeJS.ProcessEnv

async function asAdministrator(database = DATABASE): Promise<pg.Client> {
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
  mail = await startMailServer()
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
    MAIL_URL: `smtp://${mail.host}:${mail.port}`,
    MAIL_FROM: 'no-reply@thingwright.example',
    ...Object.fromEntries(['MQTTS', 'TCP', 'UDP', 'COAP'].map(name => [`${name}_PORT`, '0'])),
    HTTP_PORT: String(await freePort()),
    MQTT_PORT: String(await freePort()),
  }
})
afterEach(async () => {
  for (const child of running.splice(0)) await end(child)
})
afterAll(async () => {
  await mail.stop()
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
  const response = await fetch(`${http}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${signedIn}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

interface Made {
  id: string
  productKey: string
  deviceNo: string
  deviceSecret: string
}

const PUMP = {
  name: 'Pump',
  linkType: 'mqtt',
  thingModel: {
    properties: [
      { identifier: 'run', name: 'run', dataType: { type: 'bool' }, access: 'rw' },
      { identifier: 't', name: 't', dataType: { type: 'double' }, access: 'r' },
    ],
  },
}

async function report(device: Made, productKey: string, t: number): Promise<void> {
  const client = await connectAsync(`mqtt://127.0.0.1:${env.MQTT_PORT}`, {
    username: `${productKey}/${device.deviceNo}`,
    password: device.deviceSecret,
    reconnectPeriod: 0,
  })
  await client.publishAsync(`things/${productKey}/${device.deviceNo}/property/post`, JSON.stringify({ t }), { qos: 1 })
  await client.endAsync()
}

/** Head and text of a mail of one part, whatever it was encoded in. */
function textOf(raw: string): string {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  return `${head}\n\n${/^content-transfer-encoding: base64/im.test(head) ? Buffer.from(body, 'base64').toString() : body}`
}

/** A contact whose address is verified with the code that arrived. */
async function onDuty(email: string): Promise<string> {
  const { id } = await api<{ id: string }>('/contacts', { name: 'Duty', email, locale: 'en', minLevel: 1 })
  await api(`/contacts/${id}/code`, {})
  const code = /\b\d{6}\b/.exec(textOf(mail.mails.at(-1)!.raw).split('\n\n').slice(1).join())![0]
  await api(`/contacts/${id}/verify`, { code })
  return id
}

interface Records {
  items: { id: string; state: string; attempts: number; maybeTwice: boolean; kind: string }[]
}

describe('kill -9 between an alarm and its message', () => {
  it(
    'loses none: what the mail server took without an answer comes again and is marked, what was not begun comes once',
    async () => {
      const first = await start()
      const product = await api<Made>('/products', PUMP)
      const device = await api<Made>('/devices', { productId: product.id, name: 'One' })
      await onDuty('duty@example.com')
      const trigger = await api<{ id: string }>('/triggers', {
        name: 'Too warm',
        scope: { deviceIds: [device.id] },
        kind: 'above',
        property: 't',
        high: 40,
        alarm: { level: 4 },
      })
      const alarms = () => api<{ items: { id: string; active: boolean }[] }>(`/alarms?triggerId=${trigger.id}`)
      const records = (id: string) => api<Records>(`/notification-records?alarmId=${id}`)
      const arrived = () =>
        mail.mails.filter(({ to, raw }) => to.includes('duty@example.com') && /Too warm/.test(textOf(raw)))

      // The mail server takes the mail and never replies, so the server cannot know whether it arrived.
      mail.hold(true)
      await report(device, product.productKey, 41)
      await expect.poll(() => arrived().length, { timeout: LONG_MS }).toBe(1)
      await kill(first)
      mail.hold(false)

      // Another alarm is written without its message, as when the server ends between the two.
      const client = await asAdministrator()
      const { rows } = await client.query<{ id: string }>(
        `insert into alarms select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'origin', 'other',
           'target_id', 'other', 'raised_at', clock_timestamp(), 'last_at', clock_timestamp()))).* from alarms a
         where a.trigger_id = $1 returning id`,
        [trigger.id],
      )
      const interrupted = (
        await client.query<{ alarm_id: string }>(
          `update notification_records set due_at = clock_timestamp() where state = 'sending' returning alarm_id`,
        )
      ).rows
      // More than the minute after which a message without a reply is sent again.
      expect(interrupted).toHaveLength(1)
      await client.end()

      await start()
      const [{ alarm_id: unanswered } = { alarm_id: '' }] = interrupted
      await expect
        .poll(() => records(unanswered), { timeout: LONG_MS })
        .toMatchObject({
          items: [{ kind: 'raised', state: 'sent', attempts: 2, maybeTwice: true }],
        })
      await expect
        .poll(() => records(rows[0]!.id), { timeout: LONG_MS })
        .toMatchObject({
          items: [{ kind: 'raised', state: 'sent', attempts: 1, maybeTwice: false }],
        })
      expect(arrived()).toHaveLength(3)
      expect((await alarms()).items).toHaveLength(2)
    },
    4 * LONG_MS,
  )
})

describe('a task that was due while no server ran', () => {
  it(
    'follows its policy after the restart: left out, left out as too late, or run once within its minutes',
    async () => {
      const first = await start()
      const product = await api<Made>('/products', { ...PUMP, name: 'Night pump' })
      const pump = await api<Made>('/devices', { productId: product.id, name: 'Two' })
      // Three hours ago by its own clock: the next run is tomorrow's.
      const due = new Date(Date.now() - 3 * 3_600_000)
      due.setUTCSeconds(0, 0)
      const make = (name: string, misfire: object, value: boolean) =>
        api<{ id: string; nextRunAt: string }>('/timed-tasks', {
          name,
          schedule: { kind: 'daily', zone: 'UTC', times: [due.toISOString().slice(11, 16)] },
          actions: [
            {
              kind: 'command',
              scope: { deviceIds: [pump.id] },
              command: { kind: 'property_set', params: { run: value } },
            },
          ],
          ...misfire,
        })
      const skip = await make('skip', { misfire: 'skip' }, false)
      const late = await make('late', { misfire: 'once', misfireMinutes: 30 }, false)
      const once = await make('once', { misfire: 'once', misfireMinutes: 240 }, true)
      const nextRunAt = new Date(due.getTime() + 86_400_000).toISOString()
      expect(once.nextRunAt).toBe(nextRunAt)
      await kill(first)
      // As if the tasks had been created yesterday and their run of three hours ago was due while no server ran.
      const client = await asAdministrator()
      await client.query(`update timed_tasks set next_run = next_run - interval '1 day' where id = any ($1::uuid[])`, [
        [skip.id, late.id, once.id],
      ])
      await client.end()

      await start()
      const runs = (id: string) => api<{ items: object[] }>(`/timed-tasks/${id}/runs`)
      const leftOut = { items: [{ state: 'skipped', fault: { code: 'timed_task.too_late' }, missed: 1 }] }
      await expect
        .poll(() => runs(once.id), { timeout: LONG_MS })
        .toMatchObject({
          items: [{ state: 'done', missed: 0, dueAt: due.toISOString(), steps: [{ done: 1 }] }],
        })
      await expect.poll(() => runs(skip.id), { timeout: LONG_MS }).toMatchObject(leftOut)
      await expect.poll(() => runs(late.id), { timeout: LONG_MS }).toMatchObject(leftOut)
      // The pump received one command, and the next run of each task is tomorrow.
      const commands = await api<{ items: { params: object; source: string }[] }>(`/devices/${pump.id}/commands`)
      expect(commands.items).toMatchObject([{ params: { run: true }, source: 'timed_task' }])
      for (const { id } of [skip, late, once])
        expect(await api(`/timed-tasks/${id}`)).toMatchObject({ state: 'enabled', nextRunAt })
    },
    4 * LONG_MS,
  )
})
