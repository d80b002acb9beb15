import type { TenantScope } from '../../../lib/database/database.ts'
import { sql } from '../../../lib/sql/statement.ts'

const KNOWN = sql<{ hash: Buffer }>`select secret_hash as hash from devices where secret_hash = any ($1::bytea[])
  union select previous_secret_hash from devices where previous_secret_hash = any ($1::bytea[])
  union select secret_hash from products where secret_hash = any ($1::bytea[])
  union select previous_secret_hash from products where previous_secret_hash = any ($1::bytea[])`

/** Of these SHA-256, those that are secrets of devices and products of the company, as hex; also ones that were replaced. */
export async function knownAmong(scope: Pick<TenantScope, 'run'>, hashes: readonly Buffer[]): Promise<Set<string>> {
  const { rows } = await scope.run(KNOWN, [hashes])
  return new Set(rows.map(({ hash }) => hash.toString('hex')))
}
