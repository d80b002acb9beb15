import type { GroupKind } from '@thingwright/contracts/groups.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'
import { updateOf } from '../../lib/sql/writes.ts'
import type { GroupRow, NewGroup } from './groups.rows.ts'

const COLUMNS = part`id, tenant_id as "tenantId", kind, parent_id as "parentId", name, position, version,
  created_at as "createdAt", updated_at as "updatedAt"`

const LOCK_TREE = sql`select pg_advisory_xact_lock(hashtextextended($1, 0))`

/** One at a time changes the shape of a tree: the check for circles must see the other's move. */
export async function lockTree(scope: TenantScope, kind: GroupKind): Promise<void> {
  await scope.run(LOCK_TREE, [`groups:${scope.tenantId}:${kind}`])
}

const ALL_GROUPS = sql<GroupRow>`select ${COLUMNS} from groups where kind = $1`

export async function allGroups(scope: TenantScope, kind: GroupKind): Promise<GroupRow[]> {
  return (await scope.run(ALL_GROUPS, [kind])).rows
}

const FIND_GROUP = sql<GroupRow>`select ${COLUMNS} from groups where id = $1`

export async function findGroup(scope: TenantScope, id: string): Promise<GroupRow | undefined> {
  return (await scope.run(FIND_GROUP, [id])).rows[0]
}

const HOLD_GROUP = sql<GroupRow>`select ${COLUMNS} from groups where id = $1 for share`

/** Holds the group until the end of the transaction: it cannot be removed while something is put into it. */
export async function holdGroup(scope: TenantScope, id: string): Promise<GroupRow | undefined> {
  return (await scope.run(HOLD_GROUP, [id])).rows[0]
}

const LOCK_GROUP = sql`select 1 from groups where id = $1 for update`

/** Waits for those who are putting something into the group. */
export async function lockGroup(scope: TenantScope, id: string): Promise<void> {
  await scope.run(LOCK_GROUP, [id])
}

const INSERT_GROUP = sql<GroupRow>`insert into groups (id, tenant_id, kind, parent_id, name, position)
  values ($1, $2, $3, $4, $5, $6) returning ${COLUMNS}`

export async function insertGroup(scope: TenantScope, group: NewGroup): Promise<GroupRow> {
  const { id, tenantId, kind, parentId, name, position } = group
  return (await scope.run(INSERT_GROUP, [id, tenantId, kind, parentId, name, position])).rows[0]!
}

type GroupChange = Partial<Pick<GroupRow, 'name' | 'parentId' | 'position'>>

const UPDATE_GROUP = updateOf<GroupChange, GroupRow>(
  part`groups`,
  { name: 'name', parentId: 'parent_id', position: 'position' },
  { always: part`version = version + 1, updated_at = now()`, where: part`id = $1`, given: 1, returning: COLUMNS },
)

export async function updateGroup(scope: TenantScope, id: string, change: GroupChange): Promise<GroupRow> {
  return (await scope.run(...UPDATE_GROUP.of(change, id))).rows[0]!
}

const SET_POSITIONS = sql`update groups g set position = p.position from unnest($1::uuid[], $2::int[]) as p (id, position) where g.id = p.id`

/** Moves siblings aside; that is no change of theirs, so their version stays. */
export async function setPositions(scope: TenantScope, places: { id: string; position: number }[]): Promise<void> {
  if (places.length === 0) return
  await scope.run(SET_POSITIONS, [places.map(p => p.id), places.map(p => p.position)])
}

const DELETE_GROUP = sql`delete from groups where id = $1`

export async function deleteGroup(scope: TenantScope, id: string): Promise<void> {
  await scope.run(DELETE_GROUP, [id])
}

const CHILD_COUNT = sql<{ count: number }>`select count(*) as count from groups where parent_id = $1`

export async function childCount(scope: TenantScope, id: string): Promise<number> {
  const { rows } = await scope.run(CHILD_COUNT, [id])
  return rows[0]!.count
}

const IS_IN_SCOPE = sql<{ inside: boolean }>`select $1::uuid = any (scope_group_ids()) as inside`

/** Whether the group belongs to the data scope of the transaction's caller. */
export async function isInScope(scope: TenantScope, id: string): Promise<boolean> {
  const { rows } = await scope.run(IS_IN_SCOPE, [id])
  return rows[0]!.inside
}
