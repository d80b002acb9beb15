import type { HistogramData } from '../core/histogram.ts'
import type { MeterIdentity } from './meter-device.ts'

/** What the benchmark tells its generator. Every message is answered by one of {@link FromGenerator}. */
export type ToGenerator =
  | { type: 'connect'; port: number; qos: 0 | 1; devices: MeterIdentity[] }
  /** Open loop: from now on `rate` messages a second over all devices in turn; 0 stops. */
  | { type: 'pace'; rate: number }
  /** Figures since the last reading. */
  | { type: 'read' }
  | { type: 'per-device' }
  | { type: 'disconnect' }

export type FromGenerator =
  | { type: 'connected'; seconds: number }
  | { type: 'done' }
  | { type: 'figures'; figures: GeneratorFigures }
  | { type: 'per-device'; sent: Uint32Array; acked: Uint32Array }

export interface GeneratorFigures {
  /** Since the devices connected. */
  sent: number
  acked: number
  /** Since the last reading: from the time a message was due to its acknowledgement, ms. */
  latency: HistogramData
  /** Since the last reading: how far the sending lagged behind the schedule, ms. */
  lateMs: number
  /** CPU of the generator since its start, s. */
  cpuSeconds: number
  /** Whatever should not happen: lost connections, strange packets; the first few, and how many. */
  unexpected: { first: string[]; count: number }
}
