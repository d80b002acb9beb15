import { type JournalEntry, JournalKind, Quality } from '../uplink.ts'

/** Bytes kept of a refused message. */
export const KEPT_BYTES = 8_192

/**
 * The refusal that takes the place of a message PostgreSQL would not store although it had passed the checks; null when
 * the message is such a refusal already.
 */
export function refusalOf(entries: readonly JournalEntry[], error: unknown): JournalEntry | null {
  const entry = entries[0]
  if (!entry || entry.refusedReason === 'not_storable') return null
  const { code } = error as { code?: string }
  const bytes = entry.raw ?? Buffer.from(entries.map(({ values }) => values ?? '').join('\n'))
  return {
    device: entry.device,
    kind: JournalKind.refused,
    arrivedAt: entry.arrivedAt,
    ts: entry.arrivedAt,
    deviceTs: null,
    quality: Quality.good,
    values: JSON.stringify({ path: '', detail: `SQLSTATE ${code ?? 'unknown'}` }),
    raw: bytes.subarray(0, KEPT_BYTES),
    refusedReason: 'not_storable',
    late: false,
  }
}
