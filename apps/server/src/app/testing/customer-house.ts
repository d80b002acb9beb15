import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import { seedCompany } from '../../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Ctx } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { hashPassword } from '../../modules/identity/index.ts'
import type { Container } from '../container.ts'
import { testContainer, testHttp } from './test-app.ts'

const PASSWORD = 'A password 4 tests'

/** A company, its customer, that customer's customer, and another customer of the company beside them. */
export const PEOPLE = ['company', 'customer', 'below', 'beside'] as const
export type Person = (typeof PEOPLE)[number]
export const CUSTOMERS = ['customer', 'below', 'beside'] as const

/** How every name begins: what is searched for, and echoed, without telling whose it is. */
export const PREFIX = 'only-for'
/** Everything of a person is called so. */
export const MARKS: Readonly<Record<Person, string>> = {
  company: 'only-for-the-company',
  customer: 'only-for-the-customer',
  below: 'only-for-the-sub-customer',
  beside: 'only-for-the-other-customer',
}
/** Whose things each of them sees. */
export const SEES: Readonly<Record<Person, readonly Person[]>> = {
  company: PEOPLE,
  customer: ['customer', 'below'],
  below: ['below'],
  beside: ['beside'],
}
const ALL = ['control', 'triggers', 'tasks', 'pages', 'devices', 'video', 'sim', 'export', 'api', 'users', 'branding']

/** The four of them with a device, a trigger, a contact and so on each, and all rights that there are. */
export interface CustomerHouse {
  db: TestDatabase
  container: Container
  app: FastifyInstance
  tenantId: string
  tokens: Readonly<Record<Person, string>>
  logins: Readonly<Record<Person, string>>
  devices: Readonly<Record<Person, { id: string; num: number }>>
  alarms: Readonly<Record<Person, string>>
  /** As one of them asks, with the rights of this moment. */
  ctx(person: Person, token?: string): Promise<Ctx>
  /** A key of his that may everything he grants it. */
  key(person: Person, scopes: readonly string[]): Promise<string>
  stop(): Promise<void>
}

/** Whose names a text tells that the person must not see. */
export function beyond(person: Person, text: string): Person[] {
  return PEOPLE.filter(other => !SEES[person].includes(other) && text.includes(MARKS[other]))
}

export async function customerHouse(): Promise<CustomerHouse> {
  const db = await testDatabase()
  const container = testContainer(db)
  const app = await testHttp(container)
  const passwordHash = await hashPassword(PASSWORD)
  const tenantId = await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, {
      name: 'The company',
      owner: { username: 'company', passwordHash, displayName: MARKS.company, kind: 'member' },
    }),
  )
  const tokens = {} as Record<Person, string>
  const logins = {} as Record<Person, string>
  const devices = {} as Record<Person, { id: string; num: number }>
  const alarms = {} as Record<Person, string>

  async function signIn(username: string): Promise<string> {
    const reply = await app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD }).toString(),
    })
    return reply.json().access_token
  }
  async function post<T = { id: string }>(path: string, who: Person, payload: object): Promise<T> {
    const headers = { authorization: `Bearer ${tokens[who]}` }
    const reply = await app.inject({ method: 'POST', url: `/api/v1${path}`, headers, payload })
    expect(reply.statusCode, `${path}: ${reply.body}`).toBeLessThan(300)
    return reply.json() as T
  }

  tokens.company = await signIn('company')
  const { id: productId } = await post('/products', 'company', {
    name: 'Heater',
    linkType: 'mqtt',
    thingModel: {
      properties: [{ identifier: 'a', name: 'a', dataType: { type: 'double' }, access: 'rw' }],
      services: [{ identifier: 'restart', name: 'restart', input: [], output: [] }],
    },
  })
  const person = async (username: Person, over: object = {}) => {
    const input = { username, name: MARKS[username], password: PASSWORD, rights: ALL, ...over }
    logins[username] = (await post('/end-users', 'company', input)).id
    tokens[username] = await signIn(username)
  }
  await person('customer')
  await person('below', { parentId: logins.customer })
  await person('beside')
  logins.company = (await db.superuser.query("select id from logins where username = 'company'")).rows[0].id

  for (const who of PEOPLE) {
    const name = MARKS[who]
    const { id } = await post('/devices', 'company', { productId, name })
    const { rows } = await db.superuser.query('select num from devices where id = $1', [id])
    devices[who] = { id, num: rows[0].num }
    if (who !== 'company') await post(`/end-users/${logins[who]}/devices`, 'company', { deviceIds: [id] })
    const scope = { deviceIds: [id] }
    const set = { kind: 'command', scope, command: { kind: 'property_set', params: { a: 1 } } }
    await post('/triggers', who, { name, scope, kind: 'above', property: 'a', high: 1, alarm: { level: 3 } })
    const shape = { kind: 'circle', centre: { lng: 120, lat: 30 }, radius: 100 }
    await post('/geofences', who, { name, shape, scope })
    await post('/contacts', who, { name, email: `${who}@example.com` })
    await post('/pages', who, { name, suffix: `page-of-${who}` })
    await post('/timed-tasks', who, {
      name,
      schedule: { kind: 'daily', zone: 'UTC', times: ['03:00'] },
      actions: [set],
    })
    await post('/scenes', who, { name, actions: [set] })
    await post(`/devices/${id}/commands`, who, { kind: 'property_set', params: { a: 1 } })
    alarms[who] = newId()
    await db.superuser.query(
      `insert into alarms (id, tenant_id, trigger_name, origin, target_kind, target_id, device, device_id, level, raised_at, last_at)
       select $1, tenant_id, $2, $2, 'device', id::text, num, id, 3, now(), now() from devices where id = $3`,
      [alarms[who], name, id],
    )
    await db.superuser.query(
      `insert into tasks (id, tenant_id, kind, title_zh, title_en, input, state, owner_id, owner_name, actor)
       values ($1, $2, 'device.export', $3, $3, '{}', 'queued', $4, $3, '{}')`,
      [newId(), tenantId, name, logins[who]],
    )
    await db.superuser.query('insert into latest (device, values) values ($1, $2)', [
      devices[who].num,
      JSON.stringify({ a: [1, Date.now(), 0] }),
    ])
  }

  return {
    db,
    container,
    app,
    tenantId,
    tokens,
    logins,
    devices,
    alarms,
    async ctx(who, token = tokens[who]) {
      const { tenantId: of, actor, sessionId } = await container.identity.authenticate(token)
      const ctx: Ctx = { tenantId: of, actor, locale: 'en', requestId: newId(), now: Date.now(), ip: '192.0.2.7' }
      return sessionId === undefined ? ctx : { ...ctx, sessionId }
    },
    async key(who, scopes) {
      await post('/security/proof', who, { method: 'password', password: PASSWORD })
      const { key } = await post<{ key: string }>('/api-keys', who, { name: MARKS[who], scopes })
      return key
    },
    async stop() {
      await container.tasks.runner.stop()
      await app.close()
      await db.drop()
    },
  }
}
