import type { ChannelKind, ChannelProvider, PersonalChannel } from '@thingwright/contracts/contacts.words'
import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface ChannelRow {
  id: string
  name: string
  kind: ChannelKind
  provider: ChannelProvider
  config: Record<string, string>
  secrets: Buffer | null
  simulated: boolean
  enabled: boolean
  fault: string | null
  callbackId: string
  version: number
  createdAt: Date
}

export interface ChannelValues {
  name: string
  config: Record<string, string>
  secrets: Buffer | null
  enabled: boolean
}

const COLUMNS = part`id, name, kind, provider, config, secrets, simulated, enabled, fault, callback_id as "callbackId", version,
    created_at as "createdAt"`

const LIST = sql<ChannelRow>`select ${COLUMNS} from notification_channels
  where ($2::uuid is null or id < $2) and position(lower($3) in lower(name)) > 0 and ($4::text is null or kind = $4)
  order by id desc limit $1`

/** Newest first. */
export async function list(
  scope: TenantScope,
  limit: number,
  after: string | null,
  q: string,
  kind: string | null,
): Promise<ChannelRow[]> {
  return (await scope.run(LIST, [limit, after, q, kind])).rows
}

const FIND = sql<ChannelRow>`select ${COLUMNS} from notification_channels where id = $1`

export async function find(scope: TenantScope, id: string): Promise<ChannelRow | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

const COUNT = sql<{ n: number }>`select count(*)::int as n from notification_channels`

export async function count(scope: TenantScope): Promise<number> {
  return (await scope.run(COUNT)).rows[0]!.n
}

const INSERT = sql<ChannelRow>`insert into notification_channels (id, tenant_id, name, kind, provider, config, secrets, simulated, enabled)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (tenant_id, lower(name)) do nothing returning ${COLUMNS}`

/** @returns undefined when a channel has the name */
export async function insert(
  scope: TenantScope,
  id: string,
  made: { kind: ChannelKind; provider: ChannelProvider; simulated: boolean },
  v: ChannelValues,
): Promise<ChannelRow | undefined> {
  const values = [v.name, made.kind, made.provider, v.config, v.secrets, made.simulated, v.enabled]
  return (await scope.run(INSERT, [id, scope.tenantId, ...values])).rows[0]
}

const TAKEN = sql<{ id: string }>`select id from notification_channels where lower(name) = lower($1) and id <> $2`

export async function isTaken(scope: TenantScope, name: string, but: string): Promise<boolean> {
  return (await scope.run(TAKEN, [name, but])).rows.length > 0
}

const UPDATE = sql<ChannelRow>`update notification_channels set name = $3, config = $4, secrets = $5, enabled = $6, fault = null,
    version = version + 1
  where id = $1 and version = $2 returning ${COLUMNS}`

/** Changed it is tried again. @returns undefined when it has another version by now */
export async function update(
  scope: TenantScope,
  id: string,
  version: number,
  v: ChannelValues,
): Promise<ChannelRow | undefined> {
  return (await scope.run(UPDATE, [id, version, v.name, v.config, v.secrets, v.enabled])).rows[0]
}

const REMOVE = sql`delete from notification_channels where id = $1`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}

export interface PolicyRow {
  levels: Record<string, string[]>
  escalation: {
    afterMinutes: number
    minLevel: number
    contactIds: string[]
    groupIds: string[]
    channels: string[]
  }[]
  recovery: boolean
  quiet: { from: string; to: string; zone: string; exceptLevel?: number } | null
  customerWays: PersonalChannel[]
  version: number
}

const POLICY = sql<PolicyRow>`select levels, escalation, recovery, quiet, customer_ways as "customerWays", version
  from notification_policies`

export async function policy(scope: TenantScope): Promise<PolicyRow | undefined> {
  return (await scope.run(POLICY)).rows[0]
}

/** What the company offers to contacts of end users. */
export async function customerWays(scope: TenantScope): Promise<PersonalChannel[]> {
  return (await policy(scope))?.customerWays ?? [...FIRST_CUSTOMER_WAYS]
}

/** As the column of the policies begins. */
export const FIRST_CUSTOMER_WAYS: readonly PersonalChannel[] = ['email', 'wechat', 'push', 'applet']

const FIRST_POLICY = sql<{
  version: number
}>`insert into notification_policies (tenant_id, levels, escalation, recovery, quiet, changed_at, customer_ways)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict (tenant_id) do nothing returning version`
const NEXT_POLICY = sql<{
  version: number
}>`update notification_policies set levels = $2, escalation = $3, recovery = $4, quiet = $5,
    changed_at = $6, customer_ways = $7, version = version + 1
  where tenant_id = $1 and version = $8 returning version`

/** @param version 0: there was none. @returns undefined when there is another by now */
export async function setPolicy(
  scope: TenantScope,
  version: number,
  p: Omit<PolicyRow, 'version'>,
  now: Date,
): Promise<number | undefined> {
  const values = [scope.tenantId, p.levels, JSON.stringify(p.escalation), p.recovery, p.quiet, now, p.customerWays]
  const { rows } =
    version === 0 ? await scope.run(FIRST_POLICY, values) : await scope.run(NEXT_POLICY, [...values, version])
  return rows[0]?.version
}

export interface TriggerMessagesRow {
  repeatMinutes: number | null
  perDay: number | null
  contactIds: string[]
  groupIds: string[]
  version: number
}

const TRIGGER = sql<{ name: string }>`select name from triggers where id = $1`

/** @returns undefined: there is none that the caller may see */
export async function triggerName(scope: TenantScope, id: string): Promise<string | undefined> {
  return (await scope.run(TRIGGER, [id])).rows[0]?.name
}

const MESSAGES = sql<TriggerMessagesRow>`select repeat_minutes as "repeatMinutes", per_day as "perDay", contact_ids as "contactIds",
    group_ids as "groupIds", version from trigger_messages where trigger_id = $1`

export async function triggerMessages(scope: TenantScope, id: string): Promise<TriggerMessagesRow | undefined> {
  return (await scope.run(MESSAGES, [id])).rows[0]
}

const FIRST_MESSAGES = sql<{ version: number }>`insert into trigger_messages
    (trigger_id, tenant_id, repeat_minutes, per_day, contact_ids, group_ids)
  values ($1, $2, $3, $4, $5, $6) on conflict (trigger_id) do nothing returning version`
const NEXT_MESSAGES = sql<{
  version: number
}>`update trigger_messages set repeat_minutes = $3, per_day = $4, contact_ids = $5,
    group_ids = $6, version = version + 1
  where trigger_id = $1 and tenant_id = $2 and version = $7 returning version`

export async function setTriggerMessages(
  scope: TenantScope,
  id: string,
  version: number,
  m: Omit<TriggerMessagesRow, 'version'>,
): Promise<number | undefined> {
  const values = [id, scope.tenantId, m.repeatMinutes, m.perDay, m.contactIds, m.groupIds]
  const { rows } =
    version === 0 ? await scope.run(FIRST_MESSAGES, values) : await scope.run(NEXT_MESSAGES, [...values, version])
  return rows[0]?.version
}

const STRANGE = sql<{ id: string }>`select x.id::text as id from unnest($1::uuid[]) x (id)
  where not exists (select 1 from contacts c where c.id = x.id)
  union all select x.id::text from unnest($2::uuid[]) x (id) where not exists (select 1 from contact_groups g where g.id = x.id)
  union all select x.id::text from unnest($3::uuid[]) x (id)
    where not exists (select 1 from notification_channels n where n.id = x.id)`

/** The given ids that the company does not have. */
export async function strange(
  scope: TenantScope,
  ids: { contacts: readonly string[]; groups: readonly string[]; channels: readonly string[] },
): Promise<string[]> {
  return (await scope.run(STRANGE, [ids.contacts, ids.groups, ids.channels])).rows.map(({ id }) => id)
}
