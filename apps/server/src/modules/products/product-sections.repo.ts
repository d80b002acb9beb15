// Columns of a product that other modules answer for: what is in them is theirs, the table is not.
import type { TenantScope } from '../../lib/database/database.ts'
import { type Runner, sql } from '../../lib/sql/statement.ts'

const STORE_COMMAND_RULES = sql`update products set command_rules = $3, command_rules_version = command_rules_version + 1,
    command_pin_hash = case when $4 then $5 else command_pin_hash end
  where id = $1 and command_rules_version = $2 and deleted_at is null`

/** @param pinHash undefined: as it is. @returns false when the version has moved on */
export async function storeCommandRules(
  scope: TenantScope,
  productId: string,
  version: number,
  rules: object,
  pinHash: string | null | undefined,
): Promise<boolean> {
  const { rowCount } = await scope.run(STORE_COMMAND_RULES, [
    productId,
    version,
    JSON.stringify(rules),
    pinHash !== undefined,
    pinHash ?? null,
  ])
  return rowCount === 1
}

const STORE_IDENTITY = sql`update products set registration = $2, access = $3, updated_at = now() where id = $1`

/** How devices of the product register, and what they may. */
export async function storeProductIdentity(
  scope: TenantScope,
  id: string,
  { registration, access }: { registration: string; access: object },
): Promise<void> {
  await scope.run(STORE_IDENTITY, [id, registration, JSON.stringify(access)])
}

const REPLACE_SECRET = sql`update products set previous_secret_hash = case when $4::timestamptz is null then null else secret_hash end,
  previous_secret_until = $4, secret_hash = $2, secret_cipher = $3, updated_at = now() where id = $1`

/** The present secret becomes the previous one until then (null: at once worthless). */
export async function replaceProductSecret(
  scope: TenantScope,
  id: string,
  secret: { hash: Buffer; cipher: Buffer },
  previousUntil: Date | null,
): Promise<void> {
  await scope.run(REPLACE_SECRET, [id, secret.hash, secret.cipher, previousUntil])
}

const STORE_FIRMWARE_RULES = sql`update products set firmware = $2 where id = $1 and deleted_at is null`

/** What firmware of the product must fulfil. @returns false when the product is not the caller's to change */
export async function storeFirmwareRules(scope: Pick<Runner, 'run'>, id: string, rules: object): Promise<boolean> {
  return (await scope.run(STORE_FIRMWARE_RULES, [id, JSON.stringify(rules)])).rowCount === 1
}
