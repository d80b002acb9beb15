import { type FirmwareState, type FirmwareStore, firstState, type Slot } from './store.ts'

export interface BootChoice {
  slot: Slot
  version: string
  /** The new firmware runs for the first times and has not yet said that it is well. */
  trial: boolean
}

/**
 * What a boot loader decides: the slot to start from. A new one is started only so many times without its word; then the
 * old one is started again, and the platform hears why. A device calls this once at each start.
 * @param factoryVersion what runs when nothing was ever installed
 */
export async function chooseSlot(store: FirmwareStore, factoryVersion: string): Promise<BootChoice> {
  const state = (await store.readState()) ?? firstState(factoryVersion)
  const { update } = state
  if (update?.phase === 'trial' && update.bootsLeft > 0) {
    // Counted before it starts: a firmware that crashes at once must not be started for ever.
    await store.writeState({ ...state, update: { ...update, bootsLeft: update.bootsLeft - 1 } })
    return { slot: update.slot, version: update.notify.version, trial: true }
  }
  if (update?.phase === 'trial') await store.writeState(givenUp(state, 'trial_failed'))
  else if (!(await store.readState())) await store.writeState(state)
  return { slot: state.active, version: state.versions[state.active] ?? factoryVersion, trial: false }
}

/** The state without its update, with the reason for the platform. */
export function givenUp(state: FirmwareState, reason: string): FirmwareState {
  const { update } = state
  if (!update) return state
  return {
    ...state,
    versions: { ...state.versions, [update.slot]: null },
    update: null,
    failed: { id: update.notify.id, reason },
  }
}
