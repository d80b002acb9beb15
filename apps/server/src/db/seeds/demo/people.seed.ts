import type { SystemScope } from '../../../lib/database/database.ts'
import { newId } from '../../../lib/ids.ts'
import { sql } from '../../../lib/sql/statement.ts'
import people from './people.json' with { type: 'json' }

/** Rights of the demo's own role: operations, of one branch of the device groups only. */
const BRANCH_ROLE_LIKE = 'operations'

const INSERT_ROLES = sql`insert into roles (id, tenant_id, key, name, ename, description, permissions, menu_keys, data_scope)
  select $1, r.tenant_id, $3, $4, $5, $6, r.permissions, r.menu_keys, $7
  from roles r where r.tenant_id = $2 and r.key = $8
  on conflict (tenant_id, key) do nothing`

const INSERT_LOGINS = sql<{
  id: string
}>`insert into logins (id, tenant_id, kind, username, display_name, email, group_id, state)
  values ($1, $2, 'member', $3, $4, $5, $6, $7) on conflict do nothing returning id`

const INSERT_LOGIN_ROLES = sql`insert into login_roles (login_id, role_id, tenant_id) select $1, id, tenant_id from roles where tenant_id = $2 and key = $3`

const INSERT_ADDRESSES = sql`insert into addresses (id, tenant_id, receiver, phone, province, city, district, detail, zip, is_default)
  select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
  where not exists (select 1 from addresses where tenant_id = $2 and detail = $8)`

const SHARE_PASSWORD = sql`update logins l set password_hash = o.password_hash from logins o
  where l.tenant_id = $1 and l.password_hash is null and l.username = any ($2::text[])
    and o.tenant_id = $1 and o.username = 'demo' and exists (select 1 from end_users u where u.id = l.id)`

/**
 * The demo company's colleagues, a role with a narrow data scope, and addresses. Idempotent by key and user name. The
 * colleagues have no password: nobody signs in as one of them before the owner sends a link.
 * @param groupIds ids of the demo's groups by their keys
 */
export async function seedDemoPeople(
  scope: Pick<SystemScope, 'run'>,
  tenantId: string,
  groupIds: ReadonlyMap<string, string>,
): Promise<void> {
  const { role } = people
  const scopeGroups = role.groups.flatMap(key => groupIds.get(key) ?? [])
  await scope.run(INSERT_ROLES, [
    newId(),
    tenantId,
    role.key,
    role.name,
    role.ename,
    role.description,
    JSON.stringify({ kind: 'groups', groupIds: scopeGroups }),
    BRANCH_ROLE_LIKE,
  ])
  for (const member of people.members) {
    const { rows } = await scope.run(INSERT_LOGINS, [
      newId(),
      tenantId,
      member.username,
      member.displayName,
      member.email,
      (member.group && groupIds.get(member.group)) ?? null,
      member.state ?? 'active',
    ])
    if (rows[0]) await scope.run(INSERT_LOGIN_ROLES, [rows[0].id, tenantId, member.role])
  }
  for (const [i, address] of people.addresses.entries())
    await scope.run(INSERT_ADDRESSES, [
      newId(),
      tenantId,
      address.receiver,
      address.phone,
      address.province,
      address.city,
      address.district,
      address.detail,
      address.zip,
      i === 0,
    ])
}

/** Customers of the demo company sign in with the password of its owner, which is printed once. */
export async function letCustomersSignIn(
  scope: Pick<SystemScope, 'run'>,
  tenantId: string,
  usernames: readonly string[],
): Promise<void> {
  await scope.run(SHARE_PASSWORD, [tenantId, usernames])
}
