/** What a platform tells of a device that it speaks for. Payloads are those of the standard channels (interfaces.md §4). */
export type PlatformAct =
  | { kind: 'online' }
  | { kind: 'offline' }
  | { kind: 'property'; payload: string }
  | { kind: 'event'; identifier: string; payload: string }
  | { kind: 'raw'; bytes: Uint8Array }

export type PlatformOutcome =
  /** Durable. */
  | { outcome: 'stored' }
  /** Kept as a refusal of the product, and durable as that. */
  | { outcome: 'refused'; reason: string; path: string }
  | { outcome: 'unavailable'; reason: 'unknown_device' | 'disabled' | 'not_published' | 'overloaded' }

export interface PlatformReport {
  productKey: string
  deviceNo: string
  /** Which platform speaks, in place of where from. */
  address: string
  act: PlatformAct
}

/** Brings what platforms say into the device path. */
export interface PlatformLink {
  /** @returns null: the device path does not answer */
  report(report: PlatformReport): Promise<PlatformOutcome | null>
}
