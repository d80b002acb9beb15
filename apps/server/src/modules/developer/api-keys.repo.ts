import type { ApiKeyDataScope } from '@thingwright/contracts/developer.contract'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { part, type SqlPart, sql } from '../../lib/sql/statement.ts'

type Reader = Pick<TenantScope, 'run'>

export interface KeyRow {
  id: string
  tenant_id: string
  made_by: string
  maker_username: string
  maker_name: string
  maker_state: 'active' | 'frozen' | 'left'
  maker_kind: string
  name: string
  description: string
  environment: 'production' | 'test'
  prefix: string
  generation: number
  previous_prefix: string | null
  previous_until: Date | null
  scopes: string[]
  data_scope: ApiKeyDataScope
  networks: string[]
  requests_per_minute: number
  expires_at: Date | null
  revoked_at: Date | null
  rotated_at: Date | null
  last_used_at: Date | null
  last_used_ip: string | null
  last_refused_at: Date | null
  last_refused_code: string | null
  last_refused_ip: string | null
  version: number
  created_at: Date
  updated_at: Date
}

export interface KeyFacts {
  name: string
  description: string
  environment: 'production' | 'test'
  scopes: string[]
  dataScope: ApiKeyDataScope
  networks: string[]
  requestsPerMinute: number
  expiresAt: Date | null
}

const SELECT = part`select k.id, k.tenant_id, k.made_by, l.username as maker_username, l.display_name as maker_name,
    l.state as maker_state, l.kind as maker_kind, k.name, k.description, k.environment, k.prefix, k.generation,
    k.previous_prefix, k.previous_until, k.scopes, k.data_scope, k.networks, k.requests_per_minute, k.expires_at,
    k.revoked_at, k.rotated_at, k.last_used_at, k.last_used_ip, k.last_refused_at, k.last_refused_code,
    k.last_refused_ip, k.version, k.created_at, k.updated_at
  from api_keys k join logins l on l.id = k.made_by`

const LOCK_KEYS = sql`select pg_advisory_xact_lock(hashtextextended($1, 0))`

/** One at a time adds to a company's keys: their number is looked at. */
export async function lockKeys(scope: TenantScope): Promise<void> {
  await scope.run(LOCK_KEYS, [`api-keys:${scope.tenantId}`])
}

const ALL_KEYS = sql<KeyRow>`${SELECT} where k.tenant_id = $1
  and case when $2::uuid is null then l.kind <> 'end_user' else k.made_by = $2 end order by k.created_at desc, k.id desc`

/** @param userId of this end user; null: of the company's people */
export async function allKeys(scope: TenantScope, userId: string | null): Promise<KeyRow[]> {
  const { rows } = await scope.run(ALL_KEYS, [scope.tenantId, userId])
  return rows
}

const COUNT_KEYS = sql<{
  living: number
  all: number
}>`select count(*) filter (where k.revoked_at is null)::int as living, count(*)::int as "all" from api_keys k join logins l on l.id = k.made_by
  where k.tenant_id = $1 and case when $2::uuid is null then l.kind <> 'end_user' else k.made_by = $2 end`

/** How many there are. @param userId as of `allKeys` */
export async function countKeys(scope: TenantScope, userId: string | null): Promise<{ living: number; all: number }> {
  const { rows } = await scope.run(COUNT_KEYS, [scope.tenantId, userId])
  return rows[0]!
}

const FIND_KEY = sql<KeyRow>`${SELECT} where k.tenant_id = $1 and k.id = $2`

export async function findKey(scope: TenantScope, id: string): Promise<KeyRow | undefined> {
  return (await scope.run(FIND_KEY, [scope.tenantId, id])).rows[0]
}

const LOCK_KEY = sql`select 1 from api_keys where tenant_id = $1 and id = $2 for update`

/** Locks the key first: two changes at once do not both see the same version. */
export async function lockKey(scope: TenantScope, id: string): Promise<KeyRow | undefined> {
  await scope.run(LOCK_KEY, [scope.tenantId, id])
  return findKey(scope, id)
}

const INSERT_KEY = sql`insert into api_keys (id, tenant_id, made_by, prefix, hash, name, description, environment, scopes, data_scope, networks, requests_per_minute, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`

export async function insertKey(
  scope: TenantScope,
  key: KeyFacts & { id: string; madeBy: string; prefix: string; hash: Buffer },
): Promise<void> {
  await scope.run(INSERT_KEY, [key.id, scope.tenantId, key.madeBy, key.prefix, key.hash, ...factValues(key)])
}

const UPDATE_KEY = sql`update api_keys set name = $2, description = $3, environment = $4, scopes = $5, data_scope = $6, networks = $7,
  requests_per_minute = $8, expires_at = $9, warned_at = case when expires_at = $9 then warned_at end, version = version + 1, updated_at = now() where id = $1`

export async function updateKey(scope: TenantScope, id: string, facts: KeyFacts): Promise<void> {
  await scope.run(UPDATE_KEY, [id, ...factValues(facts)])
}

function factValues(facts: KeyFacts): unknown[] {
  return [
    facts.name,
    facts.description,
    facts.environment,
    facts.scopes,
    JSON.stringify(facts.dataScope),
    facts.networks,
    facts.requestsPerMinute,
    facts.expiresAt,
  ]
}

const ROTATE_KEY = sql`update api_keys set previous_prefix = case when $5::timestamptz is null then null else prefix end,
    previous_hash = case when $5::timestamptz is null then null else hash end, previous_until = $5,
    prefix = $2, hash = $3, generation = generation + 1, rotated_at = $4, version = version + 1, updated_at = now()
  where id = $1`

/** A new text; the one before is taken until then. */
export async function rotateKey(
  scope: TenantScope,
  id: string,
  next: { prefix: string; hash: Buffer; at: Date; previousUntil: Date | null },
): Promise<void> {
  await scope.run(ROTATE_KEY, [id, next.prefix, next.hash, next.at, next.previousUntil])
}

const END_OVERLAP = sql`update api_keys set previous_prefix = null, previous_hash = null, previous_until = null, version = version + 1,
  updated_at = now() where id = $1`

export async function endOverlap(scope: TenantScope, id: string): Promise<void> {
  await scope.run(END_OVERLAP, [id])
}

const SET_MAKER = sql`update api_keys set made_by = $2, version = version + 1, updated_at = now() where id = $1`

export async function setMaker(scope: TenantScope, id: string, loginId: string): Promise<void> {
  await scope.run(SET_MAKER, [id, loginId])
}

const REVOKE_KEY = sql`update api_keys set revoked_at = $2, previous_prefix = null, previous_hash = null, previous_until = null,
  version = version + 1, updated_at = now() where id = $1`

export async function revokeKey(scope: TenantScope, id: string, at: Date): Promise<void> {
  await scope.run(REVOKE_KEY, [id, at])
}

const DELETE_KEY = sql`delete from api_keys where id = $1`

export async function deleteKey(scope: TenantScope, id: string): Promise<void> {
  await scope.run(DELETE_KEY, [id])
}

const ENDING_KEYS = sql<{
  name: string
  expires_at: Date
  made_by: string
  maker_state: string
}>`update api_keys k set warned_at = $2 from logins l
  where l.id = k.made_by and k.tenant_id = $1 and k.warned_at is null and k.revoked_at is null
    and k.expires_at > $2 and k.expires_at < $3
  returning k.name, k.expires_at, k.made_by, l.state as maker_state`

/** Keys that end before then and whose owner was not told yet; from now on he was. */
export async function endingKeys(
  scope: TenantScope,
  now: Date,
  until: Date,
): Promise<{ name: string; expires_at: Date; made_by: string; maker_state: string }[]> {
  const { rows } = await scope.run(ENDING_KEYS, [scope.tenantId, now, until])
  return rows
}

// ───────────── sign-in ─────────────

/** A key as the sign-in needs it, with its company and the member it stands on. */
export interface SignInRow {
  id: string
  tenant_id: string
  made_by: string
  name: string
  prefix: string
  generation: number
  /** The text that was given is the one before the last rotation. */
  old_text: boolean
  previous_until: Date | null
  scopes: string[]
  data_scope: ApiKeyDataScope
  networks: string[]
  requests_per_minute: number
  expires_at: Date | null
  revoked_at: Date | null
  maker_state: 'active' | 'frozen' | 'left'
  maker_kind: string
  maker_tenant: string
  maker_group: string | null
  app_id: string
  tenant_status: 'inactive' | 'frozen' | 'expired' | 'trial' | 'active' | 'grace'
  security: unknown
}

const SIGN_IN = (oldText: SqlPart) => part`select k.id, k.tenant_id, k.made_by, k.name, k.prefix, k.generation,
    ${oldText} as old_text, k.previous_until, k.scopes, k.data_scope, k.networks, k.requests_per_minute, k.expires_at,
    k.revoked_at, l.state as maker_state, l.kind as maker_kind, l.tenant_id as maker_tenant, l.group_id as maker_group,
    t.app_id, t.status as tenant_status, t.settings -> 'security' as security
  from api_keys k join logins l on l.id = k.made_by join tenants t on t.id = k.tenant_id`
const KEY_BY_HASH = sql<SignInRow>`${SIGN_IN(part`(k.hash <> $1)`)} where k.hash = $1 or k.previous_hash = $1`

export async function keyByHash(scope: SystemScope, hash: Buffer): Promise<SignInRow | undefined> {
  return (await scope.run(KEY_BY_HASH, [hash])).rows[0]
}

const KEY_BY_ID = sql<SignInRow>`${SIGN_IN(part`false`)} where k.id = $1`

export async function keyById(scope: SystemScope, id: string): Promise<SignInRow | undefined> {
  return (await scope.run(KEY_BY_ID, [id])).rows[0]
}

// ───────────── groups and products of a scope ─────────────

const GROUP_CHAINS = sql<{ root: string; chain: string[] }>`with recursive up as (
    select id as root, id, parent_id from groups where tenant_id = $1 and id = any ($2)
    union
    select up.root, g.id, g.parent_id from groups g join up on g.id = up.parent_id where g.tenant_id = $1)
  select root, array_agg(id::text) as chain from up group by root`

/** Each of the groups with all that it lies below, itself first. Groups that are not there have no entry. */
export async function groupChains(
  scope: Reader,
  tenantId: string,
  groupIds: readonly string[],
): Promise<Map<string, string[]>> {
  if (groupIds.length === 0) return new Map()
  const { rows } = await scope.run(GROUP_CHAINS, [tenantId, groupIds])
  return new Map(rows.map(row => [row.root, row.chain]))
}

const GROUPS_OF_PRODUCTS = sql<{
  id: string
  group_id: string | null
}>`select id, group_id from products where tenant_id = $1 and id = any ($2) and deleted_at is null`

/** The products that are there, with the group each lies in. */
export async function groupsOfProducts(
  scope: Reader,
  tenantId: string,
  productIds: readonly string[],
): Promise<Map<string, string | null>> {
  if (productIds.length === 0) return new Map()
  const { rows } = await scope.run(GROUPS_OF_PRODUCTS, [tenantId, productIds])
  return new Map(rows.map(row => [row.id, row.group_id]))
}

const COUNT = sql<{
  count: number
}>`select count(*)::int as count from api_keys where tenant_id = $1 and made_by = $2 and revoked_at is null`

const HAND_OVER = sql<{
  count: number
}>`with given as (update api_keys set made_by = $3, version = version + 1, updated_at = now()
    where tenant_id = $1 and made_by = $2 returning revoked_at)
  select count(*) filter (where revoked_at is null)::int as count from given`

/** Keys belong to the member they stand on. */
export const ownedApiKeys = {
  kind: 'api_key',
  async count(scope: TenantScope, loginId: string): Promise<number> {
    const { rows } = await scope.run(COUNT, [scope.tenantId, loginId])
    return rows[0]!.count
  },
  async handOver(scope: TenantScope, from: string, to: string): Promise<number> {
    const { rows } = await scope.run(HAND_OVER, [scope.tenantId, from, to])
    return rows[0]!.count
  },
} as const
