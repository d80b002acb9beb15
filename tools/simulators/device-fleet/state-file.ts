import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { HistoryPlan } from './history-plan.ts'
import type { SimulationSnapshot } from './models/simulation.ts'

/** What a fleet remembers from one run to the next. Keys are `productKey/deviceNo`. */
export interface FleetState {
  version: 1
  history: { plan: HistoryPlan; done: Record<string, number> } | null
  devices: Record<string, SimulationSnapshot>
}

export function emptyState(): FleetState {
  return { version: 1, history: null, devices: {} }
}

/** The state stored last, or an empty one when there is none or it cannot be read (then life begins anew). */
export function readState(file: string): FleetState {
  try {
    const state = JSON.parse(readFileSync(file, 'utf8')) as FleetState
    if (state.version === 1 && typeof state.devices === 'object' && state.devices !== null) return state
  } catch {
    // Not there yet, or cut short by a crash of the machine.
  }
  return emptyState()
}

/** Replaces the file as a whole: a reader sees the old state or the new one, never half of it. */
export function writeState(file: string, state: FleetState): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
