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

/** Where somebody signs in: it says which company's end users are meant. */
export interface SignInPlace {
  /** App id of a company, as the client sends it. */
  appId?: string | undefined
  /** The host that the request was addressed to. */
  host?: string | undefined
}

const NAMED = {
  username: part`lower(l.username) = lower($1)`,
  phone: part`l.phone = $1`,
  email: part`lower(l.email) = $1`,
}
const one = (column: SqlPart) => ({
  member: sql<LoginRow>`${LOGIN} where ${column} and l.kind <> 'end_user'`,
  ofCompany: sql<LoginRow>`${LOGIN} where ${column} and l.kind = 'end_user' and l.state <> 'left' and l.tenant_id = $2`,
  // Two of them are nobody: which company is meant must be said.
  anywhere: sql<LoginRow>`${LOGIN} where ${column} and l.kind = 'end_user' and l.state <> 'left' limit 2`,
})
const LOGIN_BY = { username: one(NAMED.username), phone: one(NAMED.phone), email: one(NAMED.email) }

const COMPANY_AT = sql<{ id: string }>`select id from tenants where app_id = $1
  union all select tenant_id from portal_hosts where host = lower($2) and $1::text is null limit 1`

/**
 * People of companies and operators are found by what is theirs in the whole installation. With a place end users are
 * found too: of the company that it names, before the others; where it names none, the only one there is.
 */
async function loginBy(
  scope: SystemScope,
  column: keyof typeof NAMED,
  value: string,
  place: SignInPlace | undefined,
): Promise<LoginRow | null> {
  const statements = LOGIN_BY[column]
  const company = place && (place.appId || place.host) ? await companyAt(scope, place) : null
  if (company) {
    const customer = (await scope.run(statements.ofCompany, [value, company])).rows[0]
    if (customer) return customer
  }
  const member = (await scope.run(statements.member, [value])).rows[0]
  if (member || !place || company || place.appId) return member ?? null
  const { rows } = await scope.run(statements.anywhere, [value])
  return rows.length === 1 ? rows[0]! : null
}

async function companyAt(scope: SystemScope, { appId, host }: SignInPlace): Promise<string | null> {
  const name = host?.replace(/:\d+$/, '') ?? null
  return (await scope.run(COMPANY_AT, [appId ?? null, name])).rows[0]?.id ?? null
}

export function loginByUsername(scope: SystemScope, username: string, place?: SignInPlace): Promise<LoginRow | null> {
  return loginBy(scope, 'username', username, place)
}

export function loginByPhone(scope: SystemScope, phone: string, place?: SignInPlace): Promise<LoginRow | null> {
  return loginBy(scope, 'phone', phone, place)
}

/** @param email normalised */
export function loginByEmail(scope: SystemScope, email: string, place?: SignInPlace): Promise<LoginRow | null> {
  return loginBy(scope, 'email', email, place)
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
