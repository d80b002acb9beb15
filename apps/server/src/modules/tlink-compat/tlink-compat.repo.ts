import type { TenantScope } from '../../lib/database.ts'

/** A device by the number that stands for its id. */
export interface NumberedDevice {
  id: string
  num: number
  productId: string
  deviceNo: string
}

/** A property of a product, with the number it has for ever. */
export interface NumberedProperty {
  productId: string
  identifier: string
  num: number
}

const COLUMNS = 'id, num, product_id as "productId", device_no as "deviceNo"'

export async function devicesById(scope: TenantScope, ids: readonly string[]): Promise<NumberedDevice[]> {
  const { rows } = await scope.query<NumberedDevice>(`select ${COLUMNS} from devices where id = any ($1::uuid[])`, [
    ids,
  ])
  return rows
}

export async function deviceByNum(scope: TenantScope, num: number): Promise<NumberedDevice | undefined> {
  const { rows } = await scope.query<NumberedDevice>(
    `select ${COLUMNS} from devices where num = $1 and recycled_at is null`,
    [num],
  )
  return rows[0]
}

/** By number, where it is the only one in sight of the caller. */
export async function deviceByNumber(scope: TenantScope, deviceNo: string): Promise<NumberedDevice | undefined> {
  const { rows } = await scope.query<NumberedDevice>(
    `select ${COLUMNS} from devices where device_no = $1 and recycled_at is null limit 2`,
    [deviceNo],
  )
  return rows.length === 1 ? rows[0] : undefined
}

export async function propertiesOf(scope: TenantScope, productIds: readonly string[]): Promise<NumberedProperty[]> {
  const { rows } = await scope.query<NumberedProperty>(
    `select p.id as "productId", n.identifier, n.num from products p join product_properties n on n.product_num = p.num
     where p.id = any ($1::uuid[])`,
    [productIds],
  )
  return rows
}
