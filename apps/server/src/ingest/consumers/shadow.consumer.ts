import { devicesWithWishes, fulfilWishes } from '../../modules/commands/index.ts'
import type { JournalRow } from '../lanes.port.ts'
import { holdsProperties } from '../uplink.ts'
import { type Consumer, rowsConsumer } from './consumer.ts'

/** Wanted values that a device has reached are no longer wanted. */
export function createShadowConsumer(): Consumer {
  return rowsConsumer({
    name: 'shadow',
    everyMs: 500,
    wants: row => holdsProperties(row.kind) && !row.late,
    async handle(client, _lane, rows) {
      const devices = [...new Set(rows.map(row => row.device))]
      // Few devices have a wish that is not fulfilled; only their values are decoded.
      const waiting = await devicesWithWishes(client, devices)
      if (waiting.length > 0) await fulfilWishes(client, reportedBy(rows, new Set(waiting)))
      return undefined
    },
  })
}

/** The last values of each device among the rows. */
function reportedBy(rows: readonly JournalRow[], devices: ReadonlySet<number>): Map<number, Record<string, unknown>> {
  const reported = new Map<number, Record<string, unknown>>()
  for (const row of rows)
    if (devices.has(row.device))
      reported.set(row.device, {
        ...reported.get(row.device),
        ...(JSON.parse(row.values ?? '{}') as Record<string, unknown>),
      })
  return reported
}
