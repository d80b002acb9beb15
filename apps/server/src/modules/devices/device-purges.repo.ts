import type { Database } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

const PENDING_PURGES = sql<{ device: number }>`select device from device_purges order by requested_at`

/** Devices gone for good whose telemetry may still be there, of all companies. */
export async function pendingPurges(database: Database): Promise<number[]> {
  const { rows } = await database.withSystemScope('maintenance', scope => scope.run(PENDING_PURGES))
  return rows.map(row => row.device)
}

const PURGE_DONE = sql`delete from device_purges where device = $1`

export async function purgeDone(database: Database, num: number): Promise<void> {
  await database.withSystemScope('maintenance', scope => scope.run(PURGE_DONE, [num]))
}
