import { generateKeyPairSync } from 'node:crypto'
import { allContracts } from '@thingwright/contracts/all-contracts'
import { PERMISSIONS } from '@thingwright/contracts/permissions'
import type { RouteContract } from '@thingwright/contracts/route'
import { beforeAll, describe, expect, it } from 'vitest'
import fc from '../lib/testing/fast-check.ts'
import { type InputSchema, inputOf } from './testing/fuzz-inputs.ts'
import { type NarrowCompany, type NarrowMember, narrowCompany } from './testing/narrow-company.ts'

/**
 * What hangs on a product is changed by whoever may change the product, and not by who sees it for a device of his: it
 * would reach all devices of the product.
 */
const RIGHTS = PERMISSIONS.filter(right => !/^(operator|menu|announcement):/.test(right))
const routes = Object.values(allContracts).flatMap(feature => Object.values(feature as Record<string, RouteContract>))

let c: NarrowCompany
/** Sees the product for a device in his group. */
let narrow: NarrowMember
let packageId: string
let keyId: string
let deviceId: string

beforeAll(async () => {
  c = await narrowCompany()
  deviceId = (await c.fleet())['inside/inside'].id
  narrow = await c.member(RIGHTS)
  for (const token of [c.owner, narrow.token]) await c.prove(token)
  packageId = (await upload(c.owner, '1.0.0', '1')).body.id
  keyId = (await addKey(c.owner)).body.id
  const template = { code: 'read', name: 'Read', body: { params: [], payload: { kind: 'hex', template: '01' } } }
  expect((await c.call('POST', `/products/${c.products.inside}/command-templates`, c.owner, template)).status).toBe(201)
  return () => c.stop()
})

const upload = (token: string, version: string, orderNo: string) =>
  c.upload<{ id: string }>(
    '/firmware-packages',
    token,
    'f.bin',
    Buffer.from(Array.from({ length: 4096 }, (_, n) => (n * 31) % 251)),
    { productId: c.products.inside, name: 'fw', version, orderNo },
  )
const addKey = (token: string) =>
  c.call<{ id: string }>('POST', `/products/${c.products.inside}/firmware-keys`, token, {
    name: 'k',
    publicKey: generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  })

/** Products, and what hangs on them; with the lines that say it was changed. */
const TABLES = [
  'products',
  'product_model_versions',
  'product_properties',
  'command_templates',
  'command_schedules',
  'firmware_packages',
  'firmware_keys',
]
async function content(): Promise<Record<string, unknown>> {
  const content: Record<string, unknown> = {}
  for (const table of TABLES)
    content[table] = (await c.db.superuser.query(`select to_jsonb(t)::text as row from ${table} t order by 1`)).rows
  const lines = await c.db.superuser.query(
    `select action, object_name from audit_logs where actor_id = $1 and result = 'ok' and object_type in ('product', 'firmware', 'firmware_key', 'command_template', 'command_schedule')`,
    [narrow.loginId],
  )
  content.lines = lines.rows
  return content
}

describe('a product that is only seen for a device', () => {
  it('keeps its firmware, and its campaigns theirs', async () => {
    expect(packageId && keyId).toBeTruthy()
    const before = await content()
    const { token } = narrow
    const of = (path: string) => `/products/${c.products.inside}${path}`
    const revision = (await c.call<{ revision: number }>('GET', `/firmware-packages/${packageId}`, token)).body.revision
    expect(revision).toBeTypeOf('number')
    const attempts = [
      () => upload(token, '9.9.9', '99'),
      () => c.call('PATCH', `/firmware-packages/${packageId}`, token, { revision, name: 'mine' }),
      () => c.call('POST', `/firmware-packages/${packageId}/disable`, token, {}),
      () => c.call('POST', `/firmware-packages/${packageId}/verdict`, token, { passed: true, note: 'tried' }),
      () => c.call('DELETE', `/firmware-packages/${packageId}`, token),
      () => addKey(token),
      () => c.call('DELETE', of(`/firmware-keys/${keyId}`), token),
      () => c.call('PUT', of('/firmware-settings'), token, { requireSignature: false, requireVerified: true }),
    ]
    for (const [n, attempt] of attempts.entries()) {
      const reply = await attempt()
      expect(reply.status, `${n}: ${reply.text}`).toBeGreaterThanOrEqual(400)
      expect(reply.body.code, `${n}: ${reply.text}`).not.toMatch(/server\.error|request\./)
    }
    expect(await content()).toEqual(before)
    // Whoever has the product itself may, whatever group its devices are in.
    const maker = await c.member(RIGHTS, { kind: 'products', productIds: [c.products.inside] })
    await c.prove(maker.token)
    expect((await upload(maker.token, '2.0.0', '2')).status).toBe(201)
    expect((await c.call('POST', `/firmware-packages/${packageId}/disable`, maker.token, {})).status).toBe(200)
    expect((await c.call('POST', `/firmware-packages/${packageId}/enable`, maker.token, {})).status).toBe(200)
  })

  it('still brings its firmware to that device', async () => {
    const made = await c.call<{ id: string }>('POST', '/ota-campaigns', narrow.token, {
      name: 'mine',
      packageId,
      scope: { kind: 'chosen', deviceIds: [deviceId] },
    })
    expect(made.status, made.text).toBe(201)
    const trial = await c.call('POST', `/firmware-packages/${packageId}/verification`, narrow.token, {
      deviceIds: [deviceId],
    })
    expect(trial.status, trial.text).toBeLessThan(300)
  })

  it('is changed by no route that names it', async () => {
    const before = await content()
    const changing = routes.filter(
      route => route.method !== 'GET' && /^\/api\/v1\/(products|firmware-packages)\/\{id\}/.test(route.path),
    )
    expect(changing.length).toBeGreaterThan(20)
    for (const route of changing) {
      if (route.path.endsWith('/verification')) continue
      const id = route.path.startsWith('/api/v1/products') ? c.products.inside : packageId
      const part = route.body ? inputOf(route.body as InputSchema, [id, deviceId]) : fc.constant(undefined)
      for (const body of fc.sample(part, { seed: 7, numRuns: 12 })) {
        const version = { version: 1, revision: 1 }
        const given =
          body && typeof body === 'object'
            ? { ...body, ...Object.fromEntries(Object.entries(version).filter(([key]) => key in body)) }
            : body
        const path = route.path.replace('{id}', id).replaceAll(/\{\w+\}/g, keyId)
        const reply = await c.call(route.method, path, narrow.token, given)
        expect(reply.status, `${route.method} ${route.path}: ${reply.text}`).toBeLessThan(500)
      }
    }
    expect(await content()).toEqual(before)
  })
})
