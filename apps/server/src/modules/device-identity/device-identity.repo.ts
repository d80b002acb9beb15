import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { StoredAccess } from './access.ts'

export interface DeviceIdentityRow {
  id: string
  num: number
  name: string
  deviceNo: string
  productKey: string
  secretCipher: Buffer
  hasAccessToken: boolean
  tokenCipher: Buffer | null
  previousTokenUntil: Date | null
  access: StoredAccess
  productAccess: StoredAccess
}

const SELECT_DEVICES = sql<
  Omit<DeviceIdentityRow, 'productAccess' | 'productKey'> & { productId: string }
>`select id, num, name, device_no as "deviceNo", product_id as "productId", secret_cipher as "secretCipher",
    access_token_hash is not null as "hasAccessToken", access_token_cipher as "tokenCipher",
    previous_token_until as "previousTokenUntil", access
  from devices where id = $1`

const SELECT_PRODUCTS = sql<{
  productKey: string
  access: StoredAccess
}>`select product_key as "productKey", access from products where id = $1`

/** What a device signs in with. The product's part is read past the reader's data scope: it is in force for the device. */
export async function findDeviceIdentity(scope: TenantScope, id: string): Promise<DeviceIdentityRow | undefined> {
  const { rows } = await scope.run(SELECT_DEVICES, [id])
  const row = rows[0]
  if (!row) return undefined
  const { productId, ...device } = row
  const product = await scope.wholeCompany('hold', async () => scope.run(SELECT_PRODUCTS, [productId]))
  const { productKey, access } = product.rows[0]!
  return { ...device, productKey, productAccess: access }
}

export interface FlowRow {
  day: string
  slowed: number
  refused: number
  lastAt: Date
}

const FLOW_OF = sql<FlowRow>`select to_char(day, 'YYYY-MM-DD') as day, slowed, refused, last_at as "lastAt" from device_flow
  where device = $1 and day > current_date - 8 order by day desc`

/** Days of the last week on which a limit held the device back. */
export async function flowOf(scope: TenantScope, device: number): Promise<FlowRow[]> {
  const { rows } = await scope.run(FLOW_OF, [device])
  return rows
}
