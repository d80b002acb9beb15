import type { RoleDataScope } from '@thingwright/contracts/roles.contract'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'
import type { RoleGrant } from './roles.rights.ts'

/** Works in both kinds of scope; every statement names the company itself. */
export type RoleScope = Pick<TenantScope | SystemScope, 'run' | 'afterCommit' | 'tell' | 'sealLine'>

export interface RoleRow extends RoleGrant {
  description: string
  requireSecondFactor: boolean
  builtin: boolean
  memberCount: number
  version: number
  createdAt: Date
  updatedAt: Date
}

const COLUMNS = part`r.id, r.key, r.name, r.ename, r.description, r.permissions, r.menu_keys as "menuKeys",
  r.data_scope as "dataScope", r.require_second_factor as "requireSecondFactor", r.builtin, r.version, r.created_at as "createdAt", r.updated_at as "updatedAt",
  (select count(*) from login_roles lr where lr.role_id = r.id) as "memberCount"`

const ALL_ROLES = sql<RoleRow>`select ${COLUMNS} from roles r where r.tenant_id = $1
  order by r.builtin desc, case when r.builtin then r.created_at end, r.name, r.id`

/** Built-in roles first, in the order of their rights; then the company's own by name. */
export async function allRoles(scope: RoleScope, tenantId: string): Promise<RoleRow[]> {
  const { rows } = await scope.run(ALL_ROLES, [tenantId])
  return rows
}

const FIND_ROLE = holdable(
  sql<RoleRow>`select ${COLUMNS} from roles r where r.tenant_id = $1 and r.id = $2`,
  part`for update of r`,
)

/** @param lock the role stays as it is until the transaction ends */
export async function findRole(scope: RoleScope, tenantId: string, id: string, lock = false): Promise<RoleRow | null> {
  const { rows } = await scope.run(lock ? FIND_ROLE.held : FIND_ROLE.free, [tenantId, id])
  return rows[0] ?? null
}

export interface RoleContent {
  name: string
  ename: string
  description: string
  permissions: string[]
  menuKeys: string[]
  dataScope: RoleDataScope
  requireSecondFactor: boolean
}

const INSERT_ROLE = sql`insert into roles (id, tenant_id, key, name, ename, description, permissions, menu_keys, data_scope, require_second_factor)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

export async function insertRole(
  scope: RoleScope,
  tenantId: string,
  role: RoleContent & { id: string; key: string },
): Promise<void> {
  await scope.run(INSERT_ROLE, [
    role.id,
    tenantId,
    role.key,
    role.name,
    role.ename,
    role.description,
    role.permissions,
    role.menuKeys,
    JSON.stringify(role.dataScope),
    role.requireSecondFactor,
  ])
}

const UPDATE_ROLE = sql`update roles set name = $3, ename = $4, description = $5, permissions = $6, menu_keys = $7, data_scope = $8,
    require_second_factor = $9, version = version + 1, updated_at = now()
  where tenant_id = $1 and id = $2`

/** Writes the role and raises the version. */
export async function updateRole(scope: RoleScope, tenantId: string, id: string, role: RoleContent): Promise<void> {
  await scope.run(UPDATE_ROLE, [
    tenantId,
    id,
    role.name,
    role.ename,
    role.description,
    role.permissions,
    role.menuKeys,
    JSON.stringify(role.dataScope),
    role.requireSecondFactor,
  ])
}

const DELETE_ROLE = sql`delete from roles where tenant_id = $1 and id = $2`

export async function deleteRole(scope: RoleScope, tenantId: string, id: string): Promise<void> {
  await scope.run(DELETE_ROLE, [tenantId, id])
}

export interface RoleMember {
  id: string
  username: string
  displayName: string
  state: 'active' | 'frozen'
}

const MEMBERS_OF = sql<RoleMember>`select l.id, l.username, l.display_name as "displayName", l.state
  from login_roles lr join logins l on l.id = lr.login_id
  where lr.tenant_id = $1 and l.tenant_id = $1 and lr.role_id = $2 order by l.username`

export async function membersOf(scope: RoleScope, tenantId: string, roleId: string): Promise<RoleMember[]> {
  const { rows } = await scope.run(MEMBERS_OF, [tenantId, roleId])
  return rows
}

const ROLES_OF = sql<RoleGrant>`select r.id, r.key, r.name, r.ename, r.permissions, r.menu_keys as "menuKeys", r.data_scope as "dataScope"
  from login_roles lr join roles r on r.id = lr.role_id where lr.login_id = $1 order by r.key`

/** The roles a login holds, of any company: a login belongs to one. */
export async function rolesOf(scope: Pick<SystemScope, 'run'>, loginId: string): Promise<RoleGrant[]> {
  const { rows } = await scope.run(ROLES_OF, [loginId])
  return rows
}

const LOCK_ASSIGNMENTS = sql`select pg_advisory_xact_lock(hashtextextended($1, 0))`

/** One at a time changes who holds which role in a company: the last owner must stay the last whoever else is at it. */
export async function lockAssignments(scope: RoleScope, tenantId: string): Promise<void> {
  await scope.run(LOCK_ASSIGNMENTS, [`roles:${tenantId}`])
}

const LOGIN_OF_COMPANY = sql<{
  id: string
  username: string
  groupId: string | null
}>`select id, username, group_id as "groupId" from logins where tenant_id = $1 and id = $2 and kind <> 'end_user'`

export async function loginOfCompany(
  scope: RoleScope,
  tenantId: string,
  loginId: string,
): Promise<{ id: string; username: string; groupId: string | null } | null> {
  const { rows } = await scope.run(LOGIN_OF_COMPANY, [tenantId, loginId])
  return rows[0] ?? null
}

const DELETE_LOGIN_ROLES = sql`delete from login_roles where tenant_id = $1 and login_id = $2 and role_id <> all ($3::uuid[])`

const INSERT_LOGIN_ROLES = sql`insert into login_roles (login_id, role_id, tenant_id) select $2, id, $1 from roles
  where tenant_id = $1 and id = any ($3::uuid[]) on conflict do nothing`

export async function replaceAssignments(
  scope: RoleScope,
  tenantId: string,
  loginId: string,
  roleIds: readonly string[],
): Promise<void> {
  await scope.run(DELETE_LOGIN_ROLES, [tenantId, loginId, roleIds])
  await scope.run(INSERT_LOGIN_ROLES, [tenantId, loginId, roleIds])
}

const OTHER_HOLDERS = sql<{ count: number }>`select count(*) as count from login_roles lr
    join roles r on r.id = lr.role_id and r.tenant_id = $1 and r.key = $2
    join logins l on l.id = lr.login_id and l.state = 'active'
  where lr.login_id <> $3`

/** Active people who hold the role of the key, without one login. */
export async function otherHolders(scope: RoleScope, tenantId: string, key: string, loginId: string): Promise<number> {
  const { rows } = await scope.run(OTHER_HOLDERS, [tenantId, key, loginId])
  return rows[0]!.count
}

const RIGHTS_OF_PEOPLE = sql<{
  id: string
  username: string
  displayName: string
  permissions: string[]
  roleName: string
  roleKey: string
}>`select l.id, l.username, l.display_name as "displayName", r.permissions, r.name as "roleName", r.key as "roleKey"
  from login_roles lr join roles r on r.id = lr.role_id join logins l on l.id = lr.login_id
  where lr.tenant_id = $1 and l.tenant_id = $1 and l.state = 'active' order by l.username`

/** People of the company with the words of their roles, for "who can grant it". */
export async function rightsOfPeople(
  scope: RoleScope,
  tenantId: string,
): Promise<
  { id: string; username: string; displayName: string; permissions: string[]; roleName: string; roleKey: string }[]
> {
  const { rows } = await scope.run(RIGHTS_OF_PEOPLE, [tenantId])
  return rows
}

const COUNT_GROUPS = sql<{ count: number }>`select count(*) as count from groups where id = any ($1::uuid[])`

/** Living groups among the ids. Roles name groups and products by id only, so nothing of their modules is needed. */
export async function countGroups(scope: TenantScope, ids: readonly string[]): Promise<number> {
  const { rows } = await scope.run(COUNT_GROUPS, [ids])
  return rows[0]!.count
}

const COUNT_PRODUCTS = sql<{
  count: number
}>`select count(*) as count from products where id = any ($1::uuid[]) and deleted_at is null`

/** Living products among the ids. */
export async function countProducts(scope: TenantScope, ids: readonly string[]): Promise<number> {
  const { rows } = await scope.run(COUNT_PRODUCTS, [ids])
  return rows[0]!.count
}

const IS_THERE = {
  device: sql<{ one: number }>`select 1 as one from devices where id = $1`,
  product: sql<{ one: number }>`select 1 as one from products where id = $1 and deleted_at is null`,
}

/** Whether the transaction's caller sees the object. */
export async function isThere(
  scope: TenantScope,
  object: { type: 'device' | 'product'; id: string },
): Promise<boolean> {
  const { rowCount } = await scope.run(IS_THERE[object.type], [object.id])
  return rowCount === 1
}
