import { allContracts } from '@thingwright/contracts/all-contracts'
import { ERROR_STATUS } from '@thingwright/contracts/errors'
import type { RouteContract } from '@thingwright/contracts/route'
import { Ajv2020 } from 'ajv/dist/2020.js'
import naughtyStrings from 'big-list-of-naughty-strings/blns.json' with { type: 'json' }
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { newId } from '../lib/ids.ts'
import fc from '../lib/testing/fast-check.ts'
import { hashPassword } from '../modules/identity/index.ts'
import type { Container } from './container.ts'
import { brokenInput, type InputSchema, inputOf } from './testing/fuzz-inputs.ts'
import { testContainer, testHttp } from './testing/test-app.ts'

const PASSWORD = 'A password 4 tests'
/** Requests of each kind and route; more by hand: VITEST_FUZZ_RUNS=200 npx vitest run route-fuzz */
const RUNS = Number((import.meta as unknown as { env: Record<string, string | undefined> }).env.VITEST_FUZZ_RUNS ?? 8)
/** What an error must never tell: statements, files, stacks, the database's own words. */
const INTERNALS =
  /\bat .+\.(?:ts|js):\d+|node_modules|\/(?:work|tmp|home|root)\/|\bselect\b.+\bfrom\b|duplicate key|violates|pg_|relation "/i

const routes = Object.values(allContracts).flatMap(feature => Object.values(feature as Record<string, RouteContract>))

/**
 * Every route with inputs as its schema says, with inputs broken in one place, and without a sign-in. No answer is a 5xx,
 * every status is one that the errors know, every good answer is as its schema says, and no error tells of the inside.
 */
describe('every route under hostile input', () => {
  let db: TestDatabase
  let container: Container
  let app: FastifyInstance
  let passwordHash: string
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })

  beforeAll(async () => {
    db = await testDatabase()
    passwordHash = await hashPassword(PASSWORD)
    container = testContainer(db, { demo: true })
    app = await testHttp(container)
  })
  afterAll(async () => {
    await app.close()
    await db.drop()
  })

  /** A company of its own for every route: what one route breaks (a session, a password) is no other's business. */
  async function company(): Promise<{ token: string; ids: string[] }> {
    const name = `fuzz-${newId()}`
    const tenantId = await db.database.withSystemScope('seed', scope =>
      seedCompany(scope, { name, owner: { username: name, passwordHash, displayName: name, kind: 'member' } }),
    )
    const token = await signIn(name)
    const post = async (url: string, payload: object) =>
      (await app.inject({ method: 'POST', url, headers: { authorization: `Bearer ${token}` }, payload })).json().id
    const productId = await post('/api/v1/products', {
      name: 'p',
      linkType: 'mqtt',
      thingModel: { properties: [{ identifier: 'a', name: 'a', dataType: { type: 'double' }, access: 'rw' }] },
    })
    const deviceId = await post('/api/v1/devices', { productId, name: 'd' })
    const groupId = await post('/api/v1/groups', { kind: 'device', name: 'g' })
    const login = (await db.superuser.query('select id from logins where tenant_id = $1', [tenantId])).rows[0].id
    return { token, ids: [productId, deviceId, groupId, login, newId()] }
  }

  async function signIn(username: string): Promise<string> {
    const reply = await app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: {
        authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD }).toString(),
    })
    return reply.json().access_token
  }

  async function send(route: RouteContract, input: Input, token: string | null) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => segment(input.params?.[name]))
    const query = new URLSearchParams()
    for (const [key, value] of Object.entries(input.query ?? {}))
      if (value !== undefined) query.append(key, typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
    const form = route.path === '/oauth/token'
    const body = input.body === undefined ? undefined : (JSON.stringify(input.body) ?? 'null')
    return app.inject({
      method: route.method as 'GET',
      // Wrong passwords lock the address that they come from, which is not that of the sign-ins above.
      ...(route.permission === 'public' ? { remoteAddress: '198.51.100.7' } : {}),
      url: query.size ? `${path}?${query}` : path,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(form
          ? { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Basic Y2xpOmNsaQ==' }
          : body === undefined
            ? {}
            : { 'content-type': 'application/json' }),
      },
      ...(form ? { payload: formOf(input.body) } : body === undefined ? {} : { payload: body }),
    })
  }

  it.each(routes.map(route => [`${route.method} ${route.path}`, route] as const))('%s', async (_name, route) => {
    const { token, ids } = await company()
    const validate = route.produces ? null : ajv.compile(route.response)
    const parts = {
      params: route.params ? inputOf(route.params as InputSchema, ids) : fc.constant({}),
      query: route.query ? inputOf(route.query as InputSchema, ids) : fc.constant({}),
      body: route.body ? inputOf(route.body as InputSchema, ids) : fc.constant(undefined),
    }
    const broken = {
      params: route.params ? brokenInput(parts.params, naughtyStrings) : parts.params,
      query: route.query ? brokenInput(parts.query, naughtyStrings) : parts.query,
      body: route.body ? brokenInput(parts.body, naughtyStrings) : parts.body,
    }
    const judge = (reply: Awaited<ReturnType<typeof send>>, input: Input) => {
      const said = `${reply.statusCode} ${reply.body.slice(0, 300)} for ${JSON.stringify(input)?.slice(0, 600)}`
      expect(reply.statusCode, said).toBeLessThan(500)
      if (reply.statusCode >= 400) {
        const { code } = reply.json() as { code: string }
        expect(Object.keys(ERROR_STATUS), said).toContain(code)
        const told = INTERNALS.exec((reply.json() as { message: string }).message)?.[0]
        // What the caller sent himself may be said back to him.
        if (told && !JSON.stringify(input).includes(JSON.stringify(told).slice(1, -1))) expect.fail(said)
      } else if (validate)
        expect(validate(reply.body === '' ? null : reply.json()), `${said} ${ajv.errorsText(validate.errors)}`).toBe(
          true,
        )
    }
    for (const arbitrary of [fc.record(parts), fc.record(broken)])
      await fc.assert(
        fc.asyncProperty(arbitrary as fc.Arbitrary<Input>, async input =>
          judge(await send(route, input, token), input),
        ),
        { numRuns: RUNS, endOnFailure: true },
      )
    if (route.permission !== 'public')
      await fc.assert(
        fc.asyncProperty(fc.record(broken) as fc.Arbitrary<Input>, async input => {
          const reply = await send(route, input, null)
          // An address that is none is not found before anybody is asked for.
          expect([401, 404, 400], `${reply.statusCode} ${reply.body}`).toContain(reply.statusCode)
          expect(reply.json().code).not.toBe('server.error')
        }),
        { numRuns: Math.ceil(RUNS / 4) },
      )
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

interface Input {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}

function segment(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '-')
  try {
    return encodeURIComponent(text.slice(0, 190)) || '-'
  } catch {
    // A half of a character has no place in an address.
    return '%ED%A0%80'
  }
}

function formOf(body: unknown): string {
  const form = new URLSearchParams()
  for (const [key, value] of Object.entries((body ?? {}) as object)) form.append(key, String(value))
  return form.toString()
}
