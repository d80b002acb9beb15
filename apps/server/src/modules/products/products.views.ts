import type { TenantScope } from '../../lib/database.ts'

/** Every living product of the company: for the lists of other modules to join. Read under the reader's policy. */
export const productDirectory =
  '(select id, num, product_key, name, icon, status, link_type, offline_delay_seconds from products where deleted_at is null)'

/** Living products in each group. */
export async function countProductsByGroup(scope: TenantScope): Promise<ReadonlyMap<string, number>> {
  const { rows } = await scope.query<{ group_id: string; count: number }>(
    'select group_id, count(*) as count from products where group_id is not null and deleted_at is null group by group_id',
  )
  return new Map(rows.map(row => [row.group_id, row.count]))
}
