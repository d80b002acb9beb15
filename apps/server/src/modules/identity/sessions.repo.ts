import type { Ctx } from '../../lib/context.ts'
import type { SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { part, sql } from '../../lib/sql/statement.ts'
import { OWNER, rolesOf } from '../roles/index.ts'

type Scope = Pick<SystemScope, 'run'>

export interface SessionRow {
  id: string
  client_id: string
  ip: string | null
  last_ip: string | null
  user_agent: string | null
  created_at: Date
  last_seen_at: Date
}

const ALIVE = part`revoked_at is null and expires_at > $2`

const SESSIONS_OF = sql<SessionRow>`select id, client_id, ip, last_ip, user_agent, created_at, last_seen_at from refresh_families
  where login_id = $1 and ${ALIVE} order by last_seen_at desc limit 200`

export async function sessionsOf(scope: Scope, loginId: string, now: Date): Promise<SessionRow[]> {
  const { rows } = await scope.run(SESSIONS_OF, [loginId, now])
  return rows
}

const END = part`update refresh_families set revoked_at = $2, revoked_reason = $3 where login_id = $1 and ${ALIVE}`
const END_ONE = sql`${END} and id = $4`
const END_OTHERS = sql`${END} and ($4::uuid is null or id <> $4)`

/** Ends one session, or all but one; returns how many. */
export async function endSessions(
  scope: Scope,
  loginId: string,
  now: Date,
  which: { only: string } | { except: string | null },
  reason: string,
): Promise<number> {
  const { rowCount } =
    'only' in which
      ? await scope.run(END_ONE, [loginId, now, reason, which.only])
      : await scope.run(END_OTHERS, [loginId, now, reason, which.except])
  return rowCount ?? 0
}

export interface FamilyTimes {
  created_at: Date
  last_seen_at: Date
  last_ip: string | null
  security: unknown
}

const FAMILY_TIMES = sql<FamilyTimes>`select f.created_at, f.last_seen_at, f.last_ip, t.settings -> 'security' as security
  from refresh_families f join logins l on l.id = f.login_id join tenants t on t.id = l.tenant_id where f.id = $1`

/** When a session began and was last used, with the rules of its company. */
export async function familyTimes(scope: Scope, familyId: string): Promise<FamilyTimes | null> {
  const { rows } = await scope.run(FAMILY_TIMES, [familyId])
  return rows[0] ?? null
}

const TOUCH_SESSION = sql`update refresh_families set last_seen_at = greatest(last_seen_at, $2), last_ip = $3 where id = $1`

export async function touchSession(scope: Scope, familyId: string, at: Date, ip: string): Promise<void> {
  await scope.run(TOUCH_SESSION, [familyId, at, ip])
}

const MEMBER_OF = sql<{
  username: string
}>`select username from logins where id = $1 and tenant_id = $2 and kind in ('member', 'operator')`

/** A login of the company, whatever its state. */
export async function memberOf(scope: Scope, tenantId: string, loginId: string): Promise<{ username: string } | null> {
  const { rows } = await scope.run(MEMBER_OF, [loginId, tenantId])
  return rows[0] ?? null
}

/**
 * What concerns an owner is for owners: else a colleague with the right to rules could take the owner's protection away.
 * @throws AppError member.owner_only
 */
export async function onlyOwnersTouchOwners(scope: Scope, { actor }: Ctx, loginId: string): Promise<void> {
  if (actor.kind !== 'member' || actor.loginId === loginId) return
  const isOwner = async (id: string) => (await rolesOf(scope, id)).some(role => role.key === OWNER)
  if ((await isOwner(loginId)) && !(await isOwner(actor.loginId))) throw new AppError('member.owner_only')
}
