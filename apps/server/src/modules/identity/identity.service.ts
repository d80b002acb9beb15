import { permissionsOfRights, wholeRights } from '@thingwright/contracts/end-users.words'
import type { MeView, TokenReply } from '@thingwright/contracts/identity.contract'
import { recordAudit } from '../../lib/audit.ts'
import {
  type Actor,
  type Ctx,
  type DataScope,
  dataScopeOf,
  type EndUserActor,
  type MemberActor,
} from '../../lib/context.ts'
import type { Database, SystemScope, TenantScope } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { personId } from '../../lib/person.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { EndUserStanding, StandingOf } from '../end-users/standing.port.ts'
import { dataScopeOfRoles, menuKeysOf, permissionsOf, type RoleGrant, rolesOf } from '../roles/index.ts'
import { accountState, daysLeft, type SupportAccess, type TenantsService } from '../tenants/index.ts'
import { API_KEY_START, type ApiKeySignIn } from './api-key-sign-in.ts'
import {
  endMemberSessions,
  familyIsRevoked,
  type LoginRow,
  lockFamily,
  loginById,
  revokeFamiliesOf,
  revokeFamily,
} from './identity.repo.ts'
import { admitRequest, type RequestOrigin, type SessionState, sessionOver, sessionState } from './session-rules.ts'
import { contextOf, type Peer, type TokenReplyWithRefresh } from './session-start.ts'
import { supportRights } from './support-rights.ts'
import type { TokenGrants, TokenInput } from './token-grants.ts'
import { ACCESS_SECONDS, type Tokens } from './tokens.ts'

/** The public clients of interfaces.md §3. */
const CLIENTS: Record<string, string> = { web: 'web', cli: 'cli', applet: 'applet' }

export interface SignedIn {
  tenantId: string
  appId: string
  actor: Actor
  accountState: 0 | 1 | 2
  isFrozen?: boolean
  /** Refresh family of the token. */
  sessionId?: string
}

export interface IdentityService {
  /** Reads Basic client authentication. @throws AppError auth.client_invalid */
  client(authorization: string | undefined): string
  /** All grants of /oauth/token. The refresh token is always in the reply; the route moves it to a cookie for `web`. */
  token(clientId: string, input: TokenInput, peer: Peer): Promise<TokenReplyWithRefresh>
  revoke(refreshToken: string | undefined, peer?: Peer): Promise<void>
  /**
   * The caller behind an access token; rights are read again every 5 s at most. With its origin the request is also held
   * against the company's rules: addresses, age of the session, idle time. @throws AppError auth.*
   */
  authenticate(accessToken: string, origin?: RequestOrigin): Promise<SignedIn & { expiresAt: number }>
  /** A member or operator with the rights of this moment, for work begun earlier; null: he may no longer act there. */
  actorNow(tenantId: string, loginId: string): Promise<Actor | null>
  /** The same of a member or an end user, for what goes on for years; undefined: no member of this company (an operator made it while he helped). */
  makerNow(tenantId: string, loginId: string): Promise<MemberActor | EndUserActor | null | undefined>
  me(ctx: Ctx): Promise<MeView>
  /**
   * A token with which an operator works inside a company that let him in; it ends with the consent, after 15 minutes at
   * most, and with the session it was asked for from.
   */
  supportToken(ctx: Ctx, access: SupportAccess): Promise<TokenReply>
  /**
   * A token with which a member works as an end user of his company, with no more than both may; it ends with the
   * member's session, after 15 minutes at most. @throws AppError permission.denied, end_user.not_found
   */
  endUserToken(ctx: Ctx, loginId: string): Promise<TokenReply>
  /** Ends every session of a login, within the change that asks for it; tokens given before are refused from then on. */
  endSessions(scope: SystemScope, loginId: string, reason: string): Promise<void>
  /** The same of a member, within a change of his company. */
  endMemberSessions(scope: TenantScope, loginId: string, reason: string): Promise<void>
  updateMe(ctx: Ctx, input: { displayName?: string | undefined; locale?: 'zh' | 'en' | undefined }): Promise<MeView>
  /** Forgets what is known of a login; called when roles or states change. */
  forget(loginId?: string): void
}

export interface IdentityOptions {
  database: Database
  tenants: Pick<TenantsService, 'get'>
  tokens: Tokens
  grants: TokenGrants
  /** Addresses of the routes that ask for a menu permission. */
  menuKeys: readonly string[]
  /** What a support session stands on; null when the company's consent ended. */
  support(grantId: string, now: number): Promise<SupportAccess | null>
  /** What an end user may do now; null for a login that is none's. */
  standingOf: StandingOf
  /** Sign-in of programs. */
  apiKeys: Pick<ApiKeySignIn, 'authenticate' | 'authenticateToken' | 'forgetOwner'>
  now(): number
}

/** Demoted, frozen or expired callers lose their rights within this long, without asking the database for every request. */
const TRUST_MS = 5000
const MAX_CACHED = 10_000

interface Known {
  until: number
  login: LoginRow
  roles: RoleGrant[]
  familyAlive: boolean
  session: SessionState | null
  /** Of an end user. */
  standing: EndUserStanding | null
}

/** In one order, so that the same scope reads the same. */
function scopeView(scope: DataScope): MeView['dataScope'] {
  const { groupIds, productIds, own } = scope.kind === 'limited' ? scope : { groupIds: [], productIds: [], own: false }
  return { kind: scope.kind, groupIds: [...groupIds].sort(), productIds: [...productIds].sort(), own }
}

const UPDATE_ME = sql`update logins set display_name = coalesce($2, display_name), locale = coalesce($3, locale), version = version + 1, updated_at = now() where id = $1`

export function createIdentityService(options: IdentityOptions): IdentityService {
  const { database, tokens, now } = options
  const known = new Map<string, Known>()
  /** Raised by every `forget`: what was read before it is not kept. */
  let changes = 0

  function forget(loginId?: string): void {
    changes++
    for (const key of known.keys()) if (!loginId || key.startsWith(loginId)) known.delete(key)
    options.apiKeys.forgetOwner(loginId)
  }

  function forgetAll(): void {
    changes++
    known.clear()
  }

  async function lookUp(loginId: string, familyId: string | undefined): Promise<Known | null> {
    const key = `${loginId}:${familyId ?? ''}`
    const cached = known.get(key)
    if (cached && cached.until > now()) return cached
    const seen = changes
    const fresh = await database.withSystemScope('sign-in', async scope => {
      const login = await loginById(scope, loginId)
      if (!login) return null
      const familyAlive = familyId ? !(await familyIsRevoked(scope, familyId)) : true
      const session = await sessionState(scope, familyId)
      const standing = login.kind === 'end_user' ? await options.standingOf(scope, loginId) : null
      return { until: now() + TRUST_MS, login, roles: await rolesOf(scope, loginId), familyAlive, session, standing }
    })
    known.delete(key)
    if (fresh && seen === changes) {
      if (known.size >= MAX_CACHED) known.delete(known.keys().next().value!)
      known.set(key, fresh)
    }
    return fresh
  }

  /** @throws AppError auth.token_invalid, end_user.expired when he, or somebody above him, may not come in */
  function endUserOf({ login, standing }: Pick<Known, 'login' | 'standing'>): EndUserActor {
    if (!standing || standing.frozen) throw new AppError('auth.token_invalid')
    if (standing.endsAt !== null && standing.endsAt <= now()) throw new AppError('end_user.expired')
    const words = permissionsOfRights(wholeRights(standing.rights))
    return {
      kind: 'end_user',
      loginId: login.id,
      username: login.username,
      displayName: login.display_name,
      permissions: permissionsOf([{ permissions: words }], false),
      dataScope: { kind: 'limited', groupIds: [], productIds: [], own: false, userId: login.id },
      rights: standing.rights,
      deviceLimit: standing.deviceLimit,
    }
  }

  function actorOf(known: Known): Actor {
    const { login, roles } = known
    if (login.kind === 'end_user') return endUserOf(known)
    const isOperator = login.kind === 'operator'
    return {
      kind: isOperator ? 'operator' : 'member',
      loginId: login.id,
      username: login.username,
      displayName: login.display_name,
      permissions: permissionsOf(roles, isOperator),
      dataScope: dataScopeOfRoles(roles, login.group_id),
    }
  }

  /** @throws AppError auth.token_invalid, auth.address_refused */
  async function holdAgainstRules(
    session: SessionState | null,
    familyId: string | undefined,
    origin: RequestOrigin | undefined,
  ): Promise<void> {
    if (!session || !familyId) return
    if (!origin) {
      if (sessionOver(session, now())) throw new AppError('auth.token_invalid')
      return
    }
    const touch = admitRequest(session, origin, now())
    if (touch) await database.withSystemScope('sign-in', scope => touch(scope, familyId))
  }

  /** The operator behind a support token, inside the company. @throws AppError auth.token_invalid when the consent ended */
  async function inside(grantId: string, tenantId: string, login: LoginRow, exp: number) {
    const access = await options.support(grantId, now())
    if (!access || access.tenantId !== tenantId || login.kind !== 'operator') throw new AppError('auth.token_invalid')
    const { companyName, mayWrite, expiresAt } = access
    return {
      tenantId,
      appId: access.appId,
      accountState: accountState(access.status),
      isFrozen: access.status === 'frozen',
      expiresAt: Math.min(exp * 1000, expiresAt),
      actor: {
        kind: 'operator' as const,
        loginId: login.id,
        username: login.username,
        displayName: login.display_name,
        permissions: supportRights(mayWrite),
        support: { grantId, companyName, mayWrite, expiresAt },
      },
    }
  }

  /** The member behind an end user's token. @throws AppError auth.token_invalid when he may no longer work as him */
  async function enteredBy(loginId: string, familyId: string | undefined, tenantId: string): Promise<MemberActor> {
    const member = await lookUp(loginId, familyId)
    if (!member?.familyAlive || member.login.state !== 'active' || member.login.tenant_id !== tenantId)
      throw new AppError('auth.token_invalid')
    const actor = actorOf(member)
    if (actor.kind !== 'member' || !actor.permissions.has('end-user:enter')) throw new AppError('auth.token_invalid')
    return actor
  }

  /** No more than both may. */
  const asEntered = (actor: EndUserActor, member: MemberActor): EndUserActor => ({
    ...actor,
    permissions: new Set([...actor.permissions].filter(permission => member.permissions.has(permission))),
    enteredBy: { loginId: member.loginId, username: member.username },
  })

  async function me(ctx: Ctx): Promise<MeView> {
    const { actor } = ctx
    const loginId = personId(actor)
    const { login, roles, standing } = await database.withSystemScope('sign-in', async scope => ({
      login: await loginById(scope, loginId),
      roles: await rolesOf(scope, loginId),
      standing: actor.kind === 'end_user' ? await options.standingOf(scope, loginId) : null,
    }))
    // As stored now, like the rights of roles.
    const customer = login && actor.kind === 'end_user' ? endUserOf({ login, standing }) : null
    if (!login) throw new AppError('auth.token_invalid')
    const company = await options.tenants.get(ctx.tenantId)
    const support =
      actor.kind === 'operator' && actor.support ? { ...actor.support, permissions: actor.permissions } : undefined
    return {
      id: login.id,
      username: login.username,
      displayName: login.display_name,
      phone: login.phone,
      email: login.email,
      kind: login.kind,
      locale: login.locale,
      permissions: customer
        ? [...customer.permissions].filter(
            word => actor.kind !== 'end_user' || !actor.enteredBy || actor.permissions.has(word),
          )
        : support
          ? [...support.permissions]
          : [...permissionsOf(roles, login.kind === 'operator')],
      menuPermissions: standing
        ? options.menuKeys.filter(key => standing.pages.includes(key))
        : support
          ? options.menuKeys.filter(key => !key.startsWith('/operator/'))
          : menuKeysOf(
              roles,
              // “All” of a company does not reach into the platform's own desk.
              options.menuKeys.filter(key => login.kind === 'operator' || !key.startsWith('/operator/')),
            ),
      roles: roles.map(({ key, name, ename }) => ({ key, name, ename })),
      dataScope: scopeView(
        // As stored now, like the rights; what is known of the caller may be some seconds old.
        actor.kind === 'member' ? dataScopeOfRoles(roles, login.group_id) : dataScopeOf(actor),
      ),
      company: {
        id: company.id,
        appId: company.appId,
        name: company.name,
        status: company.status,
        expiresAt: company.expiresAt,
        daysLeft: company.expiresAt === null ? null : daysLeft(Date.parse(company.expiresAt), now(), company.timeZone),
        timeZone: company.timeZone,
      },
      ...(customer
        ? {
            endUser: {
              rights: [...customer.rights],
              deviceLimit: customer.deviceLimit,
              enteredBy: actor.kind === 'end_user' ? (actor.enteredBy?.username ?? null) : null,
            },
          }
        : {}),
      ...(support
        ? { support: { mayWrite: support.mayWrite, expiresAt: new Date(support.expiresAt).toISOString() } }
        : {}),
    }
  }

  return {
    client(authorization) {
      const encoded = /^basic ([A-Za-z0-9+/=_-]{1,200})$/i.exec(authorization ?? '')?.[1]
      const [id = '', secret = ''] = encoded ? Buffer.from(encoded, 'base64').toString('utf8').split(':') : []
      if (!Object.hasOwn(CLIENTS, id) || CLIENTS[id] !== secret) throw new AppError('auth.client_invalid')
      return id
    },
    token: options.grants,
    async revoke(refreshToken, peer) {
      const parsed = refreshToken ? tokens.parseRefresh(refreshToken) : null
      if (!parsed) return
      await database.withSystemScope('sign-in', async scope => {
        const family = await lockFamily(scope, parsed.familyId)
        if (!family || family.revoked_at !== null) return
        await revokeFamily(scope, parsed.familyId, 'signed_out')
        const login = await loginById(scope, family.login_id)
        if (!login || !peer) return
        await recordAudit(scope, contextOf(login, peer), {
          action: 'session.sign_out',
          objectType: 'login',
          objectId: login.id,
          objectName: login.username,
        })
      })
      forgetAll()
    },
    async authenticate(accessToken, origin) {
      if (accessToken.startsWith(API_KEY_START)) return options.apiKeys.authenticate(accessToken, origin)
      const claims = tokens.verifyAccess(accessToken)
      if (claims.key === true) return options.apiKeys.authenticateToken(claims, origin)
      const found = await lookUp(claims.sub, claims.imp === undefined ? claims.fam : undefined)
      if (
        !found?.familyAlive ||
        found.login.state !== 'active' ||
        found.login.token_epoch !== claims.ep ||
        (claims.sup === undefined && found.login.tenant_id !== claims.tid)
      )
        throw new AppError('auth.token_invalid')
      await holdAgainstRules(found.session, claims.fam, origin)
      const { login } = found
      if (claims.sup !== undefined) return inside(claims.sup, claims.tid, login, claims.exp)
      const entered = claims.imp === undefined ? null : await enteredBy(claims.imp, claims.fam, login.tenant_id)
      const actor = actorOf(found)
      if (entered && actor.kind !== 'end_user') throw new AppError('auth.token_invalid')
      return {
        tenantId: login.tenant_id,
        appId: login.app_id,
        accountState: accountState(login.tenant_status),
        isFrozen: login.tenant_status === 'frozen',
        expiresAt: claims.exp * 1000,
        ...(claims.fam ? { sessionId: claims.fam } : {}),
        actor: entered && actor.kind === 'end_user' ? asEntered(actor, entered) : actor,
      }
    },
    async makerNow(tenantId, loginId) {
      const found = await lookUp(loginId, undefined)
      if (found?.login.kind === 'operator' || (found && found.login.tenant_id !== tenantId)) return undefined
      if (found?.login.state !== 'active') return null
      try {
        return actorOf(found) as MemberActor | EndUserActor
      } catch (error) {
        if (isAppError(error)) return null
        throw error
      }
    },
    async actorNow(tenantId, loginId) {
      const found = await lookUp(loginId, undefined)
      if (found?.login.state !== 'active' || found.login.tenant_id !== tenantId) return null
      try {
        return actorOf(found)
      } catch (error) {
        if (isAppError(error)) return null
        throw error
      }
    },
    me,
    async supportToken(ctx, access) {
      if (ctx.actor.kind !== 'operator' || ctx.actor.support) throw new AppError('permission.denied')
      const { loginId, username } = ctx.actor
      const login = (await lookUp(loginId, ctx.sessionId))?.login
      if (!login) throw new AppError('auth.token_invalid')
      return {
        access_token: tokens.signAccess({
          sub: loginId,
          tid: access.tenantId,
          app: access.appId,
          ep: login.token_epoch,
          sup: access.grantId,
          ...(ctx.sessionId ? { fam: ctx.sessionId } : {}),
        }),
        token_type: 'bearer',
        expires_in: ACCESS_SECONDS,
        id: loginId,
        username,
        thingwrightAppId: access.appId,
      }
    },
    async endUserToken(ctx, loginId) {
      if (ctx.actor.kind !== 'member' || !ctx.actor.permissions.has('end-user:enter'))
        throw new AppError('permission.denied', { params: { permission: 'end-user:enter' } })
      const found = await lookUp(loginId, undefined)
      if (found?.login.kind !== 'end_user' || found.login.tenant_id !== ctx.tenantId)
        throw new AppError('end_user.not_found')
      if (found.login.state !== 'active' || found.standing?.frozen) throw new AppError('end_user.state_invalid')
      endUserOf(found)
      const { login } = found
      return {
        access_token: tokens.signAccess({
          sub: login.id,
          tid: login.tenant_id,
          app: login.app_id,
          ep: login.token_epoch,
          imp: ctx.actor.loginId,
          ...(ctx.sessionId ? { fam: ctx.sessionId } : {}),
        }),
        token_type: 'bearer',
        expires_in: ACCESS_SECONDS,
        id: login.id,
        username: login.username,
        thingwrightAppId: login.app_id,
      }
    },
    async endSessions(scope, loginId, reason) {
      await revokeFamiliesOf(scope, loginId, reason)
      scope.afterCommit(() => forget(loginId))
    },
    async endMemberSessions(scope, loginId, reason) {
      await endMemberSessions(scope, loginId, reason)
      scope.afterCommit(() => forget(loginId))
    },
    async updateMe(ctx, input) {
      const loginId = personId(ctx.actor)
      await database.withSystemScope('sign-in', async scope => {
        const before = await loginById(scope, loginId)
        if (!before) throw new AppError('auth.token_invalid')
        await scope.run(UPDATE_ME, [loginId, input.displayName ?? null, input.locale ?? null])
        await recordAudit(scope, ctx, {
          action: 'profile.update',
          objectType: 'login',
          objectId: loginId,
          objectName: before.username,
          before: { displayName: before.display_name, locale: before.locale },
          after: { ...input },
        })
      })
      forgetAll()
      return me(ctx)
    },
    forget,
  }
}
