import type { Input } from '@thingwright/rules'
import { isRawKey } from '@thingwright/thing-model'
import type { SignalRow } from '../../../modules/triggers/index.ts'
import type { JournalRow } from '../../lanes.port.ts'
import { holdsProperties, JournalKind, Quality } from '../../uplink.ts'

/** A row as the engine takes it; null: it says nothing to rules. */
export function inputOf(lane: number, row: JournalRow): Input | null {
  if (holdsProperties(row.kind)) {
    const values = JSON.parse(row.values ?? '{}') as Record<string, unknown>
    for (const key in values) if (isRawKey(key)) delete values[key]
    // Written out, and with every field: nearly all rows are such, and objects of one shape are judged much faster.
    return {
      lane,
      seq: row.seq,
      arrived: row.arrivedAt,
      device: row.device,
      kind: 'property',
      ts: row.ts,
      values,
      bad: row.quality === Quality.bad,
      late: row.late,
    }
  }
  const at = { lane, seq: row.seq, arrived: row.arrivedAt, device: row.device }
  const late = row.late ? { late: true } : {}
  if (row.kind === JournalKind.event) {
    const { identifier, params } = JSON.parse(row.values ?? '{}') as { identifier?: string; params?: object }
    return { ...at, kind: 'event', identifier: identifier ?? '', params: { ...params }, ...late }
  }
  if (row.kind === JournalKind.online) return { ...at, kind: 'online' }
  if (row.kind === JournalKind.offline) return { ...at, kind: 'offline' }
  return null
}

/** A fact as the engine takes it; null: it says nothing to rules. */
export function factOf(lane: number, { id, kind, triggerId, device, key }: SignalRow, arrived: number): Input | null {
  const at = { lane, seq: id, arrived }
  switch (kind) {
    case 'button':
    case 'api':
      // What is pressed belongs to one trigger.
      return { ...at, kind, key: `${triggerId}/${key}`, ...(device === null ? {} : { device }) }
    case 'command_failed':
      return device === null ? null : { ...at, kind, device, command: key ?? '' }
    case 'cleared':
      return triggerId === null ? null : { ...at, kind, rule: triggerId, target: device ?? 'scope' }
    case 'resumed':
      return triggerId === null ? null : { ...at, kind, rule: triggerId, target: 'all' }
  }
}
