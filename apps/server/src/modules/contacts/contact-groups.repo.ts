import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface GroupRow {
  id: string
  name: string
  contactIds: string[]
  version: number
  createdAt: Date
}

const COLUMNS = part`g.id, g.name, g.version, g.created_at as "createdAt",
    array(select m.contact_id from contact_group_members m where m.group_id = g.id order by m.contact_id) as "contactIds"`
const LIST = sql<GroupRow>`select ${COLUMNS} from contact_groups g
  where ($2::text is null or (lower(g.name), g.id) > ($2, $3::uuid)) and position(lower($4) in lower(g.name)) > 0
  order by lower(g.name), g.id limit $1`

export async function list(
  scope: TenantScope,
  limit: number,
  after: readonly [string, string] | null,
  q: string,
): Promise<GroupRow[]> {
  return (await scope.run(LIST, [limit, after?.[0] ?? null, after?.[1] ?? null, q])).rows
}

const FIND = sql<GroupRow>`select ${COLUMNS} from contact_groups g where g.id = $1`

export async function find(scope: TenantScope, id: string): Promise<GroupRow | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

const INSERT = sql<{ id: string }>`insert into contact_groups (id, tenant_id, name) values ($1, $2, $3)
  on conflict (tenant_id, lower(name)) do nothing returning id`

/** @returns false: a group has the name */
export async function insert(scope: TenantScope, id: string, name: string): Promise<boolean> {
  return (await scope.run(INSERT, [id, scope.tenantId, name])).rows.length > 0
}

const TAKEN = sql<{ id: string }>`select id from contact_groups where lower(name) = lower($1) and id <> $2`

export async function isTaken(scope: TenantScope, name: string, but: string): Promise<boolean> {
  return (await scope.run(TAKEN, [name, but])).rows.length > 0
}

const UPDATE = sql<{
  id: string
}>`update contact_groups set name = $3, version = version + 1 where id = $1 and version = $2 returning id`

export async function update(scope: TenantScope, id: string, version: number, name: string): Promise<boolean> {
  return (await scope.run(UPDATE, [id, version, name])).rows.length > 0
}

const EMPTY = sql`delete from contact_group_members where group_id = $1`
const FILL = sql`insert into contact_group_members (tenant_id, group_id, contact_id)
  select $1, $2, c.id from contacts c where c.id = any ($3::uuid[])`

/** Contacts of other companies are left out. */
export async function setMembers(scope: TenantScope, id: string, contactIds: readonly string[]): Promise<void> {
  await scope.run(EMPTY, [id])
  await scope.run(FILL, [scope.tenantId, id, contactIds])
}

const REMOVE = sql`delete from contact_groups where id = $1`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}
