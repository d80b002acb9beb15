import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

export interface FlowRow {
  id: string
  tenantId: string
  accountId: string
  suffix: string
  browserHash: Buffer
  openid: string | null
  expiresAt: Date
}

const INSERT_FLOW = sql`insert into wechat_flows (id, tenant_id, account_id, suffix, state_hash, browser_hash, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7)`

export async function insertFlow(
  scope: SystemScope,
  flow: Omit<FlowRow, 'openid'> & { stateHash: Buffer },
): Promise<void> {
  await scope.run(INSERT_FLOW, [
    flow.id,
    flow.tenantId,
    flow.accountId,
    flow.suffix,
    flow.stateHash,
    flow.browserHash,
    flow.expiresAt,
  ])
}

const TAKE_FLOW = sql<FlowRow>`delete from wechat_flows where state_hash = $1
  returning id, tenant_id as "tenantId", account_id as "accountId", suffix, browser_hash as "browserHash", openid, expires_at as "expiresAt"`

/** The sign-in of a state, which is good for once. */
export async function takeFlow(scope: SystemScope, stateHash: Buffer): Promise<FlowRow | undefined> {
  return (await scope.run(TAKE_FLOW, [stateHash])).rows[0]
}

const KEEP_OPENID = sql`insert into wechat_flows (id, tenant_id, account_id, suffix, state_hash, browser_hash, openid, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`

/** The WeChat user of this sign-in has no account yet: for a while the browser may bind it to one. */
export async function keepOpenid(
  scope: SystemScope,
  flow: Omit<FlowRow, 'openid'> & { stateHash: Buffer; openid: string },
): Promise<void> {
  await scope.run(KEEP_OPENID, [
    flow.id,
    flow.tenantId,
    flow.accountId,
    flow.suffix,
    flow.stateHash,
    flow.browserHash,
    flow.openid,
    flow.expiresAt,
  ])
}

const TAKE_OPENID = sql<{
  accountId: string
  openid: string
}>`delete from wechat_flows where browser_hash = $1 and tenant_id = $2 and openid is not null and expires_at > $3
  returning account_id as "accountId", openid`

/** What a browser of the company came back with. */
export async function takeOpenid(
  scope: SystemScope,
  browserHash: Buffer,
  tenantId: string,
  now: Date,
): Promise<{ accountId: string; openid: string } | undefined> {
  return (await scope.run(TAKE_OPENID, [browserHash, tenantId, now])).rows[0]
}

const FORGET = sql`delete from wechat_flows where expires_at < $1`

export async function forgetFlows(scope: SystemScope, now: Date): Promise<number> {
  return (await scope.run(FORGET, [now])).rowCount ?? 0
}

const BOUND_TO = sql<{
  loginId: string
}>`select login_id as "loginId" from wechat_logins where account_id = $1 and openid = $2`

export async function boundTo(scope: SystemScope, accountId: string, openid: string): Promise<string | null> {
  return (await scope.run(BOUND_TO, [accountId, openid])).rows[0]?.loginId ?? null
}

const BIND = sql`insert into wechat_logins (account_id, openid, tenant_id, login_id) values ($1, $2, $3, $4)
  on conflict do nothing`

/** False when one of the two is bound already. */
export async function bind(scope: TenantScope, accountId: string, openid: string, loginId: string): Promise<boolean> {
  return (await scope.run(BIND, [accountId, openid, scope.tenantId, loginId])).rowCount === 1
}

const UNBIND = sql`delete from wechat_logins where login_id = $1`

export async function unbind(scope: TenantScope, loginId: string): Promise<number> {
  return (await scope.run(UNBIND, [loginId])).rowCount ?? 0
}

const IS_BOUND = sql<{ n: number }>`select count(*)::int as n from wechat_logins where login_id = $1`

export async function isBound(scope: TenantScope, loginId: string): Promise<boolean> {
  return (await scope.run(IS_BOUND, [loginId])).rows[0]!.n > 0
}

const PORTAL = sql<{ tenantId: string; accountId: string }>`select w.tenant_id as "tenantId", a.id as "accountId"
  from web_apps w join wechat_accounts a on a.tenant_id = w.tenant_id where w.suffix = $1 and w.enabled
  order by a.created_at limit 1`

/** The company and the official account of a portal that is shown. */
export async function accountOfPortal(
  scope: SystemScope,
  suffix: string,
): Promise<{ tenantId: string; accountId: string } | undefined> {
  return (await scope.run(PORTAL, [suffix])).rows[0]
}
