import type { ModelOverlay, ThingModel } from '@thingwright/thing-model'
import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'
import { type ProductUsage, USE_EXAMPLES } from '../products/index.ts'

export interface DeviceModelRow {
  overlay: ModelOverlay | null
  version: number
  model: ThingModel
  modelVersion: number
}

const DEVICE_MODEL = sql<DeviceModelRow>`select d.overrides -> 'model' as overlay, d.version, coalesce(p.published_model, p.draft_model) as model,
    p.model_version as "modelVersion"
  from devices d join products p on p.id = d.product_id where d.id = $1`

/** What a device has otherwise, beside the model its product was published with (or is being drafted with). */
export async function deviceModel(scope: TenantScope, id: string): Promise<DeviceModelRow | undefined> {
  const { rows } = await scope.run(DEVICE_MODEL, [id])
  return rows[0]
}

const SET_OVERLAY = sql`update devices set overrides = case when $2::jsonb is null then overrides - 'model'
    else overrides || jsonb_build_object('model', $2::jsonb) end,
  version = version + 1, updated_at = now() where id = $1`

/** Replaces the device's own part of its model; null takes it away. Raises the device's version. */
export async function setOverlay(scope: TenantScope, id: string, overlay: ModelOverlay | null): Promise<void> {
  await scope.run(SET_OVERLAY, [id, overlay === null ? null : JSON.stringify(overlay)])
}

const CHANGED = part`select k as identifier, d.id, d.name, d.num, d.created_at from devices d
  cross join lateral jsonb_object_keys(coalesce(d.overrides #> '{model,changed}', '{}')) k
  where d.product_id = $1 and d.overrides ? 'model' and d.recycled_at is null and k = any ($2::text[])`

const CHANGED_EXAMPLES = sql<{
  identifier: string
  count: number
}>`select identifier, count(*)::int as count from (${CHANGED}) found group by identifier order by identifier`

const OVERLAY_USAGE_SELECT = sql<{ identifier: string; id: string; name: string }>`select identifier, id, name from (
    select *, row_number() over (partition by identifier order by created_at, num) as place from (${CHANGED}) found
  ) placed where place <= ${USE_EXAMPLES} order by identifier, place`

/** Devices that changed a property which is about to change: counted over the whole company, named as far as they are seen. */
export const overlayUsage: ProductUsage = async (scope, { id }, features) => {
  const identifiers = features.filter(feature => feature.of === 'property').map(feature => feature.identifier)
  if (identifiers.length === 0) return []
  const counts = await scope.wholeCompany('in-use', () => scope.run(CHANGED_EXAMPLES, [id, identifiers]))
  const { rows } = await scope.run(OVERLAY_USAGE_SELECT, [id, identifiers])
  return counts.rows.map(({ identifier, count }) => ({
    kind: 'overlay',
    of: 'property' as const,
    identifier,
    count,
    examples: rows.filter(row => row.identifier === identifier).map(row => ({ id: row.id, name: row.name })),
  }))
}
