import type { GroupKind } from '@thingwright/contracts/groups.contract'
import { and, eq, sql } from 'drizzle-orm'
import type { TenantScope } from '../../lib/database.ts'
import { type GroupRow, groups } from './groups.tables.ts'

/** One at a time changes the shape of a tree: the check for circles must see the other's move. */
export async function lockTree(scope: TenantScope, kind: GroupKind): Promise<void> {
  await scope.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`groups:${scope.tenantId}:${kind}`])
}

export function allGroups(scope: TenantScope, kind: GroupKind): Promise<GroupRow[]> {
  return scope.db.select().from(groups).where(eq(groups.kind, kind))
}

export async function findGroup(scope: TenantScope, id: string): Promise<GroupRow | undefined> {
  return (await scope.db.select().from(groups).where(eq(groups.id, id)))[0]
}

/** Holds the group until the end of the transaction: it cannot be removed while something is put into it. */
export async function holdGroup(scope: TenantScope, id: string): Promise<GroupRow | undefined> {
  return (await scope.db.select().from(groups).where(eq(groups.id, id)).for('share'))[0]
}

/** Waits for those who are putting something into the group. */
export async function lockGroup(scope: TenantScope, id: string): Promise<void> {
  await scope.db.select({ id: groups.id }).from(groups).where(eq(groups.id, id)).for('update')
}

export async function insertGroup(scope: TenantScope, row: typeof groups.$inferInsert): Promise<GroupRow> {
  return (await scope.db.insert(groups).values(row).returning())[0]!
}

export async function updateGroup(
  scope: TenantScope,
  id: string,
  change: Partial<Pick<GroupRow, 'name' | 'parentId' | 'position'>>,
): Promise<GroupRow> {
  const rows = await scope.db
    .update(groups)
    .set({ ...change, version: sql`${groups.version} + 1`, updatedAt: sql`now()` })
    .where(eq(groups.id, id))
    .returning()
  return rows[0]!
}

/** Moves siblings aside; that is no change of theirs, so their version stays. */
export async function setPositions(scope: TenantScope, places: { id: string; position: number }[]): Promise<void> {
  if (places.length === 0) return
  await scope.query(
    'update groups g set position = p.position from unnest($1::uuid[], $2::int[]) as p (id, position) where g.id = p.id',
    [places.map(p => p.id), places.map(p => p.position)],
  )
}

export async function deleteGroup(scope: TenantScope, id: string): Promise<void> {
  await scope.db.delete(groups).where(eq(groups.id, id))
}

/** The group and all below it; empty when there is no such group of the kind. */
export async function subtreeIds(scope: TenantScope, id: string, kind: GroupKind): Promise<string[]> {
  const { rows } = await scope.query<{ id: string }>(
    `with recursive below as (
       select id from groups where id = $1 and kind = $2
       union all select g.id from groups g join below b on g.parent_id = b.id)
     select id from below`,
    [id, kind],
  )
  return rows.map(row => row.id)
}

export async function childCount(scope: TenantScope, id: string): Promise<number> {
  return scope.db.$count(groups, and(eq(groups.parentId, id)))
}

/** Whether the group belongs to the data scope of the transaction's caller. */
export async function isInScope(scope: TenantScope, id: string): Promise<boolean> {
  const { rows } = await scope.query<{ inside: boolean }>('select $1::uuid = any (scope_group_ids()) as inside', [id])
  return rows[0]!.inside
}
