import type { Database } from '../../lib/database/database.ts'
import * as devices from './devices.repo.ts'

/** Stores when and how devices were heard; several events in one statement under load. */
export interface Sightings {
  note(sighting: devices.Sighting): Promise<devices.BoundDevice>
}

/** Most events of one statement. */
const MOST_AT_ONCE = 500

interface Waiting {
  sighting: devices.Sighting
  resolve(bound: devices.BoundDevice): void
  reject(error: unknown): void
}

/**
 * What comes while a statement runs goes into the next one: a device that speaks alone is written down at once, and a
 * thousand of them a second cost a few statements. Two events of one device are never in one statement.
 */
export function createSightings(database: Database): Sightings {
  let waiting: Waiting[] = []
  let running = false

  /** The first of every device, in the order in which they came. */
  function take(): Waiting[] {
    const taken: Waiting[] = []
    const left: Waiting[] = []
    const devicesOf = new Set<string>()
    for (const one of waiting) {
      const key = `${one.sighting.connectionId} ${one.sighting.event.devEui}`
      if (taken.length === MOST_AT_ONCE || devicesOf.has(key)) left.push(one)
      else taken.push(one)
      devicesOf.add(key)
    }
    waiting = left
    return taken
  }

  async function write(): Promise<void> {
    running = true
    while (waiting.length > 0) {
      const taken = take()
      try {
        const bound = await database.withSystemScope('lora', scope =>
          devices.seen(
            scope,
            taken.map(({ sighting }) => sighting),
          ),
        )
        for (const [at, { resolve }] of taken.entries()) resolve(bound[at]!)
      } catch (error) {
        for (const { reject } of taken) reject(error)
      }
    }
    running = false
  }

  return {
    note: sighting =>
      new Promise((resolve, reject) => {
        waiting.push({ sighting, resolve, reject })
        // `write` rejects the single events and does not throw itself.
        if (!running) write().catch(reject)
      }),
  }
}
