import type { SystemScope } from '../../lib/database/database.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'

type Scope = Pick<SystemScope, 'run'>

export interface ClosingRow {
  tenant_id: string
  requested_by: string | null
  requested_at: Date
  due_at: Date
  frozen_at: Date | null
  purged_at: Date | null
}

const CLOSING = part`select tenant_id, requested_by, requested_at, due_at, frozen_at, purged_at from company_closings`

const CLOSING_OF = holdable(sql<ClosingRow>`${CLOSING} where tenant_id = $1`, part`for update`)

export async function closingOf(scope: Scope, tenantId: string, lock = false): Promise<ClosingRow | null> {
  const { rows } = await scope.run(lock ? CLOSING_OF.held : CLOSING_OF.free, [tenantId])
  return rows[0] ?? null
}

const INSERT_CLOSING = sql`insert into company_closings (tenant_id, requested_by, requested_at, due_at) values ($1, $2, $3, $4) on conflict do nothing`

/** False when the company is being closed already. */
export async function insertClosing(
  scope: Scope,
  row: Pick<ClosingRow, 'tenant_id' | 'requested_by' | 'requested_at' | 'due_at'>,
): Promise<boolean> {
  const { rowCount } = await scope.run(INSERT_CLOSING, [row.tenant_id, row.requested_by, row.requested_at, row.due_at])
  return rowCount === 1
}

const DELETE_CLOSING = sql`delete from company_closings where tenant_id = $1 and frozen_at is null`

export async function deleteClosing(scope: Scope, tenantId: string): Promise<void> {
  await scope.run(DELETE_CLOSING, [tenantId])
}

const DUE_TO_FREEZE = sql<{
  tenant_id: string
}>`select tenant_id from company_closings where frozen_at is null and due_at <= $1`

export async function dueToFreeze(scope: Scope, now: Date): Promise<string[]> {
  const { rows } = await scope.run(DUE_TO_FREEZE, [now])
  return rows.map(row => row.tenant_id)
}

const DUE_TO_PURGE = sql<{
  tenant_id: string
}>`select tenant_id from company_closings where frozen_at <= $1 and purged_at is null`

export async function dueToPurge(scope: Scope, frozenBefore: Date): Promise<string[]> {
  const { rows } = await scope.run(DUE_TO_PURGE, [frozenBefore])
  return rows.map(row => row.tenant_id)
}

const UPDATE_TENANTS = sql`update tenants set status_before = case when status = 'frozen' then status_before else status end, status = 'frozen',
  frozen_reason = 'closing', version = version + 1, updated_at = $2 where id = $1`

const UPDATE_COMPANY_CLOSINGS = sql`update company_closings set frozen_at = $2 where tenant_id = $1`

const UPDATE_REFRESH_FAMILIES = sql`update refresh_families set revoked_at = $2, revoked_reason = 'company_closed'
  where revoked_at is null and login_id in (select id from logins where tenant_id = $1)`

export async function freezeCompany(scope: Scope, tenantId: string, at: Date): Promise<void> {
  await scope.run(UPDATE_TENANTS, [tenantId, at])
  await scope.run(UPDATE_COMPANY_CLOSINGS, [tenantId, at])
  await scope.run(UPDATE_REFRESH_FAMILIES, [tenantId, at])
}

const HOLDINGS = sql<{
  kind: string
  count: number
}>`select 'devices' as kind, count(*)::int as count from devices where tenant_id = $1
  union all select 'products', count(*)::int from products where tenant_id = $1 and deleted_at is null
  union all select 'groups', count(*)::int from groups where tenant_id = $1
  union all select 'commands', count(*)::int from commands where tenant_id = $1
  union all select 'members', count(*)::int from logins where tenant_id = $1 and kind = 'member' and state <> 'left'`

/** What a company holds, by kind. */
export async function holdings(scope: Scope, tenantId: string): Promise<{ kind: string; count: number }[]> {
  const { rows } = await scope.run(HOLDINGS, [tenantId])
  return rows
}

/** Tables that outlive the company: the operation log with its proof (kept by law), and what the closing itself needs. */
const KEPT = [
  'tenants',
  'audit_logs',
  // Lines not yet sealed: taken away, they would stay outside the log's chain for ever.
  'audit_pending',
  'audit_chain',
  'audit_heads',
  'audit_checkpoints',
  'audit_epochs',
  'consents',
  'company_closings',
  'device_purges',
]

const COMPANY_TABLES = sql<{ name: string }>`select c.relname as name from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  where c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all ($1::text[])
  order by c.relname`

/** Tables with a company in them, but those that outlive it. */
export async function companyTables(scope: Scope): Promise<string[]> {
  const { rows } = await scope.run(COMPANY_TABLES, [KEPT])
  return rows.map(row => row.name)
}

const QUEUE_DEVICE_PURGES = sql`insert into device_purges (device, tenant_id) select num, tenant_id from devices where tenant_id = $1 on conflict do nothing`

/** Telemetry carries no company: it is cleared device by device afterwards, from this list. */
export async function queueDevicePurges(scope: Scope, tenantId: string): Promise<number> {
  const { rowCount } = await scope.run(QUEUE_DEVICE_PURGES, [tenantId])
  return rowCount ?? 0
}

const MARK_TABLE = sql`savepoint one_table`

const PURGE_TABLE = sql<{ removed: string | number }>`select purge_company_table($1, $2) as removed`

const KEEP_TABLE = sql`release savepoint one_table`

const ROLL_BACK_TABLE = sql`rollback to savepoint one_table`

/**
 * Deletes the company's rows of one table. Null: rows of another table still point here, it has to wait its turn.
 * @param table a name out of the catalogue, never from a person
 */
export async function emptyTable(scope: Scope, table: string, tenantId: string): Promise<number | null> {
  await scope.run(MARK_TABLE)
  try {
    const { rows } = await scope.run(PURGE_TABLE, [table, tenantId])
    await scope.run(KEEP_TABLE)
    return Number(rows[0]!.removed)
  } catch (error) {
    await scope.run(ROLL_BACK_TABLE)
    if ((error as { code?: string }).code === '23503') return null
    throw error
  }
}

const TOMBSTONE_UPDATE_TENANTS = sql`update tenants set name = 'closed', branding = '{}', settings = '{}', contact_name = '', contact_phone = '', contact_email = '',
  closed_at = $2, updated_at = $2 where id = $1`

const TOMBSTONE_UPDATE_COMPANY_CLOSINGS = sql`update company_closings set purged_at = $2 where tenant_id = $1`

export async function tombstone(scope: Scope, tenantId: string, at: Date): Promise<void> {
  await scope.run(TOMBSTONE_UPDATE_TENANTS, [tenantId, at])
  await scope.run(TOMBSTONE_UPDATE_COMPANY_CLOSINGS, [tenantId, at])
}

const NOT_EMPTIED = sql<{
  tenant_id: string
}>`select tenant_id from company_closings where purged_at is not null and emptied_at is null`

/** Companies whose rows are gone and whose files may not be. */
export async function notEmptied(scope: Scope): Promise<string[]> {
  const { rows } = await scope.run(NOT_EMPTIED)
  return rows.map(row => row.tenant_id)
}

const MARK_EMPTIED = sql`update company_closings set emptied_at = $2 where tenant_id = $1`

export async function markEmptied(scope: Scope, tenantId: string, at: Date): Promise<void> {
  await scope.run(MARK_EMPTIED, [tenantId, at])
}

const OWNERS_OF = sql<{
  id: string
  email: string | null
  locale: 'zh' | 'en'
}>`select l.id, l.email, l.locale from logins l join login_roles lr on lr.login_id = l.id join roles r on r.id = lr.role_id
  where l.tenant_id = $1 and r.key = 'owner' and l.state = 'active'`

/** Owners of a company with what is needed to write to them. */
export async function ownersOf(
  scope: Scope,
  tenantId: string,
): Promise<{ id: string; email: string | null; locale: 'zh' | 'en' }[]> {
  const { rows } = await scope.run(OWNERS_OF, [tenantId])
  return rows
}

const UPDATE_LOGINS = sql`update logins set username = 'closed-' || left(replace(id::text, '-', ''), 24), phone = null, email = null, password_hash = null,
  display_name = '', state = 'left', left_at = $2, closed_at = $2, second_factors = '{}', token_epoch = token_epoch + 1,
  version = version + 1, updated_at = $2 where id = $1`

const UPDATE_ASSISTANT_REPLIES = sql`update assistant_replies r set user_name = l.username from logins l where l.id = $1 and r.login_id = l.id`

const DELETE_OF_LOGIN = [
  part`login_totp`,
  part`backup_codes`,
  part`passkeys`,
  part`password_history`,
  part`login_identities`,
  part`login_roles`,
  // What was talked about with the assistant; its cost stays the company's, under no name.
  part`assistant_chats`,
  part`assistant_approvals`,
].map(table => sql`delete from ${table} where login_id = $1`)

/** Makes a login nobody's: the name stays in the operation log, everything personal goes. */
export async function anonymise(scope: Scope, loginId: string, at: Date): Promise<void> {
  await scope.run(UPDATE_LOGINS, [loginId, at])
  for (const statement of DELETE_OF_LOGIN) await scope.run(statement, [loginId])
  await scope.run(UPDATE_ASSISTANT_REPLIES, [loginId])
}
