import type { OtaJobState } from '@thingwright/contracts/firmware-schemas'
import type { OtaJobView } from '@thingwright/contracts/ota.contract'

const WAY: readonly OtaJobState[] = [
  'pending',
  'notified',
  'downloading',
  'downloaded',
  'verified',
  'installing',
  'succeeded',
]

export interface Phase {
  state: OtaJobState
  mark: 'done' | 'now' | 'bad' | 'open'
}

/**
 * The way of an update with a mark at each phase. An update that ended otherwise than well shows its end after the
 * phases that are known to be behind it: told when it was told, nothing more is claimed.
 */
export function phasesOf({ state, notifiedAt }: Pick<OtaJobView, 'state' | 'notifiedAt'>): Phase[] {
  const at = WAY.indexOf(state === 'to_confirm' ? 'pending' : state)
  if (at >= 0) {
    const way = state === 'to_confirm' ? (['to_confirm', ...WAY] as const) : WAY
    return way.map((each, index) => ({
      state: each,
      mark: state === 'succeeded' || index < at ? 'done' : index === at ? 'now' : 'open',
    }))
  }
  const behind = notifiedAt === null ? (['pending'] as const) : (['pending', 'notified'] as const)
  return [...behind.map(each => ({ state: each, mark: 'done' as const })), { state, mark: 'bad' }]
}
