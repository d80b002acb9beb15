import { holdsProperties, JournalKind } from './uplink.ts'

/** What tells the rows of one message from those of the next. */
interface Row {
  /** Number or record of the device: the same for the same device. */
  readonly device: unknown
  readonly kind: number
  readonly quality: number
  readonly ts: number
  readonly arrivedAt: number
}

/**
 * Whether a row of this kind is of a message. One definition for usage, quota and overview: each element of an array is a
 * message; what was refused is counted apart, and a connection that begins or ends is none.
 */
export function isMessage(kind: number): boolean {
  return kind !== JournalKind.online && kind !== JournalKind.offline && kind !== JournalKind.refused
}

/** Whether a row is of the same message as the one before: values whose quality or policy differ are rows side by side. */
export function continues(before: Row | undefined, row: Row): boolean {
  if (before === undefined || !holdsProperties(row.kind) || !holdsProperties(before.kind)) return false
  if (row.kind === before.kind && row.quality === before.quality) return false
  return row.device === before.device && row.ts === before.ts && row.arrivedAt === before.arrivedAt
}
