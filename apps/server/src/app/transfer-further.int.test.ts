import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { hashPassword } from '../modules/identity/index.ts'
import type { Container } from './container.ts'
import { testContainer, testHttp } from './testing/test-app.ts'

// What modules put into the file of a company by themselves, from one company to another.

const PASSWORD = 'A password 4 tests'
const MODEL = {
  properties: [{ identifier: 'pump', name: 'Pump', dataType: { type: 'bool' }, access: 'rw' }],
}
const FURTHER = [
  ...['calendars', 'scenes', 'timed_tasks', 'message_templates', 'user_packages', 'tariffs'],
  ...['reports', 'portals', 'official_accounts', 'lora_links', 'telecom_links', 'connections'],
]
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const THINGS = ['groups', 'products', 'devices']

interface Company {
  id: string
  token: string
}
// biome-ignore lint/suspicious/noExplicitAny: replies of many routes
type Any = any

let db: TestDatabase
let container: Container
let app: FastifyInstance
let giver: Company
let file: Buffer

beforeAll(async () => {
  db = await testDatabase()
  container = testContainer(db)
  app = await testHttp(container)
  container.tasks.runner.start()
  giver = await newCompany('giver')
  await furnish(giver)
  file = await exported(giver)
}, 120_000)
afterAll(async () => {
  await container.tasks.runner.stop()
  await app.close()
  await db.drop()
})

async function newCompany(name: string): Promise<Company> {
  const passwordHash = await hashPassword(PASSWORD)
  const id = await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name, owner: { username: `${name}-owner`, passwordHash, displayName: name, kind: 'member' } }),
  )
  const reply = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ grant_type: 'password', username: `${name}-owner`, password: PASSWORD }).toString(),
  })
  const token = reply.json().access_token
  await made('POST', '/security/proof', { token }, { method: 'password', password: PASSWORD })
  return { id, token }
}

async function made(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH',
  path: string,
  { token }: { token: string },
  payload?: object,
) {
  const reply = await app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${token}`, 'accept-language': 'en' },
    ...(payload ? { payload } : {}),
  })
  expect(reply.statusCode, `${method} ${path}: ${reply.body}`).toBeLessThan(300)
  return String(reply.headers['content-type']).includes('json') ? (reply.json() as Any) : reply.rawPayload
}

/** A bit of everything that further modules put into the file. */
async function furnish(of: Company): Promise<void> {
  const group = await made('POST', '/groups', of, { kind: 'device', name: 'East' })
  const product = await made('POST', '/products', of, { name: 'Pump', linkType: 'mqtt', thingModel: MODEL })
  const device = async (deviceNo: string) =>
    (await made('POST', '/devices', of, { name: deviceNo, productId: product.id, deviceNo, groupId: group.id })).id
  const [one, two] = [await device('P-1'), await device('P-2')]
  const pump = (scope: object, on: boolean) => ({
    kind: 'command',
    scope,
    command: { kind: 'property_set', params: { pump: on } },
  })
  const calendar = await made('POST', '/calendars', of, {
    name: 'Plant 2027',
    holidays: ['2027-01-01'],
    workdays: ['2027-01-02'],
  })
  const scene = await made('POST', '/scenes', of, {
    name: 'Flush',
    actions: [
      pump({ deviceIds: [one] }, true),
      { kind: 'delay', seconds: 30 },
      pump({ productIds: [product.id] }, false),
    ],
  })
  const report = (name: string, source: object, period: string | null = 'yesterday') =>
    made('POST', '/reports', of, {
      name,
      source,
      format: 'xlsx',
      period,
      schedule: { kind: 'daily', times: ['08:00'], zone: 'Europe/Berlin' },
      recipients: [],
    })
  await report('Devices of the pump', { kind: 'list', list: 'devices.export', query: { productId: product.id } }, null)
  await report('Alarms', { kind: 'list', list: 'alarms.export', query: {}, columns: [] })
  await report('Pumping', {
    kind: 'telemetry',
    deviceIds: [one, two],
    properties: ['pump'],
    interval: 'day',
    functions: ['average'],
  })
  const portal = await made('POST', '/web-apps', of, { name: 'Pump cloud', suffix: 'pump-cloud' })
  const withLogo = await made('PUT', `/web-apps/${portal.id}/images/logo`, of, { data: PNG })
  await made('PATCH', `/web-apps/${portal.id}`, of, {
    colour: '#0b5fff',
    copyright: '© Pumps Ltd',
    menus: [{ section: 'alarms', zh: '报警', en: 'Alarms' }, { section: 'devices' }],
    home: 'alarms',
    host: 'pumps.example',
    enabled: true,
    version: withLogo.version,
  })
  await made('POST', '/timed-tasks', of, {
    name: 'Night',
    schedule: { kind: 'pair', on: '22:00', off: '05:30', dayKind: 'workday', zone: 'Europe/Berlin' },
    calendarId: calendar.id,
    actions: [pump({ deviceIds: [one, two] }, true), { kind: 'scene', sceneId: scene.id }],
    offActions: [pump({ groupIds: [group.id] }, false)],
    misfire: 'once',
    misfireMinutes: 45,
  })
  await made('POST', '/timed-tasks', of, {
    name: 'Off for now',
    schedule: { kind: 'daily', times: ['06:00'] },
    actions: [pump({ tags: ['spare'] }, false)],
    enabled: false,
  })
  await made('PUT', '/notification-templates/sms/raised/en', of, {
    version: 0,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the template
    body: 'Look at ${device} now',
    code: 'SMS_1234',
  })
  await made('POST', '/user-packages', of, { name: 'Tenant', rights: ['view', 'control'], deviceQuota: 20 })
  const tariff = await made('POST', '/tariffs', of, {
    name: 'Water',
    unit: 'm3',
    validFrom: '2026-01-01',
    rates: { kind: 'fixed', price: '3.20' },
  })
  await made('POST', `/tariffs/${tariff.id}/versions`, of, {
    validFrom: '2027-01-01',
    endBefore: true,
    rates: { kind: 'fixed', price: '3.45' },
  })
}

async function ended(of: Company, taskId: string): Promise<Any> {
  const states = ['succeeded', 'partial', 'failed']
  await vi.waitFor(async () => expect(states).toContain((await made('GET', `/tasks/${taskId}`, of)).state), {
    timeout: 30_000,
    interval: 50,
  })
  return made('GET', `/tasks/${taskId}`, of)
}

async function exported(of: Company): Promise<Buffer> {
  const { taskId } = await made('POST', '/company/export', of, {
    materials: false,
    passphrase: null,
    telemetryDays: 0,
  })
  expect((await ended(of, taskId)).state).toBe('succeeded')
  return made('GET', `/tasks/${taskId}/file`, of)
}

async function bring(
  of: Company,
  kinds: string[],
  over: object = {},
): Promise<{ summary: Any; failures: [string, string][] }> {
  const boundary = 'x'.repeat(20)
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="c.zip"\r\nContent-Type: application/zip\r\n\r\n`
  const reply = await app.inject({
    method: 'POST',
    url: '/api/v1/company/import-files',
    headers: {
      authorization: `Bearer ${of.token}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    payload: Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  })
  expect(reply.statusCode, reply.body).toBe(201)
  const { taskId } = await made('POST', '/company/import', of, {
    fileId: reply.json().id,
    kinds,
    existing: 'keep',
    dryRun: false,
    ...over,
  })
  const task = await ended(of, taskId)
  const { items } = await made('GET', `/tasks/${taskId}/failures?limit=100`, of)
  return { summary: task.summary.kinds, failures: items.map(({ item, code }: Any) => [item, code]) }
}

const listed = async (of: Company, path: string) => (await made('GET', path, of)).items as Any[]

describe('the file of a company', () => {
  it('takes tasks, scenes, calendars, templates, packages and tariffs along, on what is there now', async () => {
    const taker = await newCompany('taker')
    const trial = await bring(taker, [...THINGS, ...FURTHER], { dryRun: true })
    expect(await listed(taker, '/timed-tasks')).toEqual([])
    const { summary, failures } = await bring(taker, [...THINGS, ...FURTHER])
    // The key of the product is the giver's.
    expect(failures).toEqual([['Pump', 'transfer.taken']])
    expect(summary).toEqual(trial.summary)
    expect(FURTHER.map(kind => [kind, summary[kind]])).toMatchObject([
      ['calendars', { created: 1, ok: true }],
      ['scenes', { created: 1 }],
      ['timed_tasks', { created: 2 }],
      ['message_templates', { created: 1 }],
      ['user_packages', { created: 1 }],
      ['tariffs', { created: 1 }],
      ['reports', { created: 3 }],
      ['portals', { created: 1 }],
      ['official_accounts', { created: 0 }],
      ['lora_links', { created: 0 }],
      ['telecom_links', { created: 0 }],
      ['connections', { created: 0, kept: 0 }],
    ])
    const devices = await listed(taker, '/devices')
    const ids = devices.map(({ id }) => id)
    const tasks = await listed(taker, '/timed-tasks?sort=name')
    const [night, spare] = [tasks.find(({ name }) => name === 'Night'), tasks.find(({ name }) => name !== 'Night')]
    const [scene] = await listed(taker, '/scenes')
    const [calendar] = await listed(taker, '/calendars')
    expect([...night.actions[0].scope.deviceIds].sort()).toEqual([...ids].sort())
    expect(night.actions[1].sceneId).toBe(scene.id)
    expect(night.offActions[0].scope.groupIds).toEqual([(await listed(taker, '/groups?kind=device'))[0].id])
    expect(night).toMatchObject({
      calendarId: calendar.id,
      state: 'enabled',
      misfire: 'once',
      misfireMinutes: 45,
      schedule: { kind: 'pair', zone: 'Europe/Berlin', dayKind: 'workday' },
    })
    expect(spare).toMatchObject({ name: 'Off for now', state: 'disabled' })
    expect(scene.actions[2].scope.productIds).toEqual([devices[0].product?.id ?? devices[0].productId])
    expect(calendar).toMatchObject({ name: 'Plant 2027', holidays: ['2027-01-01'], workdays: ['2027-01-02'] })
    const template = (await listed(taker, '/notification-templates')).find(
      ({ channel, event, locale }) => channel === 'sms' && event === 'raised' && locale === 'en',
    )
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the template
    expect(template).toMatchObject({ body: 'Look at ${device} now', code: 'SMS_1234', approval: 'none' })
    expect(await listed(taker, '/user-packages')).toMatchObject([
      { name: 'Tenant', rights: ['view', 'control'], deviceQuota: 20 },
    ])
    const [tariff] = await listed(taker, '/tariffs')
    expect((await made('GET', `/tariffs/${tariff.id}`, taker)).versions).toMatchObject([
      { validFrom: '2026-01-01', validTo: '2026-12-31', rates: { price: '3.20' } },
      { validFrom: '2027-01-01', validTo: null, rates: { price: '3.45' } },
    ])
    const reports = await listed(taker, '/reports?sort=name')
    expect(reports.map(({ name, state }) => [name, state])).toEqual([
      ['Alarms', 'enabled'],
      ['Devices of the pump', 'enabled'],
      ['Pumping', 'enabled'],
    ])
    expect(reports[0].schedule).toMatchObject({ kind: 'daily', times: ['08:00'], zone: 'Europe/Berlin' })
    expect(reports[1].source.query).toEqual({ productId: devices[0].product?.id ?? devices[0].productId })
    expect([...reports[2].source.deviceIds].sort()).toEqual([...ids].sort())
    const [portal] = await listed(taker, '/web-apps')
    // The address is the giver's, and so is the host.
    expect(portal).toMatchObject({
      name: 'Pump cloud',
      colour: '#0b5fff',
      copyright: '© Pumps Ltd',
      home: 'alarms',
      host: null,
      enabled: false,
      images: ['logo'],
      suffix: expect.stringMatching(/^pump-cloud-[0-9a-f]{6}$/),
    })
    const log = await listed(taker, '/audit-logs?limit=100')
    for (const action of [
      'timed_task.create',
      'scene.create',
      'calendar.create',
      'tariff.create',
      'user_package.create',
      'report.create',
      'web_app.create',
    ])
      expect(
        log.map(line => line.action),
        action,
      ).toContain(action)
  })

  it('keeps what is there already, or puts its own in its place, but never other prices', async () => {
    const taker = await newCompany('again')
    await bring(taker, [...THINGS, ...FURTHER])
    const [scene] = await listed(taker, '/scenes')
    await made('PATCH', `/scenes/${scene.id}`, taker, { version: scene.version, description: 'Mine' })
    const kept = await bring(taker, [...THINGS, ...FURTHER])
    expect([kept.summary.scenes, kept.summary.timed_tasks]).toMatchObject([
      { created: 0, kept: 1 },
      { created: 0, kept: 2 },
    ])
    expect((await listed(taker, '/scenes'))[0].description).toBe('Mine')
    const replaced = await bring(taker, [...THINGS, ...FURTHER], { existing: 'replace' })
    expect(replaced.failures).toEqual([])
    expect([replaced.summary.scenes, replaced.summary.timed_tasks, replaced.summary.tariffs]).toMatchObject([
      { replaced: 1 },
      { replaced: 2 },
      { kept: 1, replaced: 0 },
    ])
    expect((await listed(taker, '/scenes'))[0].description).toBe('')
  })

  it('leaves out and names what acts on something that is not here; the others are brought in', async () => {
    const taker = await newCompany('bare')
    const { summary, failures } = await bring(taker, ['scenes', 'timed_tasks', 'calendars'])
    expect(failures).toEqual([
      ['Flush', 'transfer.reference_missing'],
      ['Night', 'transfer.reference_missing'],
    ])
    expect(summary).toMatchObject({ scenes: { created: 0 }, timed_tasks: { created: 1 }, calendars: { created: 1 } })
    // With the devices, and the calendar that is here: not chosen, and found.
    const whole = await bring(taker, [...THINGS, 'scenes', 'timed_tasks'])
    expect(whole.failures).toEqual([['Pump', 'transfer.taken']])
    const night = (await listed(taker, '/timed-tasks')).find(({ name }) => name === 'Night')
    expect(night.calendarId).toBe((await listed(taker, '/calendars'))[0].id)
  })
})
