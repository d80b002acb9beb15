import { permissionsOfRights, wholeRights } from '@thingwright/contracts/end-users.words'
import type { ErrorCode } from '@thingwright/contracts/errors'
import { NOT_FOR_API_KEYS, type Permission } from '@thingwright/contracts/permissions'
import type { Actor, ApiKeyActor, DataScope } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { EndUserStanding, StandingOf } from '../end-users/standing.port.ts'
import {
  type AccessClaims,
  type ApiKeySignIn,
  allowedBy,
  type RequestOrigin,
  readPolicy,
  type SignedIn,
} from '../identity/index.ts'
import { dataScopeOfRoles, permissionsOf, rolesOf } from '../roles/index.ts'
import { accountState } from '../tenants/index.ts'
import { hashOfKey } from './api-key-text.ts'
import { keyByHash, keyById, type SignInRow } from './api-keys.repo.ts'
import { createKeyRates, type KeyRates } from './key-rate.ts'
import { keyScope } from './key-scope.ts'

/** A key without an expiry is asked again every few seconds anyway. */
const FAR_FUTURE = 8.64e15
/** Keys changed by another process, or by hand, are noticed within this long. */
const TRUST_MS = 5000
const MAX_CACHED = 10_000
/** Texts that are no key, remembered as long: a program with a wrong key asks the database now and then only. */
const MAX_UNKNOWN = 1000

export interface ApiKeyGate extends ApiKeySignIn {
  rates: KeyRates
  /** A program with the rights of this moment, for work begun earlier; null: it may no longer act there. */
  actorNow(tenantId: string, keyId: string): Promise<Actor | null>
  /** What is known of this key is asked again. */
  forgetKey(keyId: string): void
}

export interface ApiKeyGateOptions {
  database: Database
  standingOf: StandingOf
  /** A key came in, or was turned away; told in memory only. */
  onUsed(keyId: string, ip: string): void
  onRefused(keyId: string, code: ErrorCode, ip: string): void
  now(): number
}

interface Known {
  until: number
  row: SignInRow
  permissions: ReadonlySet<Permission>
  dataScope: ApiKeyActor['dataScope']
  /** Of the end user it stands on. */
  standing: EndUserStanding | null
  /** The company's own list of addresses, which holds for programs too. */
  companyNetworks: readonly string[]
}

const NEVER: ReadonlySet<string> = new Set(NOT_FOR_API_KEYS)

/** Rights of a key: what it was given, of that what its owner holds, and never what no key may have. */
export function effectiveScopes(scopes: readonly string[], owner: ReadonlySet<Permission>): ReadonlySet<Permission> {
  return new Set([...owner].filter(permission => scopes.includes(permission) && !NEVER.has(permission)))
}

/** What an end user's programs may do. */
export const rightsOfStanding = ({ rights }: EndUserStanding): ReadonlySet<Permission> =>
  permissionsOf([{ permissions: permissionsOfRights(wholeRights(rights)) }], false)

/** Programs of an end user come in as long as the end user does, and has the right to them. */
const isClosed = ({ frozen, endsAt, rights }: EndUserStanding, now: number) =>
  frozen || (endsAt !== null && endsAt <= now) || !rights.includes('api')

/** Lets programs in, and keeps nothing that a change could make wrong for longer than that change takes. */
export function createApiKeyGate(options: ApiKeyGateOptions): ApiKeyGate {
  const { database, now } = options
  const known = new Map<string, Known>()
  const unknown = new Map<string, number>()
  const rates = createKeyRates(now)
  /** Raised by every `forget`: what was read before it is not kept. */
  let changes = 0

  async function lookUp(
    name: string,
    find: (scope: SystemScope) => Promise<SignInRow | undefined>,
  ): Promise<Known | null> {
    const cached = known.get(name)
    if (cached && cached.until > now()) return cached
    if ((unknown.get(name) ?? 0) > now()) return null
    const seen = changes
    const fresh = await database.withSystemScope('api-keys', async (scope): Promise<Known | null> => {
      const row = await find(scope)
      if (!row) return null
      const standing = row.maker_kind === 'end_user' ? await options.standingOf(scope, row.made_by) : null
      const roles = row.maker_state === 'active' && !standing ? await rolesOf(scope, row.made_by) : []
      const owner: DataScope = standing
        ? { kind: 'limited', groupIds: [], productIds: [], own: false, userId: row.made_by }
        : dataScopeOfRoles(roles, row.maker_group)
      return {
        until: now() + TRUST_MS,
        row,
        standing,
        permissions: effectiveScopes(row.scopes, standing ? rightsOfStanding(standing) : permissionsOf(roles, false)),
        dataScope: (await keyScope(scope, row.tenant_id, row.data_scope, owner)).dataScope,
        companyNetworks: readPolicy(row.security).ipAllowList,
      }
    })
    known.delete(name)
    unknown.delete(name)
    if (!fresh) {
      if (unknown.size >= MAX_UNKNOWN) unknown.delete(unknown.keys().next().value!)
      unknown.set(name, now() + TRUST_MS)
    } else if (seen === changes) {
      if (known.size >= MAX_CACHED) known.delete(known.keys().next().value!)
      known.set(name, fresh)
    }
    return fresh
  }

  /** Why the key is not taken; null: it is. */
  function refusalOf({ row, standing, companyNetworks }: Known, ip: string | null): ErrorCode | null {
    if (row.revoked_at) return 'api_key.revoked'
    if (row.expires_at && row.expires_at.getTime() <= now()) return 'api_key.expired'
    if (row.old_text && !(row.previous_until && row.previous_until.getTime() > now())) return 'api_key.revoked'
    // A key stops working when its maker left the company or is no longer a member.
    const isGone = row.maker_kind === 'end_user' ? !standing || isClosed(standing, now()) : row.maker_kind !== 'member'
    if (row.maker_state !== 'active' || isGone || row.maker_tenant !== row.tenant_id) return 'api_key.maker_gone'
    if (ip !== null && !(allowedBy(row.networks, ip) && allowedBy(companyNetworks, ip)))
      return 'api_key.address_refused'
    return null
  }

  /** @param ip null: an address was not told, which only a key without networks may do */
  function admit(found: Known | null, origin: RequestOrigin | undefined): Known {
    if (!found) throw new AppError('api_key.invalid')
    const ip = origin?.ip ?? ''
    const code = refusalOf(found, ip)
    if (code) {
      options.onRefused(found.row.id, code, ip)
      throw new AppError(code, code === 'api_key.address_refused' ? { params: { address: ip } } : {})
    }
    rates.allow(found.row.id, found.row.requests_per_minute)
    options.onUsed(found.row.id, ip)
    return found
  }

  function actorOf({ row, standing, permissions, dataScope }: Known): ApiKeyActor {
    const username = `${row.name} (${row.prefix})`
    return {
      kind: 'apiKey',
      keyId: row.id,
      ownerId: row.made_by,
      username,
      displayName: username,
      permissions,
      dataScope,
      ...(standing ? { endUser: { rights: standing.rights, deviceLimit: standing.deviceLimit } } : {}),
    }
  }

  function signedIn(found: Known): SignedIn & { expiresAt: number } {
    const { row } = found
    return {
      tenantId: row.tenant_id,
      appId: row.app_id,
      accountState: accountState(row.tenant_status),
      isFrozen: row.tenant_status === 'frozen',
      expiresAt: row.expires_at?.getTime() ?? FAR_FUTURE,
      actor: actorOf(found),
    }
  }

  const byText = (text: string) => {
    const hash = hashOfKey(text)
    return hash ? lookUp(`text ${hash.toString('base64url')}`, scope => keyByHash(scope, hash)) : Promise.resolve(null)
  }
  const byId = (id: string) => lookUp(`id ${id}`, scope => keyById(scope, id))

  function forget(which: (row: SignInRow) => boolean): void {
    changes++
    for (const [name, { row }] of known) if (which(row)) known.delete(name)
  }

  return {
    rates,
    authenticate: async (text, origin) => signedIn(admit(await byText(text), origin)),

    async authenticateToken(claims, origin) {
      const found = await byId(claims.sub)
      if (!found || found.row.tenant_id !== claims.tid) throw new AppError('api_key.invalid')
      // Given for the text before the last rotation: good as long as that text is.
      const old_text = claims.ep !== found.row.generation
      if (old_text && claims.ep !== found.row.generation - 1) throw new AppError('api_key.revoked')
      const caller = signedIn(admit({ ...found, row: { ...found.row, old_text } }, origin))
      return { ...caller, expiresAt: Math.min(caller.expiresAt, claims.exp * 1000) }
    },

    async grant({ clientId, clientSecret }, ip) {
      const found = await byText(clientSecret)
      // The beginning of the text is the client's name: both are asked for, so that a mix-up of two keys is noticed.
      if (!found || !clientSecret.startsWith(`${clientId}_`)) throw new AppError('auth.client_invalid')
      const { row, permissions } = admit(found, { ip })
      const rate = rates.take(row.id)
      if (!rate.taken) throw rateLimited(rate.retryAfterSeconds)
      const claims: AccessClaims = {
        sub: row.id,
        tid: row.tenant_id,
        app: row.app_id,
        ep: row.old_text ? row.generation - 1 : row.generation,
        key: true,
      }
      return { claims, name: row.name, scopes: [...permissions] }
    },

    async actorNow(tenantId, keyId) {
      const found = await byId(keyId)
      // Work goes on inside: there is no address to ask for.
      return found && found.row.tenant_id === tenantId && refusalOf(found, null) === null ? actorOf(found) : null
    },

    forgetOwner(loginId) {
      forget(row => !loginId || row.made_by === loginId)
      if (loginId) database.news.tell('keys.changed', { ids: [loginId] })
    },
    forgetKey(keyId) {
      forget(row => row.id === keyId)
      database.news.tell('keys.changed', { ids: [keyId] })
    },
  }
}

/** @param seconds until one more call fits */
export function rateLimited(seconds: number): AppError {
  return new AppError('rate.limited', { params: { seconds }, retryAfterSeconds: seconds })
}
