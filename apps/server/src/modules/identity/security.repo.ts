import type { Factor } from '@thingwright/contracts/security.contract'
import type { SystemScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

type Scope = Pick<SystemScope, 'run'>

/** What the security of a login is made of. */
export interface SecurityRow {
  id: string
  tenant_id: string
  tenant_name: string
  kind: 'member' | 'operator' | 'end_user'
  username: string
  phone: string | null
  email: string | null
  locale: 'zh' | 'en'
  state: string
  password_hash: string | null
  password_changed_at: Date | null
  must_change_password: boolean
  second_factors: Exclude<Factor, 'backup'>[]
  security: unknown
  has_totp: boolean
  passkeys: number
  backup_left: number
  required_by_role: boolean
}

const SECURITY_ROW = sql<SecurityRow>`select l.id, l.tenant_id, t.name as tenant_name, l.kind, l.username, l.phone, l.email, l.locale, l.state, l.password_hash,
    l.password_changed_at, l.must_change_password, l.second_factors, t.settings -> 'security' as security,
    exists (select 1 from login_totp o where o.login_id = l.id and o.confirmed_at is not null) as has_totp,
    (select count(*)::int from passkeys p where p.login_id = l.id) as passkeys,
    (select count(*)::int from backup_codes b where b.login_id = l.id and b.used_at is null) as backup_left,
    exists (select 1 from login_roles lr join roles r on r.id = lr.role_id where lr.login_id = l.id and r.require_second_factor) as required_by_role
  from logins l join tenants t on t.id = l.tenant_id where l.id = $1`

export async function securityRow(scope: Scope, loginId: string): Promise<SecurityRow | null> {
  const { rows } = await scope.run(SECURITY_ROW, [loginId])
  return rows[0] ?? null
}

const EARLIER_PASSWORDS = sql<{
  password_hash: string
}>`select password_hash from password_history where login_id = $1 order by created_at desc, id desc limit $2`

// ───────────── passwords ─────────────

export async function earlierPasswords(scope: Scope, loginId: string, count: number): Promise<string[]> {
  const { rows } = await scope.run(EARLIER_PASSWORDS, [loginId, count])
  return rows.map(row => row.password_hash)
}

const STORE_PASSWORD = sql`update logins set password_hash = $2, password_changed_at = $3, must_change_password = false,
  version = version + 1, updated_at = now() where id = $1`

/** Stores a new password; a trigger keeps the one before. */
export async function storePassword(scope: Scope, given: { loginId: string; hash: string; at: Date }): Promise<void> {
  await scope.run(STORE_PASSWORD, [given.loginId, given.hash, given.at])
}

const ADD_FAILURE = sql`insert into factor_failures (login_id, at) values ($1, $2)`

// ───────────── failures ─────────────

export async function addFailure(scope: Scope, loginId: string, at: Date): Promise<void> {
  await scope.run(ADD_FAILURE, [loginId, at])
}

const FAILURES_SINCE = sql<{
  n: number
  first: Date | null
}>`select count(*)::int as n, min(at) as first from factor_failures where login_id = $1 and at > $2`

export async function failuresSince(
  scope: Scope,
  loginId: string,
  since: Date,
): Promise<{ n: number; first: Date | null }> {
  const { rows } = await scope.run(FAILURES_SINCE, [loginId, since])
  return rows[0]!
}

const CLEAR_FAILURES = sql`delete from factor_failures where login_id = $1`

export async function clearFailures(scope: Scope, loginId: string): Promise<void> {
  await scope.run(CLEAR_FAILURES, [loginId])
}

// ───────────── tickets ─────────────

export interface TicketRow {
  id: string
  login_id: string
  purpose: 'second_factor' | 'setup' | 'password'
  client_id: string
  method: string
  attempts: number
  expires_at: Date
  used_at: Date | null
}

const DELETE_SIGN_IN_TICKETS = sql`delete from sign_in_tickets where expires_at < $1::timestamptz - interval '1 day'`

const INSERT_SIGN_IN_TICKETS = sql`insert into sign_in_tickets (id, token_hash, tenant_id, login_id, purpose, client_id, method, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

export async function insertTicket(
  scope: Scope,
  ticket: Omit<TicketRow, 'attempts' | 'used_at'> & { tokenHash: Buffer; tenantId: string; createdAt: Date },
): Promise<void> {
  // What ran out is swept by whoever comes next: no ticket is good for longer than five minutes.
  await scope.run(DELETE_SIGN_IN_TICKETS, [ticket.createdAt])
  await scope.run(INSERT_SIGN_IN_TICKETS, [
    ticket.id,
    ticket.tokenHash,
    ticket.tenantId,
    ticket.login_id,
    ticket.purpose,
    ticket.client_id,
    ticket.method,
    ticket.createdAt,
    ticket.expires_at,
  ])
}

const LOCK_TICKET = sql<TicketRow>`select id, login_id, purpose, client_id, method, attempts, expires_at, used_at from sign_in_tickets where token_hash = $1 for update`

/** Locks the ticket, so that tries sent together are counted one after the other. */
export async function lockTicket(scope: Scope, tokenHash: Buffer): Promise<TicketRow | null> {
  const { rows } = await scope.run(LOCK_TICKET, [tokenHash])
  return rows[0] ?? null
}

const COUNT_TRY = sql`update sign_in_tickets set attempts = attempts + 1 where id = $1`

export async function countTry(scope: Scope, ticketId: string): Promise<void> {
  await scope.run(COUNT_TRY, [ticketId])
}

const USE_TICKET = sql`update sign_in_tickets set used_at = $2 where id = $1`

export async function useTicket(scope: Scope, ticketId: string, at: Date): Promise<void> {
  await scope.run(USE_TICKET, [ticketId, at])
}

// ───────────── authenticator app ─────────────

export interface TotpRow {
  secret_cipher: Buffer | null
  pending_cipher: Buffer | null
  confirmed_at: Date | null
  last_step: number
}

const TOTP_OF = sql<TotpRow>`select secret_cipher, pending_cipher, confirmed_at, last_step from login_totp where login_id = $1 for update`

export async function totpOf(scope: Scope, loginId: string): Promise<TotpRow | null> {
  const { rows } = await scope.run(TOTP_OF, [loginId])
  return rows[0] ?? null
}

const STORE_PENDING_TOTP = sql`insert into login_totp (login_id, tenant_id, pending_cipher) values ($1, $2, $3)
  on conflict (login_id) do update set pending_cipher = excluded.pending_cipher`

export async function storePendingTotp(scope: Scope, loginId: string, tenantId: string, cipher: Buffer): Promise<void> {
  await scope.run(STORE_PENDING_TOTP, [loginId, tenantId, cipher])
}

const CONFIRM_TOTP = sql`update login_totp set secret_cipher = pending_cipher, pending_cipher = null, confirmed_at = $3, last_step = $2 where login_id = $1`

export async function confirmTotp(scope: Scope, loginId: string, step: number, at: Date): Promise<void> {
  await scope.run(CONFIRM_TOTP, [loginId, step, at])
}

const ADVANCE_TOTP = sql`update login_totp set last_step = $2 where login_id = $1 and last_step < $2`

/** False when the step was used before: a code counts once. */
export async function advanceTotp(scope: Scope, loginId: string, step: number): Promise<boolean> {
  return (await scope.run(ADVANCE_TOTP, [loginId, step])).rowCount === 1
}

const REMOVE_TOTP = sql`delete from login_totp where login_id = $1`

export async function removeTotp(scope: Scope, loginId: string): Promise<void> {
  await scope.run(REMOVE_TOTP, [loginId])
}

const SET_FACTORS = sql`update logins set second_factors = $2, version = version + 1, updated_at = now() where id = $1`

export async function setFactors(scope: Scope, loginId: string, factors: readonly string[]): Promise<void> {
  await scope.run(SET_FACTORS, [loginId, [...factors]])
}

const DELETE_BACKUP_CODES = sql`delete from backup_codes where login_id = $1`

const INSERT_BACKUP_CODES = sql`insert into backup_codes (id, tenant_id, login_id, code_hash) values ($1, $2, $3, $4)`

// ───────────── backup codes ─────────────

export async function replaceBackupCodes(
  scope: Scope,
  loginId: string,
  tenantId: string,
  codes: readonly { id: string; hash: Buffer }[],
): Promise<void> {
  await scope.run(DELETE_BACKUP_CODES, [loginId])
  for (const code of codes) await scope.run(INSERT_BACKUP_CODES, [code.id, tenantId, loginId, code.hash])
}

const USE_BACKUP_CODE = sql`update backup_codes set used_at = $3 where login_id = $1 and code_hash = $2 and used_at is null`

/** True when the code was there and unused; of two at once one gets it. */
export async function useBackupCode(scope: Scope, loginId: string, hash: Buffer, at: Date): Promise<boolean> {
  return (await scope.run(USE_BACKUP_CODE, [loginId, hash, at])).rowCount === 1
}

// ───────────── passkeys ─────────────

export interface PasskeyRow {
  id: string
  tenant_id: string
  login_id: string
  credential_id: string
  public_key: Buffer
  counter: number
  transports: string[]
  rp_id: string
  name: string
  synced: boolean
  created_at: Date
  last_used_at: Date | null
}

const PASSKEY = part`select id, tenant_id, login_id, credential_id, public_key, counter, transports, rp_id, name, synced, created_at, last_used_at from passkeys`

const PASSKEYS_OF = sql<PasskeyRow>`${PASSKEY} where login_id = $1 order by created_at`

export async function passkeysOf(scope: Scope, loginId: string): Promise<PasskeyRow[]> {
  return (await scope.run(PASSKEYS_OF, [loginId])).rows
}

const PASSKEY_BY_CREDENTIAL = sql<PasskeyRow>`${PASSKEY} where credential_id = $1 for update`

export async function passkeyByCredential(scope: Scope, credentialId: string): Promise<PasskeyRow | null> {
  return (await scope.run(PASSKEY_BY_CREDENTIAL, [credentialId])).rows[0] ?? null
}

const INSERT_PASSKEY = sql`insert into passkeys (id, tenant_id, login_id, credential_id, public_key, counter, transports, rp_id, name, synced)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (credential_id) do nothing`

export async function insertPasskey(
  scope: Scope,
  row: Omit<PasskeyRow, 'created_at' | 'last_used_at'>,
): Promise<boolean> {
  return (
    (
      await scope.run(INSERT_PASSKEY, [
        row.id,
        row.tenant_id,
        row.login_id,
        row.credential_id,
        row.public_key,
        row.counter,
        row.transports,
        row.rp_id,
        row.name,
        row.synced,
      ])
    ).rowCount === 1
  )
}

const PASSKEY_USED = sql`update passkeys set counter = $2, synced = $3, last_used_at = $4 where id = $1`

export async function passkeyUsed(scope: Scope, id: string, counter: number, synced: boolean, at: Date): Promise<void> {
  await scope.run(PASSKEY_USED, [id, counter, synced, at])
}

const RENAME_PASSKEY = sql`update passkeys set name = $3 where id = $1 and login_id = $2`

export async function renamePasskey(scope: Scope, id: string, loginId: string, name: string): Promise<void> {
  await scope.run(RENAME_PASSKEY, [id, loginId, name])
}

const DELETE_PASSKEY = sql`delete from passkeys where id = $1 and login_id = $2`

export async function deletePasskey(scope: Scope, id: string, loginId: string): Promise<void> {
  await scope.run(DELETE_PASSKEY, [id, loginId])
}

export interface ChallengeRow {
  challenge: string
  purpose: string
  login_id: string | null
  rp_id: string
  origin: string
  expires_at: Date
}

const DELETE_WEBAUTHN_CHALLENGES = sql`delete from webauthn_challenges where expires_at < $1`

const INSERT_WEBAUTHN_CHALLENGES = sql`insert into webauthn_challenges (id, challenge, purpose, login_id, rp_id, origin, expires_at) values ($1, $2, $3, $4, $5, $6, $7)`

export async function insertChallenge(scope: Scope, row: ChallengeRow & { id: string }, now: Date): Promise<void> {
  await scope.run(DELETE_WEBAUTHN_CHALLENGES, [now])
  await scope.run(INSERT_WEBAUTHN_CHALLENGES, [
    row.id,
    row.challenge,
    row.purpose,
    row.login_id,
    row.rp_id,
    row.origin,
    row.expires_at,
  ])
}

const TAKE_CHALLENGE = sql<ChallengeRow>`delete from webauthn_challenges where id = $1 returning challenge, purpose, login_id, rp_id, origin, expires_at`

/** Takes a challenge away: it is good for one answer, right or wrong. */
export async function takeChallenge(scope: Scope, id: string): Promise<ChallengeRow | null> {
  const { rows } = await scope.run(TAKE_CHALLENGE, [id])
  return rows[0] ?? null
}

const PROVEN_AT = sql<{ proven_at: Date }>`select proven_at from session_proofs where family_id = $1`

// ───────────── proofs ─────────────

export async function provenAt(scope: Scope, familyId: string): Promise<Date | null> {
  const { rows } = await scope.run(PROVEN_AT, [familyId])
  return rows[0]?.proven_at ?? null
}

const STORE_PROOF = sql`insert into session_proofs (family_id, method, proven_at) values ($1, $2, $3)
  on conflict (family_id) do update set method = excluded.method, proven_at = excluded.proven_at`

export async function storeProof(scope: Scope, familyId: string, method: string, at: Date): Promise<void> {
  await scope.run(STORE_PROOF, [familyId, method, at])
}

const DELETE_PASSKEYS = sql`delete from passkeys where login_id = $1`

/** Everything with which a login confirms itself besides its password. */
export async function clearFactors(scope: Scope, loginId: string): Promise<void> {
  await scope.run(REMOVE_TOTP, [loginId])
  await scope.run(DELETE_BACKUP_CODES, [loginId])
  await scope.run(DELETE_PASSKEYS, [loginId])
  await scope.run(CLEAR_FAILURES, [loginId])
  await setFactors(scope, loginId, [])
}
