import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { part, type SqlPart, sql } from '../../lib/sql/statement.ts'
import type { TenantStatus } from '../tenants/index.ts'

export interface LoginRow {
  id: string
  tenant_id: string
  kind: 'member' | 'operator' | 'end_user'
  username: string
  phone: string | null
  email: string | null
  password_hash: string | null
  display_name: string
  locale: 'zh' | 'en'
  state: 'active' | 'frozen' | 'left'
  token_epoch: number
  group_id: string | null
  app_id: string
  tenant_status: TenantStatus
}

const LOGIN = part`select l.id, l.tenant_id, l.kind, l.username, l.phone, l.email, l.password_hash, l.display_name, l.locale, l.state, l.token_epoch, l.group_id, t.app_id, t.status as tenant_status
  from logins l join tenants t on t.id = l.tenant_id`

const LOGIN_BY_USERNAME = sql<LoginRow>`${LOGIN} where lower(l.username) = lower($1)`

export async function loginByUsername(scope: SystemScope, username: string): Promise<LoginRow | null> {
  return (await scope.run(LOGIN_BY_USERNAME, [username])).rows[0] ?? null
}

const LOGIN_BY_PHONE = sql<LoginRow>`${LOGIN} where l.phone = $1`

export async function loginByPhone(scope: SystemScope, phone: string): Promise<LoginRow | null> {
  return (await scope.run(LOGIN_BY_PHONE, [phone])).rows[0] ?? null
}

const LOGIN_BY_EMAIL = sql<LoginRow>`${LOGIN} where lower(l.email) = $1`

/** @param email normalised */
export async function loginByEmail(scope: SystemScope, email: string): Promise<LoginRow | null> {
  return (await scope.run(LOGIN_BY_EMAIL, [email])).rows[0] ?? null
}

const LOGIN_BY_ID = sql<LoginRow>`${LOGIN} where l.id = $1`

export async function loginById(scope: SystemScope, id: string): Promise<LoginRow | null> {
  return (await scope.run(LOGIN_BY_ID, [id])).rows[0] ?? null
}

const TOUCH_LOGIN = sql`update logins set last_login_at = now() where id = $1`

export async function touchLogin(scope: SystemScope, id: string): Promise<void> {
  await scope.run(TOUCH_LOGIN, [id])
}

export interface FamilyRow {
  id: string
  login_id: string
  client_id: string
  counter: number
  current_hash: Buffer
  previous_until: Date | null
  expires_at: Date
  revoked_at: Date | null
}

const INSERT_FAMILY = sql`insert into refresh_families (id, login_id, client_id, current_hash, expires_at, ip, user_agent, created_at, last_used_at, last_seen_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $8)`

export async function insertFamily(
  scope: SystemScope,
  family: {
    id: string
    loginId: string
    clientId: string
    hash: Buffer
    createdAt: Date
    expiresAt: Date
    ip: string
    userAgent: string
  },
): Promise<void> {
  await scope.run(INSERT_FAMILY, [
    family.id,
    family.loginId,
    family.clientId,
    family.hash,
    family.expiresAt,
    family.ip,
    family.userAgent,
    family.createdAt,
  ])
}

const LOCK_FAMILY = sql<FamilyRow>`select id, login_id, client_id, counter, current_hash, previous_until, expires_at, revoked_at from refresh_families where id = $1 for update`

/** Locks the family, so that of two tabs one rotates and the other sees it rotated. */
export async function lockFamily(scope: SystemScope, id: string): Promise<FamilyRow | null> {
  return (await scope.run(LOCK_FAMILY, [id])).rows[0] ?? null
}

const ROTATE_FAMILY = sql`update refresh_families set counter = $2, previous_hash = current_hash, current_hash = $3, previous_until = $4, expires_at = $5, last_used_at = now() where id = $1`

export async function rotateFamily(
  scope: SystemScope,
  id: string,
  next: { counter: number; hash: Buffer; previousUntil: Date; expiresAt: Date },
): Promise<void> {
  await scope.run(ROTATE_FAMILY, [id, next.counter, next.hash, next.previousUntil, next.expiresAt])
}

const REVOKE_FAMILY = sql`update refresh_families set revoked_at = now(), revoked_reason = $2 where id = $1 and revoked_at is null`

export async function revokeFamily(scope: SystemScope, id: string, reason: string): Promise<void> {
  await scope.run(REVOKE_FAMILY, [id, reason])
}

const FAMILY_IS_REVOKED = sql`select 1 from refresh_families where id = $1 and revoked_at is null`

export async function familyIsRevoked(scope: SystemScope, id: string): Promise<boolean> {
  return ((await scope.run(FAMILY_IS_REVOKED, [id])).rowCount ?? 0) === 0
}

const UPDATE_REFRESH_FAMILIES = sql`update refresh_families set revoked_at = now(), revoked_reason = $2 where login_id = $1 and revoked_at is null`

const UPDATE_LOGINS = sql`update logins set token_epoch = token_epoch + 1, version = version + 1, updated_at = now() where id = $1`

/** Ends every session of a login; the raised epoch refuses the access tokens that are still out. */
export async function revokeFamiliesOf(scope: SystemScope, loginId: string, reason: string): Promise<void> {
  await scope.run(UPDATE_REFRESH_FAMILIES, [loginId, reason])
  await scope.run(UPDATE_LOGINS, [loginId])
}

const END_MEMBER_SESSIONS = sql`select end_member_sessions($1, $2)`

/** The same within a change of the member's company. */
export async function endMemberSessions(scope: TenantScope, loginId: string, reason: string): Promise<void> {
  await scope.run(END_MEMBER_SESSIONS, [loginId, reason])
}

const storeIn = (column: SqlPart) =>
  sql`update logins set ${column} = $2, version = version + 1, updated_at = now() where id = $1`
const STORE_ADDRESS = { phone: storeIn(part`phone`), email: storeIn(part`email`) }

/** @param address normalised and proven to be the login's */
export async function storeAddress(
  scope: SystemScope,
  loginId: string,
  field: 'phone' | 'email',
  address: string,
): Promise<void> {
  await scope.run(STORE_ADDRESS[field], [loginId, address])
}
