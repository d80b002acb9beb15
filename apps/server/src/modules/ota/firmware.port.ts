/**
 * What the device path and the module `ota` say to each other about firmware. Reports go through the journal; what a
 * device asks for is answered by the process that has the object store.
 */

/** A row of the journal of kind `firmware`, its `values`. */
export type FirmwareReport =
  /** The device runs this version, and thinks so since it started. */
  | { kind: 'inform'; module: string; version: string }
  /** How far an update is, in the device's own words. */
  | { kind: 'progress'; id: string; percent: number | null; state: string; message: string | null }

/** The module of a device that names none. */
export const DEFAULT_MODULE = 'default'

/** An update of one device that is under way, as far as sending its bytes needs it. */
export interface FirmwareDownload {
  /** Id of the job, as the device was told. */
  id: string
  campaignId: string
  /** Key of the bytes in the object store. */
  key: string
  size: number
  /** Bytes a second that may be sent; null: not limited by the campaign. */
  perDevice: number | null
  perCampaign: number | null
}

export interface FirmwareJobName {
  /** Number of the device. */
  device: number
  id: string
}

/** What the gateway asks for. */
export type FirmwareQuestion =
  /** In the order of the question; null: not this device's job, or not one under way. */
  | { kind: 'downloads'; jobs: FirmwareJobName[] }
  /** Bytes of an object, first and last, both included. */
  | { kind: 'bytes'; key: string; start: number; end: number }
  /** What a device that asks by itself is to install: the payload of `ota/notify`; null: nothing. */
  | { kind: 'pull'; device: number; module: string }

export type FirmwareAnswer =
  | { kind: 'downloads'; downloads: (FirmwareDownload | null)[] }
  | { kind: 'bytes'; bytes: Uint8Array | null }
  | { kind: 'pull'; notify: Record<string, unknown> | null }

/** Answered by the module `ota`. */
export interface FirmwareDesk {
  downloads(jobs: readonly FirmwareJobName[]): Promise<(FirmwareDownload | null)[]>
  bytes(key: string, start: number, end: number): Promise<Uint8Array | null>
  pull(device: number, module: string): Promise<Record<string, unknown> | null>
}

export async function answerFirmware(desk: FirmwareDesk, asked: FirmwareQuestion): Promise<FirmwareAnswer> {
  switch (asked.kind) {
    case 'downloads':
      return { kind: 'downloads', downloads: await desk.downloads(asked.jobs) }
    case 'bytes':
      return { kind: 'bytes', bytes: await desk.bytes(asked.key, asked.start, asked.end) }
    case 'pull':
      return { kind: 'pull', notify: await desk.pull(asked.device, asked.module) }
  }
}

/**
 * The payload of `ota/notify` and of a pull. `signature` is Ed25519 over `firmwareManifest(...)`
 * (packages/contracts/src/firmware-manifest.ts), not over the file: product, module, versions, size and hash stand in it, so
 * a device checks it before it loads a byte and a signed old file cannot be passed off as a new version.
 */
export interface FirmwareNotice {
  /** Of the update (ota_jobs.id). */
  id: string
  productKey: string
  module: string
  version: string
  kind: 'full' | 'delta'
  fromVersion: string | null
  size: number
  /** Hexadecimal, lower case. */
  sha256: string
  signature: string | null
  url: string
  /** ISO time at which the address ends. */
  expiresAt: string
  chunk: { topic: string; bytes: number }
  ext: Record<string, string>
  /** A person wants an older version. */
  downgrade: boolean
}
