import type { PageControl, PageState, PageVisibility } from '@thingwright/contracts/cloud-pages.words'
import type { SystemScope } from '../../lib/database/database.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'

/** The fields of a page that decide about access, without the document. */
export interface PageHead {
  id: string
  tenantId: string
  name: string
  suffix: string
  state: PageState
  visibility: PageVisibility
  control: PageControl
  roleIds: string[]
  passcodeHash: string | null
  pinHash: string | null
  publishedNo: number | null
  epoch: number
  ownerId: string | null
}

const HEAD = part`p.id, p.tenant_id as "tenantId", p.name, p.suffix, p.state, p.visibility, p.control,
  p.role_ids as "roleIds", p.passcode_hash as "passcodeHash", p.pin_hash as "pinHash",
  p.published_no as "publishedNo", p.epoch, p.created_by as "ownerId"`
const BY_SUFFIX = sql<PageHead>`select ${HEAD} from cloud_page_addresses a join cloud_pages p on p.id = a.page_id
  where a.suffix = $1`
const BY_ID = sql<PageHead>`select ${HEAD} from cloud_pages p where p.id = $1`
const COUNT_VISIT = sql`insert into cloud_page_visits (page_id, tenant_id, n) values ($1, $2, 1)
  on conflict (page_id) do update set n = cloud_page_visits.n + 1`

export async function headBySuffix(scope: SystemScope, suffix: string): Promise<PageHead | undefined> {
  return (await scope.run(BY_SUFFIX, [suffix])).rows[0]
}

export async function headById(scope: SystemScope, id: string): Promise<PageHead | undefined> {
  return (await scope.run(BY_ID, [id])).rows[0]
}

export async function countVisit(scope: SystemScope, { id, tenantId }: PageHead): Promise<void> {
  await scope.run(COUNT_VISIT, [id, tenantId])
}

const LINK_BY_HASH = sql<{ id: string; expiresAt: Date; revokedAt: Date | null }>`update cloud_page_links
  set last_used_at = now() where page_id = $1 and token_hash = $2
  returning id, expires_at as "expiresAt", revoked_at as "revokedAt"`
const LINK_BY_ID = sql<{
  expiresAt: Date
  revokedAt: Date | null
}>`select expires_at as "expiresAt", revoked_at as "revokedAt"
  from cloud_page_links where id = $1`

export async function linkByHash(scope: SystemScope, pageId: string, hash: Buffer) {
  return (await scope.run(LINK_BY_HASH, [pageId, hash])).rows[0]
}

export async function linkById(scope: SystemScope, id: string) {
  return (await scope.run(LINK_BY_ID, [id])).rows[0]
}

const COUNT_TRY = sql<{
  tries: number
  until: Date
}>`insert into cloud_page_tries as t (page_id, kind, who, tries, until)
  values ($1, $2, $3, 1, $5)
  on conflict (page_id, kind, who) do update set
    tries = case when t.until <= $4 then 1 else t.tries + 1 end,
    until = case when t.until > $4 and t.tries >= $6 then t.until else excluded.until end
  returning tries, until`
const FORGET_TRIES = sql`delete from cloud_page_tries where page_id = $1 and kind = $2 and who = $3`
const GIVE_BACK = sql`update cloud_page_tries set tries = greatest(tries - 1, 0) where page_id = $1 and kind = $2 and who = $3`
const FORGET_OLD = sql`delete from cloud_page_tries where until < $1`

/**
 * Counts a try before the PIN or passcode is checked.
 * @param limit number of tries after which the end of the lock is no longer moved
 */
export async function countTry(
  scope: SystemScope,
  page: { id: string; kind: 'passcode' | 'pin'; who: string },
  now: Date,
  until: Date,
  limit: number,
): Promise<{ tries: number; until: Date }> {
  return (await scope.run(COUNT_TRY, [page.id, page.kind, page.who, now, until, limit])).rows[0]!
}

/** After a correct entry: deletes the tries of this visitor and subtracts the one that was counted for all visitors. */
export async function forgetTries(
  scope: SystemScope,
  { id, kind, who }: { id: string; kind: 'passcode' | 'pin'; who: string },
): Promise<void> {
  await scope.run(FORGET_TRIES, [id, kind, who])
  await scope.run(GIVE_BACK, [id, kind, '*'])
}

export async function forgetOldTries(scope: SystemScope, now: Date): Promise<void> {
  await scope.run(FORGET_OLD, [now])
}

const ROLES_OF = sql<{ role_id: string }>`select role_id from login_roles where login_id = $1`

export async function rolesOf(run: Runner, loginId: string): Promise<Set<string>> {
  return new Set((await run.run(ROLES_OF, [loginId])).rows.map(row => row.role_id))
}

export interface DeviceState {
  num: number
  id: string
  name: string
  productId: string
  link: string | null
  alarmLevel: number
  at: Date | null
  location: { lng: number; lat: number } | null
}
const STATES = sql<DeviceState>`select d.num, d.id, d.name, d.product_id as "productId", p.link,
    coalesce(p.alarm_level, 0)::int as "alarmLevel", p.last_seen_at as at, d.location
  from devices d left join device_presence p on p.device = d.num where d.id = any ($1::uuid[]) and d.recycled_at is null`

/** Of the given devices, those that are visible to the transaction. */
export async function deviceStates(run: Runner, ids: readonly string[]): Promise<DeviceState[]> {
  return ids.length === 0 ? [] : (await run.run(STATES, [ids])).rows
}
