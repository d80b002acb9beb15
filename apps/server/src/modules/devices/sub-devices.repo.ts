import type { TenantScope } from '../../lib/database/database.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'
import { DEVICE_COLUMNS, DEVICE_JOINS, type DeviceRow } from './devices.repo.ts'

export type SubDeviceRow = DeviceRow & { gateway: number | null; subAddress: string | null; nodeType: string }

const COLUMNS = part`${DEVICE_COLUMNS}, d.gateway, d.sub_address as "subAddress", np.node_type as "nodeType"`
const JOINS = part`${DEVICE_JOINS} left join products np on np.id = d.product_id`

const FIND_BOUND = holdable(
  sql<SubDeviceRow>`select ${COLUMNS} from devices d ${JOINS} where d.id = $1`,
  part`for update of d`,
)

/** @param lock the device stays as it is until the transaction ends */
export async function findBound(scope: TenantScope, id: string, lock = false): Promise<SubDeviceRow | undefined> {
  const { rows } = await scope.run(lock ? FIND_BOUND.held : FIND_BOUND.free, [id])
  return rows[0]
}

const FIND_BY_NUM = sql<SubDeviceRow>`select ${COLUMNS} from devices d ${JOINS} where d.num = $1`

export async function findByNum(scope: TenantScope, num: number): Promise<SubDeviceRow | undefined> {
  const { rows } = await scope.run(FIND_BY_NUM, [num])
  return rows[0]
}

const LIST_BELOW = sql<SubDeviceRow>`select ${COLUMNS} from devices d ${JOINS}
  where d.gateway = $1 and d.recycled_at is null
    and ($2 = '' or strpos(lower(d.name || ' ' || d.device_no || ' ' || coalesce(d.sub_address, '')), lower($2)) > 0)
    and ($3::text is null or (d.name, d.num) > ($3, $4::int))
  order by d.name, d.num limit $5`

/** Devices of a gateway after a position in the order of names. */
export async function listBelow(
  scope: TenantScope,
  gateway: number,
  needle: string,
  after: readonly [name: string, num: number] | null,
  limit: number,
): Promise<SubDeviceRow[]> {
  const { rows } = await scope.run(LIST_BELOW, [gateway, needle, after?.[0] ?? null, after?.[1] ?? null, limit])
  return rows
}

const COUNT_BELOW = sql<{
  count: number
}>`select count(*)::int as count from devices d where d.gateway = $1 and d.recycled_at is null
  and ($2 = '' or strpos(lower(d.name || ' ' || d.device_no || ' ' || coalesce(d.sub_address, '')), lower($2)) > 0)`

export async function countBelow(scope: TenantScope, gateway: number, needle = ''): Promise<number> {
  const { rows } = await scope.run(COUNT_BELOW, [gateway, needle])
  return rows[0]!.count
}

const IS_NAME_TAKEN = sql<{ taken: boolean }>`select exists (select 1 from devices where gateway = $1 and id <> $2
  and (device_no = any ($3::text[]) or sub_address = any ($3::text[]))) as taken`

/** Whether a device of the gateway is already called so, by address or by number. */
export async function isNameTaken(
  scope: TenantScope,
  gateway: number,
  device: string,
  names: readonly string[],
): Promise<boolean> {
  const { rows } = await scope.run(IS_NAME_TAKEN, [gateway, device, names])
  return rows[0]!.taken
}

const AUTO_CREATE_PRODUCT = sql<{
  id: string | null
}>`select o.id from devices d join products p on p.id = d.product_id and p.node_type = 'gateway'
    join products o on o.id = (p.sub_devices ->> 'autoCreateProductId')::uuid and o.tenant_id = p.tenant_id
  where d.num = $1 and o.deleted_at is null and o.status = 'published'`

/** The product that unknown devices of a gateway are made of; null: none are made. */
export async function autoCreateProduct(scope: TenantScope, gateway: number): Promise<string | null> {
  const { rows } = await scope.run(AUTO_CREATE_PRODUCT, [gateway])
  return rows[0]?.id ?? null
}

const WRITE_GATEWAY = sql`update devices set gateway = $2, sub_address = $3, version = version + 1, updated_at = now() where id = $1`

/** Binds a device, or releases it (null), and raises its version. */
export async function writeGateway(
  scope: TenantScope,
  id: string,
  gateway: number | null,
  subAddress: string | null,
): Promise<void> {
  await scope.run(WRITE_GATEWAY, [id, gateway, subAddress])
}
