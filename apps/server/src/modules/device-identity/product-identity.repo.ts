import type { RegistrationMode } from '@thingwright/contracts/device-identity.contract'
import type { TenantScope } from '../../lib/database.ts'
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

/** @param lock this transaction changes the product */
export async function findProductIdentity(
  scope: TenantScope,
  id: string,
  lock = false,
): Promise<ProductIdentityRow | undefined> {
  const { rows } = await scope.query<ProductIdentityRow>(
    `select id, num, name, registration, secret_hash is not null as "hasSecret",
       previous_secret_until as "previousSecretUntil", access
     from products where id = $1 and deleted_at is null ${lock ? 'for update' : ''}`,
    [id],
  )
  return rows[0]
}

export async function updateProductIdentity(
  scope: TenantScope,
  id: string,
  { registration, access }: Pick<ProductIdentityRow, 'registration' | 'access'>,
): Promise<void> {
  await scope.query('update products set registration = $2, access = $3, updated_at = now() where id = $1', [
    id,
    registration,
    JSON.stringify(access),
  ])
}

/** The present secret becomes the previous one until then (null: at once worthless). */
export async function replaceProductSecret(
  scope: TenantScope,
  id: string,
  secret: { hash: Buffer; cipher: Buffer },
  previousUntil: Date | null,
): Promise<void> {
  await scope.query(
    `update products set previous_secret_hash = case when $4::timestamptz is null then null else secret_hash end,
       previous_secret_until = $4, secret_hash = $2, secret_cipher = $3, updated_at = now() where id = $1`,
    [id, secret.hash, secret.cipher, previousUntil],
  )
}

export async function countWaiting(scope: TenantScope, productId: string): Promise<number> {
  const { rows } = await scope.query<{ count: number }>(
    `select count(*)::int as count from device_registrations
     where product_id = $1 and state = 'waiting' and expires_at > now()`,
    [productId],
  )
  return rows[0]!.count
}
