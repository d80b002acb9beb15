import type { Runner } from '../../lib/sql/statement.ts'
import { sql } from '../../lib/sql/statement.ts'

const SEEN = sql<{ one: number }>`select 1 as one from telecom_messages where key_id = $1 and digest = $2`
const NOTE = sql`insert into telecom_messages (key_id, tenant_id, digest, at) values ($1, $2, $3, $4) on conflict do nothing`
const FORGET = sql`delete from telecom_messages where at < $1`

/** Whether a message of this key was taken already. */
export async function isSeen(scope: Runner, keyId: string, digest: Buffer): Promise<boolean> {
  return (await scope.run(SEEN, [keyId, digest])).rows.length > 0
}

export async function note(
  scope: Runner,
  key: { id: string; tenantId: string },
  digest: Buffer,
  at: Date,
): Promise<void> {
  await scope.run(NOTE, [key.id, key.tenantId, digest, at])
}

export async function forget(scope: Runner, before: Date): Promise<void> {
  await scope.run(FORGET, [before])
}
