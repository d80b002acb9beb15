import type { TenantScope } from '../../lib/database/database.ts'
import { part, type SqlPart, sql } from '../../lib/sql/statement.ts'

const COUNT_DEVICES_BY_GROUP = sql<{ group_id: string; count: number }>`select group_id, count(*) as count from devices
  where tenant_id = $1 and group_id is not null and recycled_at is null group by group_id`

/** Devices in each group, without the recycle bin. */
export async function countDevicesByGroup(scope: TenantScope): Promise<ReadonlyMap<string, number>> {
  const { rows } = await scope.run(COUNT_DEVICES_BY_GROUP, [scope.tenantId])
  return new Map(rows.map(row => [row.group_id, row.count]))
}

type OfProduct = { product_id: string; count: number }

const countOfProducts = (condition: SqlPart) => sql<OfProduct>`select product_id, count(*) as count from devices
  where tenant_id = $1 and product_id = any ($2::uuid[]) and ${condition} group by product_id`
const COUNT_OF_PRODUCTS = {
  there: countOfProducts(part`recycled_at is null`),
  recycled: countOfProducts(part`recycled_at is not null`),
}

const ONLINE_IN_SCOPE = sql<OfProduct>`select d.product_id, count(*) as count
  from devices d join device_presence p on p.device = d.num
  where d.tenant_id = $1 and d.product_id = any ($2::uuid[]) and p.link = 'online' group by d.product_id`

const ONLINE_IN_COMPANY = sql<OfProduct>`select o.id as product_id, p.count
  from (select product_num, count(*) as count from device_presence
        where tenant_id = $1 and link = 'online' group by product_num) p
  join products o on o.num = p.product_num
  where o.id = any ($2::uuid[])`

/** Devices of each product: outside the recycle bin, of these connected, and in the bin. */
export async function countDevicesByProduct(
  scope: TenantScope,
  productIds: string[],
): Promise<ReadonlyMap<string, { total: number; online: number; recycled: number }>> {
  if (productIds.length === 0) return new Map()
  const params = [scope.tenantId, productIds]
  const total = await scope.run(COUNT_OF_PRODUCTS.there, params)
  const recycled = await scope.run(COUNT_OF_PRODUCTS.recycled, params)
  // Rows of presence carry no data scope: for a caller with one, the devices of his scope are counted instead.
  const online = await scope.run(scope.limited ? ONLINE_IN_SCOPE : ONLINE_IN_COMPANY, params)
  const counts = new Map(productIds.map(id => [id, { total: 0, online: 0, recycled: 0 }]))
  for (const row of total.rows) counts.get(row.product_id)!.total = row.count
  for (const row of recycled.rows) counts.get(row.product_id)!.recycled = row.count
  for (const row of online.rows) counts.get(row.product_id)!.online = row.count
  return counts
}

const ONLINE_DEVICE_NUMS = sql<{
  device: number
}>`select p.device from device_presence p join devices d on d.num = p.device
  where p.tenant_id = $1 and p.link = 'online' and d.product_id = $2`

/** Numbers of a product's devices that are connected now. */
export async function onlineDeviceNums(scope: TenantScope, productId: string): Promise<number[]> {
  const { rows } = await scope.run(ONLINE_DEVICE_NUMS, [scope.tenantId, productId])
  return rows.map(row => row.device)
}

const DESCRIBE_DEVICES = sql<{
  id: string
  num: number
  device_no: string
  name: string
}>`select id, num, device_no, name from devices where num = any ($1::int[])`

/** Ids and device numbers by the installation's integers; those of other companies are absent. */
export async function describeDevices(
  scope: TenantScope,
  nums: number[],
): Promise<ReadonlyMap<number, { id: string; deviceNo: string; name: string }>> {
  if (nums.length === 0) return new Map()
  const { rows } = await scope.run(DESCRIBE_DEVICES, [nums])
  return new Map(rows.map(row => [row.num, { id: row.id, deviceNo: row.device_no, name: row.name }]))
}
