import type { BatchItemState, CommandBatchView } from '@thingwright/contracts/command-batches.contract'
import type { StatusKind } from '../status-tag.tsx'

const BAD: ReadonlySet<string> = new Set(['refused', 'rejected', 'timed_out', 'expired', 'failed'])

/** The sign beside the state of one device. */
export function kindOfItem(state: BatchItemState): StatusKind {
  if (state === 'succeeded') return 'success'
  if (state === 'timed_out' || state === 'expired') return 'warning'
  if (BAD.has(state)) return 'error'
  if (state === 'cancelled') return 'disabled'
  return state === 'sent' || state === 'delivered' ? 'processing' : 'neutral'
}

/** Devices whose command did its work, failed, and those that are still open. */
export function sumOf({ counts, total }: Pick<CommandBatchView, 'counts' | 'total'>) {
  let bad = 0
  for (const state of BAD) bad += counts[state] ?? 0
  const ok = counts.succeeded ?? 0
  const cancelled = counts.cancelled ?? 0
  return { ok, bad, cancelled, open: Math.max(0, total - ok - bad - cancelled) }
}

/** Nothing more will happen to it by itself. */
export const isOver = (batch: CommandBatchView): boolean =>
  (batch.state === 'done' || batch.state === 'cancelled') && sumOf(batch).open === 0
