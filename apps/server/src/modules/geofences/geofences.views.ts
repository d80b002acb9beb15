import type { FenceShape, Scope } from '@thingwright/rules'
import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

/** A geofence as triggers ask for it. */
export interface JudgedFence {
  id: string
  name: string
  shape: FenceShape
  version: number
  enabled: boolean
  /** null: it is for every device. */
  scope: Scope | null
}

const JUDGED_FENCES = sql<JudgedFence>`select id, name, shape, version, enabled, scope from geofences where id = any ($1::uuid[])`

/** The given geofences that the caller may see. */
export async function judgedFences(scope: TenantScope, ids: readonly string[]): Promise<JudgedFence[]> {
  return ids.length === 0 ? [] : (await scope.run(JUDGED_FENCES, [ids])).rows
}
