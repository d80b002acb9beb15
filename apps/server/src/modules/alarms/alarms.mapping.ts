import type { AlarmEventView, AlarmLevel, AlarmView } from '@thingwright/contracts/alarms.contract'
import words from './alarm-words.json' with { type: 'json' }
import type { AlarmRow, EventRow } from './alarms.repo.ts'

const iso = (date: Date | null) => date?.toISOString() ?? null

export function toView(row: AlarmRow): AlarmView {
  return {
    id: row.id,
    triggerId: row.triggerId,
    triggerName: row.triggerName,
    ...(row.isLoop ? { isLoop: true } : {}),
    target: {
      kind: row.targetKind,
      id: row.targetId,
      ...(row.targetName === null ? {} : { name: row.targetName }),
    },
    deviceId: row.deviceId,
    deviceName: row.deviceName,
    deviceNo: row.deviceNo,
    productId: row.productId,
    productName: row.productName,
    owner: row.ownerId === null ? null : { id: row.ownerId, name: row.ownerName ?? '' },
    level: row.level,
    active: row.active,
    acknowledged: row.acknowledgedAt !== null,
    work: row.work,
    assigneeId: row.assigneeId,
    assigneeName: row.assigneeName,
    count: row.count,
    raisedAt: row.raisedAt.toISOString(),
    lastAt: row.lastAt.toISOString(),
    clearedAt: iso(row.clearedAt),
    clearedBy: row.clearedBy,
    acknowledgedAt: iso(row.acknowledgedAt),
    acknowledgedName: row.acknowledgedName,
    handledAt: iso(row.handledAt),
    handledName: row.handledName,
    result: row.result,
    photoIds: row.photoIds,
    shelvedUntil: iso(row.shelvedUntil),
    suppressed: row.suppressed,
    merged: row.merged,
    stormId: row.stormId,
    raiseValues: row.raiseValues,
    clearValues: row.clearValues,
    peak: row.peak,
    comments: row.comments,
  }
}

export function toEvent(row: EventRow): AlarmEventView {
  return { ...row, at: row.at.toISOString(), kind: row.kind as AlarmEventView['kind'] }
}

/** The five levels of a company that named none itself. */
export const FIRST_LEVELS = words.levels as readonly AlarmLevel[]
