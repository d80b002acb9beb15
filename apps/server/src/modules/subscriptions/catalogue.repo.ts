import type { SubscriptionFilter, SubscriptionKind } from '@thingwright/contracts/subscriptions.contract'
import type { DataScope } from '../../lib/context.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'
import type { DeviceFacts, SubscriptionRule } from './matcher.ts'
import type { QueueClient } from './queue.repo.ts'

const READ_RULES = sql<{
  id: string
  tenant_id: string
  kinds: SubscriptionKind[]
  filter: SubscriptionFilter
  data_scope: DataScope
  created_by: string | null
  since: number
  version: number
}>`select id, tenant_id, kinds, filter, data_scope, created_by, floor(extract(epoch from created_at) * 1000)::bigint as since, version
  from subscriptions`

/** Every subscription of the installation, with what it takes; paused ones collect too. */
export async function readRules(db: QueueClient): Promise<(SubscriptionRule & { version: number })[]> {
  const { rows } = await runOn(db, READ_RULES)
  return rows.map(row => ({
    id: row.id,
    tenantId: row.tenant_id,
    kinds: row.kinds,
    filter: row.filter,
    dataScope: row.data_scope,
    createdBy: row.created_by,
    since: row.since,
    version: row.version,
  }))
}

const READ_DEVICES = sql<DeviceFacts>`with recursive wanted as (
    select d.num, d.id, d.tenant_id, d.device_no, d.product_id, p.product_key, d.group_id, p.group_id as product_group_id,
      d.tags, d.created_by, d.owner_id, d.history_from
    from devices d join products p on p.id = d.product_id where d.num = any ($1::int[])),
  up as (
    select distinct g.id as leaf, g.id, g.parent_id from groups g
    where g.id in (select group_id from wanted union select product_group_id from wanted)
    union all
    select up.leaf, g.id, g.parent_id from up join groups g on g.id = up.parent_id),
  chains as (select leaf, array_agg(id) as ids from up group by leaf)
  select w.num, w.id, w.tenant_id as "tenantId", w.device_no as "deviceNo", w.product_id as "productId",
    w.product_key as "productKey", w.tags, w.created_by as "createdBy",
    coalesce(u.path, '{}') as "ownerPath", ceil(extract(epoch from w.history_from) * 1000)::bigint as "historyFrom",
    coalesce(own.ids, '{}') || coalesce(of_product.ids, '{}') as "groupIds"
  from wanted w left join chains own on own.leaf = w.group_id left join chains of_product on of_product.leaf = w.product_group_id
  left join end_users u on u.id = w.owner_id`.named('subscriptions-devices')

/** What filters ask about devices, by their numbers. Groups come with everything above them. */
export async function readDevices(db: QueueClient, nums: readonly number[]): Promise<DeviceFacts[]> {
  const { rows } = await runOn(db, READ_DEVICES, [nums])
  return rows
}

type Chains = Pick<DeviceFacts, 'ownerPath' | 'historyFrom'> & { productKey: string | null; groupIds: string[] }
const READ_CHAINS = sql<Chains>`with recursive up as (
    select g.id, g.parent_id from groups g
    where g.id = $1 or g.id = (select group_id from products where id = $2)
    union
    select g.id, g.parent_id from up join groups g on g.id = up.parent_id)
  select (select product_key from products where id = $2) as "productKey",
    coalesce((select array_agg(id) from up), '{}') as "groupIds",
    coalesce((select u.path from devices d join end_users u on u.id = d.owner_id where d.id = $3), '{}') as "ownerPath",
    (select ceil(extract(epoch from history_from) * 1000)::bigint from devices where id = $3) as "historyFrom"`

/** The same of groups, a product and a device that may be gone. */
export async function readChains(
  db: QueueClient,
  groupId: string | null,
  productId: string,
  deviceId: string,
): Promise<Chains> {
  const { rows } = await runOn(db, READ_CHAINS, [groupId, productId, deviceId])
  return rows[0]!
}

const READ_SENSORS = sql<{
  identifier: string
  num: number
  property: unknown
}>`select n.identifier, n.num, m.property from products p join product_properties n on n.product_num = p.num
  left join lateral (
    select e as property from jsonb_array_elements(coalesce(p.published_model, p.draft_model) -> 'properties') e
    where e ->> 'identifier' = n.identifier limit 1) m on true
  where p.product_key = $1`

/** Numbers and data types of a product's properties, for payloads of the TLINK family. */
export async function readSensors(
  db: QueueClient,
  productKey: string,
): Promise<{ identifier: string; num: number; property: unknown }[]> {
  const { rows } = await runOn(db, READ_SENSORS, [productKey])
  return rows
}
