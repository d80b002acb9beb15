import type { GroupKind } from '@thingwright/contracts/groups.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

/** Id and name of every group of the company: for the lists of other modules to join. Read under the reader's policy. */
export const groupDirectory = part`(select id, name from groups)`

const GROUPS_BELOW = sql<{ id: string }>`with recursive below as (
    select id from groups where id = any ($1::uuid[]) and kind = $2
    union select g.id from groups g join below b on g.parent_id = b.id)
  select id from below`

/** The groups and all below them; empty when there are no such groups of the kind. */
export async function groupsBelow(scope: TenantScope, ids: readonly string[], kind: GroupKind): Promise<string[]> {
  const { rows } = await scope.run(GROUPS_BELOW, [ids, kind])
  return rows.map(row => row.id)
}
