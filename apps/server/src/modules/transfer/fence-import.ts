import type { TenantScope } from '../../lib/database/database.ts'
import { isAppError } from '../../lib/errors.ts'
import type { GeofenceTransfer } from '../geofences/index.ts'
import type { FenceLine } from './rows.ts'
import { eachEntry, type ImportState, type KindCount, nameOf } from './transfer.import.ts'
import { hereOf } from './trigger-import.ts'

/** Geofences of the file that are here already, for triggers that ask for them. */
export async function findFences(
  scope: TenantScope,
  rows: AsyncIterable<FenceLine>,
  state: ImportState,
  to: GeofenceTransfer,
): Promise<void> {
  for await (const line of rows) {
    const id = await to.find(scope, line)
    if (id !== undefined) state.fences.set(line.id, id)
  }
}

/** A fence is here already when one has its name; one that cannot be read is named and left out. */
export function importFences(
  scope: TenantScope,
  rows: AsyncIterable<FenceLine>,
  state: ImportState,
  to: GeofenceTransfer,
): Promise<KindCount> {
  const here = hereOf(scope, state)
  const entries = { itemOf: nameOf, objectType: 'geofence' }
  return eachEntry(scope, rows, state, entries, async (line, count) => {
    try {
      const { what, id, isEmpty } = await to.bring(scope, state.ctx, line, { here, existing: state.existing })
      state.fences.set(line.id, id)
      count(what, { id, name: line.name })
      if (isEmpty) state.note(line.name, 'transfer.fence_disabled', {})
    } catch (error) {
      if (!isAppError(error) || error.code !== 'geofence.invalid') throw error
      state.note(line.name, error.code, error.params)
    }
  })
}
