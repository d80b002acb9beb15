/** What the updater needs of the device's way to the platform. */
export interface FirmwareLink {
  /** Stands in what signatures speak for. */
  readonly productKey: string
  /** The version that runs; resolves when the platform has it for good. */
  inform(module: string, version: string): Promise<void>
  progress(report: FirmwareProgress): Promise<void>
  /** Asks for what is to be installed; the payload of a notice, or null for nothing. */
  pull(module: string): Promise<Record<string, unknown> | null>
  /** Asks for `count` chunks of `length` bytes from `offset`; they come to `onChunk`. Null: this way has no chunks. */
  readonly request: ((ask: ChunkAsk) => void) | null
  onNotify(handler: (payload: Record<string, unknown>) => void): void
  /** @param handler `bytes` null: refused, with the reason */
  onChunk(handler: (chunk: ReceivedChunk) => void): void
}

export interface FirmwareProgress {
  id: string
  /** 0 to 100. */
  percent?: number
  /** downloading, downloaded, verified, installing, failed, rejected; others are noted. */
  state: string
  message?: string
}

export interface ChunkAsk {
  id: string
  offset: number
  length: number
  count: number
}

export type ReceivedChunk =
  | { id: string; offset: number; bytes: Uint8Array }
  | { id: string; offset: number; bytes: null; code: string }
