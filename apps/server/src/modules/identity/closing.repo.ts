import type { SystemScope } from '../../lib/database.ts'

type Scope = Pick<SystemScope, 'query'>

export interface ClosingRow {
  tenant_id: string
  requested_by: string | null
  requested_at: Date
  due_at: Date
  frozen_at: Date | null
  purged_at: Date | null
}

const CLOSING = 'select tenant_id, requested_by, requested_at, due_at, frozen_at, purged_at from company_closings'

export async function closingOf(scope: Scope, tenantId: string, lock = false): Promise<ClosingRow | null> {
  const { rows } = await scope.query<ClosingRow>(`${CLOSING} where tenant_id = $1 ${lock ? 'for update' : ''}`, [
    tenantId,
  ])
  return rows[0] ?? null
}

/** False when the company is being closed already. */
export async function insertClosing(
  scope: Scope,
  row: Pick<ClosingRow, 'tenant_id' | 'requested_by' | 'requested_at' | 'due_at'>,
): Promise<boolean> {
  const { rowCount } = await scope.query(
    'insert into company_closings (tenant_id, requested_by, requested_at, due_at) values ($1, $2, $3, $4) on conflict do nothing',
    [row.tenant_id, row.requested_by, row.requested_at, row.due_at],
  )
  return rowCount === 1
}

export async function deleteClosing(scope: Scope, tenantId: string): Promise<void> {
  await scope.query('delete from company_closings where tenant_id = $1 and frozen_at is null', [tenantId])
}

export async function dueToFreeze(scope: Scope, now: Date): Promise<string[]> {
  const { rows } = await scope.query<{ tenant_id: string }>(
    'select tenant_id from company_closings where frozen_at is null and due_at <= $1',
    [now],
  )
  return rows.map(row => row.tenant_id)
}

export async function dueToPurge(scope: Scope, frozenBefore: Date): Promise<string[]> {
  const { rows } = await scope.query<{ tenant_id: string }>(
    'select tenant_id from company_closings where frozen_at <= $1 and purged_at is null',
    [frozenBefore],
  )
  return rows.map(row => row.tenant_id)
}

export async function freezeCompany(scope: Scope, tenantId: string, at: Date): Promise<void> {
  await scope.query(
    `update tenants set status_before = case when status = 'frozen' then status_before else status end, status = 'frozen',
       frozen_reason = 'closing', version = version + 1, updated_at = $2 where id = $1`,
    [tenantId, at],
  )
  await scope.query('update company_closings set frozen_at = $2 where tenant_id = $1', [tenantId, at])
  await scope.query(
    `update refresh_families set revoked_at = $2, revoked_reason = 'company_closed'
     where revoked_at is null and login_id in (select id from logins where tenant_id = $1)`,
    [tenantId, at],
  )
}

/** What a company holds, by kind. */
export async function holdings(scope: Scope, tenantId: string): Promise<{ kind: string; count: number }[]> {
  const { rows } = await scope.query<{ kind: string; count: number }>(
    `select 'devices' as kind, count(*)::int as count from devices where tenant_id = $1
     union all select 'products', count(*)::int from products where tenant_id = $1 and deleted_at is null
     union all select 'groups', count(*)::int from groups where tenant_id = $1
     union all select 'commands', count(*)::int from commands where tenant_id = $1
     union all select 'members', count(*)::int from logins where tenant_id = $1 and kind = 'member' and state <> 'left'`,
    [tenantId],
  )
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

/** Tables with a company in them, but those that outlive it. */
export async function companyTables(scope: Scope): Promise<string[]> {
  const { rows } = await scope.query<{ name: string }>(
    `select c.relname as name from pg_class c
       join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
     where c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all ($1::text[])
     order by c.relname`,
    [KEPT],
  )
  return rows.map(row => row.name)
}

/** Telemetry carries no company: it is cleared device by device afterwards, from this list. */
export async function queueDevicePurges(scope: Scope, tenantId: string): Promise<number> {
  const { rowCount } = await scope.query(
    'insert into device_purges (device, tenant_id) select num, tenant_id from devices where tenant_id = $1 on conflict do nothing',
    [tenantId],
  )
  return rowCount ?? 0
}

/**
 * Deletes the company's rows of one table. Null: rows of another table still point here, it has to wait its turn.
 * @param table a name out of the catalogue, never from a person
 */
export async function emptyTable(scope: Scope, table: string, tenantId: string): Promise<number | null> {
  await scope.query('savepoint one_table')
  try {
    const { rows } = await scope.query<{ removed: string | number }>('select purge_company_table($1, $2) as removed', [
      table,
      tenantId,
    ])
    await scope.query('release savepoint one_table')
    return Number(rows[0]!.removed)
  } catch (error) {
    await scope.query('rollback to savepoint one_table')
    if ((error as { code?: string }).code === '23503') return null
    throw error
  }
}

export async function tombstone(scope: Scope, tenantId: string, at: Date): Promise<void> {
  await scope.query(
    `update tenants set name = 'closed', branding = '{}', settings = '{}', contact_name = '', contact_phone = '', contact_email = '',
       closed_at = $2, updated_at = $2 where id = $1`,
    [tenantId, at],
  )
  await scope.query('update company_closings set purged_at = $2 where tenant_id = $1', [tenantId, at])
}

/** Companies whose rows are gone and whose files may not be. */
export async function notEmptied(scope: Scope): Promise<string[]> {
  const { rows } = await scope.query<{ tenant_id: string }>(
    'select tenant_id from company_closings where purged_at is not null and emptied_at is null',
  )
  return rows.map(row => row.tenant_id)
}

export async function markEmptied(scope: Scope, tenantId: string, at: Date): Promise<void> {
  await scope.query('update company_closings set emptied_at = $2 where tenant_id = $1', [tenantId, at])
}

/** Owners of a company with what is needed to write to them. */
export async function ownersOf(
  scope: Scope,
  tenantId: string,
): Promise<{ id: string; email: string | null; locale: 'zh' | 'en' }[]> {
  const { rows } = await scope.query<{ id: string; email: string | null; locale: 'zh' | 'en' }>(
    `select l.id, l.email, l.locale from logins l join login_roles lr on lr.login_id = l.id join roles r on r.id = lr.role_id
     where l.tenant_id = $1 and r.key = 'owner' and l.state = 'active'`,
    [tenantId],
  )
  return rows
}

/** Makes a login nobody's: the name stays in the operation log, everything personal goes. */
export async function anonymise(scope: Scope, loginId: string, at: Date): Promise<void> {
  await scope.query(
    `update logins set username = 'closed-' || left(replace(id::text, '-', ''), 24), phone = null, email = null, password_hash = null,
       display_name = '', state = 'left', left_at = $2, closed_at = $2, second_factors = '{}', token_epoch = token_epoch + 1,
       version = version + 1, updated_at = $2 where id = $1`,
    [loginId, at],
  )
  for (const table of ['login_totp', 'backup_codes', 'passkeys', 'password_history', 'login_identities', 'login_roles'])
    await scope.query(`delete from ${table} where login_id = $1`, [loginId])
  // What was talked about with the assistant; its cost stays the company's, under no name.
  for (const table of ['assistant_chats', 'assistant_approvals'])
    await scope.query(`delete from ${table} where login_id = $1`, [loginId])
  await scope.query(
    'update assistant_replies r set user_name = l.username from logins l where l.id = $1 and r.login_id = l.id',
    [loginId],
  )
}
