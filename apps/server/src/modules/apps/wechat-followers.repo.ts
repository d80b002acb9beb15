import type { WechatMenu } from '@thingwright/contracts/wechat-followers.contract'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'

export interface FollowerRow {
  id: string
  openid: string
  nickname: string
  subscribed: boolean
  subscribedAt: Date | null
  contactId: string | null
  contactName: string | null
  boundAt: Date | null
  lastAt: Date
  createdAt: Date
}

const COLUMNS = part`f.id, f.openid, f.nickname, f.subscribed, f.subscribed_at as "subscribedAt", f.contact_id as "contactId",
  c.name as "contactName", f.bound_at as "boundAt", f.last_at as "lastAt", f.created_at as "createdAt"`

export interface FollowerFilter {
  q: string
  bound: boolean | null
  subscribed: boolean | null
}

const LIST = sql<FollowerRow>`select ${COLUMNS} from wechat_followers f left join contacts c on c.id = f.contact_id
  where f.account_id = $1 and ($2 = '' or position(lower($2) in lower(f.openid || ' ' || f.nickname || ' ' || coalesce(c.name, ''))) > 0)
    and ($3::boolean is null or (f.contact_id is not null) = $3) and ($4::boolean is null or f.subscribed = $4)
    and ($5::timestamptz is null or (f.created_at, f.id) < ($5, $6::uuid))
  order by f.created_at desc, f.id desc limit $7`

/** The newest first. @param after place of the last row of the page before */
export async function list(
  scope: TenantScope,
  accountId: string,
  { q, bound, subscribed }: FollowerFilter,
  after: { at: string; id: string } | null,
  limit: number,
): Promise<FollowerRow[]> {
  const values = [accountId, q, bound, subscribed, after?.at ?? null, after?.id ?? null, limit]
  return (await scope.run(LIST, values)).rows
}

const FIND = sql<FollowerRow>`select ${COLUMNS} from wechat_followers f left join contacts c on c.id = f.contact_id
  where f.account_id = $1 and f.id = $2`
const OF_OPENID = sql<FollowerRow>`select ${COLUMNS} from wechat_followers f left join contacts c on c.id = f.contact_id
  where f.account_id = $1 and f.openid = $2`
const OF_CONTACT = sql<FollowerRow>`select ${COLUMNS} from wechat_followers f left join contacts c on c.id = f.contact_id
  where f.account_id = $1 and f.contact_id = $2`

export async function find(scope: Runner, accountId: string, id: string): Promise<FollowerRow | undefined> {
  return (await scope.run(FIND, [accountId, id])).rows[0]
}

export async function ofOpenid(scope: Runner, accountId: string, openid: string): Promise<FollowerRow | undefined> {
  return (await scope.run(OF_OPENID, [accountId, openid])).rows[0]
}

export async function ofContact(scope: Runner, accountId: string, contactId: string): Promise<FollowerRow | undefined> {
  return (await scope.run(OF_CONTACT, [accountId, contactId])).rows[0]
}

export interface OwnedFollower extends FollowerRow {
  accountId: string
}

const OF_CONTACTS = sql<OwnedFollower>`select ${COLUMNS}, f.account_id as "accountId"
  from wechat_followers f left join contacts c on c.id = f.contact_id
  where ($1::uuid is null or f.id = $1) and ($2::uuid[] is null or f.contact_id = any ($2::uuid[]))
  order by f.bound_at desc nulls last, f.id limit 100`

/** One follower, or those of some contacts. */
export async function ofContacts(
  scope: TenantScope,
  { followerId, contactIds }: { followerId?: string; contactIds?: readonly string[] },
): Promise<OwnedFollower[]> {
  return (await scope.run(OF_CONTACTS, [followerId ?? null, contactIds ?? null])).rows
}

const SEEN = sql`insert into wechat_followers (id, tenant_id, account_id, openid, subscribed, subscribed_at, last_at)
  values ($1, $2, $3, $4, $5, case when $5 then $6::timestamptz end, $6)
  on conflict (account_id, openid) do update set subscribed = excluded.subscribed, last_at = excluded.last_at,
    subscribed_at = case when excluded.subscribed and not wechat_followers.subscribed then excluded.last_at
      else wechat_followers.subscribed_at end`

/** A follower wrote, came or went. */
export async function noteSeen(
  scope: SystemScope,
  f: { id: string; tenantId: string; accountId: string; openid: string; subscribed: boolean; at: Date },
): Promise<void> {
  await scope.run(SEEN, [f.id, f.tenantId, f.accountId, f.openid, f.subscribed, f.at])
}

const NAME = sql`update wechat_followers set nickname = $3 where account_id = $1 and openid = $2`

export async function setNickname(scope: SystemScope, accountId: string, openid: string, name: string): Promise<void> {
  await scope.run(NAME, [accountId, openid, name])
}

const BIND = sql`update wechat_followers set contact_id = $2, bound_at = case when $2::uuid is null then null else $3::timestamptz end where id = $1`

export async function bind(scope: TenantScope, id: string, contactId: string | null, at: Date): Promise<void> {
  await scope.run(BIND, [id, contactId, at])
}

// QR codes

const INSERT_SCENE = sql`insert into wechat_scenes (scene, tenant_id, account_id, contact_id, expires_at) values ($1, $2, $3, $4, $5)`

export async function insertScene(
  scope: TenantScope,
  s: { scene: string; accountId: string; contactId: string; expiresAt: Date },
): Promise<void> {
  await scope.run(INSERT_SCENE, [s.scene, scope.tenantId, s.accountId, s.contactId, s.expiresAt])
}

const USE_SCENE = sql<{
  contactId: string
}>`update wechat_scenes set used_at = $3 where scene = $2 and account_id = $1 and used_at is null
  and expires_at > $3 returning contact_id as "contactId"`

/** Uses a QR code up. @returns the contact; undefined: unknown, used or too old */
export async function useScene(
  scope: SystemScope,
  accountId: string,
  scene: string,
  at: Date,
): Promise<string | undefined> {
  return (await scope.run(USE_SCENE, [accountId, scene, at])).rows[0]?.contactId
}

const FORGET_SCENES = sql`delete from wechat_scenes where expires_at < $1`

export async function forgetScenes(scope: SystemScope, before: Date): Promise<void> {
  await scope.run(FORGET_SCENES, [before])
}

// Menu and replies

export interface ReplyRow {
  kind: 'follow' | 'keyword' | 'other'
  keyword: string
  whole: boolean
  answer: string
  enabled: boolean
}

const REPLIES = sql<ReplyRow>`select kind, keyword, whole, answer, enabled from wechat_replies where account_id = $1 order by place`

export async function replies(scope: Runner, accountId: string): Promise<ReplyRow[]> {
  return (await scope.run(REPLIES, [accountId])).rows
}

const CLEAR_REPLIES = sql`delete from wechat_replies where account_id = $1`
const ADD_REPLY = sql`insert into wechat_replies (id, tenant_id, account_id, place, kind, keyword, whole, answer, enabled)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

export async function setReplies(
  scope: TenantScope,
  accountId: string,
  rows: readonly (ReplyRow & { id: string })[],
): Promise<void> {
  await scope.run(CLEAR_REPLIES, [accountId])
  for (const [place, r] of rows.entries())
    await scope.run(ADD_REPLY, [
      r.id,
      scope.tenantId,
      accountId,
      place,
      r.kind,
      r.keyword,
      r.whole,
      r.answer,
      r.enabled,
    ])
}

/** As it is stored; `waiting`: it came with the file of a company, and WeChat does not have it yet. */
export type StoredMenu = WechatMenu & { waiting?: true }

const MENU = sql<{ menu: StoredMenu | null }>`select menu from wechat_accounts where id = $1`
const SET_MENU = sql`update wechat_accounts set menu = $2 where id = $1`

export async function menu(scope: TenantScope, accountId: string): Promise<StoredMenu | null> {
  return (await scope.run(MENU, [accountId])).rows[0]?.menu ?? null
}

export async function setMenu(scope: TenantScope, accountId: string, value: StoredMenu): Promise<void> {
  await scope.run(SET_MENU, [accountId, JSON.stringify(value)])
}

export const buttonsOf = (stored: StoredMenu | null): WechatMenu['buttons'] => stored?.buttons ?? []
