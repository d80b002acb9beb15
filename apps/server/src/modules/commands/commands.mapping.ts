import type { CommandView } from '@thingwright/contracts/commands.contract'
import type { CommandRow } from './commands.repo.ts'

const iso = (at: Date | null) => at?.toISOString() ?? null

export function toView(row: CommandRow): CommandView {
  return {
    id: row.id,
    deviceId: row.deviceId,
    kind: row.kind,
    identifier: row.identifier,
    params: row.params,
    state: row.state,
    source: row.source,
    operatorName: row.operatorName,
    timeoutMs: row.timeoutMs,
    attempt: row.attempt,
    expiresAt: row.expiresAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
    sentAt: iso(row.sentAt),
    deliveredAt: iso(row.deliveredAt),
    finishedAt: iso(row.finishedAt),
    reply: row.reply ?? null,
    errorCode: row.errorCode,
    errorMessage: row.errorMessage,
    confirm: row.confirm,
    retries: row.retries,
    frames: row.frames,
    readBack: row.readBack,
    template: row.template,
    batchId: row.batchId,
    lora: row.lora,
  }
}
