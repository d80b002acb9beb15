import { type Runner, sql } from '../../lib/sql/statement.ts'

const CUSTOMERS = sql<{
  id: string
}>`select id from end_users where tenant_id = $1 and parent_id is null order by created_at, id limit 2`
export const customers = async (scope: Runner, tenantId: string): Promise<string[]> =>
  (await scope.run(CUSTOMERS, [tenantId])).rows.map(({ id }) => id)

const COUNTING = sql<{
  id: string
  name: string
  num: number
  property: number
}>`select d.id, d.name, d.num, n.num as property
  from devices d join product_properties n on n.product_num = d.product_num and n.identifier = 'energy'
  join products p on p.id = d.product_id
  where d.tenant_id = $1 and d.recycled_at is null and exists (
    select 1 from jsonb_array_elements(p.published_model -> 'properties') x where x ->> 'identifier' = 'demand_max')
  order by d.device_no limit 2`
/** Meters of energy that the demo has. */
export const counting = async (scope: Runner, tenantId: string) => (await scope.run(COUNTING, [tenantId])).rows
