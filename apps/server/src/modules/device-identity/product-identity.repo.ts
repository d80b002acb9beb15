import type { RegistrationMode } from '@thingwright/contracts/device-identity.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'
import type { StoredAccess } from './access.ts'

export interface ProductIdentityRow {
  id: string
  num: number
  name: string
  registration: RegistrationMode
  hasSecret: boolean
  previousSecretUntil: Date | null
  access: StoredAccess
}

const FIND_PRODUCT_IDENTITY = holdable(
  sql<ProductIdentityRow>`select id, num, name, registration, secret_hash is not null as "hasSecret",
    previous_secret_until as "previousSecretUntil", access
  from products where id = $1 and deleted_at is null`,
  part`for update`,
)

/** @param lock this transaction changes the product */
export async function findProductIdentity(
  scope: TenantScope,
  id: string,
  lock = false,
): Promise<ProductIdentityRow | undefined> {
  const { rows } = await scope.run(lock ? FIND_PRODUCT_IDENTITY.held : FIND_PRODUCT_IDENTITY.free, [id])
  return rows[0]
}

const COUNT_WAITING = sql<{ count: number }>`select count(*)::int as count from device_registrations
  where product_id = $1 and state = 'waiting' and expires_at > now()`

export async function countWaiting(scope: TenantScope, productId: string): Promise<number> {
  const { rows } = await scope.run(COUNT_WAITING, [productId])
  return rows[0]!.count
}
