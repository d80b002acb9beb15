import { isRawKey } from '@thingwright/thing-model'
import type pg from 'pg'
import { readLatestValues } from '../../lib/journal/latest-values.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'

export interface Shadow {
  reported: Record<string, unknown>
  desired: Record<string, unknown>
  /** Of the wanted state; 0 when nothing was ever wanted. */
  version: number
}

const SHADOWS_OF = sql<{
  device: number
  desired: Record<string, unknown>
  version: number
}>`select device, desired, version from shadow_desired where device = any ($1::int[])`.named('shadows-desired')

/** Reported and wanted state of many devices; each reported state is one snapshot. */
export async function shadowsOf(db: pg.Pool, devices: readonly number[]): Promise<Map<number, Shadow>> {
  const [latest, wanted] = await Promise.all([readLatestValues(db, devices), runOn(db, SHADOWS_OF, [devices])])
  const shadows = new Map<number, Shadow>()
  for (const device of devices) {
    const reported = Object.fromEntries(
      [...(latest.get(device) ?? [])].flatMap(([property, [value]]) => (isRawKey(property) ? [] : [[property, value]])),
    )
    shadows.set(device, { reported, desired: {}, version: 0 })
  }
  for (const { device, desired, version } of wanted.rows) Object.assign(shadows.get(device)!, { desired, version })
  return shadows
}
