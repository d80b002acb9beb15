import type { HistogramData } from '../core/histogram.ts'

export const SINKS = ['webhook', 'mqtt', 'nats'] as const
export type SinkName = (typeof SINKS)[number]

/** How the webhook receiver behaves from now on. */
export type Manner = 'take' | 'hang' | 'refuse'

/** What the benchmark tells the process that plays the receivers. */
export type ToSinks =
  | { type: 'open'; secret: string }
  | { type: 'sign-in'; port: number; username: string; password: string }
  | { type: 'behave'; manner: Manner }
  /** Figures since the last reading; counts since the beginning. */
  | { type: 'read' }

export type FromSinks =
  | { type: 'opened'; webhookUrl: string; natsUrl: string }
  | { type: 'done' }
  | { type: 'figures'; sinks: Record<SinkName, SinkFigures>; cpuSeconds: number }

export interface SinkFigures {
  /** Different items that arrived since the beginning. */
  items: number
  /** Items that came once more. */
  repeated: number
  /** Different items since the last reading. */
  fresh: number
  /** Since the last reading: from the time the device's message was due to the item's arrival, ms. */
  lag: HistogramData
  /** Devices of which an item came before one that was sent earlier. */
  outOfOrder: number
  /** What no honest sender does, the first few. */
  faults: string[]
}
