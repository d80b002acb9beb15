import type { StorePolicy } from '@thingwright/thing-model'
import { Lru } from '../memory/lru.ts'

export interface StoredReading {
  value: unknown
  /** Epoch ms. */
  ts: number
  quality: number
}

/** Devices remembered; of one that was forgotten the next value is stored. */
const DEVICES = 200_000

/**
 * What was last stored of every property with a store policy. In memory only: after a restart one value more is stored,
 * never one less. Times are those of the values, so what a device saved up while it was away is thinned as if it had come
 * in time.
 */
export class StoreMemory {
  private readonly devices: Lru<number, Map<string, StoredReading>>

  constructor(limit = DEVICES) {
    this.devices = new Lru(limit)
  }

  get size(): number {
    return this.devices.size
  }

  /** Whether history gets the reading; it is then what the next one is compared with. */
  isStored(device: number, property: string, policy: StorePolicy, reading: StoredReading): boolean {
    let readings = this.devices.get(device)
    if (!readings) {
      readings = new Map()
      this.devices.set(device, readings)
    }
    const last = readings.get(property)
    if (last) {
      // Older than what is stored: it fills a gap and says nothing of what follows.
      if (reading.ts < last.ts) return true
      if (reading.quality === last.quality && !differs(policy, last, reading)) return false
    }
    readings.set(property, reading)
    return true
  }

  forget(device: number): void {
    this.devices.delete(device)
  }
}

function differs(policy: StorePolicy, last: StoredReading, { value, ts }: StoredReading): boolean {
  if (policy.mode === 'interval') return ts - last.ts >= (policy.seconds ?? 0) * 1_000
  if (policy.maxSeconds !== undefined && ts - last.ts >= policy.maxSeconds * 1_000) return true
  if (policy.mode === 'deadband') {
    const before = Number(last.value)
    const now = Number(value)
    if (Number.isFinite(before) && Number.isFinite(now)) {
      const band = policy.band ?? 0
      return Math.abs(now - before) > (policy.percent ? (Math.abs(before) * band) / 100 : band)
    }
  }
  return !isSame(last.value, value)
}

function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return Object.is(a, b)
  return JSON.stringify(a) === JSON.stringify(b)
}
