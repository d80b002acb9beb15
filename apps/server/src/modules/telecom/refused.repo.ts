import type { RefusedCallbackView } from '@thingwright/contracts/telecom.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import type { ListPosition } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'

export type RefusalReason = RefusedCallbackView['reason']

export interface RefusedRow extends Omit<RefusedCallbackView, 'firstAt' | 'lastAt'> {
  firstAt: Date
  lastAt: Date
}

const COLUMNS = part`id, reason, detail, source, excerpt, count, first_at as "firstAt", last_at as "lastAt", last_at::text as position`
const FIRST = sql<
  RefusedRow & { position: string }
>`select ${COLUMNS} from telecom_refused where key_id = $1 order by last_at desc, id desc limit $2`
const NEXT = sql<
  RefusedRow & { position: string }
>`select ${COLUMNS} from telecom_refused where key_id = $1 and (last_at, id) < ($2::timestamptz, $3::uuid)
  order by last_at desc, id desc limit $4`

export async function page(
  scope: TenantScope,
  keyId: string,
  after: ListPosition | null,
  limit: number,
): Promise<(RefusedRow & { position: string })[]> {
  const read = after ? scope.run(NEXT, [keyId, after[0], after[1], limit]) : scope.run(FIRST, [keyId, limit])
  return (await read).rows
}

const NOTE = sql`insert into telecom_refused (id, tenant_id, key_id, reason, detail, source, excerpt, first_at, last_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
  on conflict (key_id, reason, source, detail)
  do update set count = telecom_refused.count + 1, last_at = excluded.last_at, excerpt = excluded.excerpt`
const KEEP = sql`delete from telecom_refused where key_id = $1 and id not in (
  select id from telecom_refused where key_id = $1 order by last_at desc, id desc limit $2)`
const FORGET = sql`delete from telecom_refused where last_at < $1`

/** Kept of one key: whoever knows half of an address cannot fill the list for ever. */
const MOST = 200
const LONGEST = { detail: 200, source: 64, excerpt: 1_000 }

/** The same from the same place counts up. */
export async function note(
  scope: Runner,
  key: { id: string; tenantId: string },
  refused: { reason: RefusalReason; detail: string; source: string; excerpt: string; at: Date },
): Promise<void> {
  const text = (value: string, most: number) => value.replaceAll('\0', '').toWellFormed().slice(0, most).toWellFormed()
  await scope.run(NOTE, [
    newId(refused.at.getTime()),
    key.tenantId,
    key.id,
    refused.reason,
    text(refused.detail, LONGEST.detail),
    text(refused.source, LONGEST.source),
    text(refused.excerpt, LONGEST.excerpt),
    refused.at,
  ])
  await scope.run(KEEP, [key.id, MOST])
}

export async function forget(scope: Runner, before: Date): Promise<void> {
  await scope.run(FORGET, [before])
}
