import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

/**
 * Every living product of the company, whatever the reader's data scope: for the lists of other modules to join, which
 * must not lose a device because its product is not in the scope. A view of the database with the company in it.
 */
export const productDirectory = part`product_names`

const COUNT_PRODUCTS_BY_GROUP = sql<{
  group_id: string
  count: number
}>`select group_id, count(*) as count from products where group_id is not null and deleted_at is null group by group_id`

/** Living products in each group. */
export async function countProductsByGroup(scope: TenantScope): Promise<ReadonlyMap<string, number>> {
  const { rows } = await scope.run(COUNT_PRODUCTS_BY_GROUP)
  return new Map(rows.map(row => [row.group_id, row.count]))
}
