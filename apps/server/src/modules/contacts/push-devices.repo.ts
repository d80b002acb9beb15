import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface PushDeviceRow {
  id: string
  name: string
  contactId: string
  contactName: string
  loginId: string
  endpointHash: Buffer
  sentAt: Date | null
  createdAt: Date
}

const COLUMNS = part`p.id, p.name, p.contact_id as "contactId", c.name as "contactName", p.login_id as "loginId",
    p.endpoint_hash as "endpointHash", p.sent_at as "sentAt", p.created_at as "createdAt"`

const LIST = sql<PushDeviceRow>`select ${COLUMNS} from push_devices p join contacts c on c.id = p.contact_id
  where ($1::uuid is null or p.contact_id = $1) order by p.id desc limit 1000`

export async function list(scope: TenantScope, contactId: string | null): Promise<PushDeviceRow[]> {
  return (await scope.run(LIST, [contactId])).rows
}

const FIND = sql<PushDeviceRow>`select ${COLUMNS} from push_devices p join contacts c on c.id = p.contact_id where p.id = $1`

export async function find(scope: TenantScope, id: string): Promise<PushDeviceRow | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

const OF_LOGIN = sql<{ contactId: string }>`select contact_id as "contactId" from push_devices where login_id = $1
  order by id desc limit 1`

/** The contact for which a person registered another browser before. */
export async function contactOf(scope: TenantScope, loginId: string): Promise<string | undefined> {
  return (await scope.run(OF_LOGIN, [loginId])).rows[0]?.contactId
}

const COUNT = sql<{ n: number }>`select count(*)::int as n from push_devices where contact_id = $1`

export async function count(scope: TenantScope, contactId: string): Promise<number> {
  return (await scope.run(COUNT, [contactId])).rows[0]!.n
}

// Of whatever company and person: the browser that has the address is theirs who register it now.
const FORGET_ENDPOINT = sql<{ contactId: string; loginId: string }>`delete from push_devices where endpoint_hash = $1
  returning contact_id as "contactId", login_id as "loginId"`

/** @returns whose it was; undefined: it is new */
export async function forgetEndpoint(
  scope: SystemScope,
  hash: Buffer,
): Promise<{ contactId: string; loginId: string } | undefined> {
  return (await scope.run(FORGET_ENDPOINT, [hash])).rows[0]
}

const INSERT = sql`insert into push_devices (id, tenant_id, contact_id, login_id, name, secrets, endpoint_hash)
  values ($1, $2, $3, $4, $5, $6, $7)`

export async function insert(
  scope: TenantScope,
  row: { id: string; contactId: string; loginId: string; name: string; secrets: Buffer; endpointHash: Buffer },
): Promise<void> {
  const { id, contactId, loginId, name, secrets, endpointHash } = row
  await scope.run(INSERT, [id, scope.tenantId, contactId, loginId, name, secrets, endpointHash])
}

const REMOVE = sql<{ contactId: string }>`delete from push_devices where id = $1 returning contact_id as "contactId"`

/** @returns its contact */
export async function remove(scope: TenantScope | SystemScope, id: string): Promise<string | undefined> {
  return (await scope.run(REMOVE, [id])).rows[0]?.contactId
}

const REACHED = sql`update contacts set has_push = true, since = case when has_push then since else now() end where id = $1`

/** The contact has a device from now on. */
export async function noteReached(scope: TenantScope, contactId: string): Promise<void> {
  await scope.run(REACHED, [contactId])
}

const DROP_EMPTY = sql`delete from contacts c where c.id = any ($1::uuid[]) and c.email is null and c.phone is null
  and c.wechat_openid is null and not exists (select 1 from push_devices p where p.contact_id = c.id)
  and not exists (select 1 from applet_permissions a where a.contact_id = c.id)`
const UNREACHED = sql`update contacts c set has_push = false where c.id = any ($1::uuid[]) and c.has_push
  and not exists (select 1 from push_devices p where p.contact_id = c.id)`

/** Contacts that may have lost their last device: those without another address are removed. */
export async function noteLost(scope: TenantScope | SystemScope, contactIds: readonly string[]): Promise<void> {
  await scope.run(DROP_EMPTY, [contactIds])
  await scope.run(UNREACHED, [contactIds])
}

export interface PushTarget {
  id: string
  secrets: Buffer
}

const TARGETS = sql<PushTarget>`select id, secrets from push_devices where contact_id = $1 order by id`

/** Devices to which messages of a contact go. */
export async function targetsOf(scope: TenantScope | SystemScope, contactId: string): Promise<PushTarget[]> {
  return (await scope.run(TARGETS, [contactId])).rows
}

const TARGET = sql<PushTarget>`select id, secrets from push_devices where id = $1`

export async function target(scope: TenantScope, id: string): Promise<PushTarget | undefined> {
  return (await scope.run(TARGET, [id])).rows[0]
}

const SENT = sql`update push_devices set sent_at = $2 where id = any ($1::uuid[])`

export async function noteSent(scope: TenantScope | SystemScope, ids: readonly string[], at: Date): Promise<void> {
  await scope.run(SENT, [ids, at])
}
