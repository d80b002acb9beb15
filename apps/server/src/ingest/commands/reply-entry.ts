import { type DeviceRecord, type JournalEntry, JournalKind, Quality } from '../uplink.ts'

/** A command's answer as a row: the same that a device's own reply makes. */
export function replyEntry(
  device: DeviceRecord,
  reply: { commandId: string; code: number; message?: string; data?: unknown },
  now: number,
): JournalEntry {
  return {
    device,
    kind: JournalKind.reply,
    arrivedAt: now,
    ts: now,
    deviceTs: null,
    quality: Quality.good,
    values: JSON.stringify({
      commandId: reply.commandId,
      code: reply.code,
      message: reply.message ?? null,
      data: reply.data ?? null,
    }),
    raw: null,
    refusedReason: null,
    late: false,
  }
}
