import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

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

const COLUMNS = part`id, num, product_id as "productId", device_no as "deviceNo"`

const DEVICES_BY_ID = sql<NumberedDevice>`select ${COLUMNS} from devices where id = any ($1::uuid[])`

export async function devicesById(scope: TenantScope, ids: readonly string[]): Promise<NumberedDevice[]> {
  const { rows } = await scope.run(DEVICES_BY_ID, [ids])
  return rows
}

const DEVICE_BY_NUM = sql<NumberedDevice>`select ${COLUMNS} from devices where num = $1 and recycled_at is null`

export async function deviceByNum(scope: TenantScope, num: number): Promise<NumberedDevice | undefined> {
  const { rows } = await scope.run(DEVICE_BY_NUM, [num])
  return rows[0]
}

const DEVICE_BY_NUMBER = sql<NumberedDevice>`select ${COLUMNS} from devices where device_no = $1 and recycled_at is null limit 2`

/** By number, where it is the only one in sight of the caller. */
export async function deviceByNumber(scope: TenantScope, deviceNo: string): Promise<NumberedDevice | undefined> {
  const { rows } = await scope.run(DEVICE_BY_NUMBER, [deviceNo])
  return rows.length === 1 ? rows[0] : undefined
}

const PROPERTIES_OF = sql<NumberedProperty>`select p.id as "productId", n.identifier, n.num from products p join product_properties n on n.product_num = p.num
  where p.id = any ($1::uuid[])`

export async function propertiesOf(scope: TenantScope, productIds: readonly string[]): Promise<NumberedProperty[]> {
  const { rows } = await scope.run(PROPERTIES_OF, [productIds])
  return rows
}

/** Rows are numbered by the end of their ids, as users are: `userNumber` of tlink-words.ts. */
const HAS_NUMBER = part`right(id::text, 12) = lpad(to_hex($1::bigint), 12, '0') limit 2`
const BY_NUMBER = {
  contact: sql<{ id: string }>`select id from contacts where ${HAS_NUMBER}`,
  trigger: sql<{ id: string }>`select id from triggers where ${HAS_NUMBER}`,
  task: sql<{ id: string }>`select id from timed_tasks where ${HAS_NUMBER}`,
}

/** The one in sight of the caller; null: none, or several. */
const byNumber = (kind: keyof typeof BY_NUMBER) => async (scope: TenantScope, number: number) => {
  const { rows } = await scope.run(BY_NUMBER[kind], [number])
  return rows.length === 1 ? rows[0]!.id : null
}
export const contactByNumber = byNumber('contact')
export const triggerByNumber = byNumber('trigger')
export const taskByNumber = byNumber('task')
