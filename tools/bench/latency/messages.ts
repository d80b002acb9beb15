import type { HistogramData } from '../core/histogram.ts'
import type { MeterIdentity } from '../generator/meter-device.ts'

export interface Probe {
  id: string
  identity: MeterIdentity
}

export type ToProber =
  | { type: 'open'; url: string; mqttPort: number; probes: Probe[] }
  /** Open loop: `rate` probes a second over all probe devices in turn; every `storedEvery`th is looked up over REST. */
  | { type: 'pace'; rate: number; storedEvery: number }
  /** Forgets what was measured so far: the load is steady now. */
  | { type: 'reset' }
  /** Figures since then; to be asked with the pace at 0, because it waits for what is still on its way. */
  | { type: 'read' }

export type FromProber = { type: 'done' } | { type: 'figures'; figures: ProberFigures }

export interface ProberFigures {
  /** From the time a message was due, ms: until PUBACK, until a REST reply held it, until the live socket brought it. */
  puback: HistogramData
  stored: HistogramData
  browser: HistogramData
  /** REST replies after the PUBACK that did not hold the message yet. */
  tooEarly: number
  /** Probes that never came. */
  lost: { puback: number; stored: number; browser: number }
}
