import type { Database } from '../../lib/database.ts'

/** Devices gone for good whose telemetry may still be there, of all companies. */
export async function pendingPurges(database: Database): Promise<number[]> {
  const { rows } = await database.withSystemScope('maintenance', scope =>
    scope.query<{ device: number }>('select device from device_purges order by requested_at'),
  )
  return rows.map(row => row.device)
}

export async function purgeDone(database: Database, num: number): Promise<void> {
  await database.withSystemScope('maintenance', scope =>
    scope.query('delete from device_purges where device = $1', [num]),
  )
}
