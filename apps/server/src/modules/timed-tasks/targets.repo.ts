import type { StepScope, TimedAction } from '@thingwright/contracts/timed-tasks.contract'
import type { Calendar, Position } from '@thingwright/schedules'
import type { TenantScope } from '../../lib/database/database.ts'
import { isUuid } from '../../lib/ids.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import { groupsBelow } from '../groups/groups.views.ts'

export const SCOPE_FIELDS = ['deviceIds', 'productIds', 'groupIds', 'tags'] as const
export type ScopeField = (typeof SCOPE_FIELDS)[number]

export interface Target {
  id: string
  num: number
  name: string
  productId: string
}

/** How a scope is asked for: groups with what is below them. */
async function asked(scope: TenantScope, chosen: StepScope): Promise<[ScopeField, readonly string[]]> {
  const field = SCOPE_FIELDS.find(name => chosen[name] !== undefined) ?? 'deviceIds'
  const values = chosen[field] ?? []
  return field === 'groupIds' ? [field, await groupsBelow(scope, values.filter(isUuid), 'device')] : [field, values]
}

const TARGETS = part`select d.id, d.num, d.name, d.product_id as "productId" from devices d where d.tenant_id = $1 and d.recycled_at is null`
const OF_SCOPE = {
  deviceIds: sql<Target>`${TARGETS} and d.id = any ($2::uuid[]) and d.num > $3 order by d.num limit $4`,
  productIds: sql<Target>`${TARGETS} and d.product_id = any ($2::uuid[]) and d.num > $3 order by d.num limit $4`,
  groupIds: sql<Target>`${TARGETS} and d.group_id = any ($2::uuid[]) and d.num > $3 order by d.num limit $4`,
  tags: sql<Target>`${TARGETS} and d.tags && $2::text[] and d.num > $3 order by d.num limit $4`,
}

/** Devices of a scope as far as the transaction's caller may see them, by their numbers. @param above the number of the last one seen */
export async function targetsOf(
  scope: TenantScope,
  chosen: StepScope,
  above: number,
  limit: number,
): Promise<Target[]> {
  const [field, values] = await asked(scope, chosen)
  return values.length === 0 ? [] : (await scope.run(OF_SCOPE[field], [scope.tenantId, values, above, limit])).rows
}

const COUNT = part`select count(*)::int as n from devices d where d.tenant_id = $1 and d.recycled_at is null`
const COUNT_OF = {
  deviceIds: sql<{ n: number }>`${COUNT} and d.id = any ($2::uuid[])`,
  productIds: sql<{ n: number }>`${COUNT} and d.product_id = any ($2::uuid[])`,
  groupIds: sql<{ n: number }>`${COUNT} and d.group_id = any ($2::uuid[])`,
  tags: sql<{ n: number }>`${COUNT} and d.tags && $2::text[]`,
}
const PRODUCTS = part`select distinct d.product_id as id from devices d where d.tenant_id = $1 and d.recycled_at is null`
const PRODUCTS_OF = {
  deviceIds: sql<{ id: string }>`${PRODUCTS} and d.id = any ($2::uuid[])`,
  productIds: sql<{ id: string }>`select p.id from products p where p.tenant_id = $1 and p.id = any ($2::uuid[])`,
  groupIds: sql<{ id: string }>`${PRODUCTS} and d.group_id = any ($2::uuid[])`,
  tags: sql<{ id: string }>`${PRODUCTS} and d.tags && $2::text[]`,
}

export async function countTargets(scope: TenantScope, chosen: StepScope): Promise<number> {
  const [field, values] = await asked(scope, chosen)
  return values.length === 0 ? 0 : (await scope.run(COUNT_OF[field], [scope.tenantId, values])).rows[0]!.n
}

/** Products of its devices; of a product itself also without devices. */
export async function productsOf(scope: TenantScope, chosen: StepScope): Promise<string[]> {
  const [field, values] = await asked(scope, chosen)
  if (values.length === 0) return []
  return (await scope.run(PRODUCTS_OF[field], [scope.tenantId, values])).rows.map(({ id }) => id)
}

interface Named {
  id: string
  name: string
}
const NAMED = sql<Named>`select id, name from devices where id = any ($1::uuid[])
  union all select id, name from products where id = any ($1::uuid[])
  union all select id, name from groups where id = any ($1::uuid[])
  union all select id, name from scenes where id = any ($1::uuid[])`

/** Names of what actions mention, as far as the caller may see it. */
export async function namesOf(scope: TenantScope, actions: readonly TimedAction[]): Promise<Record<string, string>> {
  const ids = new Set<string>()
  for (const { scope: chosen, sceneId } of actions) {
    for (const id of [...(chosen?.deviceIds ?? []), ...(chosen?.productIds ?? []), ...(chosen?.groupIds ?? [])])
      ids.add(id)
    if (sceneId) ids.add(sceneId)
  }
  if (ids.size === 0) return {}
  const { rows } = await scope.run(NAMED, [[...ids]])
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
}

const KNOWN = {
  deviceIds: sql<{ id: string }>`select id from devices where id = any ($1::uuid[]) and recycled_at is null`,
  productIds: sql<{ id: string }>`select id from products where id = any ($1::uuid[])`,
  groupIds: sql<{ id: string }>`select id from groups where id = any ($1::uuid[]) and kind = 'device'`,
}

/** The first of the ids that is not there for the caller. */
export async function firstUnknown(
  scope: TenantScope,
  field: keyof typeof KNOWN,
  ids: readonly string[],
): Promise<number | null> {
  const known = new Set((await scope.run(KNOWN[field], [ids])).rows.map(({ id }) => id))
  const place = ids.findIndex(id => !known.has(id))
  return place < 0 ? null : place
}

// Where the sun is looked at

const PLACED = part`select (d.location ->> 'lat')::float8 as lat, (d.location ->> 'lng')::float8 as lng from devices d
  where d.tenant_id = $1 and d.recycled_at is null and d.location is not null`
const PLACES = {
  deviceIds: sql<Position>`${PLACED} and d.id = any ($2::uuid[]) order by array_position($2::uuid[], d.id) limit 1`,
  productIds: sql<Position>`${PLACED} and d.product_id = any ($2::uuid[]) order by d.num limit 1`,
  groupIds: sql<Position>`${PLACED} and d.group_id in (
    with recursive below as (select g.id from groups g where g.id = any ($2::uuid[])
      union select g.id from groups g join below b on g.parent_id = b.id) select id from below) order by d.num limit 1`,
  tags: sql<Position>`${PLACED} and d.tags && $2::text[] order by d.num limit 1`,
}
const SCENE_ACTIONS = sql<{ actions: TimedAction[] }>`select actions from scenes where tenant_id = $1 and id = $2`

/** Place of the first device of the actions that has one. @param run a transaction that sees the company */
export async function positionOf(
  run: Runner,
  tenantId: string,
  actions: readonly TimedAction[],
): Promise<Position | undefined> {
  for (const { scope: chosen, sceneId } of actions) {
    if (sceneId) {
      const [scene] = (await run.run(SCENE_ACTIONS, [tenantId, sceneId])).rows
      const found =
        scene &&
        (await positionOf(
          run,
          tenantId,
          scene.actions.filter(action => action.kind !== 'scene'),
        ))
      if (found) return found
    }
    const field = SCOPE_FIELDS.find(name => chosen?.[name] !== undefined)
    const values = field && chosen?.[field]
    if (!field || !values || values.length === 0) continue
    const [place] = (await run.run(PLACES[field], [tenantId, values])).rows
    if (place) return place
  }
  return undefined
}

const CALENDAR = sql<{
  holidays: string[]
  workdays: string[]
}>`select holidays::text[] as holidays, workdays::text[] as workdays
  from calendars where tenant_id = $1 and id = $2`

export async function calendarOf(run: Runner, tenantId: string, id: string): Promise<Calendar | undefined> {
  const [row] = (await run.run(CALENDAR, [tenantId, id])).rows
  return row && { holidays: new Set(row.holidays), workdays: new Set(row.workdays) }
}
