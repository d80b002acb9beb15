import type { TenantScope } from '../../../lib/database.ts'

type Scope = Pick<TenantScope, 'query' | 'run'>

/** Of these SHA-256, those that are secrets of devices and products of the company, as hex; also ones that were replaced. */
export async function knownAmong(scope: Scope, hashes: readonly Buffer[]): Promise<Set<string>> {
  const { rows } = await scope.query<{ hash: Buffer }>(
    `select secret_hash as hash from devices where secret_hash = any ($1::bytea[])
     union select previous_secret_hash from devices where previous_secret_hash = any ($1::bytea[])
     union select secret_hash from products where secret_hash = any ($1::bytea[])
     union select previous_secret_hash from products where previous_secret_hash = any ($1::bytea[])`,
    [hashes],
  )
  return new Set(rows.map(({ hash }) => hash.toString('hex')))
}
