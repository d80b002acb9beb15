import type { ChangedCommand } from '../../lib/news.ts'
import { applyReadings } from '../../modules/commands/index.ts'
import { holdsProperties } from '../uplink.ts'
import { type Consumer, rowsConsumer } from './consumer.ts'

/**
 * Ends commands whose properties were reported as wanted. Which devices are waited for is asked of the table with every
 * write (an index that is nearly always empty), so nothing is forgotten when a process dies.
 */
export function createReadBackConsumer(onChanged: (changed: ChangedCommand[]) => void): Consumer {
  return rowsConsumer({
    name: 'read_back',
    everyMs: 50,
    wants: row => holdsProperties(row.kind),
    async handle(client, _lane, rows) {
      const changed = await applyReadings(
        client,
        rows.map(row => ({
          device: row.device,
          at: row.arrivedAt,
          get values() {
            return row.values ?? '{}'
          },
        })),
      )
      return changed.length > 0 ? () => onChanged(changed) : undefined
    },
  })
}
