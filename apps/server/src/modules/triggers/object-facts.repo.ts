import type { ObjectKind, RuleDocument } from '@thingwright/rules'
import type pg from 'pg'
import { type Runner, runOn, sql } from '../../lib/sql/statement.ts'

/** What is so of a card, gateway or camera, or what has just happened to it. */
export interface ToldFact {
  tenantId: string
  kind: ObjectKind
  id: string
  /** As people know it. */
  name: string
  /** null: values say what is so. */
  moment: string | null
  values: Record<string, unknown>
}

const TELL = sql`insert into trigger_facts (tenant_id, object_kind, object_id, object_name, moment, values)
  select $1, $2, $3, $4, $5, $6 where exists (select 1 from triggers t where t.tenant_id = $1 and t.kind = 'object' and t.enabled
    and starts_with(t.document #>> '{source,type}', case $2 when 'lora_gateway' then 'lora' else $2 end || '.'))`

/** Tells triggers of an object, in the transaction that learned of it; nothing where the company has none that asks. */
export async function tellOfObject(scope: Runner, fact: ToldFact): Promise<void> {
  await scope.run(TELL, [fact.tenantId, fact.kind, fact.id, fact.name, fact.moment, JSON.stringify(fact.values)])
}

export interface FactRow extends ToldFact {
  /** The number of the fact. */
  fact: string
  /** Epoch ms. */
  at: number
}

const TAKE = sql<FactRow>`with taken as (
    delete from trigger_facts where id in (select id from trigger_facts order by id limit $1 for update skip locked)
    returning id, tenant_id, object_kind, object_id, object_name, moment, values, at)
  select id::text as fact, tenant_id as "tenantId", object_kind as kind, object_id as id, object_name as name, moment, values,
    (extract(epoch from at) * 1000)::float8 as at from taken order by taken.id`.named('trigger-facts-take')

/** Takes the oldest; they are gone with the commit. */
export async function takeFacts(client: pg.ClientBase, limit: number): Promise<FactRow[]> {
  return (await runOn(client, TAKE, [limit])).rows
}

export interface ObjectTrigger {
  id: string
  tenantId: string
  name: string
  document: RuleDocument
  version: number
}

const TRIGGERS = sql<ObjectTrigger>`select id, tenant_id as "tenantId", name, document, rule_version as version from triggers
  where kind = 'object' and enabled and fault is null and (expires_at is null or expires_at > now()) and tenant_id = any ($1::uuid[])`

export async function objectTriggers(client: pg.ClientBase, tenantIds: readonly string[]): Promise<ObjectTrigger[]> {
  return (await runOn(client, TRIGGERS, [tenantIds])).rows
}

export interface HeldObject {
  triggerId: string
  kind: ObjectKind
  id: string
  version: number
  origin: string
}

const HELD = sql<HeldObject>`select trigger_id as "triggerId", object_kind as kind, object_id as id, rule_version as version, origin
  from trigger_objects where trigger_id = $1 and object_kind = $2 and object_id = $3`

export async function heldObject(
  client: pg.ClientBase,
  triggerId: string,
  { kind, id }: Pick<ToldFact, 'kind' | 'id'>,
): Promise<HeldObject | undefined> {
  return (await runOn(client, HELD, [triggerId, kind, id])).rows[0]
}

const HOLD = sql`insert into trigger_objects (trigger_id, tenant_id, object_kind, object_id, rule_version, origin)
  values ($1, $2, $3, $4, $5, $6) on conflict (trigger_id, object_kind, object_id)
  do update set rule_version = excluded.rule_version, origin = excluded.origin, since = clock_timestamp()`

export async function holdObject(client: pg.ClientBase, tenantId: string, held: HeldObject): Promise<void> {
  await runOn(client, HOLD, [held.triggerId, tenantId, held.kind, held.id, held.version, held.origin])
}

const RELEASE = sql`delete from trigger_objects where trigger_id = $1 and object_kind = $2 and object_id = $3`

export async function releaseObject(
  client: pg.ClientBase,
  triggerId: string,
  { kind, id }: Pick<ToldFact, 'kind' | 'id'>,
): Promise<void> {
  await runOn(client, RELEASE, [triggerId, kind, id])
}
