import type { Permission } from '@thingwright/contracts/permissions'

export type Locale = 'zh' | 'en'

/**
 * Which of the company's products and devices a person may see and change: the union over his roles. Enforced by
 * row-level security in every transaction that is opened with his context (docs/adr/0013-data-scope.md).
 */
export type DataScope =
  | { readonly kind: 'all' }
  | {
      readonly kind: 'limited'
      /** Roots: these groups, of any kind, and everything below them. */
      readonly groupIds: readonly string[]
      readonly productIds: readonly string[]
      /** What he created himself. */
      readonly own: boolean
      /** An end user: what belongs to him and to those below him. */
      readonly userId?: string
    }

export const WHOLE_COMPANY: DataScope = { kind: 'all' }

export interface MemberActor {
  kind: 'member'
  loginId: string
  username: string
  displayName: string
  permissions: ReadonlySet<Permission>
  dataScope: DataScope
}
/** A customer of the company: he reaches the routes that are open to end users, and what belongs to him. */
export interface EndUserActor {
  kind: 'end_user'
  loginId: string
  username: string
  displayName: string
  permissions: ReadonlySet<Permission>
  dataScope: DataScope
  /** Words of END_USER_RIGHTS. */
  rights: readonly string[]
  /** Devices that he may have, himself and below him; null: no limit. */
  deviceLimit: number | null
  /** A member of the company works as him: both are named in the operation log. */
  enteredBy?: { loginId: string; username: string }
}
export interface OperatorActor {
  kind: 'operator'
  loginId: string
  username: string
  displayName: string
  permissions: ReadonlySet<Permission>
  /** He is inside a company that let him in (modules/tenants/support.service.ts). */
  support?: SupportSession
}
export interface SupportSession {
  grantId: string
  companyName: string
  mayWrite: boolean
  /** Epoch ms at which the company's consent ends. */
  expiresAt: number
}
/** A program with an API key: never more than the member or end user it stands on has at the moment of the call. */
export interface ApiKeyActor {
  kind: 'apiKey'
  keyId: string
  /** The member it stands on: what it makes belongs to him. */
  ownerId: string
  /** Name and beginning of the key, as logs show it: `Warehouse (twk_k3p9x7aa)`. */
  username: string
  displayName: string
  permissions: ReadonlySet<Permission>
  dataScope: DataScope
  /** Of an end user: the key reaches what the end user reaches. */
  endUser?: { rights: readonly string[]; deviceLimit: number | null }
}
export interface SystemActor {
  kind: 'system'
  reason: string
  /** The name of the person where he has no login, such as the holder of a link. */
  name?: string
}
export type Actor = MemberActor | EndUserActor | OperatorActor | ApiKeyActor | SystemActor

/** Who asks, for which company, in which language: always the first parameter of a service. */
export interface Ctx {
  tenantId: string
  actor: Actor
  locale: Locale
  requestId: string
  /** Epoch milliseconds at which the request began. */
  now: number
  /** Address of the caller, for the operation log. */
  ip?: string
  /** What the caller's program calls itself, for the operation log. */
  userAgent?: string
  /** The session (refresh family) that the caller's token belongs to; absent for tokens without one. */
  sessionId?: string
  /** Set by recordAudit; the HTTP layer holds it against the contract. */
  audited?: boolean
  /** Aborted when the caller no longer waits for the answer; absent where nobody waits. */
  gone?(): AbortSignal
}

/** A context for work that no person asked for (jobs, seeds, consumers). */
export function systemContext(tenantId: string, reason: string, now: number = Date.now()): Ctx {
  return { tenantId, actor: { kind: 'system', reason }, locale: 'zh', requestId: `system-${reason}`, now }
}

/** The customer of the company who asks, by himself or by a program with his key; null: it is none. */
export function customerOf(actor: Actor): { id: string; rights: readonly string[] } | null {
  if (actor.kind === 'end_user') return { id: actor.loginId, rights: actor.rights }
  return actor.kind === 'apiKey' && actor.endUser ? { id: actor.ownerId, rights: actor.endUser.rights } : null
}

/** The name written in the operation log and beside commands. */
export function actorName(actor: Actor): string {
  if (actor.kind === 'system') return actor.name ?? `system:${actor.reason}`
  if (actor.kind === 'end_user' && actor.enteredBy) return `${actor.enteredBy.username} → ${actor.username}`
  return actor.username
}

/** What the actor may see of the company; operators are never limited. */
export function dataScopeOf(actor: Actor): DataScope {
  return 'dataScope' in actor ? actor.dataScope : WHOLE_COMPANY
}

/** The actor of a change: a login, or an API key. */
export function actorId(actor: Actor): string | null {
  if (actor.kind === 'system') return null
  return actor.kind === 'apiKey' ? actor.keyId : actor.loginId
}

/**
 * The login that owns what the actor creates: of an API key, the login that the key belongs to; null for the system.
 */
export function ownerIdOf(actor: Actor): string | null {
  if (actor.kind === 'system') return null
  return actor.kind === 'apiKey' ? actor.ownerId : actor.loginId
}
