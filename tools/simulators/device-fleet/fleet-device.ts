import type { FleetDeviceConfig } from './config.ts'
import type { SimulatedDevice } from './models/simulation.ts'

/** What the fleet counts of its devices. */
export interface FleetCounters {
  sent: number
  acked: number
  refused: number
  /** Readings that a full window or a broken connection cost. */
  skipped: number
  commands: number
}

/** What a device has of its fleet, however it is connected. */
export interface FleetDeviceContext {
  firstConnectAt: number
  now: () => number
  random: () => number
  counters: FleetCounters
}

/** Where a fleet's devices dial. */
export interface Address {
  host: string
  port: number
}

/** One simulated device on the wire: lives in real time and does what it is told, each kind of link in its own file. */
export interface FleetDevice {
  readonly config: FleetDeviceConfig
  readonly simulation: SimulatedDevice
  /** The server knows it: it was let in, not only connected. */
  readonly connected: boolean
  /** What was sent and not acknowledged yet. */
  readonly inFlight: number
  /** Does what is due; called a few times a second, so that a fleet has one timer. */
  tick(now: number): void
  stop(): Promise<void>
}
