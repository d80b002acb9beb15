import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { NOT_FOR_API_KEYS, PERMISSIONS } from '@thingwright/contracts/permissions'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, temporaryFolder, testDatabase } from '../db/testing.ts'
import { newId } from '../lib/ids.ts'
import { PATIENCE } from '../lib/testing/patience.ts'
import { hashPassword } from '../modules/identity/index.ts'
import { TOOLS } from './assistant-tools.ts'
import { consoleFiles } from './console-files.ts'
import type { Container } from './container.ts'
import { testContainer, testHttp } from './testing/test-app.ts'

/** The tools for outside AI programs, as the official client meets them over a real port. */
const PASSWORD = 'A password 4 tests'
const READER = ['device:read', 'product:read', 'group:read', 'telemetry:read'] as const
const WRITER = [...READER, 'device:write', 'device:delete', 'device:command', 'product:write'] as const

let db: TestDatabase
let container: Container
let app: FastifyInstance
let base: string
let passwordHash: string
let owner: string
let other: string
let tenantId: string
let otherTenantId: string
let productId: string
const open: Client[] = []

beforeAll(async () => {
  db = await testDatabase()
  passwordHash = await hashPassword(PASSWORD)
  container = testContainer(db)
  const console = temporaryFolder('tw-console-').path
  writeFileSync(join(console, 'index.html'), '<html><head></head></html>')
  app = await testHttp(container, {
    strictAudit: true,
    onRefused: container.audit.refusals.note,
    plain: http => consoleFiles(http, console, () => ({ devFlag: false, demo: false, version: 'test' })),
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  tenantId = await company('first', 'owner')
  otherTenantId = await company('second', 'other')
  owner = await signIn('owner')
  other = await signIn('other')
  productId = await productIn(owner)
  await post('/devices', owner, { productId, name: 'Boiler' })
  await post('/devices', other, { productId: await productIn(other), name: 'Not yours' })
})
afterAll(async () => {
  for (const client of open) await client.close()
  await app.close()
  await db.drop()
})

const company = (name: string, username: string) =>
  db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name, owner: { username, passwordHash, displayName: username, kind: 'member' } }),
  )

const productIn = (token: string) =>
  post('/products', token, {
    name: 'Heater',
    linkType: 'mqtt',
    thingModel: {
      properties: [{ identifier: 'temperature', name: 'Temperature', dataType: { type: 'double' }, access: 'rw' }],
    },
  })

async function post(path: string, token: string, body: object): Promise<string> {
  const reply = await app.inject({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${token}` },
    payload: body,
  })
  expect(reply.statusCode, `${path}: ${reply.body}`).toBeLessThan(300)
  return reply.json().id
}

async function signIn(username: string): Promise<string> {
  const reply = await fetch(`${base}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD }),
  })
  return ((await reply.json()) as { access_token: string }).access_token
}

async function newKey(token: string, scopes: readonly string[], over: object = {}): Promise<string> {
  await app.inject({
    method: 'POST',
    url: '/api/v1/security/proof',
    headers: { authorization: `Bearer ${token}` },
    payload: { method: 'password', password: PASSWORD },
  })
  const reply = await app.inject({
    method: 'POST',
    url: '/api/v1/api-keys',
    headers: { authorization: `Bearer ${token}` },
    payload: { name: 'AI tool', scopes, requestsPerMinute: 60_000, ...over },
  })
  expect(reply.statusCode, reply.body).toBe(201)
  return reply.json().key
}

/** The official client, as a program that came with this bearer. */
async function connect(token: string | null, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${base}/mcp`), {
      requestInit: {
        headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), 'accept-language': 'en', ...headers },
      },
    }),
  )
  open.push(client)
  return client
}

interface Answer {
  text: string
  structured: Record<string, unknown> | undefined
  isError: boolean
}

async function use(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const result = await client.callTool({ name, arguments: args })
  const content = result.content as { type: string; text: string }[]
  return {
    text: content.map(block => block.text).join('\n'),
    structured: result.structuredContent as Record<string, unknown> | undefined,
    isError: result.isError === true,
  }
}

const devices = async (tenant = tenantId) =>
  (
    await db.superuser.query(
      "select name from devices where tenant_id = $1 and lifecycle <> 'recycled' order by name",
      [tenant],
    )
  ).rows.map(row => row.name as string)

const raw = (token: string | null, body: unknown, headers: Record<string, string> = {}, method = 'POST') =>
  fetch(`${base}/mcp`, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(method === 'POST' ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
  })
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

describe('the official client', () => {
  it('introduces itself, is told whom it acts as, lists the tools and reads with one', async () => {
    const client = await connect(owner)
    expect(client.getServerVersion()).toMatchObject({ name: 'thingwright', title: 'Thingwright' })
    expect(client.getServerCapabilities()).toEqual({ tools: {} })
    expect(client.getInstructions()).toContain('“owner”')
    const { tools } = await client.listTools()
    const list = tools.find(tool => tool.name === 'list_devices')!
    expect(list).toMatchObject({
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
      inputSchema: { type: 'object', additionalProperties: false },
    })
    expect(list.inputSchema.properties).not.toHaveProperty('confirm')
    const remove = tools.find(tool => tool.name === 'delete_device')!
    expect(remove).toMatchObject({ annotations: { readOnlyHint: false, destructiveHint: true } })
    expect(remove.inputSchema.properties).toHaveProperty('confirm')
    const found = await use(client, 'list_devices')
    expect(found.isError).toBe(false)
    expect(found.text).toContain('Boiler')
    await client.ping()
  })

  it('is told titles and answers in its own language', async () => {
    const client = await connect(owner, { 'accept-language': 'zh' })
    const { tools } = await client.listTools()
    expect(tools.every(tool => /\p{Script=Han}/u.test(tool.title ?? ''))).toBe(true)
    expect((await use(client, 'device_overview', { device: 'nobody has it' })).text).toMatch(/\p{Script=Han}/u)
  })

  it('hears what is wrong with its arguments, and that there is no such tool', async () => {
    const client = await connect(owner)
    const wrong = await use(client, 'list_devices', { nonsense: 1 })
    expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('nonsense') })
    await expect(use(client, 'drop_tables')).rejects.toThrow(/Unknown tool/)
  })
})

describe('a change', () => {
  it('is made in two steps, by a key that holds the right, and stands in both logs', async () => {
    const key = await newKey(owner, WRITER)
    const client = await connect(key)
    const asked = { product: 'Heater', name: 'Made by a program' }
    const first = await use(client, 'create_device', asked)
    expect(first.structured).toMatchObject({
      done: false,
      class: 'write',
      calls: [{ route: 'POST /api/v1/devices', body: { productId, name: 'Made by a program' } }],
    })
    expect(first.text).toContain('Nothing was done yet')
    expect(await devices()).not.toContain('Made by a program')

    const confirm = first.structured!.confirm as string
    const twisted = await use(client, 'create_device', { ...asked, name: 'Something else', confirm })
    expect(twisted).toMatchObject({ isError: true, text: expect.stringContaining('other arguments') })
    const stolen = await use(await connect(owner), 'create_device', { ...asked, confirm })
    expect(stolen).toMatchObject({ isError: true, text: expect.stringContaining('not valid') })
    expect(await devices()).not.toContain('Something else')

    const second = await use(client, 'create_device', { ...asked, confirm })
    expect(second, second.text).toMatchObject({ isError: false, structured: { done: true } })
    expect(await devices()).toContain('Made by a program')
    const again = await use(client, 'create_device', { ...asked, confirm })
    expect(again.isError).toBe(true)
    expect((await devices()).filter(name => name === 'Made by a program')).toHaveLength(1)

    const { rows: log } = await db.superuser.query(
      "select user_agent, actor_name from audit_logs where tenant_id = $1 and action = 'device.create' order by id desc limit 1",
      [tenantId],
    )
    expect(log[0].user_agent).toMatch(/^Thingwright MCP/)
    expect(log[0].actor_name).toContain('twk_')
    await container.developer.recorder.flush()
    const { rows: calls } = await db.superuser.query('select path, status from api_calls where tenant_id = $1', [
      tenantId,
    ])
    expect(calls).toContainEqual({ path: '/mcp', status: 200 })
  })

  it('tells no secret, not even to the one who made it', async () => {
    const client = await connect(owner)
    const asked = { product: 'Heater', name: 'With a secret' }
    const { structured } = await use(client, 'create_device', asked)
    const made = await use(client, 'create_device', { ...asked, confirm: structured!.confirm })
    expect(made.isError, made.text).toBe(false)
    const id = (await db.superuser.query("select id from devices where name = 'With a secret'")).rows[0].id
    const shown = await app.inject({
      method: 'POST',
      url: `/api/v1/devices/${id}/secret`,
      headers: { authorization: `Bearer ${owner}` },
      payload: {},
    })
    expect(shown.statusCode).toBeLessThan(500)
    expect(made.text).not.toMatch(/deviceSecret"?:\s*"(?!\[secret\])/)
  })

  it('that deletes or controls takes two steps as well', async () => {
    const client = await connect(await newKey(owner, WRITER))
    await post('/devices', owner, { productId, name: 'Soon gone' })
    const first = await use(client, 'delete_device', { device: 'Soon gone' })
    expect(first.structured).toMatchObject({ done: false, class: 'delete' })
    expect(await devices()).toContain('Soon gone')
    const confirm = first.structured!.confirm
    expect((await use(client, 'delete_device', { device: 'Soon gone', confirm })).isError).toBe(false)
    expect(await devices()).not.toContain('Soon gone')

    const set = { device: 'Boiler', property: 'Temperature', value: '21' }
    const control = await use(client, 'set_property', set)
    expect(control.structured, control.text).toMatchObject({ done: false, class: 'control' })
    const commands = async () => Number((await db.superuser.query('select count(*) from commands')).rows[0].count)
    const before = await commands()
    expect((await use(client, 'set_property', { ...set, confirm: control.structured!.confirm })).isError).toBe(false)
    expect(await commands()).toBe(before + 1)
  })

  it('asks for the right again when it is made', async () => {
    const loginId = newId()
    await db.superuser.query(
      "insert into logins (id, tenant_id, kind, username, password_hash) values ($1, $2, 'member', 'leaver', $3)",
      [loginId, tenantId, passwordHash],
    )
    const role = await post('/roles', owner, {
      name: 'leaver',
      permissions: WRITER,
      menuKeys: [],
      dataScope: { kind: 'all' },
    })
    await db.superuser.query('insert into login_roles (login_id, role_id, tenant_id) values ($1, $2, $3)', [
      loginId,
      role,
      tenantId,
    ])
    const client = await connect(await signIn('leaver'))
    const asked = { product: 'Heater', name: 'Too late' }
    const { structured } = await use(client, 'create_device', asked)
    await db.superuser.query('delete from login_roles where login_id = $1', [loginId])
    container.identity.forget(loginId)
    const refused = await use(client, 'create_device', { ...asked, confirm: structured!.confirm })
    expect(refused.isError).toBe(true)
    expect(await devices()).not.toContain('Too late')
  })
})

describe('secrets in what a tool answers', () => {
  /** Nothing but their hashes gives them away, as another platform may have given them. */
  const PLAIN = { device: 'waterpump', replaced: 'old-harbour', product: 'northwind' }
  const STAYS = [
    '68AAAAAAAAAAAA681104333333333416',
    '0190a0a0-0000-7000-8000-000000000001',
    'a1B2c3D4e5F',
    'SN20241122000017',
  ]
  let own: { id: string; deviceSecret: string }

  beforeAll(async () => {
    const reply = await app.inject({
      method: 'POST',
      url: '/api/v1/devices',
      headers: { authorization: `Bearer ${owner}` },
      payload: { productId, name: 'Holder' },
    })
    own = reply.json()
    const hash = (text: string) => Buffer.from(text)
    await db.superuser.query('update devices set previous_secret_hash = sha256($2::bytea) where id = $1', [
      own.id,
      hash(PLAIN.replaced),
    ])
    await db.superuser.query(`update devices set secret_hash = sha256($1::bytea) where name = 'Boiler'`, [
      hash(PLAIN.device),
    ])
    await db.superuser.query('update products set secret_hash = sha256($2::bytea) where id = $1', [
      productId,
      hash(PLAIN.product),
    ])
  })

  /** Everything the answer of a tool says, in words and as data. */
  const all = (answer: Answer) => `${answer.text}\n${JSON.stringify(answer.structured ?? {})}`
  const gone = () => [own.deviceSecret, ...Object.values(PLAIN), 'hunter2', 'q7Hf2LxZ9bVn4KtR8mWc3YpD']
  /** A word that only its name makes a secret. */
  const told = (secret: string) => (secret === 'hunter2' ? `password=${secret}` : secret)

  it('are not in names, data and errors; frames, ids and product keys are', async () => {
    const client = await connect(await newKey(owner, WRITER))
    for (const [n, secret] of gone().entries())
      await post('/devices', owner, {
        productId,
        name: `No ${n} ${told(secret)}`,
        deviceNo: `holds-${n}`,
      })
    for (const [n, text] of STAYS.entries())
      await post('/devices', owner, { productId, name: `Stay ${n} ${text}`, deviceNo: `stays-${n}` })
    const list = await use(client, 'list_devices')
    for (const text of STAYS) expect(all(list)).toContain(text)
    for (const secret of gone()) {
      const about = `holds-${gone().indexOf(secret)}`
      const answers = [
        list,
        await use(client, 'device_overview', { device: about }),
        await use(client, 'list_devices', { text: told(secret) }),
        await use(client, 'device_overview', { device: `nothing ${told(secret)}` }),
        await use(client, 'list_devices', { nonsense: told(secret) }),
      ]
      for (const [n, answer] of answers.entries()) {
        const left = all(answer)
        expect(left.includes(secret) && left, `${secret} in answer ${n}`).toBe(false)
      }
    }
    expect(all(list)).toContain('[secret]')
  })

  it('are not in a change that is shown before it is made, nor when it was made', async () => {
    const client = await connect(await newKey(owner, WRITER))
    for (const [n, secret] of gone().slice(0, 4).entries()) {
      const asked = { product: 'Heater', name: `Named ${n} ${secret}` }
      const first = await use(client, 'create_device', asked)
      expect(first.isError, first.text).toBe(false)
      expect(all(first)).not.toContain(secret)
      expect(all(first)).toContain(productId)
      const made = await use(client, 'create_device', { ...asked, confirm: first.structured!.confirm })
      expect(made.isError, made.text).toBe(false)
      expect(all(made)).not.toContain(secret)
      expect(await devices()).toContain(asked.name)
    }
  })

  it('of another company mean nothing here', async () => {
    const foreign = await use(await connect(other), 'device_overview', { device: PLAIN.device })
    expect(foreign.text).toContain(PLAIN.device)
  })
})

describe('who may what', () => {
  it('lets a read-only key read and nothing else, and keeps the attempt', async () => {
    const client = await connect(await newKey(owner, READER))
    const { tools } = await client.listTools()
    expect(tools.length).toBeGreaterThan(3)
    expect(tools.filter(tool => !tool.annotations?.readOnlyHint).map(tool => tool.name)).toEqual([])
    expect((await use(client, 'list_devices')).text).toContain('Boiler')
    const before = await devices()
    for (const [tool, args] of [
      ['create_device', { product: 'Heater', name: 'x' }],
      ['delete_device', { device: 'Boiler', confirm: 'made up' }],
      ['set_property', { device: 'Boiler', property: 'Temperature', value: '1' }],
    ] as const)
      expect(await use(client, tool, args), tool).toMatchObject({
        isError: true,
        text: expect.stringContaining('right'),
      })
    expect(await devices()).toEqual(before)
    await vi.waitFor(async () => {
      const { rows } = await db.superuser.query(
        "select after from audit_logs where tenant_id = $1 and action = 'access.refused' and result = 'refused'",
        [tenantId],
      )
      expect(JSON.stringify(rows)).toContain('create_device')
    }, PATIENCE)
  })

  it('shows a key none of whose rights is of use no tool at all', async () => {
    const used = new Set<string>(TOOLS.map(tool => tool.permission))
    const useless = PERMISSIONS.find(right => !used.has(right) && !NOT_FOR_API_KEYS.some(never => never === right))!
    const client = await connect(await newKey(owner, [useless]))
    expect((await client.listTools()).tools).toEqual([])
    for (const tool of ['list_devices', 'my_rights']) expect((await use(client, tool)).isError, tool).toBe(true)
    const names = (await (await connect(owner)).listTools()).tools.map(tool => tool.name)
    expect(names).toEqual(expect.arrayContaining(['list_devices', 'my_rights']))
  })

  it('keeps companies apart, by name and by id', async () => {
    const client = await connect(owner)
    const foreign = (await db.superuser.query("select id from devices where name = 'Not yours'")).rows[0].id as string
    expect((await use(client, 'list_devices')).text).not.toContain('Not yours')
    for (const device of ['Not yours', foreign]) {
      const answer = await use(client, 'device_overview', { device })
      expect(answer.isError).toBe(true)
      expect(answer.structured).toBeUndefined()
    }
    expect((await use(client, 'delete_device', { device: foreign })).isError).toBe(true)
    expect(await devices(otherTenantId)).toEqual(['Not yours'])
    expect((await use(await connect(other), 'list_devices')).text).toContain('Not yours')
  })

  it('refuses without a bearer, with a wrong one, of an expired company, and where the assistant is off', async () => {
    const nobody = await raw(null, LIST)
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="thingwright"'])
    const wrong = await raw('twk_abcdefgh_nonsense', LIST)
    expect(wrong.status).toBe(401)
    expect(wrong.headers.get('www-authenticate')).toContain('invalid_token')
    await expect(connect(null)).rejects.toThrow()

    await db.superuser.query("update tenants set status = 'expired' where id = $1", [otherTenantId])
    container.identity.forget()
    const expired = await raw(other, LIST)
    expect([expired.status, ((await expired.json()) as { code: string }).code]).toEqual([403, 'company.expired'])
    await db.superuser.query("update tenants set status = 'active' where id = $1", [otherTenantId])
    container.identity.forget()

    const off = await app.inject({
      method: 'PATCH',
      url: '/api/v1/assistant/settings',
      headers: { authorization: `Bearer ${other}` },
      payload: { engine: 'off', version: await settingsVersion(other) },
    })
    expect(off.statusCode, off.body).toBe(200)
    const refused = await raw(other, LIST)
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, 'assistant.off'])
  })
})

async function settingsVersion(token: string): Promise<number> {
  const reply = await app.inject({ url: '/api/v1/assistant/settings', headers: { authorization: `Bearer ${token}` } })
  return reply.json().version
}

describe('the wire', () => {
  it('answers JSON, keeps nothing in caches and no session', async () => {
    const reply = await raw(owner, LIST)
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/)
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.headers.get('mcp-session-id')).toBeNull()
    expect(await reply.json()).toMatchObject({ jsonrpc: '2.0', id: 1, result: { tools: expect.any(Array) } })
  })

  it('takes a notification without an answer, also when it is sent again', async () => {
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
    for (const attempt of [1, 2]) {
      const reply = await raw(owner, note, { 'idempotency-key': 'the same' })
      expect([attempt, reply.status, await reply.text()]).toEqual([attempt, 202, ''])
    }
  })

  it.each(['GET', 'DELETE'])('knows no %s', async method => {
    const reply = await raw(owner, null, { accept: 'text/event-stream' }, method)
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('has no discovery of other ways to sign in, and does not answer it with a page', async () => {
    for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server']) {
      const reply = await fetch(base + path)
      expect([path, reply.status, reply.headers.get('content-type')]).toEqual([path, 404, 'application/json'])
    }
    expect((await fetch(`${base}/manage/device`)).headers.get('content-type')).toContain('text/html')
  })

  it('refuses what is no message', async () => {
    const statuses: number[] = []
    for (const body of ['{', '[]', '{}', [LIST, LIST], { ...LIST, jsonrpc: '1.0' }, { ...LIST, id: { a: 1 } }])
      statuses.push((await raw(owner, body)).status)
    expect(statuses).toEqual([400, 422, 422, 422, 422, 422])
    const unknown = await raw(owner, { jsonrpc: '2.0', id: 7, method: 'resources/list' })
    expect(await unknown.json()).toMatchObject({ id: 7, error: { code: -32_601 } })
    expect((await raw(owner, LIST, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400)
    expect((await raw(owner, { ...LIST, params: { x: 'y'.repeat(1_100_000) } })).status).toBe(413)
  })

  it('is not for pages of others', async () => {
    const { host } = new URL(base)
    expect((await raw(owner, LIST, { origin: `http://${host}` })).status).toBe(200)
    const evil = await raw(owner, LIST, { origin: 'http://evil.example' })
    expect([evil.status, ((await evil.json()) as { code: string }).code]).toEqual([403, 'assistant.foreign_page'])
  })

  it('takes so many messages of a key as the key may send', async () => {
    const key = await newKey(owner, READER, { requestsPerMinute: 3 })
    const statuses: number[] = []
    for (let n = 0; n < 5; n++) statuses.push((await raw(key, LIST)).status)
    expect(statuses).toEqual([200, 200, 200, 429, 429])
  })
})
