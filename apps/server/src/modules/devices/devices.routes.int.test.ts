import { allContracts } from '@thingwright/contracts/all-contracts'
import type { RouteContract } from '@thingwright/contracts/route'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttp } from '../../app/http.ts'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { createIdempotency } from '../../lib/database/idempotency.ts'
import { bind } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'

/** Products, groups, devices and operation log as they are met over HTTP; a write without a log line is an error here. */
let m: Management
let http: Awaited<ReturnType<typeof createHttp>>
const companies = new Map<string, Company>()
let productId: string

beforeAll(async () => {
  m = await management()
  companies.set('mine', await company(m.db))
  companies.set('theirs', await company(m.db))
  const own = [m.groups, m.products, m.devices, m.audit].flatMap(module => module.routes)
  const bound = new Set(own.map(({ contract }) => contract))
  const others = Object.values(allContracts)
    .flatMap(feature => Object.values(feature as Record<string, RouteContract>))
    .filter(contract => !bound.has(contract))
    .map(contract => bind(contract, () => Promise.reject(new Error('not part of this test')) as never))
  http = await createHttp({
    routes: [...own, ...others],
    logger: silentLogger,
    trustProxy: 0,
    publicUrl: null,
    version: 'test',
    async authenticate(token) {
      const caller = companies.get(token)!
      const { ctx } = caller
      const permissions = new Set(
        own.map(({ contract }) => contract.permission).filter(p => p !== 'public' && p !== 'signed-in'),
      )
      return {
        tenantId: caller.id,
        appId: caller.appId,
        actor: { ...ctx.actor, permissions } as typeof ctx.actor,
        accountState: 2,
      }
    },
    idempotency: createIdempotency(m.database, createCryptoBox('another secret, long enough for tests', 'idempotency')),
    proxyDevice: (_, response) => response.end(),
    upgrade: (_, socket) => socket.destroy(),
    plain() {},
    strictAudit: true,
  })
  productId = (await call('POST', '/products', { name: 'Pump', linkType: 'mqtt' })).body.id
})
afterAll(() => http?.close())

// biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of every shape
type Answer = { status: number; body: any }

async function call(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  options: { as?: string; key?: string } = {},
): Promise<Answer> {
  const response = await http.inject({
    method,
    url: `/api/v1${path}`,
    headers: {
      authorization: `Bearer ${options.as ?? 'mine'}`,
      ...(options.key ? { 'idempotency-key': options.key } : {}),
    },
    ...(body ? { payload: body } : {}),
  })
  return { status: response.statusCode, body: response.json() }
}

describe('over HTTP', () => {
  it('a company makes a group, a product and a device, and takes them away again', async () => {
    const group = await call('POST', '/groups', { kind: 'device', name: '一号厂' })
    expect(group.status).toBe(201)
    const model = { properties: [{ identifier: 'level', name: '液位', dataType: { type: 'double' }, access: 'r' }] }
    const product = await call('POST', '/products', { name: 'Tank', linkType: 'mqtt', thingModel: model })
    expect(product).toMatchObject({ status: 201, body: { productKey: expect.any(String), status: 'published' } })
    const { id } = product.body
    const device = await call('POST', '/devices', { productId: id, name: '罐 1', groupId: group.body.id })
    expect(device.status).toBe(201)
    expect(device.body).toMatchObject({ deviceSecret: expect.any(String), groupName: '一号厂', link: 'never' })
    const path = `/devices/${device.body.id}`
    const read = await call('GET', path)
    expect(read.status).toBe(200)
    expect(read.body).not.toHaveProperty('deviceSecret')
    const listed = await call('GET', `/devices?q=${encodeURIComponent('罐')}&total=1&limit=5&groupId=${group.body.id}`)
    expect(listed.body).toEqual({ items: [read.body], nextCursor: null, total: 1 })
    expect((await call('GET', '/devices/counts')).body).toMatchObject({ total: 1, never: 1 })

    for (const [method, suffix, body] of [
      ['PATCH', path, { version: 1, name: '罐 2' }],
      ['POST', `${path}/disable`],
      ['POST', `${path}/enable`],
      ['POST', `${path}/rotate-secret`, {}],
      ['POST', `${path}/kick`],
      ['GET', `${path}/session`],
      ['GET', `${path}/access`],
      ['GET', `${path}/shadow`],
      ['PUT', `/products/${id}/thing-model`, { properties: [] }],
      ['GET', `/products/${id}/thing-model/diff`],
      ['POST', `/products/${id}/publish`],
      ['PUT', `/products/${id}/format`, { kind: 'json' }],
      ['POST', `/products/${id}/format/try`, { channel: 'property', payload: '{"level":1}' }],
      ['GET', `/products/${id}/refused-frames`],
      ['PATCH', `/groups/${group.body.id}`, { version: 1, name: '二号厂' }],
      ['GET', '/groups?kind=device'],
      ['GET', '/audit-logs?total=1&objectType=device'],
      ['DELETE', path],
      ['POST', `${path}/restore`],
      ['DELETE', path],
      ['DELETE', path],
      ['POST', `/products/${id}/unpublish`],
      ['DELETE', `/products/${id}`],
      ['DELETE', `/groups/${group.body.id}`],
    ] as ['GET' | 'POST', string, object?][]) {
      const { status, body: answer } = await call(method, suffix, body)
      expect([method, suffix, status, answer.code]).toEqual([method, suffix, 200, undefined])
    }
  })

  it('text that cannot be stored is refused, wherever it stands', async () => {
    for (const text of ['a\0b', '\ud800', 'x\udfff']) {
      for (const [method, path, body] of [
        ['POST', '/devices', { productId, name: text }],
        ['POST', '/devices', { productId, name: 'x', tags: [text] }],
        ['POST', '/devices', { productId, name: 'x', location: { lng: 0, lat: 0, address: text } }],
        ['POST', '/products', { name: text, linkType: 'mqtt' }],
        ['PUT', `/products/${productId}/thing-model`, { properties: [{ identifier: 'a', name: text }] }],
        ['POST', '/groups', { kind: 'device', name: text }],
      ] as ['POST', string, object][]) {
        expect(await call(method, path, body)).toMatchObject({ status: 422, body: { code: 'request.validation' } })
      }
    }
    expect((await call('GET', '/devices?q=%00')).status).toBe(422)
  })

  it('a field that is not the caller’s to set is refused by name', async () => {
    for (const [method, path, body, field] of [
      ['POST', '/devices', { productId, name: 'x', tenantId: newId() }, 'tenantId'],
      ['POST', '/devices', { productId, name: 'x', lifecycle: 'active' }, 'lifecycle'],
      ['POST', '/products', { name: 'x', linkType: 'mqtt', status: 'published' }, 'status'],
      ['PATCH', `/products/${productId}`, { version: 1, productKey: 'x' }, 'productKey'],
      ['POST', '/groups', { kind: 'device', name: 'x', position: 3 }, 'position'],
    ] as ['POST', string, object, string][]) {
      const { status, body: answer } = await call(method, path, body)
      expect(status).toBe(422)
      expect(Object.keys(answer.fields)).toEqual([field])
    }
  })

  it.each(['', 'a b', 'a/b', '中文', 'x'.repeat(65)])('a device number such as %j is refused', async deviceNo => {
    const { status, body } = await call('POST', '/devices', { productId, name: 'x', deviceNo })
    expect(status).toBe(422)
    expect(body.fields).toHaveProperty('deviceNo')
  })

  it('a conflict carries the object as it is', async () => {
    const { body: device } = await call('POST', '/devices', { productId, name: 'contested' })
    await call('PATCH', `/devices/${device.id}`, { version: 1, name: 'first' })
    const late = await call('PATCH', `/devices/${device.id}`, { version: 1, name: 'second' })
    expect(late).toMatchObject({
      status: 409,
      body: { code: 'version.conflict', params: { current: { name: 'first' } } },
    })
    const taken = await call('POST', '/devices', { productId, name: 'x', deviceNo: device.deviceNo })
    expect(taken).toMatchObject({
      status: 409,
      body: { code: 'device.number_taken', params: { deviceNo: device.deviceNo, id: device.id } },
    })
  })

  it('the problems of a thing model come in the caller’s words', async () => {
    const { status, body } = await call('PUT', `/products/${productId}/thing-model`, {
      properties: [{ identifier: '1', name: 'x', dataType: { type: 'double', min: 5, max: 1 } }],
    })
    expect(status).toBe(422)
    expect(body.code).toBe('product.model_invalid')
    for (const { message } of Object.values(body.fields) as { message: string }[])
      expect(message).toMatch(/\p{Script=Han}/u)
  })

  it('the same request sent twice makes one device, and its answer shows the same secret', async () => {
    const key = newId()
    const body = { productId, name: 'once' }
    const [first, second] = [
      await call('POST', '/devices', body, { key }),
      await call('POST', '/devices', body, { key }),
    ]
    expect(second).toEqual(first)
    expect((await call('GET', '/devices?q=once')).body.items).toHaveLength(1)
  })

  it('another company meets 404 on every address that names an object', async () => {
    const { body: device } = await call('POST', '/devices', { productId, name: 'private' })
    const { body: group } = await call('POST', '/groups', { kind: 'device', name: 'private' })
    const ids: Record<string, string> = { devices: device.id, products: productId, groups: group.id }
    const bodies: Record<string, object> = {
      'PATCH /api/v1/groups/{id}': { version: 1 },
      'PATCH /api/v1/products/{id}': { version: 1 },
      'PATCH /api/v1/devices/{id}': { version: 1 },
      'PUT /api/v1/products/{id}/thing-model': { properties: [] },
      'PUT /api/v1/products/{id}/format': { kind: 'json' },
      'POST /api/v1/products/{id}/format/try': { channel: 'property', payload: '{}' },
      'POST /api/v1/devices/{id}/rotate-secret': {},
    }
    let asked = 0
    for (const { contract } of [m.groups, m.products, m.devices].flatMap(module => module.routes)) {
      if (contract.path.replace('{id}', '').includes('{') || !contract.path.includes('{id}')) continue
      const body = bodies[`${contract.method} ${contract.path}`]
      // What needs a body or another id is tried in app/access-matrix.int.test.ts.
      const needs = [contract.query, ...(body ? [] : [contract.body])] as ({ required?: string[] } | undefined)[]
      if (needs.some(schema => (schema?.required?.length ?? 0) > 0)) continue
      const resource = contract.path.split('/')[3]!
      for (const id of [ids[resource]!, newId()]) {
        const path = contract.path.replace('{id}', id).replace('/api/v1', '')
        const { status, body: said } = await call(contract.method, path, body, {
          as: 'theirs',
        })
        expect([contract.method, path, status, said.code]).toEqual([
          contract.method,
          path,
          404,
          `${resource.slice(0, -1)}.not_found`,
        ])
        asked++
      }
    }
    expect(asked).toBeGreaterThan(40)
    for (const path of ['/devices', '/products', '/groups?kind=device', '/audit-logs'])
      expect((await call('GET', path, undefined, { as: 'theirs' })).body.items).toEqual([])
  })
})
