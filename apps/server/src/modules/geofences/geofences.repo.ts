import type { FenceShape, Scope } from '@thingwright/rules'
import type { TenantScope } from '../../lib/database/database.ts'
import { listSql } from '../../lib/sql/list.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'
import { insertInto, updateOf } from '../../lib/sql/writes.ts'

export interface GeofenceRow {
  id: string
  name: string
  shape: FenceShape
  colour: string
  enabled: boolean
  remark: string
  scope: Scope | null
  ownerName: string
  triggers: number
  version: number
  createdAt: Date
  updatedAt: Date
}

const COLUMNS = part`f.id, f.name, f.shape, f.colour, f.enabled, f.remark, f.scope, f.created_by_name as "ownerName",
  (select count(*)::int from triggers t where t.kind = 'general'
    and jsonb_path_exists(t.document, '$.** ? (@.fence == $id)', jsonb_build_object('id', f.id::text))) as triggers,
  f.version, f.created_at as "createdAt", f.updated_at as "updatedAt"`

export interface FenceFilter {
  q?: string
  enabled?: boolean
}
export const FENCE_SORTS = ['createdAt', 'name'] as const
export type FenceSort = (typeof FENCE_SORTS)[number]

export const LIST = listSql<GeofenceRow, FenceFilter, FenceSort>({
  columns: COLUMNS,
  from: part`geofences f`,
  filters: { q: part`(f.name ilike $1 or f.remark ilike $1)`, enabled: part`f.enabled = $1` },
  sorts: { createdAt: { by: part`f.created_at`, type: 'timestamptz' }, name: { by: part`f.name`, type: 'text' } },
  id: { by: part`f.id`, type: 'uuid' },
})

const FIND = holdable(sql<GeofenceRow>`select ${COLUMNS} from geofences f where f.id = $1`, part`for update of f`)

export async function find(scope: TenantScope, id: string, lock = false): Promise<GeofenceRow | undefined> {
  return (await scope.run(lock ? FIND.held : FIND.free, [id])).rows[0]
}

const COUNT = sql<{ n: number }>`select count(*)::int as n from geofences`

export async function count(scope: TenantScope): Promise<number> {
  return (await scope.run(COUNT)).rows[0]!.n
}

export interface FenceFacts {
  name: string
  shape: FenceShape
  colour: string
  enabled: boolean
  remark: string
  scope: Scope | null
}

const FACTS = {
  name: 'name',
  shape: { json: 'shape' },
  colour: 'colour',
  enabled: 'enabled',
  remark: 'remark',
  scope: { json: 'scope' },
} as const

interface NewFence extends FenceFacts {
  id: string
  tenantId: string
  ownerId: string | null
  ownerName: string
}

const INSERT = insertInto<NewFence>(part`geofences`, {
  ...FACTS,
  id: 'id',
  tenantId: 'tenant_id',
  ownerId: 'created_by',
  ownerName: 'created_by_name',
})

export async function insert(scope: TenantScope, row: NewFence): Promise<void> {
  await scope.run(...INSERT.of(row))
}

const UPDATE = updateOf<Partial<FenceFacts>, { id: string }>(part`geofences`, FACTS, {
  always: part`version = version + 1, updated_at = now()`,
  where: part`id = $1`,
  given: 1,
  returning: part`id`,
})

/** @returns whether the caller may change it */
export async function update(scope: TenantScope, id: string, change: Partial<FenceFacts>): Promise<boolean> {
  return (await scope.run(...UPDATE.of(change, id))).rows.length > 0
}

const REMOVE = sql<{ id: string }>`delete from geofences where id = $1 returning id`

/** @returns whether the caller may remove it */
export async function remove(scope: TenantScope, id: string): Promise<boolean> {
  return (await scope.run(REMOVE, [id])).rows.length > 0
}

const NAME_TAKEN = sql<{ id: string }>`select id from geofences where name = $1 and id is distinct from $2 limit 1`

/** The fence that has this name; the caller sees it. */
export async function named(scope: TenantScope, name: string, but: string | null): Promise<string | undefined> {
  return (await scope.run(NAME_TAKEN, [name, but])).rows[0]?.id
}

interface Named {
  id: string
  name: string
}
const NAMES = {
  deviceIds: sql<Named>`select id, name from devices where id = any ($1::uuid[]) and recycled_at is null`,
  productIds: sql<Named>`select id, name from products where id = any ($1::uuid[])`,
  groupIds: sql<Named>`select id, name from groups where id = any ($1::uuid[]) and kind = 'device'`,
}

export async function namesOf(
  scope: TenantScope,
  field: keyof typeof NAMES,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  return new Map((await scope.run(NAMES[field], [ids])).rows.map(({ id, name }) => [id, name]))
}

/** A device that can stand somewhere. */
export interface MovingDevice {
  num: number
  id: string
  name: string
  deviceNo: string
  productId: string
  groupId: string | null
  tags: string[]
  /** As it was entered. */
  location: { lng: number; lat: number } | null
  /** The property in which it says where it is. */
  property: string | null
}

const MOVING = sql<MovingDevice>`with said as (
    select o.id, (select p ->> 'identifier' from jsonb_array_elements((coalesce(o.published_model, o.draft_model) -> 'properties')::jsonb)
      with ordinality as x (p, n) where p #>> '{dataType,type}' = 'geo' order by n limit 1) as property
    from products o where o.tenant_id = $1)
  select d.num, d.id, d.name, d.device_no as "deviceNo", d.product_id as "productId", d.group_id as "groupId", d.tags, d.location, s.property
  from devices d left join said s on s.id = d.product_id
  where d.tenant_id = $1 and d.recycled_at is null and (s.property is not null or d.location is not null)
  order by d.name, d.num limit $2`

/** Devices that the caller may see and that report a position, or had one entered. */
export async function movingDevices(scope: TenantScope, limit: number): Promise<MovingDevice[]> {
  return (await scope.run(MOVING, [scope.tenantId, limit])).rows
}
