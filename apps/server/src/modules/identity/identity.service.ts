import type { MeView, TokenReply } from '@thingwright/contracts/identity.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Actor, Ctx, Locale } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { menuKeysOf, permissionsOf, type RoleGrant, rolesOf } from '../roles/index.ts'
import { accountState, type TenantsService } from '../tenants/index.ts'
import {
  familyIsRevoked,
  insertFamily,
  type LoginRow,
  lockFamily,
  loginById,
  loginByPhone,
  loginByUsername,
  revokeFamily,
  rotateFamily,
  touchLogin,
} from './identity.repo.ts'
import { verifyPassword } from './passwords.ts'
import { normalisePhone, type SmsCodes } from './sms-codes.ts'
import { ACCESS_SECONDS, REFRESH_DAYS, REFRESH_OVERLAP_SECONDS, type Tokens, tokenHash } from './tokens.ts'

/** The public clients of interfaces.md §3. */
const CLIENTS: Record<string, string> = { web: 'web', cli: 'cli' }

export interface TokenInput {
  grant_type: string
  username?: string | undefined
  password?: string | undefined
  phone?: string | undefined
  code?: string | undefined
  refresh_token?: string | undefined
}

export interface Peer {
  ip: string
  userAgent: string
  locale: Locale
  requestId: string
}

export interface SignedIn {
  tenantId: string
  appId: string
  actor: Actor
  accountState: 0 | 1 | 2
}

export interface IdentityService {
  /** Reads Basic client authentication. @throws AppError auth.client_invalid */
  client(authorization: string | undefined): string
  /** All grants of /oauth/token. The refresh token is always in the reply; the route moves it to a cookie for `web`. */
  token(clientId: string, input: TokenInput, peer: Peer): Promise<Reply>
  revoke(refreshToken: string | undefined): Promise<void>
  /** The caller behind an access token; rights are read again every 5 s at most. @throws AppError auth.* */
  authenticate(accessToken: string): Promise<SignedIn & { expiresAt: number }>
  me(ctx: Ctx): Promise<MeView>
  updateMe(ctx: Ctx, input: { displayName?: string | undefined; locale?: 'zh' | 'en' | undefined }): Promise<MeView>
  /** Forgets what is known of a login; called when roles or states change. */
  forget(loginId?: string): void
}

export interface IdentityOptions {
  database: Database
  tenants: TenantsService
  tokens: Tokens
  smsCodes: SmsCodes
  /** Addresses of the routes that ask for a menu permission. */
  menuKeys: readonly string[]
  now(): number
}

/** Demoted, frozen or expired callers lose their rights within this long, without asking the database for every request. */
const TRUST_MS = 5000
const MAX_CACHED = 10_000

type Reply = TokenReply & { refresh_token: string }

interface Known {
  until: number
  login: LoginRow
  roles: RoleGrant[]
  familyAlive: boolean
}

export function createIdentityService(options: IdentityOptions): IdentityService {
  const { database, tokens, now } = options
  const known = new Map<string, Known>()

  function reply(login: LoginRow, familyId: string, refreshToken: string): Reply {
    return {
      access_token: tokens.signAccess({
        sub: login.id,
        tid: login.tenant_id,
        app: login.app_id,
        ep: login.token_epoch,
        fam: familyId,
      }),
      token_type: 'bearer',
      expires_in: ACCESS_SECONDS,
      id: login.id,
      username: login.username,
      thingwrightAppId: login.app_id,
      refresh_token: refreshToken,
    }
  }

  async function begin(scope: SystemScope, login: LoginRow, clientId: string, peer: Peer, how: string): Promise<Reply> {
    const familyId = newId(now())
    const token = tokens.refreshToken(familyId, 0)
    await insertFamily(scope, {
      id: familyId,
      loginId: login.id,
      clientId,
      hash: tokenHash(token),
      expiresAt: new Date(now() + REFRESH_DAYS * 86_400_000),
      ip: peer.ip,
      userAgent: peer.userAgent,
    })
    await touchLogin(scope, login.id)
    await recordAudit(scope, signInContext(login, peer), {
      action: 'session.sign_in',
      objectType: 'login',
      objectId: login.id,
      objectName: login.username,
      after: { grant: how, client: clientId },
    })
    return reply(login, familyId, token)
  }

  /** Refusals are written too, when they concern a login that exists. */
  async function refuseSignIn(scope: SystemScope, login: LoginRow | null, peer: Peer, how: string): Promise<null> {
    if (login)
      await recordAudit(scope, signInContext(login, peer), {
        action: 'session.sign_in',
        objectType: 'login',
        objectId: login.id,
        objectName: login.username,
        after: { grant: how },
        result: 'refused',
      })
    return null
  }

  async function byPassword(clientId: string, input: TokenInput, peer: Peer): Promise<Reply> {
    const username = input.username?.trim() ?? ''
    const login = username ? await database.withSystemScope('sign-in', scope => loginByUsername(scope, username)) : null
    const right = await verifyPassword(login?.password_hash ?? null, input.password ?? '')
    const result = await database.withSystemScope('sign-in', async (scope): Promise<Reply | 'frozen' | null> => {
      if (!right || !login) return refuseSignIn(scope, login, peer, 'password')
      return login.state === 'frozen' ? 'frozen' : begin(scope, login, clientId, peer, 'password')
    })
    if (result === 'frozen') throw new AppError('auth.login_frozen')
    if (!result) throw new AppError('auth.wrong_credentials')
    return result
  }

  async function byCode(clientId: string, input: TokenInput, peer: Peer): Promise<Reply> {
    const phone = normalisePhone(input.phone ?? '')
    // The attempt is counted even when it fails, so nothing is thrown inside the transaction.
    const result = await database.withSystemScope('sign-in', async (scope): Promise<Reply | 'frozen' | null> => {
      const right = await options.smsCodes.consume(scope, phone, 'sign_in', input.code ?? '')
      const login = await loginByPhone(scope, phone)
      if (!right || !login) return refuseSignIn(scope, login, peer, 'sms_code')
      return login.state === 'frozen' ? 'frozen' : begin(scope, login, clientId, peer, 'sms_code')
    })
    if (result === 'frozen') throw new AppError('auth.login_frozen')
    if (!result) throw new AppError('auth.code_wrong')
    return result
  }

  async function byRefresh(clientId: string, refreshToken: string | undefined) {
    const parsed = refreshToken ? tokens.parseRefresh(refreshToken) : null
    if (!parsed) throw new AppError('auth.refresh_invalid')
    const result = await database.withSystemScope('sign-in', async scope => {
      const family = await lockFamily(scope, parsed.familyId)
      if (!family || family.revoked_at || family.client_id !== clientId || family.expires_at.getTime() <= now())
        return 'invalid' as const
      const login = await loginById(scope, family.login_id)
      if (!login || login.state === 'frozen') return 'invalid' as const
      if (parsed.counter === family.counter) {
        const next = tokens.refreshToken(family.id, family.counter + 1)
        await rotateFamily(scope, family.id, {
          counter: family.counter + 1,
          hash: tokenHash(next),
          previousUntil: new Date(now() + REFRESH_OVERLAP_SECONDS * 1000),
          expiresAt: new Date(now() + REFRESH_DAYS * 86_400_000),
        })
        return reply(login, family.id, next)
      }
      // A second tab held the token that another tab has just replaced: it gets the same successor.
      if (parsed.counter === family.counter - 1 && family.previous_until && family.previous_until.getTime() > now())
        return reply(login, family.id, tokens.refreshToken(family.id, family.counter))
      await revokeFamily(scope, family.id, 'reused')
      return 'reused' as const
    })
    if (result === 'invalid') throw new AppError('auth.refresh_invalid')
    if (result === 'reused') throw new AppError('auth.refresh_reused')
    return result
  }

  async function lookUp(loginId: string, familyId: string | undefined): Promise<Known | null> {
    const key = `${loginId}:${familyId ?? ''}`
    const cached = known.get(key)
    if (cached && cached.until > now()) return cached
    const fresh = await database.withSystemScope('sign-in', async scope => {
      const login = await loginById(scope, loginId)
      if (!login) return null
      const familyAlive = familyId ? !(await familyIsRevoked(scope, familyId)) : true
      return { until: now() + TRUST_MS, login, roles: await rolesOf(scope, loginId), familyAlive }
    })
    known.delete(key)
    if (fresh) {
      if (known.size >= MAX_CACHED) known.delete(known.keys().next().value!)
      known.set(key, fresh)
    }
    return fresh
  }

  async function me(ctx: Ctx): Promise<MeView> {
    if (ctx.actor.kind === 'system') throw new AppError('auth.required')
    const loginId = ctx.actor.loginId
    const { login, roles } = await database.withSystemScope('sign-in', async scope => ({
      login: await loginById(scope, loginId),
      roles: await rolesOf(scope, loginId),
    }))
    if (!login) throw new AppError('auth.token_invalid')
    const company = await options.tenants.get(ctx.tenantId)
    return {
      id: login.id,
      username: login.username,
      displayName: login.display_name,
      phone: login.phone,
      kind: login.kind,
      locale: login.locale,
      permissions: [...permissionsOf(roles, login.kind === 'operator')],
      menuPermissions: menuKeysOf(
        roles,
        // “All” of a company does not reach into the platform's own desk.
        options.menuKeys.filter(key => login.kind === 'operator' || !key.startsWith('/operator/')),
      ),
      roles: roles.map(({ key, name, ename }) => ({ key, name, ename })),
      company: {
        id: company.id,
        appId: company.appId,
        name: company.name,
        status: company.status,
        expiresAt: company.expiresAt,
        timeZone: company.timeZone,
      },
    }
  }

  return {
    client(authorization) {
      const encoded = /^basic ([A-Za-z0-9+/=_-]{1,200})$/i.exec(authorization ?? '')?.[1]
      const [id = '', secret = ''] = encoded ? Buffer.from(encoded, 'base64').toString('utf8').split(':') : []
      if (!Object.hasOwn(CLIENTS, id) || CLIENTS[id] !== secret) throw new AppError('auth.client_invalid')
      return id
    },
    token(clientId, input, peer) {
      if (input.grant_type === 'password') return byPassword(clientId, input, peer)
      if (input.grant_type === 'sms_code') return byCode(clientId, input, peer)
      if (input.grant_type === 'refresh_token') return byRefresh(clientId, input.refresh_token)
      throw new AppError('auth.grant_unsupported')
    },
    async revoke(refreshToken) {
      const parsed = refreshToken ? tokens.parseRefresh(refreshToken) : null
      if (!parsed) return
      await database.withSystemScope('sign-in', scope => revokeFamily(scope, parsed.familyId, 'signed_out'))
      known.clear()
    },
    async authenticate(accessToken) {
      const claims = tokens.verifyAccess(accessToken)
      const found = await lookUp(claims.sub, claims.fam)
      if (
        !found?.familyAlive ||
        found.login.state === 'frozen' ||
        found.login.token_epoch !== claims.ep ||
        found.login.tenant_id !== claims.tid
      )
        throw new AppError('auth.token_invalid')
      const { login } = found
      const isOperator = login.kind === 'operator'
      return {
        tenantId: login.tenant_id,
        appId: login.app_id,
        accountState: accountState(login.tenant_status),
        expiresAt: claims.exp * 1000,
        actor: {
          kind: isOperator ? 'operator' : 'member',
          loginId: login.id,
          username: login.username,
          displayName: login.display_name,
          permissions: permissionsOf(found.roles, isOperator),
        },
      }
    },
    me,
    async updateMe(ctx, input) {
      if (ctx.actor.kind === 'system') throw new AppError('auth.required')
      const loginId = ctx.actor.loginId
      await database.withSystemScope('sign-in', async scope => {
        const before = await loginById(scope, loginId)
        if (!before) throw new AppError('auth.token_invalid')
        await scope.query(
          'update logins set display_name = coalesce($2, display_name), locale = coalesce($3, locale), version = version + 1, updated_at = now() where id = $1',
          [loginId, input.displayName ?? null, input.locale ?? null],
        )
        await recordAudit(scope, ctx, {
          action: 'profile.update',
          objectType: 'login',
          objectId: loginId,
          objectName: before.username,
          before: { displayName: before.display_name, locale: before.locale },
          after: { ...input },
        })
      })
      known.clear()
      return me(ctx)
    },
    forget(loginId) {
      for (const key of known.keys()) if (!loginId || key.startsWith(loginId)) known.delete(key)
    },
  }
}

function signInContext(login: LoginRow, peer: Peer): Ctx {
  return {
    tenantId: login.tenant_id,
    actor: {
      kind: login.kind === 'operator' ? 'operator' : 'member',
      loginId: login.id,
      username: login.username,
      displayName: login.display_name,
      permissions: new Set(),
    },
    locale: peer.locale,
    requestId: peer.requestId,
    now: Date.now(),
    ip: peer.ip,
  }
}
