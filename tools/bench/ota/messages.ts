import type { MeterIdentity } from '../generator/meter-device.ts'

/** How devices ask for chunks. */
export interface Manner {
  /** Bytes of one. */
  length: number
  /** Chunks of one question. */
  count: number
  /** Questions on their way at once. */
  window: number
}

export type ToDownloaders =
  | { type: 'connect'; port: number; version: string; devices: MeterIdentity[] }
  /** From now on a notice begins a download. */
  | { type: 'begin'; manner: Manner }
  | { type: 'read' }
  | { type: 'disconnect' }

export interface DownloadFigures {
  notified: number
  done: number
  bytes: number
  /** Devices whose bytes were not those announced. */
  wrong: number
  refused: number
  /** On the helper's clock: the first notice, and the last byte so far. */
  firstMs: number
  lastMs: number
  /** Seconds each device took, sorted. */
  took: number[]
  cpuSeconds: number
}

export type FromDownloaders =
  | { type: 'ready' }
  | { type: 'connected'; seconds: number }
  | { type: 'done' }
  | { type: 'figures'; figures: DownloadFigures }
