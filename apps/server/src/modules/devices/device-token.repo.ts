import type { NewCredential } from '../../lib/crypto/device-credentials.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

const SELECT_PRODUCTS = sql<{
  wanted: boolean
}>`select coalesce((dialects ->> 'thingsboard')::boolean, false) as wanted from products where id = $1`

const UPDATE_DEVICES = sql`update devices set access_token_hash = $2, access_token_cipher = $3 where id = $1`

/**
 * Gives a new device an access token where its product's devices may run ThingsBoard firmware, which knows nothing else.
 * @returns the token, to be shown once; null where the product does not ask for one
 */
export async function giveToken(
  scope: TenantScope,
  device: { id: string; productId: string },
  make: () => NewCredential,
): Promise<string | null> {
  const { rows } = await scope.wholeCompany('hold', () => scope.run(SELECT_PRODUCTS, [device.productId]))
  if (!rows[0]?.wanted) return null
  const { shown, hash, cipher } = make()
  await scope.run(UPDATE_DEVICES, [device.id, hash, cipher])
  return shown
}

/** Devices in one statement. */
const AT_ONCE = 1_000

const LOCK_DEVICES = sql<{
  id: string
}>`select id from devices where product_id = $1 and access_token_hash is null order by id limit $2 for update`

const GIVE_TOKENS_UPDATE_DEVICES = sql`update devices d set access_token_hash = t.hash, access_token_cipher = t.cipher
  from unnest($1::uuid[], $2::bytea[], $3::bytea[]) as t (id, hash, cipher) where d.id = t.id`

/**
 * Gives an access token to each device of the product that has none, whatever the caller's data scope: the product as a
 * whole speaks otherwise from now on. @returns how many got one
 */
export async function giveTokens(
  scope: TenantScope,
  productId: string,
  make: (deviceId: string) => NewCredential,
): Promise<number> {
  return scope.wholeCompany('hold', async () => {
    let given = 0
    for (;;) {
      const { rows } = await scope.run(LOCK_DEVICES, [productId, AT_ONCE])
      if (rows.length === 0) return given
      const made = rows.map(({ id }) => ({ id, ...make(id) }))
      await scope.run(GIVE_TOKENS_UPDATE_DEVICES, [
        made.map(({ id }) => id),
        made.map(({ hash }) => hash),
        made.map(({ cipher }) => cipher),
      ])
      given += made.length
      if (rows.length < AT_ONCE) return given
    }
  })
}

const GIVE_TOKENS_WHERE_WANTED = sql<{
  id: string
}>`select id from products where id = any($1::uuid[]) and (dialects ->> 'thingsboard')::boolean`

/** As {@link giveTokens}, of those products whose devices may run ThingsBoard firmware. */
export async function giveTokensWhereWanted(
  scope: TenantScope,
  productIds: readonly string[],
  make: (deviceId: string) => NewCredential,
): Promise<void> {
  const { rows } = await scope.wholeCompany('hold', () => scope.run(GIVE_TOKENS_WHERE_WANTED, [productIds]))
  for (const { id } of rows) await giveTokens(scope, id, make)
}
