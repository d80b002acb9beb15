import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface ContactRow {
  id: string
  name: string
  email: string
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
  email: string
  locale: 'zh' | 'en'
  minLevel: number
  enabled: boolean
}

const COLUMNS = part`id, name, email, locale, min_level, enabled, verified_at, version, created_at`

const LIST_CONTACTS = sql<ContactRow>`select ${COLUMNS} from contacts
  where ($2::uuid is null or id < $2) and (position(lower($3) in lower(name)) > 0 or position(lower($3) in lower(email)) > 0)
  order by id desc limit $1`

/** Newest first: ids are ordered by time. @param after id of the last row of the page before */
export async function list(scope: TenantScope, limit: number, after: string | null, q: string): Promise<ContactRow[]> {
  return (await scope.run(LIST_CONTACTS, [limit, after, q])).rows
}

const INSERT_CONTACT = sql<ContactRow>`insert into contacts (id, tenant_id, name, email, locale, min_level, enabled)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict (tenant_id, lower(email)) do nothing returning ${COLUMNS}`

/** @returns undefined when a contact has the address already */
export async function insert(scope: TenantScope, id: string, v: ContactValues): Promise<ContactRow | undefined> {
  return (await scope.run(INSERT_CONTACT, [id, scope.tenantId, v.name, v.email, v.locale, v.minLevel, v.enabled]))
    .rows[0]
}

const FIND_CONTACT = sql<ContactRow>`select ${COLUMNS} from contacts where id = $1 for update`
const READ_CONTACT = sql<ContactRow>`select ${COLUMNS} from contacts where id = $1`

export async function find(scope: TenantScope, id: string, lock = false): Promise<ContactRow | undefined> {
  return (await scope.run(lock ? FIND_CONTACT : READ_CONTACT, [id])).rows[0]
}

const TAKEN = sql<{ id: string }>`select id from contacts where lower(email) = lower($1) and id <> $2`

export async function isTaken(scope: TenantScope, email: string, but: string): Promise<boolean> {
  return (await scope.run(TAKEN, [email, but])).rows.length > 0
}

const UPDATE_CONTACT = sql<ContactRow>`update contacts set name = $3, email = $4, locale = $5, min_level = $6, enabled = $7,
    verified_at = case when lower(email) = lower($4) then verified_at end,
    code_hash = case when lower(email) = lower($4) then code_hash end,
    since = case when min_level = $6 and enabled = $7 then since else now() end, version = version + 1
  where id = $1 and version = $2 returning ${COLUMNS}`

/** @returns undefined when it has another version by now */
export async function update(
  scope: TenantScope,
  id: string,
  version: number,
  v: ContactValues,
): Promise<ContactRow | undefined> {
  return (await scope.run(UPDATE_CONTACT, [id, version, v.name, v.email, v.locale, v.minLevel, v.enabled])).rows[0]
}

const REMOVE_CONTACT = sql`delete from contacts where id = $1`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE_CONTACT, [id])
}

// Verification

const CODES_OF_DAY = sql<{ count: number }>`select coalesce(sum(codes_today), 0)::int as count from contacts
  where code_sent_at > $1::timestamptz - interval '1 day'`

/** How many codes the company sent within a day. */
export async function codesOfDay(scope: TenantScope, now: Date): Promise<number> {
  return (await scope.run(CODES_OF_DAY, [now])).rows[0]!.count
}

const SET_CODE = sql<{ id: string }>`update contacts set code_hash = $2, code_tries = 0, code_sent_at = $3,
    codes_today = case when code_sent_at > $3::timestamptz - interval '1 day' then codes_today + 1 else 1 end
  where id = $1 and (code_sent_at is null or code_sent_at <= $3::timestamptz - interval '1 minute') returning id`

/** @returns false when the last code is younger than a minute */
export async function setCode(scope: TenantScope, id: string, hash: Buffer, now: Date): Promise<boolean> {
  return (await scope.run(SET_CODE, [id, hash, now])).rows.length > 0
}

const TRY_CODE = sql<{ hash: Buffer }>`update contacts set code_tries = code_tries + 1
  where id = $1 and code_hash is not null and code_tries < 5 and code_sent_at > $2::timestamptz - interval '10 minutes'
  returning code_hash as hash`

/** Counts the try. @returns what the code must come to; undefined: none is valid */
export async function tryCode(scope: TenantScope, id: string, now: Date): Promise<Buffer | undefined> {
  return (await scope.run(TRY_CODE, [id, now])).rows[0]?.hash
}

const SET_VERIFIED = sql<ContactRow>`update contacts set verified_at = $2, since = $2, code_hash = null, version = version + 1
  where id = $1 returning ${COLUMNS}`

export async function setVerified(scope: TenantScope, id: string, now: Date): Promise<ContactRow> {
  return (await scope.run(SET_VERIFIED, [id, now])).rows[0]!
}
