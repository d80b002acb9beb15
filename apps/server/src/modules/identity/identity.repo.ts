import type { SystemScope } from '../../lib/database.ts'
import type { TenantStatus } from '../tenants/index.ts'

export interface LoginRow {
  id: string
  tenant_id: string
  kind: 'member' | 'operator' | 'end_user'
  username: string
  phone: string | null
  password_hash: string | null
  display_name: string
  locale: 'zh' | 'en'
  state: 'active' | 'frozen'
  token_epoch: number
  app_id: string
  tenant_status: TenantStatus
}

const LOGIN = `select l.id, l.tenant_id, l.kind, l.username, l.phone, l.password_hash, l.display_name, l.locale, l.state, l.token_epoch, t.app_id, t.status as tenant_status
  from logins l join tenants t on t.id = l.tenant_id`

export async function loginByUsername(scope: SystemScope, username: string): Promise<LoginRow | null> {
  return (await scope.query<LoginRow>(`${LOGIN} where lower(l.username) = lower($1)`, [username])).rows[0] ?? null
}

export async function loginByPhone(scope: SystemScope, phone: string): Promise<LoginRow | null> {
  return (await scope.query<LoginRow>(`${LOGIN} where l.phone = $1`, [phone])).rows[0] ?? null
}

export async function loginById(scope: SystemScope, id: string): Promise<LoginRow | null> {
  return (await scope.query<LoginRow>(`${LOGIN} where l.id = $1`, [id])).rows[0] ?? null
}

export async function touchLogin(scope: SystemScope, id: string): Promise<void> {
  await scope.query('update logins set last_login_at = now() where id = $1', [id])
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

export async function insertFamily(
  scope: SystemScope,
  family: {
    id: string
    loginId: string
    clientId: string
    hash: Buffer
    expiresAt: Date
    ip: string
    userAgent: string
  },
): Promise<void> {
  await scope.query(
    'insert into refresh_families (id, login_id, client_id, current_hash, expires_at, ip, user_agent) values ($1, $2, $3, $4, $5, $6, $7)',
    [family.id, family.loginId, family.clientId, family.hash, family.expiresAt, family.ip, family.userAgent],
  )
}

/** Locks the family, so that of two tabs one rotates and the other sees it rotated. */
export async function lockFamily(scope: SystemScope, id: string): Promise<FamilyRow | null> {
  return (
    (
      await scope.query<FamilyRow>(
        'select id, login_id, client_id, counter, current_hash, previous_until, expires_at, revoked_at from refresh_families where id = $1 for update',
        [id],
      )
    ).rows[0] ?? null
  )
}

export async function rotateFamily(
  scope: SystemScope,
  id: string,
  next: { counter: number; hash: Buffer; previousUntil: Date; expiresAt: Date },
): Promise<void> {
  await scope.query(
    'update refresh_families set counter = $2, previous_hash = current_hash, current_hash = $3, previous_until = $4, expires_at = $5, last_used_at = now() where id = $1',
    [id, next.counter, next.hash, next.previousUntil, next.expiresAt],
  )
}

export async function revokeFamily(scope: SystemScope, id: string, reason: string): Promise<void> {
  await scope.query(
    'update refresh_families set revoked_at = now(), revoked_reason = $2 where id = $1 and revoked_at is null',
    [id, reason],
  )
}

export async function familyIsRevoked(scope: SystemScope, id: string): Promise<boolean> {
  return (
    ((await scope.query('select 1 from refresh_families where id = $1 and revoked_at is null', [id])).rowCount ?? 0) ===
    0
  )
}

export async function lastSmsCode(
  scope: SystemScope,
  phone: string,
  purpose: string,
): Promise<{
  id: string
  code_hash: Buffer
  attempts: number
  created_at: Date
  expires_at: Date
  used_at: Date | null
} | null> {
  return (
    (
      await scope.query<{
        id: string
        code_hash: Buffer
        attempts: number
        created_at: Date
        expires_at: Date
        used_at: Date | null
      }>(
        'select id, code_hash, attempts, created_at, expires_at, used_at from sms_codes where phone = $1 and purpose = $2 order by created_at desc limit 1 for update',
        [phone, purpose],
      )
    ).rows[0] ?? null
  )
}
