import type { ObjectKind } from '@thingwright/rules'
import type pg from 'pg'
import { runOn, sql } from '../../lib/sql/statement.ts'
import { type RaisedOfTrigger, STORM_FROM, STORM_MS, stormsOf } from './alarm-storms.ts'

/** Values as they were judged, with ids that people know. */
export interface SeenValue {
  deviceId: string | null
  property: string
  value: unknown
  ts: number
}

interface AboutAlarm {
  tenantId: string
  triggerId: string
  /** The target of the alarm: the id of a device, card, gateway or camera, or for a scope the id of its trigger. */
  targetKind: 'device' | 'scope' | ObjectKind
  targetId: string
  /** Epoch ms. */
  at: number
  values: SeenValue[]
}

export interface RaisedAlarm extends AboutAlarm {
  id: string
  triggerName: string
  origin: string
  /** Of a card, gateway or camera. */
  targetName?: string
  /** -1: the trigger's own; else the place of the action that raised it. */
  slot: number
  device: number | null
  deviceId: string | null
  level: number
  peak: number | null
}

export interface SeenAgain extends AboutAlarm {
  count: number
  peak: number | null
  /** The lower value is the graver one. */
  isLow: boolean
}

export interface ClearedAlarm extends AboutAlarm {
  by: 'condition' | 'action' | 'renewed' | 'rule'
}

/** An alarm that is different now. */
export interface TouchedAlarm {
  id: string
  tenantId: string
  device: number | null
}

const RAISE = sql<TouchedAlarm & { triggerId: string; at: number }>`with input as (
    select v.* from jsonb_to_recordset($1::jsonb) as v (id uuid, "tenantId" uuid, "triggerId" uuid, "triggerName" text, origin text,
      slot smallint, "targetKind" text, "targetId" text, device int, "deviceId" uuid, level smallint, at float8, values jsonb, peak float8, "targetName" text)
    where exists (select 1 from triggers t where t.id = v."triggerId" and t.enabled)
      and (v."deviceId" is null or exists (select 1 from devices d where d.id = v."deviceId"))),
  made as (
    insert into alarms (id, tenant_id, trigger_id, trigger_name, origin, slot, target_kind, target_id, device, device_id, level,
      raised_at, last_at, raise_values, peak, suppressed, target_name)
    select id, "tenantId", "triggerId", "triggerName", origin, slot, "targetKind", "targetId", device, "deviceId", level,
      to_timestamp(at / 1000), to_timestamp(at / 1000), values, peak,
      exists (select 1 from device_maintenance m where m.device_id = "deviceId" and m.until > now()), "targetName"
    from input on conflict do nothing
    returning id, tenant_id, device, trigger_id, raised_at, raise_values),
  seen as (
    insert into alarm_occurrences (tenant_id, alarm_id, at, count, values)
    select tenant_id, id, raised_at, 1, raise_values from made)
  select id, tenant_id as "tenantId", device, coalesce(trigger_id, id) as "triggerId", (extract(epoch from raised_at) * 1000)::float8 as at from made`.named(
  'alarms-raise',
)

const LAST_RAISED =
  sql<RaisedOfTrigger>`select l.id, l."triggerId", l.at, l."stormId" from unnest($1::uuid[]) as t (id) cross join lateral (
    select a.id, a.trigger_id as "triggerId", (extract(epoch from a.raised_at) * 1000)::float8 as at, a.storm_id as "stormId"
    from alarms a where a.trigger_id = t.id and a.raised_at >= to_timestamp($2::float8 / 1000) and a.id <> all ($3::uuid[])
    order by a.raised_at desc, a.id desc limit $4) l`.named('alarms-last-raised')

const MERGE = sql<TouchedAlarm>`with input as (select v.* from unnest($1::uuid[], $2::uuid[]) as v (id, storm_id)),
  part as (update alarms a set storm_id = v.storm_id from input v where a.id = v.id)
  update alarms a set merged = a.merged + v.n from (select storm_id, count(*)::int as n from input group by storm_id) v
  where a.id = v.storm_id returning a.id, a.tenant_id as "tenantId", a.device`.named('alarms-merge')

/** What is open already, or was raised of the same cause, stays as it is. What comes in a storm is merged. */
export async function raise(client: pg.ClientBase, alarms: readonly RaisedAlarm[]): Promise<TouchedAlarm[]> {
  if (alarms.length === 0) return []
  const made = (await runOn(client, RAISE, [JSON.stringify(alarms)])).rows
  if (made.length === 0) return made
  const first = Math.min(...made.map(({ at }) => at))
  const triggers = [...new Set(made.map(({ triggerId }) => triggerId))]
  const ids = made.map(({ id }) => id)
  const before = (await runOn(client, LAST_RAISED, [triggers, first - STORM_MS, ids, STORM_FROM])).rows
  const storms = stormsOf(before, made)
  if (storms.length === 0) return made
  const heads = await runOn(client, MERGE, [storms.map(({ id }) => id), storms.map(({ stormId }) => stormId)])
  return [...made, ...heads.rows]
}

const AGAIN = sql<TouchedAlarm>`with input as (
    select v.* from jsonb_to_recordset($1::jsonb) as v ("triggerId" uuid, "targetKind" text, "targetId" text, at float8,
      values jsonb, count int, peak float8, "isLow" boolean)),
  changed as (
    update alarms a set count = greatest(a.count, v.count), last_at = greatest(a.last_at, to_timestamp(v.at / 1000)),
      peak = case when v."isLow" then least(a.peak, v.peak) else greatest(a.peak, v.peak) end
    from input v where a.trigger_id = v."triggerId" and a.target_kind = v."targetKind" and a.target_id = v."targetId"
      and a.slot = -1 and a.active
    returning a.id, a.tenant_id, a.device, v.at, v.count, v.values),
  seen as (
    insert into alarm_occurrences (tenant_id, alarm_id, at, count, values)
    select tenant_id, id, to_timestamp(at / 1000), count, values from changed on conflict do nothing)
  select id, tenant_id as "tenantId", device from changed`.named('alarms-again')

export async function seenAgain(client: pg.ClientBase, alarms: readonly SeenAgain[]): Promise<TouchedAlarm[]> {
  return alarms.length === 0 ? [] : (await runOn(client, AGAIN, [JSON.stringify(alarms)])).rows
}

// An alarm that a trigger set itself off (slot -2) ends when the trigger is enabled again, not with its condition.
const CLEAR = sql<TouchedAlarm>`with input as (
    select v.* from jsonb_to_recordset($1::jsonb) as v ("triggerId" uuid, "targetKind" text, "targetId" text, at float8,
      values jsonb, by text))
  update alarms a set active = false, cleared_at = greatest(to_timestamp(v.at / 1000), a.raised_at), cleared_by = v.by,
    clear_values = v.values
  from input v where a.trigger_id = v."triggerId" and a.target_kind = v."targetKind" and a.target_id = v."targetId" and a.active
    and a.slot <> -2
  returning a.id, a.tenant_id as "tenantId", a.device`.named('alarms-clear')

export async function clear(client: pg.ClientBase, alarms: readonly ClearedAlarm[]): Promise<TouchedAlarm[]> {
  return alarms.length === 0 ? [] : (await runOn(client, CLEAR, [JSON.stringify(alarms)])).rows
}

const OPEN_OF = sql<{ id: string; count: number; origin: string }>`select id, count, origin from alarms
  where trigger_id = $1 and target_kind = $2 and target_id = $3 and slot = -1 and active`

/** The active alarm of a trigger and target. */
export async function openOf(client: pg.ClientBase, triggerId: string, kind: string, id: string) {
  return (await runOn(client, OPEN_OF, [triggerId, kind, id])).rows[0]
}

const CLEAR_LEFT_OPEN = sql<TouchedAlarm>`update alarms a set active = false, cleared_at = now(), cleared_by = 'rule'
  where a.active and a.trigger_id is not null and a.trigger_id <> all ($1::uuid[])
  returning a.id, a.tenant_id as "tenantId", a.device`

/** Clears the active alarms of triggers that are no longer evaluated, because no condition would clear them. */
export async function clearLeftOpen(client: pg.ClientBase, judged: readonly string[]): Promise<TouchedAlarm[]> {
  return (await runOn(client, CLEAR_LEFT_OPEN, [judged])).rows
}

const LEVELS = sql<{ device: number; level: number }>`select device, level from refresh_alarm_levels($1::int[])`

/** Works out the level of devices anew. @returns those whose level is another */
export async function refreshLevels(
  client: pg.ClientBase,
  devices: readonly number[],
): Promise<{ device: number; level: number }[]> {
  return devices.length === 0 ? [] : (await runOn(client, LEVELS, [devices])).rows
}
