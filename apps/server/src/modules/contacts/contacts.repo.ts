import type { PersonalChannel } from '@thingwright/contracts/contacts.words'
import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'
import type { QuietHours } from './queue.repo.ts'

export interface ContactRow {
  id: string
  name: string
  email: string | null
  phone: string | null
  phone_verified_at: Date | null
  wechat_openid: string | null
  has_push: boolean
  has_applet: boolean
  escalation_only: boolean
  quiet: QuietHours | null
  per_hour: number | null
  ways: PersonalChannel[] | null
  /** The end user whose contact it is; null: the company's. */
  owner_id: string | null
  owner_name: string | null
  locale: 'zh' | 'en'
  min_level: number
  enabled: boolean
  verified_at: Date | null
  version: number
  created_at: Date
}

/** What can be set. */
export interface ContactValues {
  name: string
  email: string | null
  phone: string | null
  wechatOpenid: string | null
  escalationOnly: boolean
  quiet: QuietHours | null
  perHour: number | null
  ways: PersonalChannel[] | null
  locale: 'zh' | 'en'
  minLevel: number
  enabled: boolean
}

/** Where a code goes. */
export type CodeTo = 'email' | 'phone'

const COLUMNS = part`id, name, email, phone, phone_verified_at, wechat_openid, has_push, has_applet, escalation_only, quiet, per_hour, ways, owner_id,
    (select coalesce(nullif(l.display_name, ''), l.username) from logins l where l.id = contacts.owner_id) as owner_name,
    locale, min_level, enabled, verified_at, version, created_at`

const LIST_CONTACTS = sql<ContactRow>`select ${COLUMNS} from contacts
  where ($2::uuid is null or id < $2) and (position(lower($3) in lower(name)) > 0 or position(lower($3) in lower(coalesce(email, ''))) > 0
    or position($3 in coalesce(phone, '')) > 0)
    and ($4::uuid is null or exists (select 1 from end_users u where u.id = owner_id and u.path @> array[$4::uuid]))
    and (not $5::boolean or owner_id is null)
  order by id desc limit $1`

/**
 * Newest first: ids are ordered by time.
 * @param after id of the last row of the page before
 * @param userId of this end user and those below; 'none': the company's own
 */
export async function list(
  scope: TenantScope,
  limit: number,
  after: string | null,
  { q, userId }: { q: string; userId?: string | undefined },
): Promise<ContactRow[]> {
  const isOwn = userId === 'none'
  return (await scope.run(LIST_CONTACTS, [limit, after, q, isOwn ? null : (userId ?? null), isOwn])).rows
}

const INSERT_CONTACT = sql<ContactRow>`insert into contacts (id, tenant_id, name, email, locale, min_level, enabled, phone, wechat_openid,
    escalation_only, quiet, per_hour, ways, owner_id, has_push, has_applet)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, coalesce($14::uuid, scope_user()), $15, $16) returning ${COLUMNS}`

/**
 * @param ownerId null: the end user of the transaction, or the company
 * @param reach a browser of it, or the mini-program, is registered in the same transaction
 */
export async function insert(
  scope: TenantScope,
  id: string,
  v: ContactValues,
  ownerId: string | null,
  reach: 'push' | 'applet' | null = null,
): Promise<ContactRow> {
  const first = [id, scope.tenantId, v.name, v.email, v.locale, v.minLevel, v.enabled]
  return (await scope.run(INSERT_CONTACT, [...first, ...restOf(v), ownerId, reach === 'push', reach === 'applet']))
    .rows[0]!
}

const restOf = (v: ContactValues) => [v.phone, v.wechatOpenid, v.escalationOnly, v.quiet, v.perHour, v.ways]

const OWNER = sql<{ name: string; contacts: number }>`select coalesce(nullif(l.display_name, ''), l.username) as name,
    (select count(*)::int from contacts c where c.owner_id = u.id) as contacts
  from end_users u join logins l on l.id = u.id where u.id = $1 for update of u`

/** An end user that the caller may see, held so that the number of contacts stays. */
export async function holdOwner(
  scope: TenantScope,
  id: string,
): Promise<{ name: string; contacts: number } | undefined> {
  return (await scope.run(OWNER, [id])).rows[0]
}

const FIND_CONTACT = sql<ContactRow>`select ${COLUMNS} from contacts where id = $1 for update`
const READ_CONTACT = sql<ContactRow>`select ${COLUMNS} from contacts where id = $1`

export async function find(scope: TenantScope, id: string, lock = false): Promise<ContactRow | undefined> {
  return (await scope.run(lock ? FIND_CONTACT : READ_CONTACT, [id])).rows[0]
}

const TAKEN = sql<{ email: boolean }>`select coalesce(lower(email) = lower($1), false) as email from contacts
  where (lower(email) = lower($1) or phone = $2) and ($3::uuid is null or id <> $3)
    and owner_id is not distinct from coalesce($4::uuid, scope_user()) limit 1`

/** Which of the two another contact of the same owner has. */
export async function taken(
  scope: TenantScope,
  { email, phone }: Pick<ContactValues, 'email' | 'phone'>,
  but: string | null,
  ownerId: string | null,
): Promise<CodeTo | null> {
  const [row] = (await scope.run(TAKEN, [email, phone, but, ownerId])).rows
  return row ? (row.email ? 'email' : 'phone') : null
}

const UPDATE_CONTACT = sql<ContactRow>`update contacts set name = $3, email = $4, locale = $5, min_level = $6, enabled = $7,
    verified_at = case when lower(email) = lower($4) then verified_at end,
    code_hash = case when lower(email) = lower($4) then code_hash end,
    phone = $8, phone_verified_at = case when phone = $8 then phone_verified_at end,
    phone_code_hash = case when phone = $8 then phone_code_hash end,
    wechat_openid = $9, escalation_only = $10, quiet = $11, per_hour = $12, ways = $13,
    since = case when min_level = $6 and enabled = $7 and escalation_only = $10 and wechat_openid is not distinct from $9
      then since else now() end, version = version + 1
  where id = $1 and version = $2 returning ${COLUMNS}`

/** @returns undefined when it has another version by now */
export async function update(
  scope: TenantScope,
  id: string,
  version: number,
  v: ContactValues,
): Promise<ContactRow | undefined> {
  const first = [id, version, v.name, v.email, v.locale, v.minLevel, v.enabled]
  return (await scope.run(UPDATE_CONTACT, [...first, ...restOf(v)])).rows[0]
}

const REMOVE_CONTACT = sql`delete from contacts where id = $1`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE_CONTACT, [id])
}

// Verification

const CODES_OF_DAY = sql<{
  count: number
}>`select (coalesce(sum(codes_today) filter (where code_sent_at > $1::timestamptz - interval '1 day'), 0)
    + coalesce(sum(phone_codes_today) filter (where phone_code_sent_at > $1::timestamptz - interval '1 day'), 0))::int as count
  from contacts where owner_id is not distinct from $2::uuid`

/** How many codes the company, or an end user, sent within a day. */
export async function codesOfDay(scope: TenantScope, now: Date, ownerId: string | null): Promise<number> {
  return (await scope.run(CODES_OF_DAY, [now, ownerId])).rows[0]!.count
}

const SET_CODE = {
  email: sql<{ id: string }>`update contacts set code_hash = $2, code_tries = 0, code_sent_at = $3,
      codes_today = case when code_sent_at > $3::timestamptz - interval '1 day' then codes_today + 1 else 1 end
    where id = $1 and (code_sent_at is null or code_sent_at <= $3::timestamptz - interval '1 minute') returning id`,
  phone: sql<{ id: string }>`update contacts set phone_code_hash = $2, phone_code_tries = 0, phone_code_sent_at = $3,
      phone_codes_today = case when phone_code_sent_at > $3::timestamptz - interval '1 day' then phone_codes_today + 1 else 1 end
    where id = $1 and (phone_code_sent_at is null or phone_code_sent_at <= $3::timestamptz - interval '3 minutes') returning id`,
}

/** @returns false when the last code is younger than a minute, to a phone three */
export async function setCode(scope: TenantScope, id: string, to: CodeTo, hash: Buffer, now: Date): Promise<boolean> {
  return (await scope.run(SET_CODE[to], [id, hash, now])).rows.length > 0
}

const TRY_CODE = {
  email: sql<{ hash: Buffer }>`update contacts set code_tries = code_tries + 1
    where id = $1 and code_hash is not null and code_tries < 5 and code_sent_at > $2::timestamptz - interval '10 minutes'
    returning code_hash as hash`,
  phone: sql<{ hash: Buffer }>`update contacts set phone_code_tries = phone_code_tries + 1
    where id = $1 and phone_code_hash is not null and phone_code_tries < 5
      and phone_code_sent_at > $2::timestamptz - interval '10 minutes'
    returning phone_code_hash as hash`,
}

/** Counts the try. @returns what the code must come to; undefined: none is valid */
export async function tryCode(scope: TenantScope, id: string, to: CodeTo, now: Date): Promise<Buffer | undefined> {
  return (await scope.run(TRY_CODE[to], [id, now])).rows[0]?.hash
}

const SET_VERIFIED = {
  email: sql<ContactRow>`update contacts set verified_at = $2, since = $2, code_hash = null, version = version + 1
    where id = $1 returning ${COLUMNS}`,
  phone: sql<ContactRow>`update contacts set phone_verified_at = $2, since = $2, phone_code_hash = null, version = version + 1
    where id = $1 returning ${COLUMNS}`,
}

export async function setVerified(scope: TenantScope, id: string, to: CodeTo, now: Date): Promise<ContactRow> {
  return (await scope.run(SET_VERIFIED[to], [id, now])).rows[0]!
}
