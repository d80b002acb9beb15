import type { SystemScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

type Scope = Pick<SystemScope, 'run'>

export interface ProviderRow {
  tenant_id: string
  tenant_name: string
  enabled: boolean
  issuer: string
  client_id: string
  secret_cipher: Buffer | null
  scopes: string
  domain: string | null
  label: string
  create_members: boolean
  role_id: string | null
  version: number
}

const PROVIDER = part`select p.tenant_id, t.name as tenant_name, p.enabled, p.issuer, p.client_id, p.secret_cipher, p.scopes, p.domain, p.label,
  p.create_members, p.role_id, p.version from oidc_providers p join tenants t on t.id = p.tenant_id`

const PROVIDER_OF = sql<ProviderRow>`${PROVIDER} where p.tenant_id = $1`

export async function providerOf(scope: Scope, tenantId: string): Promise<ProviderRow | null> {
  return (await scope.run(PROVIDER_OF, [tenantId])).rows[0] ?? null
}

const PROVIDER_BY_COMPANY = sql<ProviderRow>`${PROVIDER} where p.enabled and t.closed_at is null and (t.app_id = $1 or lower(p.domain) = lower($1))`

/** The provider of a company that is named by its app id or its domain. */
export async function providerByCompany(scope: Scope, company: string): Promise<ProviderRow | null> {
  const { rows } = await scope.run(PROVIDER_BY_COMPANY, [company.trim()])
  return rows[0] ?? null
}

const INSERT_OIDC_PROVIDERS = sql`insert into oidc_providers (tenant_id, enabled, issuer, client_id, secret_cipher, scopes, domain, label, create_members, role_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (tenant_id) do nothing`

const UPDATE_OIDC_PROVIDERS = sql`update oidc_providers set enabled = $2, issuer = $3, client_id = $4, secret_cipher = $5, scopes = $6, domain = $7, label = $8,
  create_members = $9, role_id = $10, version = version + 1, updated_at = now() where tenant_id = $1 and version = $11`

/** @throws a unique violation when another company has the domain */
export async function storeProvider(
  scope: Scope,
  row: Omit<ProviderRow, 'tenant_name' | 'version'>,
  seenVersion: number,
): Promise<boolean> {
  const values = [
    row.tenant_id,
    row.enabled,
    row.issuer,
    row.client_id,
    row.secret_cipher,
    row.scopes,
    row.domain,
    row.label,
    row.create_members,
    row.role_id,
  ]
  if (seenVersion === 0) {
    const { rowCount } = await scope.run(INSERT_OIDC_PROVIDERS, values)
    return rowCount === 1
  }
  const { rowCount } = await scope.run(UPDATE_OIDC_PROVIDERS, [...values, seenVersion])
  return rowCount === 1
}

export interface FlowRow {
  id: string
  tenant_id: string
  login_id: string | null
  browser_hash: Buffer
  secrets_cipher: Buffer
  expires_at: Date
}

const DELETE_OIDC_FLOWS = sql`delete from oidc_flows where expires_at < $1`

const INSERT_OIDC_FLOWS = sql`insert into oidc_flows (id, tenant_id, login_id, state_hash, browser_hash, secrets_cipher, expires_at) values ($1, $2, $3, $4, $5, $6, $7)`

export async function insertFlow(scope: Scope, row: FlowRow & { state_hash: Buffer }, now: Date): Promise<void> {
  await scope.run(DELETE_OIDC_FLOWS, [now])
  await scope.run(INSERT_OIDC_FLOWS, [
    row.id,
    row.tenant_id,
    row.login_id,
    row.state_hash,
    row.browser_hash,
    row.secrets_cipher,
    row.expires_at,
  ])
}

const TAKE_FLOW = sql<FlowRow>`delete from oidc_flows where state_hash = $1 returning id, tenant_id, login_id, browser_hash, secrets_cipher, expires_at`

/** Takes a flow away: its state is good for one return. */
export async function takeFlow(scope: Scope, stateHash: Buffer): Promise<FlowRow | null> {
  const { rows } = await scope.run(TAKE_FLOW, [stateHash])
  return rows[0] ?? null
}

const IDENTITIES_OF = sql<{
  id: string
  issuer: string
  label: string
  created_at: Date
}>`select id, issuer, label, created_at from login_identities where login_id = $1 order by created_at`

export async function identitiesOf(
  scope: Scope,
  loginId: string,
): Promise<{ id: string; issuer: string; label: string; created_at: Date }[]> {
  const { rows } = await scope.run(IDENTITIES_OF, [loginId])
  return rows
}

const LOGIN_OF_IDENTITY = sql<{
  login_id: string
}>`update login_identities set last_used_at = $4 where tenant_id = $1 and issuer = $2 and subject = $3 returning login_id`

export async function loginOfIdentity(
  scope: Scope,
  who: { tenantId: string; issuer: string; subject: string },
  at: Date,
): Promise<string | null> {
  const { rows } = await scope.run(LOGIN_OF_IDENTITY, [who.tenantId, who.issuer, who.subject, at])
  return rows[0]?.login_id ?? null
}

const INSERT_IDENTITY = sql`insert into login_identities (id, tenant_id, login_id, issuer, subject, label) values ($1, $2, $3, $4, $5, $6)
  on conflict (tenant_id, issuer, subject) do nothing`

/** False when the identity belongs to somebody already. */
export async function insertIdentity(
  scope: Scope,
  row: { id: string; tenantId: string; loginId: string; issuer: string; subject: string; label: string },
): Promise<boolean> {
  const { rowCount } = await scope.run(INSERT_IDENTITY, [
    row.id,
    row.tenantId,
    row.loginId,
    row.issuer,
    row.subject,
    row.label,
  ])
  return rowCount === 1
}

const DELETE_IDENTITY = sql<{
  label: string
}>`delete from login_identities where id = $1 and login_id = $2 returning label`

export async function deleteIdentity(scope: Scope, id: string, loginId: string): Promise<{ label: string } | null> {
  const { rows } = await scope.run(DELETE_IDENTITY, [id, loginId])
  return rows[0] ?? null
}

const ROLE_FOR_MEMBERS = sql`select 1 from roles where id = $1 and tenant_id = $2 and key <> 'owner'`

export async function roleForMembers(scope: Scope, tenantId: string, roleId: string): Promise<boolean> {
  const { rowCount } = await scope.run(ROLE_FOR_MEMBERS, [roleId, tenantId])
  return rowCount === 1
}

const INSERT_MEMBER = sql`insert into logins (id, tenant_id, kind, username, display_name, locale) values ($1, $2, 'member', $3, $4, $5)
  on conflict (lower(username)) where kind <> 'end_user' do nothing`

/** A login without a password, made at the first sign-in; false when the name is taken. */
export async function insertMember(
  scope: Scope,
  row: { id: string; tenantId: string; username: string; displayName: string; locale: 'zh' | 'en' },
): Promise<boolean> {
  const { rowCount } = await scope.run(INSERT_MEMBER, [row.id, row.tenantId, row.username, row.displayName, row.locale])
  return rowCount === 1
}
