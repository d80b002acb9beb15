import type { TenantScope } from '../../lib/database.ts'
import type { NewCredential } from '../../lib/device-credentials.ts'

/**
 * Gives a new device an access token where its product's devices may run ThingsBoard firmware, which knows nothing else.
 * @returns the token, to be shown once; null where the product does not ask for one
 */
export async function giveToken(
  scope: TenantScope,
  device: { id: string; productId: string },
  make: () => NewCredential,
): Promise<string | null> {
  const { rows } = await scope.wholeCompany('hold', () =>
    scope.query<{ wanted: boolean }>(
      `select coalesce((dialects ->> 'thingsboard')::boolean, false) as wanted from products where id = $1`,
      [device.productId],
    ),
  )
  if (!rows[0]?.wanted) return null
  const { shown, hash, cipher } = make()
  await scope.query('update devices set access_token_hash = $2, access_token_cipher = $3 where id = $1', [
    device.id,
    hash,
    cipher,
  ])
  return shown
}
