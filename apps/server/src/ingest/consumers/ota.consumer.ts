import { runner } from '../../lib/sql/statement.ts'
import type { FirmwareReport } from '../../modules/ota/firmware.port.ts'
import { applyFirmwareReports } from '../../modules/ota/index.ts'
import { JournalKind } from '../uplink.ts'
import { type Consumer, rowsConsumer } from './consumer.ts'

/** Takes what devices say of their firmware into their versions, updates and time lines. */
export function createOtaConsumer(): Consumer {
  return rowsConsumer({
    name: 'ota',
    everyMs: 50,
    wants: row => row.kind === JournalKind.firmware,
    async handle(client, _lane, rows) {
      await applyFirmwareReports(
        runner(client),
        rows.map(row => ({
          device: row.device,
          at: row.arrivedAt,
          report: JSON.parse(row.values ?? '{}') as FirmwareReport,
        })),
      )
      return undefined
    },
  })
}
