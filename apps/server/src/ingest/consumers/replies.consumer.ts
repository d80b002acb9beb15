import type { ChangedCommand } from '../../lib/news.ts'
import { applyReplies, type CommandReply } from '../../modules/commands/index.ts'
import type { JournalRow } from '../lanes.port.ts'
import { JournalKind } from '../uplink.ts'
import { type Consumer, rowsConsumer } from './consumer.ts'

/** Ends commands with the answers of their devices. */
export function createRepliesConsumer(onChanged: (changed: ChangedCommand[]) => void): Consumer {
  return rowsConsumer({
    name: 'replies',
    everyMs: 5,
    wants: row => row.kind === JournalKind.reply,
    async handle(client, _lane, rows) {
      const changed = await applyReplies(client, rows.map(toReply))
      return changed.length > 0 ? () => onChanged(changed) : undefined
    },
  })
}

function toReply(row: JournalRow): CommandReply {
  const { commandId, code, message, data } = JSON.parse(row.values ?? '{}') as {
    commandId: string
    code: number
    message?: string | null
    data?: unknown
  }
  return {
    device: row.device,
    commandId: String(commandId),
    code: Number(code),
    message: message ?? null,
    data,
    at: row.arrivedAt,
  }
}
