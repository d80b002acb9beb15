import type { AppletInfo } from '@thingwright/contracts/wechat-applets.contract'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'

export interface AppletRow {
  id: string
  tenantId: string
  mode: 'platform' | 'own'
  state: 'none' | 'authorized' | 'invalid' | 'cancelled'
  appId: string | null
  secretCipher: Buffer | null
  permissions: number[]
  info: AppletInfo | null
  infoAt: Date | null
  fault: string | null
  authorizedAt: Date | null
  version: number
}

const COLUMNS = part`id, tenant_id as "tenantId", mode, state, app_id as "appId", secret_cipher as "secretCipher", permissions, info,
  info_at as "infoAt", fault, authorized_at as "authorizedAt", version`

const OF_TENANT = sql<AppletRow>`select ${COLUMNS} from wechat_applets where tenant_id = $1`
const FIND = sql<AppletRow>`select ${COLUMNS} from wechat_applets where id = $1`

export async function list(scope: TenantScope): Promise<AppletRow[]> {
  return (await scope.run(OF_TENANT, [scope.tenantId])).rows
}

export async function find(scope: Runner, id: string): Promise<AppletRow | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

export async function ofTenant(scope: SystemScope, tenantId: string): Promise<AppletRow | undefined> {
  return (await scope.run(OF_TENANT, [tenantId])).rows[0]
}

const BEGIN = sql<{
  id: string
}>`insert into wechat_applets (id, tenant_id, mode, nonce_hash, nonce_expires_at) values ($1, $2, 'platform', $3, $4)
  on conflict (tenant_id) do update set nonce_hash = excluded.nonce_hash, nonce_expires_at = excluded.nonce_expires_at returning id`

/** An authorisation begins. @returns the id of the company's mini-program */
export async function begin(scope: TenantScope, id: string, nonce: Buffer, until: Date): Promise<string> {
  return (await scope.run(BEGIN, [id, scope.tenantId, nonce, until])).rows[0]!.id
}

const OF_NONCE = sql<AppletRow>`update wechat_applets set nonce_hash = null, nonce_expires_at = null
  where nonce_hash = $1 and nonce_expires_at > $2 returning ${COLUMNS}`

/** Ends the wait for an authorisation: once, and not too late. */
export async function takeNonce(scope: SystemScope, nonce: Buffer, now: Date): Promise<AppletRow | undefined> {
  return (await scope.run(OF_NONCE, [nonce, now])).rows[0]
}

const OF_APP = sql<AppletRow>`select ${COLUMNS} from wechat_applets where app_id = $1 and mode = 'platform'
  order by (state = 'authorized') desc, authorized_at desc nulls last limit 1`

export async function ofApp(scope: SystemScope, appId: string): Promise<AppletRow | undefined> {
  return (await scope.run(OF_APP, [appId])).rows[0]
}

const AUTHORIZE = sql`update wechat_applets set mode = $2, state = 'authorized', app_id = $3, secret_cipher = $4, permissions = $5, fault = null,
  info = case when app_id = $3 then info end, info_at = case when app_id = $3 then info_at end,
  authorized_at = $6, version = version + 1 where id = $1`

export async function authorize(
  scope: TenantScope,
  id: string,
  v: { mode: AppletRow['mode']; appId: string; cipher: Buffer; permissions: number[]; at: Date },
): Promise<void> {
  await scope.run(AUTHORIZE, [id, v.mode, v.appId, v.cipher, v.permissions, v.at])
}

const ENSURE = sql<{ id: string }>`insert into wechat_applets (id, tenant_id, mode) values ($1, $2, $3)
  on conflict (tenant_id) do update set nonce_hash = null returning id`

export async function ensure(scope: TenantScope, id: string, mode: AppletRow['mode']): Promise<string> {
  return (await scope.run(ENSURE, [id, scope.tenantId, mode])).rows[0]!.id
}

const END = sql`update wechat_applets set state = $2, fault = $3, version = version + 1,
  secret_cipher = case when $2 = 'cancelled' then null else secret_cipher end where id = $1`

export async function end(
  scope: TenantScope,
  id: string,
  state: 'invalid' | 'cancelled',
  fault: string | null,
): Promise<void> {
  await scope.run(END, [id, state, fault])
}

const SET_INFO = sql`update wechat_applets set info = $2, info_at = $3 where id = $1`

export async function setInfo(scope: TenantScope, id: string, info: AppletInfo, at: Date): Promise<void> {
  await scope.run(SET_INFO, [id, JSON.stringify(info), at])
}

const KEEP_SECRET = sql`update wechat_applets set secret_cipher = $2 where id = $1`

export async function keepSecret(scope: SystemScope, id: string, cipher: Buffer): Promise<void> {
  await scope.run(KEEP_SECRET, [id, cipher])
}

const REMOVE = sql`delete from wechat_applets where id = $1`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}

// The platform's ticket

const TICKET = sql<{
  cipher: Buffer
  at: Date
}>`select ticket_cipher as cipher, ticket_at as at from wechat_platforms where app_id = $1`
const KEEP_TICKET = sql`insert into wechat_platforms (app_id, ticket_cipher, ticket_at) values ($1, $2, $3)
  on conflict (app_id) do update set ticket_cipher = excluded.ticket_cipher, ticket_at = excluded.ticket_at`

export async function ticket(scope: SystemScope, appId: string): Promise<{ cipher: Buffer; at: Date } | undefined> {
  return (await scope.run(TICKET, [appId])).rows[0]
}

export async function keepTicket(scope: SystemScope, appId: string, cipher: Buffer, at: Date): Promise<void> {
  await scope.run(KEEP_TICKET, [appId, cipher, at])
}

// Versions

export interface VersionRow {
  id: string
  appletId: string
  templateId: string
  userVersion: string
  userDesc: string
  state:
    | 'uploaded'
    | 'auditing'
    | 'delayed'
    | 'refused'
    | 'withdrawn'
    | 'passed'
    | 'released'
    | 'replaced'
    | 'rolled_back'
  auditId: string | null
  reason: string | null
  submittedAt: Date | null
  decidedAt: Date | null
  releasedAt: Date | null
  byName: string
  createdAt: Date
}

const VERSION = part`id, applet_id as "appletId", template_id as "templateId", user_version as "userVersion", user_desc as "userDesc", state,
  audit_id as "auditId", reason, submitted_at as "submittedAt", decided_at as "decidedAt", released_at as "releasedAt", by_name as "byName",
  created_at as "createdAt"`

const VERSIONS = sql<VersionRow>`select ${VERSION} from wechat_applet_versions where applet_id = $1 order by created_at desc, id desc limit 100`
const FIND_VERSION = sql<VersionRow>`select ${VERSION} from wechat_applet_versions where applet_id = $1 and id = $2`
const IN_AUDIT = sql<VersionRow>`select ${VERSION} from wechat_applet_versions where applet_id = $1 and state in ('auditing', 'delayed')`

export async function versions(scope: Runner, appletId: string): Promise<VersionRow[]> {
  return (await scope.run(VERSIONS, [appletId])).rows
}

export async function findVersion(scope: TenantScope, appletId: string, id: string): Promise<VersionRow | undefined> {
  return (await scope.run(FIND_VERSION, [appletId, id])).rows[0]
}

export async function inAudit(scope: TenantScope, appletId: string): Promise<VersionRow | undefined> {
  return (await scope.run(IN_AUDIT, [appletId])).rows[0]
}

const ADD_VERSION = sql`insert into wechat_applet_versions (id, tenant_id, applet_id, template_id, user_version, user_desc, ext, state, by_name)
  values ($1, $2, $3, $4, $5, $6, $7, 'uploaded', $8)`
/** Only the version that was uploaded last can be opened for trial or submitted. */
const SUPERSEDE = sql`update wechat_applet_versions set state = 'replaced' where applet_id = $1 and state in ('uploaded', 'refused', 'withdrawn')`

export async function addVersion(
  scope: TenantScope,
  v: {
    id: string
    appletId: string
    templateId: string
    userVersion: string
    userDesc: string
    ext: object
    byName: string
  },
): Promise<void> {
  await scope.run(SUPERSEDE, [v.appletId])
  await scope.run(ADD_VERSION, [
    v.id,
    scope.tenantId,
    v.appletId,
    v.templateId,
    v.userVersion,
    v.userDesc,
    JSON.stringify(v.ext),
    v.byName,
  ])
}

const SUBMIT = sql`update wechat_applet_versions set state = 'auditing', audit_id = $2, reason = null, submitted_at = $3, decided_at = null where id = $1`
const DECIDE = sql`update wechat_applet_versions set state = $2, reason = $3, decided_at = $4 where id = $1`
const RELEASE = sql`update wechat_applet_versions set state = 'released', released_at = $2 where id = $1`
const REPLACE = sql`update wechat_applet_versions set state = 'replaced' where applet_id = $1 and state = 'released'`
const BEFORE = sql<VersionRow>`select ${VERSION} from wechat_applet_versions where applet_id = $1 and state = 'replaced' and released_at is not null
  order by released_at desc limit 1`
const ROLL_BACK = sql`update wechat_applet_versions set state = 'rolled_back' where applet_id = $1 and state = 'released'`

export async function submitted(scope: TenantScope, id: string, auditId: string, at: Date): Promise<void> {
  await scope.run(SUBMIT, [id, auditId, at])
}

export async function decided(
  scope: TenantScope,
  id: string,
  state: VersionRow['state'],
  reason: string | null,
  at: Date,
): Promise<void> {
  await scope.run(DECIDE, [id, state, reason, at])
}

export async function released(scope: TenantScope, appletId: string, id: string, at: Date): Promise<void> {
  await scope.run(REPLACE, [appletId])
  await scope.run(RELEASE, [id, at])
}

/** The version before is released again. */
export async function rolledBack(scope: TenantScope, appletId: string, at: Date): Promise<void> {
  const before = (await scope.run(BEFORE, [appletId])).rows[0]
  await scope.run(ROLL_BACK, [appletId])
  if (before) await scope.run(RELEASE, [before.id, at])
}

// Testers

export interface TesterRow {
  id: string
  wechatId: string
  userStr: string
  createdAt: Date
}

const TESTERS = sql<TesterRow>`select id, wechat_id as "wechatId", user_str as "userStr", created_at as "createdAt" from wechat_applet_testers
  where applet_id = $1 order by created_at desc, id desc limit 100`
const ADD_TESTER = sql`insert into wechat_applet_testers (id, tenant_id, applet_id, wechat_id, user_str) values ($1, $2, $3, $4, $5)
  on conflict (applet_id, wechat_id) do update set user_str = excluded.user_str`
const REMOVE_TESTER = sql`delete from wechat_applet_testers where id = $1`

export async function testers(scope: TenantScope, appletId: string): Promise<TesterRow[]> {
  return (await scope.run(TESTERS, [appletId])).rows
}

export async function addTester(
  scope: TenantScope,
  t: { id: string; appletId: string; wechatId: string; userStr: string },
): Promise<void> {
  await scope.run(ADD_TESTER, [t.id, scope.tenantId, t.appletId, t.wechatId, t.userStr])
}

export async function removeTester(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE_TESTER, [id])
}
