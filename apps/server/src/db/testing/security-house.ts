import { type Ctx, WHOLE_COMPANY } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import type { BoundRoute, HttpInfo } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import { hashPassword } from '../../modules/identity/index.ts'
import { seedCompany } from '../seeds/minimal/minimal.seed.ts'
import { signInHouse } from './sign-in-house.ts'

export const PASSWORD = 'right horse battery'

/** A company with one owner on a test database, and calls of the security routes as the sessions of that person. */
export async function securityHouse(over: Parameters<typeof signInHouse>[0] = {}) {
  const house = await signInHouse(over)
  // Some columns have the database's own clock as default.
  house.now = Date.now()
  const { db, module } = house
  let people = 0
  const peer = (over: { ip?: string; userAgent?: string } = {}) => ({
    ip: '192.0.2.7',
    userAgent: 'test',
    locale: 'zh' as const,
    requestId: 'r',
    ...over,
  })

  async function company(over: { phone?: string; email?: string } = {}) {
    people += 1
    const username = `person${people}`
    const phone = over.phone ?? `1391000${String(1000 + people)}`
    const tenantId = await db.database.withSystemScope('seed', async scope =>
      seedCompany(scope, {
        name: `Company ${people}`,
        owner: { username, passwordHash: await hashPassword(PASSWORD), displayName: username, kind: 'member', phone },
      }),
    )
    const { rows } = await db.superuser.query<{ id: string }>('select id from logins where username = $1', [username])
    if (over.email) await db.superuser.query('update logins set email = $2 where id = $1', [rows[0]!.id, over.email])
    return { tenantId, loginId: rows[0]!.id, username, phone, name: `Company ${people}` }
  }

  const signIn = (username: string, over: { ip?: string; userAgent?: string; password?: string } = {}) =>
    module.service.token('cli', { grant_type: 'password', username, password: over.password ?? PASSWORD }, peer(over))

  /** A caller with a session: the context that HTTP would make of his token. */
  async function ctxOf(accessToken: string, over: Partial<Ctx> = {}): Promise<Ctx> {
    const caller = await module.service.authenticate(accessToken)
    return {
      tenantId: caller.tenantId,
      actor: caller.actor,
      locale: 'zh',
      requestId: newId(),
      now: house.now,
      ip: '192.0.2.7',
      ...(caller.sessionId ? { sessionId: caller.sessionId } : {}),
      ...over,
    }
  }

  /** Calls the handler of a route, as HTTP does after its checks. */
  async function call<T>(
    operation: { method: string; path: string },
    ctx: Ctx | null,
    input: { params?: unknown; query?: unknown; body?: unknown } = {},
    http: Partial<HttpInfo> & { cookies?: string } = {},
  ): Promise<T> {
    const found = module.routes.find(
      (route: BoundRoute) => route.contract.method === operation.method && route.contract.path === operation.path,
    )
    if (!found) throw new Error(`no route ${operation.method} ${operation.path}`)
    const anonymous: Ctx = {
      tenantId: '',
      actor: { kind: 'system', reason: 'anonymous' },
      locale: 'zh',
      requestId: newId(),
      now: house.now,
      ip: '192.0.2.7',
    }
    const handler = found.handler as (ctx: Ctx, input: object, http: HttpInfo) => Promise<T>
    return handler(
      ctx ?? anonymous,
      { params: {}, query: {}, body: {}, ...input },
      {
        ip: '192.0.2.7',
        userAgent: 'test',
        headers: { host: 'localhost:8080', ...(http.cookies ? { cookie: http.cookies } : {}) },
        setHeader: () => {},
        ...http,
      },
    )
  }

  return Object.assign(house, { company, signIn, ctxOf, call, peer, WHOLE_COMPANY })
}

export type SecurityHouse = Awaited<ReturnType<typeof securityHouse>>

/** The error a promise is refused with. */
export async function refusal(promise: Promise<unknown>): Promise<AppError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('it was not refused')
}
