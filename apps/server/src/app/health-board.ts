import type { HealthView } from '@thingwright/contracts/operator.contract'
import { type HealthSources, healthReport } from './health-report.ts'

/** Parts that are made after those who ask how they are. */
type LateParts = Pick<HealthSources, 'worker' | 'live'>

/** Where the operator's desk and the diagnosis ask how the parts are. */
export interface HealthBoard {
  report(): Promise<HealthView>
  /** Rows that the consumers of the journal are behind. */
  behind(): Promise<Record<string, number>>
  /** The parts are there. */
  add(parts: LateParts): void
}

const NOT_YET: LateParts = {
  worker: { ready: () => false, gauges: async () => ({}) },
  live: { connections: () => 0, topics: () => 0 },
}

export function createHealthBoard(sources: Omit<HealthSources, keyof LateParts>): HealthBoard {
  let parts = NOT_YET
  return {
    report: () => healthReport({ ...sources, ...parts }),
    behind: () => parts.worker.gauges(),
    add(added) {
      parts = added
    },
  }
}
