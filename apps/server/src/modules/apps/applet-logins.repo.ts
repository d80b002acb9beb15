import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

const OF_PORTAL = sql<{ tenantId: string; appletId: string }>`select w.tenant_id as "tenantId", a.id as "appletId"
  from web_apps w join wechat_applets a on a.tenant_id = w.tenant_id
  where w.suffix = $1 and w.enabled and a.state = 'authorized'`

/** The company and the mini-program of a portal that is shown. */
export async function appletOfPortal(
  scope: SystemScope,
  suffix: string,
): Promise<{ tenantId: string; appletId: string } | undefined> {
  return (await scope.run(OF_PORTAL, [suffix])).rows[0]
}

const BOUND_TO = sql<{
  loginId: string
}>`select login_id as "loginId" from wechat_applet_logins where applet_id = $1 and openid = $2`

export async function boundTo(scope: SystemScope, appletId: string, openid: string): Promise<string | null> {
  return (await scope.run(BOUND_TO, [appletId, openid])).rows[0]?.loginId ?? null
}

const BIND = sql`insert into wechat_applet_logins (applet_id, openid, tenant_id, login_id) values ($1, $2, $3, $4)
  on conflict do nothing`

/** False when one of the two is bound already. */
export async function bind(scope: TenantScope, appletId: string, openid: string, loginId: string): Promise<boolean> {
  return (await scope.run(BIND, [appletId, openid, scope.tenantId, loginId])).rowCount === 1
}

const UNBIND = sql`delete from wechat_applet_logins where login_id = $1`

export async function unbind(scope: TenantScope, loginId: string): Promise<number> {
  return (await scope.run(UNBIND, [loginId])).rowCount ?? 0
}

const OPENID = sql<{ appId: string; openid: string }>`select a.app_id as "appId", l.openid
  from wechat_applet_logins l join wechat_applets a on a.id = l.applet_id
  where l.login_id = $1 and a.state = 'authorized' and a.app_id is not null limit 1`

/** What WeChat calls a person in the company's mini-program; undefined: he is not bound to it. */
export async function openidOf(
  scope: SystemScope,
  loginId: string,
): Promise<{ appId: string; openid: string } | undefined> {
  return (await scope.run(OPENID, [loginId])).rows[0]
}

const IS_BOUND = sql<{ n: number }>`select count(*)::int as n from wechat_applet_logins where login_id = $1`

export async function isBound(scope: TenantScope, loginId: string): Promise<boolean> {
  return (await scope.run(IS_BOUND, [loginId])).rows[0]!.n > 0
}
