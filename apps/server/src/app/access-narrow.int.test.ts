import { allContracts } from '@thingwright/contracts/all-contracts'
import { PERMISSIONS, type Permission } from '@thingwright/contracts/permissions'
import type { RouteContract } from '@thingwright/contracts/route'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { newId } from '../lib/ids.ts'
import fc from '../lib/testing/fast-check.ts'
import { hashPassword } from '../modules/identity/index.ts'
import type { Container } from './container.ts'
import { type InputSchema, inputOf } from './testing/fuzz-inputs.ts'
import { testContainer, testHttp } from './testing/test-app.ts'

/**
 * Members who may do everything a company can give, in a part of the company: what concerns the whole is not theirs, and
 * what goes on behind a request goes on with the rights and the scope of that moment.
 */
const PASSWORD = 'A password 4 tests'
const OUTSIDE = 'outside-of-his-scope'
const INSIDE = 'inside-of-his-scope'
const routes = Object.values(allContracts).flatMap(feature => Object.values(feature as Record<string, RouteContract>))
const nameOf = (route: RouteContract) => `${route.method} ${route.path}`
const RIGHTS = PERMISSIONS.filter(right => !/^(operator|menu|announcement):/.test(right))

let db: TestDatabase
let container: Container
let app: FastifyInstance
let tenantId: string
let owner: string
let group: string
let inside: string
let outside: string
let product: string

beforeAll(async () => {
  db = await testDatabase()
  container = testContainer(db)
  app = await testHttp(container)
  const passwordHash = await hashPassword(PASSWORD)
  tenantId = await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name: 'c', owner: { username: 'owner', passwordHash, displayName: '', kind: 'member' } }),
  )
  owner = await signIn('owner')
  container.tasks.runner.start()
  group = (await call<{ id: string }>('POST', '/groups', owner, { kind: 'device', name: INSIDE })).body.id
  const other = (await call<{ id: string }>('POST', '/groups', owner, { kind: 'device', name: OUTSIDE })).body.id
  product = (await call<{ id: string }>('POST', '/products', owner, { name: 'Pump', linkType: 'mqtt' })).body.id
  const device = async (name: string, groupId: string) =>
    (await call<{ id: string }>('POST', '/devices', owner, { productId: product, name, deviceNo: name, groupId })).body
      .id
  inside = await device(INSIDE, group)
  outside = await device(OUTSIDE, other)
})
afterAll(async () => {
  await container.tasks.runner.stop()
  await app.close()
  await db.drop()
})

async function signIn(username: string): Promise<string> {
  const reply = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD }).toString(),
  })
  return reply.json().access_token
}
async function call<T = Record<string, unknown>>(method: string, path: string, token: string, body?: unknown) {
  const reply = await app.inject({
    method: method as 'GET',
    url: path.startsWith('/api') ? path : `/api/v1${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { payload: body as object }),
  })
  return { status: reply.statusCode, text: reply.body, body: reply.json() as T & { code?: string } }
}
/** A member with these rights, who sees the one group and what is below it. */
async function member(permissions: readonly Permission[], dataScope: object = { kind: 'groups', groupIds: [group] }) {
  const name = `m-${newId()}`
  const [loginId, roleId] = [newId(), newId()]
  await db.superuser.query(
    `insert into logins (id, tenant_id, kind, username, password_hash)
     select $1, $2, 'member', $3, password_hash from logins where username = 'owner'`,
    [loginId, tenantId, name],
  )
  await db.superuser.query(
    `insert into roles (id, tenant_id, key, name, permissions, menu_keys, data_scope) values ($1, $2, $3, $3, $4, '{*}', $5)`,
    [roleId, tenantId, name, permissions, JSON.stringify(dataScope)],
  )
  await db.superuser.query('insert into login_roles (login_id, role_id, tenant_id) values ($1, $2, $3)', [
    loginId,
    roleId,
    tenantId,
  ])
  return { token: await signIn(name), loginId, roleId, name }
}
const over = async (token: string, id: string) => {
  const task = async () =>
    (await call<{ state: string; error: { code: string } | null; done: number }>('GET', `/tasks/${id}`, token)).body
  await expect.poll(async () => (await task()).state).toMatch(/succeeded|partial|failed|cancelled/)
  return task()
}

describe('what concerns the whole company', () => {
  it('is marked on every route that changes it, and on no other by accident', () => {
    const company: Permission[] = ['company:write', 'company:export', 'security:write']
    const unmarked = routes.filter(
      route => route.method !== 'GET' && !route.wholeCompany && company.includes(route.permission as Permission),
    )
    expect(unmarked.map(nameOf).sort()).toEqual([
      // What stands in the file is held against the rights and the scope of whoever brings it in.
      'POST /api/v1/company/import',
      'POST /api/v1/company/import-files',
      // Members are a right of their own, not narrowed by a data scope.
      'POST /api/v1/security/members/{id}/reset-factors',
      'POST /api/v1/security/members/{id}/sessions/end',
    ])
    expect(routes.filter(route => route.wholeCompany).map(nameOf)).toContain('POST /api/v1/company/support-access')
  })

  it('is refused to who sees a part of it, with every right that there is', async () => {
    const { token } = await member(RIGHTS)
    for (const route of routes.filter(each => each.wholeCompany)) {
      const part = (schema: unknown) => (schema ? inputOf(schema as InputSchema, [newId()]) : fc.constant(undefined))
      const [body] = fc.sample(part(route.body), { seed: 7, numRuns: 1 })
      const path = route.path.replaceAll(/\{\w+\}/g, newId())
      const reply = await app.inject({
        method: route.method as 'GET',
        url: path,
        headers: { authorization: `Bearer ${token}` },
        ...(body === undefined || route.upload ? {} : { payload: body as object }),
      })
      expect([reply.statusCode, reply.json().code], nameOf(route)).toEqual([403, 'scope.whole_company'])
    }
    const grants = await call<{ items: unknown[] }>('GET', '/company/support-access', owner)
    expect(grants.body.items).toEqual([])
  })

  it('is not reached by tools of the assistant or an API key either: they call the same routes', async () => {
    const { loginId, name } = await member(RIGHTS)
    const { actor } = await container.identity.authenticate(await signIn(name))
    expect(actor).toMatchObject({ loginId, dataScope: { kind: 'limited' } })
    const ctx = { tenantId, actor, locale: 'en' as const, requestId: newId(), now: Date.now() }
    await expect(
      container.api.call(ctx, {
        route: 'POST /api/v1/company/support-access',
        body: { hours: 1, mayWrite: true },
      } as never),
    ).rejects.toMatchObject({ code: 'scope.whole_company' })
  })
})

describe('what lies outside a scope', () => {
  // Every list, search, count, picker and export there is, asked by somebody who may everything in his part.
  it('is named by no route that reads: groups, devices, searches, pickers, exports', async () => {
    const { token } = await member(RIGHTS.filter(right => !/^(audit|member|role|user-log):/.test(right)))
    const told: string[] = []
    const ids = [outside, inside, group, product]
    for (const route of routes.filter(each => each.method === 'GET' && each.permission !== 'public')) {
      if (/assistant\/chat$/.test(route.path)) continue
      for (const id of /\{\w+\}/.test(route.path) ? ids : [null]) {
        const path = route.path.replaceAll(/\{\w+\}/g, id ?? '')
        for (const query of [
          '',
          `?q=${OUTSIDE}`,
          '?kind=device',
          '?kind=device&limit=100',
          '?limit=100&total=1',
          '?format=csv',
        ]) {
          const reply = await app.inject({
            method: 'GET',
            url: path + query,
            headers: { authorization: `Bearer ${token}` },
          })
          if (reply.statusCode < 300 && reply.body.includes(OUTSIDE))
            told.push(`${path}${query}: ${reply.body.slice(0, 200)}`)
        }
      }
    }
    expect(told).toEqual([])
    const groups = await call<{ items: { name: string }[] }>('GET', '/groups?kind=device', token)
    expect(groups.body.items.map(({ name }) => name)).toEqual([INSIDE])
    const all = await call<{ items: { name: string }[] }>('GET', '/groups?kind=device', owner)
    expect(all.body.items.map(({ name }) => name).sort()).toEqual([INSIDE, OUTSIDE])
    // Every route that reads, one after the other: it takes longer with each.
  }, 180_000)

  it('is named by no tool of the assistant', async () => {
    const { name } = await member(RIGHTS)
    const { actor } = await container.identity.authenticate(await signIn(name))
    const ctx = { tenantId, actor, locale: 'en' as const, requestId: newId(), now: Date.now() }
    for (const kind of ['device', 'product', 'user'])
      expect(
        JSON.stringify(await container.api.call(ctx, { route: 'GET /api/v1/groups', query: { kind } } as never)),
      ).not.toContain(OUTSIDE)
  })
})

describe('a product that is only seen, for a device inside', () => {
  it('is not changed, nor what it sends to all of its devices', async () => {
    const { token } = await member(RIGHTS)
    const template = {
      code: 'read',
      name: 'Read',
      body: { params: [], payload: { kind: 'hex', template: '01' } },
    }
    const made = await call<{ id: string }>('POST', `/products/${product}/command-templates`, owner, template)
    expect(made.status, made.text).toBe(201)
    const timed = await call<{ id: string; version: number }>('POST', `/products/${product}/command-schedules`, owner, {
      templateId: made.body.id,
      everySeconds: 3600,
    })
    expect(timed.status, timed.text).toBe(201)
    const before = await db.superuser.query(
      `select (select jsonb_agg(t order by t.id) from command_templates t) as templates,
         (select jsonb_agg(s order by s.id) from command_schedules s) as schedules, (select jsonb_agg(p) from products p) as products`,
    )
    const attempts: [string, string, object?][] = [
      ['POST', '/command-templates', { ...template, code: 'mine' }],
      ['PUT', `/command-templates/${made.body.id}`, { ...template, version: 1, name: 'mine' }],
      ['POST', `/command-templates/${made.body.id}/duplicate`],
      ['DELETE', `/command-templates/${made.body.id}`],
      ['POST', '/command-schedules', { templateId: made.body.id, everySeconds: 60 }],
      ['PUT', `/command-schedules/${timed.body.id}`, { version: timed.body.version, everySeconds: 60 }],
      ['DELETE', `/command-schedules/${timed.body.id}`],
      ['POST', '/unpublish'],
      ['POST', '/rotate-secret'],
    ]
    for (const [method, path, body] of attempts) {
      const reply = await call(method, `/products/${product}${path}`, token, body ?? {})
      expect(reply.status, `${method} ${path}: ${reply.text}`).toBeGreaterThanOrEqual(400)
      expect(reply.body.code, `${method} ${path}`).not.toBe('server.error')
    }
    const after = await db.superuser.query(
      `select (select jsonb_agg(t order by t.id) from command_templates t) as templates,
         (select jsonb_agg(s order by s.id) from command_schedules s) as schedules, (select jsonb_agg(p) from products p) as products`,
    )
    expect(after.rows).toEqual(before.rows)
  })
})

describe('work behind a request', () => {
  const names = async () =>
    (
      await db.superuser.query('select name, tags, group_id from devices where tenant_id = $1 order by device_no', [
        tenantId,
      ])
    ).rows
  const loseRight = (roleId: string, right: Permission) =>
    db.superuser.query('update roles set permissions = array_remove(permissions, $2) where id = $1', [roleId, right])

  it('of a batch touches no device outside the scope, whatever ids were named', async () => {
    const { token } = await member(['device:read', 'device:write', 'group:read'])
    const before = await names()
    const reply = await call<{ taskId: string; count: number; code: string }>('POST', '/device-batches', token, {
      target: { ids: [outside] },
      change: { action: 'tags', add: ['mine'], remove: [] },
    })
    expect([reply.status, reply.body.code]).toEqual([422, 'device.batch_empty'])
    const both = await call<{ taskId: string; count: number }>('POST', '/device-batches', token, {
      target: { ids: [outside, inside] },
      change: { action: 'tags', add: ['mine'], remove: [] },
    })
    expect(both.body.count, both.text).toBe(1)
    expect((await over(token, both.body.taskId)).state).toBe('succeeded')
    const after = await names()
    expect(after.find(row => row.name === OUTSIDE)).toEqual(before.find(row => row.name === OUTSIDE))
    expect(after.find(row => row.name === INSIDE).tags).toEqual(['mine'])
  })

  it('of every kind does not begin when the right went after it was asked for', async () => {
    const started: [string, Permission, string][] = []
    const start = async (kind: string, right: Permission) => {
      const who = await member(RIGHTS, { kind: 'all' })
      const { actor } = await container.identity.authenticate(who.token)
      await loseRight(who.roleId, right)
      container.identity.forget(who.loginId)
      const ctx = { tenantId, actor, locale: 'en' as const, requestId: newId(), now: Date.now() }
      const { id } = await container.tasks.service.start(ctx, { kind, title: { zh: '', en: '' }, input: INPUTS[kind] })
      started.push([kind, right, id])
    }
    const INPUTS: Record<string, unknown> = {
      'company.import': {
        fileId: newId(),
        kinds: ['devices'],
        existing: 'keep',
        dryRun: false,
        passwordCipher: null,
      },
      'company.export': { materials: false, telemetryDays: 0, passwordCipher: null },
      'device.import': { importId: newId(), options: { fileId: newId(), columns: [], createGroups: true } },
      'device.batch': { batchId: newId() },
      'audit.verify': {},
      'sim_card.sync': { accountId: newId(), from: new Date().toISOString() },
      'lora.import': { importId: newId(), productId: newId(), existing: 'skip' },
      'meter.bill': { runId: newId(), month: '2026-01' },
      'device.handover': {
        deviceIds: [newId()],
        from: null,
        to: null,
        withHistory: true,
        withTriggers: false,
        action: 'end_user.assign_devices',
      },
      'device.company_transfer': { transferId: newId() },
    }
    await start('company.import', 'company:write')
    await start('company.import', 'device:write')
    await start('company.export', 'company:export')
    await start('device.import', 'device:write')
    await start('device.import', 'group:write')
    await start('device.batch', 'device:write')
    await start('audit.verify', 'audit:read')
    await start('sim_card.sync', 'sim-card:write')
    await start('lora.import', 'lora:write')
    await start('lora.import', 'device:write')
    await start('device.handover', 'end-user:write')
    await start('device.company_transfer', 'company-transfer:write')
    await start('report.run', 'report:write')
    await start('meter.bill', 'money:write')
    // A kind that is new is written down here.
    expect([...new Set(started.map(([kind]) => kind))].sort()).toEqual(container.tasks.kinds().sort())
    for (const [kind, right, id] of started) {
      const { state, error } = await over(owner, id)
      expect([kind, state, error?.code], right).toEqual([kind, 'failed', 'permission.denied'])
    }
  })

  it('that was asked for by somebody who left, does not begin', async () => {
    const who = await member(RIGHTS, { kind: 'all' })
    const { actor } = await container.identity.authenticate(who.token)
    await db.superuser.query(`update logins set state = 'frozen' where id = $1`, [who.loginId])
    container.identity.forget(who.loginId)
    const ctx = { tenantId, actor, locale: 'en' as const, requestId: newId(), now: Date.now() }
    const { id } = await container.tasks.service.start(ctx, {
      kind: 'device.batch',
      title: { zh: '', en: '' },
      input: { batchId: newId() },
    })
    expect(await over(owner, id)).toMatchObject({ state: 'failed', error: { code: 'auth.login_frozen' } })
  })
})
