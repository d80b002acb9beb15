import { allContracts } from '@thingwright/contracts/all-contracts'
import { ERROR_STATUS } from '@thingwright/contracts/errors'
import type { RouteContract } from '@thingwright/contracts/route'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { ERROR_TEXTS } from '../lib/i18n.ts'
import { newId } from '../lib/ids.ts'
import { hashPassword } from '../modules/identity/index.ts'
import type { Container } from './container.ts'
import { createHttp } from './http.ts'
import type { HttpOptions } from './http-request.ts'
import { testContainer, testHttpOptions } from './testing/test-app.ts'

const PASSWORD = 'a password for tests'

/** Whether a schema has fields that must be there. */
const requires = (schema: RouteContract['body']): boolean =>
  ((schema as { required?: string[] } | undefined)?.required?.length ?? 0) > 0

describe('the HTTP layer', () => {
  let db: TestDatabase
  let container: Container
  let app: FastifyInstance
  let options: HttpOptions
  const tokens: Record<'owner' | 'other' | 'powerless' | 'expired' | 'inactive', string> = {
    owner: '',
    other: '',
    powerless: '',
    expired: '',
    inactive: '',
  }

  beforeAll(async () => {
    db = await testDatabase()
    container = testContainer(db)
    options = testHttpOptions(container, { strictAudit: true })
    app = await createHttp(options)
    const passwordHash = await hashPassword(PASSWORD)
    for (const [name, status] of [
      ['owner', 'active'],
      ['other', 'active'],
      ['powerless', 'active'],
      ['expired', 'expired'],
      ['inactive', 'inactive'],
    ] as const) {
      await db.database.withSystemScope('seed', scope =>
        seedCompany(scope, {
          name,
          status,
          owner: { username: name, passwordHash, displayName: name, kind: 'member' },
        }),
      )
    }
    await db.superuser.query(
      `delete from login_roles using logins where logins.id = login_id and username = 'powerless'`,
    )
    for (const name of Object.keys(tokens) as (keyof typeof tokens)[]) {
      const reply = await app.inject({
        method: 'POST',
        url: '/oauth/token',
        headers: {
          authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        payload: new URLSearchParams({ grant_type: 'password', username: name, password: PASSWORD }).toString(),
      })
      tokens[name] = reply.json().access_token
    }
  })
  afterAll(async () => {
    await app.close()
    await db.drop()
  })

  const call = (
    method: string,
    url: string,
    as: keyof typeof tokens | null,
    payload?: unknown,
    headers: Record<string, string> = {},
  ) =>
    app.inject({
      method: method as 'GET',
      url,
      headers: { ...(as ? { authorization: `Bearer ${tokens[as]}` } : {}), ...headers },
      ...(payload === undefined ? {} : { payload: payload as object }),
    })

  const routes = Object.values(allContracts).flatMap(feature => Object.values(feature as Record<string, RouteContract>))
  const guarded = routes.filter(route => route.permission !== 'public')
  const addressOf = (route: RouteContract) => route.path.replaceAll(/\{\w+\}/g, newId())

  it.each(guarded.map(route => [`${route.method} ${route.path}`, route] as const))(
    '%s refuses strangers, callers without the right, and companies that may not',
    async (_name, route) => {
      const anonymous = await call(route.method, addressOf(route), null)
      expect([anonymous.statusCode, anonymous.json().code]).toEqual([401, 'auth.required'])
      const forged = await app.inject({
        method: route.method as 'GET',
        url: addressOf(route),
        headers: { authorization: 'Bearer abc.def.ghi' },
      })
      expect([forged.statusCode, forged.json().code]).toEqual([401, 'auth.token_invalid'])
      if (route.permission !== 'signed-in') {
        const powerless = await call(route.method, addressOf(route), 'powerless')
        expect([powerless.statusCode, powerless.json().code]).toEqual([403, 'permission.denied'])
      }
      if (!route.anyAccountState) {
        expect((await call(route.method, addressOf(route), 'expired')).json().code).toBe('company.expired')
        expect((await call(route.method, addressOf(route), 'inactive')).json().code).toBe('company.not_active')
      }
    },
  )

  it('does not start with a route nobody guards, nor with one that leaves no trace, nor without a handler', async () => {
    const [first] = options.routes
    await expect(
      createHttp({
        ...options,
        routes: [
          ...options.routes,
          { ...first!, contract: { ...first!.contract, path: '/api/v1/x', permission: undefined as never } },
        ],
      }),
    ).rejects.toThrow(/without a permission/)
    await expect(
      createHttp({
        ...options,
        routes: [
          ...options.routes,
          {
            ...first!,
            contract: {
              ...first!.contract,
              path: '/api/v1/x',
              method: 'POST',
              permission: 'device:read',
              audit: undefined as never,
            },
          },
        ],
      }),
    ).rejects.toThrow(/without an audit name/)
    await expect(createHttp({ ...options, routes: options.routes.slice(1) })).rejects.toThrow(/without a handler/)
    await expect(createHttp({ ...options, routes: [...options.routes, first!] })).rejects.toThrow(/declared twice/)
  })

  it('shows another company nothing: 404 for every object, empty lists', async () => {
    const product = (
      await call('POST', '/api/v1/products', 'owner', {
        name: 'Mine',
        linkType: 'mqtt',
        thingModel: { properties: [{ identifier: 't', name: 't', dataType: { type: 'double' }, access: 'rw' }] },
      })
    ).json()
    const device = (await call('POST', '/api/v1/devices', 'owner', { name: 'Mine', productId: product.id })).json()
    const group = (await call('POST', '/api/v1/groups', 'owner', { kind: 'device', name: 'Mine' })).json()
    const command = (
      await call('POST', `/api/v1/devices/${device.id}/commands`, 'owner', { kind: 'property_set', params: { t: 1 } })
    ).json()
    expect(command.state).toBe('queued')
    const ids: Record<string, string> = {
      '/api/v1/products': product.id,
      '/api/v1/devices': device.id,
      '/api/v1/groups': group.id,
    }
    let tried = 0
    for (const route of guarded.filter(r => r.path.includes('{id}'))) {
      const base = Object.keys(ids).find(path => route.path.startsWith(path))
      if (!base) continue
      const url = `${route.path.replace('{id}', ids[base]!).replace('{commandId}', command.id)}${route.method === 'GET' && route.path.includes('telemetry') ? '?identifier=t&from=1&to=2' : ''}`
      const body = { 'commands.create': { kind: 'property_set', params: { t: 1 } } }
      const payload =
        route.method === 'GET' || route.method === 'DELETE'
          ? undefined
          : route.path.endsWith('/commands')
            ? body['commands.create']
            : route.path.endsWith('thing-model')
              ? { properties: [] }
              : route.path.endsWith('format')
                ? { kind: 'json' }
                : route.path.endsWith('format/try')
                  ? { channel: 'property', payload: '{}' }
                  : route.method === 'PATCH'
                    ? { version: 1, name: 'stolen' }
                    : {}
      // What needs a body, a query or an id of its own is tried in access-matrix.int.test.ts.
      if (url.includes('{') || (!url.includes('?') && requires(route.query))) continue
      const empty = payload !== undefined && Object.keys(payload).length === 0
      if (empty && requires(route.body)) continue
      const reply = await call(route.method, url, 'other', payload)
      if (reply.json().code === 'request.validation') continue
      // Who asks for a secret proves first who he is, whatever the id.
      const expected = reply.json().code === 'auth.proof_required' ? 403 : 404
      expect([route.method, route.path, reply.statusCode]).toEqual([route.method, route.path, expected])
      tried += 1
    }
    expect(tried).toBeGreaterThan(25)
    for (const list of [
      '/api/v1/products',
      '/api/v1/devices',
      '/api/v1/audit-logs?action=product.create',
      '/api/v1/groups?kind=device',
    ])
      expect((await call('GET', list, 'other')).json().items).toEqual([])
    // Adding to somebody else's product or group is refused like adding to none.
    expect((await call('POST', '/api/v1/devices', 'other', { name: 'x', productId: product.id })).statusCode).toBe(404)
  })

  it('answers a repeated write with the first answer, and refuses the key for another one', async () => {
    const headers = { 'idempotency-key': 'one-click' }
    const first = await call('POST', '/api/v1/groups', 'owner', { kind: 'product', name: 'Once' }, headers)
    const second = await call('POST', '/api/v1/groups', 'owner', { kind: 'product', name: 'Once' }, headers)
    expect(second.statusCode).toBe(201)
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.json()).toEqual(first.json())
    expect(
      (await call('POST', '/api/v1/groups', 'owner', { kind: 'product', name: 'Other' }, headers)).json().code,
    ).toBe('request.idempotency_reused')
    // Another caller's key of the same name is another key.
    expect(
      (await call('POST', '/api/v1/groups', 'other', { kind: 'product', name: 'Once' }, headers)).headers[
        'idempotency-replayed'
      ],
    ).toBeUndefined()
    // A refusal by content is an answer, too.
    const bad = { kind: 'product', name: '' }
    expect((await call('POST', '/api/v1/groups', 'owner', bad, { 'idempotency-key': 'bad' })).statusCode).toBe(422)
    const { rows } = await db.superuser.query('select body from idempotency_keys where body is not null')
    expect(rows.map(row => row.body.toString('latin1')).join('')).not.toContain('Once')
  })

  it.each([
    ['broken JSON', '/api/v1/groups', '{"kind":', 'application/json', 400, 'request.malformed'],
    [
      'JSON in GBK',
      '/api/v1/groups',
      Buffer.from('7b226e616d65223a22b2e2cad4227d', 'hex'),
      'application/json',
      400,
      'request.malformed',
    ],
    ['JSON of another charset', '/api/v1/groups', '{}', 'application/json; charset=gbk', 400, 'request.malformed'],
    ['a text as JSON', '/api/v1/groups', 'hello', 'application/json', 400, 'request.malformed'],
    ['XML', '/api/v1/groups', '<a/>', 'application/xml', 415, 'request.media_type'],
    [
      'a number that would be rounded',
      '/api/v1/groups',
      '{"kind":"device","name":"x","sort":9007199254740993}',
      'application/json',
      422,
      'request.validation',
    ],
    ['an array', '/api/v1/groups', '[]', 'application/json', 422, 'request.validation'],
    ['null', '/api/v1/groups', 'null', 'application/json', 422, 'request.validation'],
    ['nothing', '/api/v1/groups', '', 'application/json', 422, 'request.validation'],
    [
      'an unknown field',
      '/api/v1/groups',
      '{"kind":"device","name":"x","tenantId":"y"}',
      'application/json',
      422,
      'request.validation',
    ],
    [
      'a number for a text',
      '/api/v1/groups',
      '{"kind":"device","name":5}',
      'application/json',
      422,
      'request.validation',
    ],
    [
      'an unknown word',
      '/api/v1/groups',
      '{"kind":"planet","name":"x"}',
      'application/json',
      422,
      'request.validation',
    ],
    [
      'NUL in a text',
      '/api/v1/groups',
      '{"kind":"device","name":"a\\u0000b"}',
      'application/json',
      422,
      'request.validation',
    ],
    [
      'a lone surrogate',
      '/api/v1/groups',
      '{"kind":"device","name":"a\\ud800b"}',
      'application/json',
      422,
      'request.validation',
    ],
    [
      '__proto__',
      '/api/v1/groups',
      '{"kind":"device","name":"x","__proto__":{"polluted":1}}',
      'application/json',
      400,
      'request.malformed',
    ],
    [
      'constructor.prototype',
      '/api/v1/groups',
      '{"kind":"device","name":"x","constructor":{"prototype":{"polluted":1}}}',
      'application/json',
      400,
      'request.malformed',
    ],
    [
      '2 MB',
      '/api/v1/groups',
      JSON.stringify({ kind: 'device', name: 'x'.repeat(2_000_000) }),
      'application/json',
      413,
      'request.too_large',
    ],
  ])('refuses %s', async (_name, url, payload, type, status, code) => {
    const reply = await app.inject({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${tokens.owner}`, 'content-type': type },
      payload,
    })
    expect([reply.statusCode, reply.json().code]).toEqual([status, code])
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  it.each([
    ['/api/v1/devices?limit=0', 422],
    ['/api/v1/devices?limit=101', 422],
    ['/api/v1/devices?limit=1e9', 422],
    ['/api/v1/devices?limit=abc', 422],
    ['/api/v1/devices?cursor=%00', 422],
    ['/api/v1/devices?cursor=bm90anNvbg', 400],
    ['/api/v1/devices?sort=password', 422],
    ['/api/v1/devices?sort=name;drop%20table%20devices', 422],
    ["/api/v1/devices?q=' or 1=1 --", 200],
    ['/api/v1/devices?productid=a', 422],
    ['/api/v1/devices?page=2', 422],
    ['/api/v1/devices/not-a-uuid', 404],
    ['/api/v1/devices/not-a-uuid/telemetry/latest', 404],
    ['/api/v1/devices/..%2f..%2fetc%2fpasswd', 404],
    ['/api/v1/nowhere', 404],
  ])('GET %s → %i', async (url, status) => {
    const reply = await call('GET', encodeURI(decodeURI(url)), 'owner')
    expect(reply.statusCode).toBe(status)
    if (status !== 200)
      expect(reply.json()).toMatchObject({
        code: expect.any(String),
        message: expect.any(String),
        requestId: expect.any(String),
      })
  })

  it('names a parameter that it does not know, and makes no export for a HEAD', async () => {
    const reply = await call('GET', '/api/v1/devices?productid=a', 'owner')
    expect(reply.json()).toMatchObject({
      code: 'request.validation',
      fields: { productid: { code: 'field.additionalProperties' } },
    })
    const [head, stranger] = await Promise.all([
      app.inject({
        method: 'HEAD',
        url: '/api/v1/devices/export?format=csv',
        headers: { authorization: `Bearer ${tokens.owner}` },
      }),
      app.inject({ method: 'HEAD', url: '/api/v1/devices/export' }),
    ])
    expect([head.statusCode, head.body, stranger.statusCode]).toEqual([200, '', 401])
  })

  it('speaks the caller’s language, Chinese by default', async () => {
    const message = async (language?: string) =>
      (
        await call(
          'GET',
          `/api/v1/devices/${newId()}`,
          'owner',
          undefined,
          language ? { 'accept-language': language } : {},
        )
      ).json().message
    expect(await message()).toBe('设备不存在')
    expect(await message('fr-FR,fr;q=0.9')).toBe('设备不存在')
    expect(await message('en-US,en;q=0.9,zh;q=0.8')).toBe('The device does not exist')
    expect(await message('en;q=0.1,zh;q=0.9')).toBe('设备不存在')
  })

  it('checks the app id when it is sent', async () => {
    expect((await call('GET', '/api/v1/me', 'owner', undefined, { thingwrightappid: 'another' })).json().code).toBe(
      'auth.app_mismatch',
    )
  })

  it('gives the console its refresh token as a cookie only, marked against scripts and other sites', async () => {
    const reply = await app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: {
        authorization: `Basic ${Buffer.from('web:web').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams({ grant_type: 'password', username: 'owner', password: PASSWORD }).toString(),
    })
    expect(reply.json()).not.toHaveProperty('refresh_token')
    const cookies = [reply.headers['set-cookie'] ?? []].flat()
    const cookie = cookies.find(text => text.startsWith('tw_refresh='))!
    // The other one tells a browser that signed in before from a stranger; it opens nothing by itself.
    expect(cookies.map(text => text.split('=')[0]).sort()).toEqual(['tw_browser', 'tw_refresh'])
    for (const text of cookies) expect(text).toMatch(/HttpOnly; SameSite=Strict$/)
    expect(cookie).toMatch(/^tw_refresh=[^;]+; Path=\/oauth; Max-Age=2592000; HttpOnly; SameSite=Strict$/)
    const refresh = (headers: Record<string, string>) =>
      app.inject({
        method: 'POST',
        url: '/oauth/token',
        headers: {
          authorization: `Basic ${Buffer.from('web:web').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
          ...headers,
        },
        payload: 'grant_type=refresh_token',
      })
    expect((await refresh({ cookie: cookie.split(';')[0]! })).statusCode).toBe(200)
    expect((await refresh({})).json()).toMatchObject({ error: 'invalid_grant', code: 'auth.refresh_invalid' })
  })

  it('replies to wrong credentials in OAuth words', async () => {
    const reply = await app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: {
        authorization: `Basic ${Buffer.from('web:web').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: 'grant_type=password&username=owner&password=no',
    })
    expect(reply.statusCode).toBe(401)
    expect(reply.json()).toMatchObject({ error: 'invalid_grant', code: 'auth.wrong_credentials' })
    const client = await app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'grant_type=password',
    })
    expect(client.json()).toMatchObject({ error: 'invalid_client' })
  })

  it('tells the account state as a bare number', async () => {
    const state = async (as: keyof typeof tokens) => (await call('GET', '/api/v1/company/status?userId=x', as)).body
    expect([await state('inactive'), await state('expired'), await state('owner')]).toEqual(['0', '1', '2'])
  })

  it('describes every route in an OpenAPI 3.1 document', async () => {
    const document = (await app.inject('/api/openapi.json')).json()
    expect(document.openapi).toBe('3.1.0')
    // Every way that is asked for is described, and the other way round.
    const schemes = document.components.securitySchemes
    expect(document.security.flatMap(Object.keys)).toEqual(Object.keys(schemes))
    expect(schemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
      program: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/oauth/token' } } },
    })
    for (const route of routes) {
      const operation = document.paths[route.path]?.[route.method.toLowerCase()]
      expect([route.path, Boolean(operation)]).toEqual([route.path, true])
      expect(operation.security).toEqual(route.permission === 'public' ? [] : undefined)
    }
    // OpenAPI has one language; the Chinese stands beside it.
    expect(document.paths['/api/v1/devices'].get).toMatchObject({
      tags: ['Devices'],
      'x-tag-zh': '设备',
      'x-summary-zh': expect.stringContaining('企业的设备'),
    })
    // Generators of clients name their functions by it.
    const ids = routes.map(route => document.paths[route.path]![route.method.toLowerCase()].operationId)
    expect(ids.every(id => /^[a-zA-Z]+_[a-zA-Z0-9]+$/.test(id))).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
    expect(document.servers).toEqual([{ url: expect.any(String) }])
    // What several operations send or answer is one type, named for its thing.
    const refs = [...JSON.stringify(document.paths).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name!,
    )
    expect(refs.filter(name => !document.components.schemas[name])).toEqual([])
    expect(new Set(refs)).toContain('Error')
    const group = document.paths['/api/v1/groups/{id}'].patch.responses['200'].content['application/json'].schema
    expect(group).toEqual({ $ref: expect.stringMatching(/\/Group$/) })
    // An example stands beside its schema, with values where the contract has marks.
    const change = document.paths['/api/v1/addresses/{id}'].patch.requestBody.content['application/json']
    expect(change.example).toEqual({ version: 1, detail: '2' })
    expect(JSON.stringify(document)).not.toMatch(/\{\{create\./)
  })

  it('has a text in both languages for every error code', async () => {
    for (const texts of Object.values(ERROR_TEXTS))
      expect(Object.keys(ERROR_STATUS).filter(code => !texts[code])).toEqual([])
  })

  it('never shows internals', async () => {
    await db.superuser.query('alter table groups rename column name to nome')
    const reply = await call('GET', '/api/v1/groups?kind=device', 'owner')
    await db.superuser.query('alter table groups rename column nome to name')
    expect(reply.statusCode).toBe(500)
    expect(reply.body).not.toMatch(/column|select|pg|node_modules|stack/i)
  })
})
