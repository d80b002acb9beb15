import type { Permission } from '@thingwright/contracts/permissions'

export type Locale = 'zh' | 'en'

export interface MemberActor {
  kind: 'member'
  loginId: string
  username: string
  displayName: string
  permissions: ReadonlySet<Permission>
}
export interface OperatorActor {
  kind: 'operator'
  loginId: string
  username: string
  displayName: string
  permissions: ReadonlySet<Permission>
}
export interface SystemActor {
  kind: 'system'
  reason: string
}
export type Actor = MemberActor | OperatorActor | SystemActor

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
  /** Set by recordAudit; the HTTP layer holds it against the contract. */
  audited?: boolean
}

/** A context for work that no person asked for (jobs, seeds, consumers). */
export function systemContext(tenantId: string, reason: string, now: number = Date.now()): Ctx {
  return { tenantId, actor: { kind: 'system', reason }, locale: 'zh', requestId: `system-${reason}`, now }
}

/** The name written in the operation log and beside commands. */
export function actorName(actor: Actor): string {
  return actor.kind === 'system' ? `system:${actor.reason}` : actor.username
}

export function actorId(actor: Actor): string | null {
  return actor.kind === 'system' ? null : actor.loginId
}
