import { type Reading, readLatestValues } from '../../lib/journal/latest-values.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'
import type { AuthorisedDevice, AuthorisedDeviceIds } from '../devices/authorised.port.ts'
import type { Reader } from './telemetry.snapshot.ts'

/** Latest values of a device, the journal's tail included. */
export async function latestOf(reader: Reader, device: AuthorisedDevice): Promise<Map<string, Reading>> {
  return (await readLatestValues(reader as never, device.ids)).get(device.num) ?? new Map()
}

/** The same of many, by their numbers. */
export function latestOfAll(reader: Reader, ids: AuthorisedDeviceIds): Promise<Map<number, Map<string, Reading>>> {
  return readLatestValues(reader as never, ids)
}

const DESIRED_OF = sql<{
  desired: Record<string, unknown>
  version: number
}>`select desired, version from shadow_desired where device = $1`

export async function desiredOf(
  reader: Reader,
  device: AuthorisedDevice,
): Promise<{ desired: Record<string, unknown>; version: number }> {
  const { rows } = await runOn(reader, DESIRED_OF, [device.num])
  return { desired: rows[0]?.desired ?? {}, version: rows[0]?.version ?? 0 }
}
