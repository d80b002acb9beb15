import type { PresetTrigger, TriggerTemplates } from '@thingwright/contracts/trigger-presets.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface PresetRow {
  id: string
  name: string
  note: string
  triggers: PresetTrigger[]
  templates: TriggerTemplates
  version: number
  createdAt: Date
}

const COLUMNS = part`p.id, p.name, p.note, p.triggers, p.templates, p.version, p.created_at as "createdAt"`
const LIST = sql<PresetRow>`select ${COLUMNS} from trigger_presets p
  where ($2::text is null or (lower(p.name), p.id) > ($2, $3::uuid)) and position(lower($4) in lower(p.name)) > 0
  order by lower(p.name), p.id limit $1`

export async function list(
  scope: TenantScope,
  limit: number,
  after: readonly [string, string] | null,
  q: string,
): Promise<PresetRow[]> {
  return (await scope.run(LIST, [limit, after?.[0] ?? null, after?.[1] ?? null, q])).rows
}

const FIND = sql<PresetRow>`select ${COLUMNS} from trigger_presets p where p.id = $1`

export async function find(scope: TenantScope, id: string): Promise<PresetRow | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

const FIND_NAMED = sql<PresetRow>`select ${COLUMNS} from trigger_presets p where lower(p.name) = lower($1) for update`

export async function findNamed(scope: TenantScope, name: string): Promise<PresetRow | undefined> {
  return (await scope.run(FIND_NAMED, [name])).rows[0]
}

const COUNT = sql<{ n: number }>`select count(*)::int as n from trigger_presets`

export async function count(scope: TenantScope): Promise<number> {
  return (await scope.run(COUNT, [])).rows[0]!.n
}

const INSERT = sql<{ id: string }>`insert into trigger_presets (id, tenant_id, name, note, triggers, templates)
  values ($1, $2, $3, $4, $5::jsonb, $6::jsonb) on conflict (tenant_id, lower(name)) do nothing returning id`

/** @returns false: a preset has the name */
export async function insert(scope: TenantScope, row: Omit<PresetRow, 'version' | 'createdAt'>): Promise<boolean> {
  const { id, name, note, triggers, templates } = row
  const values = [id, scope.tenantId, name, note, JSON.stringify(triggers), templates]
  return (await scope.run(INSERT, values)).rows.length > 0
}

const TAKEN = sql<{ id: string }>`select id from trigger_presets where lower(name) = lower($1) and id <> $2`

export async function isTaken(scope: TenantScope, name: string, but: string): Promise<boolean> {
  return (await scope.run(TAKEN, [name, but])).rows.length > 0
}

const UPDATE = sql<{ id: string }>`update trigger_presets set name = $3, note = $4, triggers = $5::jsonb,
  templates = $6::jsonb, version = version + 1 where id = $1 and version = $2 returning id`

/** @returns false: somebody else changed it */
export async function update(scope: TenantScope, row: Omit<PresetRow, 'createdAt'>): Promise<boolean> {
  const { id, version, name, note, triggers, templates } = row
  return (await scope.run(UPDATE, [id, version, name, note, JSON.stringify(triggers), templates])).rows.length > 0
}

const REMOVE = sql`delete from trigger_presets where id = $1`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}

const MADE_FROM = sql`update triggers set preset_id = $2 where id = any ($1::uuid[])`

/** Alarms of these triggers use the message templates of a preset. */
export async function noteMadeFrom(scope: TenantScope, triggerIds: readonly string[], presetId: string): Promise<void> {
  if (triggerIds.length > 0) await scope.run(MADE_FROM, [triggerIds, presetId])
}

const NAMES = sql<{ name: string }>`select name from triggers where document -> 'scope' -> 'productIds' = $1::jsonb`

/** Names of the triggers that watch one product and nothing else. */
export async function namesOfProduct(scope: TenantScope, productId: string): Promise<Set<string>> {
  return new Set((await scope.run(NAMES, [JSON.stringify([productId])])).rows.map(row => row.name))
}
