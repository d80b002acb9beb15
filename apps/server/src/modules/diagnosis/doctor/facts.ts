import type { DiagnosisFinding } from '@thingwright/contracts/diagnosis.contract'
import type { DevicePathState } from '../diagnosis.port.ts'

export type Cause = DiagnosisFinding['cause']
export type Fix = DiagnosisFinding['fixes'][number]

/** A row of the journal as the doctor reads it. */
export interface LogRow {
  seq: number
  at: number
  kind: 'property' | 'event' | 'reply' | 'online' | 'offline' | 'refused'
  quality: number
  late: boolean
  deviceTs: number | null
  values: Record<string, unknown>
  raw: Buffer | null
  reason: string | null
}

export interface ConnectionChange {
  at: number
  kind: 'online' | 'offline'
  reason: string | null
  transport: string | null
  address: string | null
}

export interface DeviceFacts {
  id: string
  deviceNo: string
  lifecycle: 'inactive' | 'active' | 'disabled' | 'recycled'
  offlineDelaySeconds: number
  previousSecretUntil: number | null
  seenBefore: boolean
  lastSeenAt: number | null
  /** The device that speaks for this one, when there is one. */
  gateway: { id: string; deviceNo: string; online: boolean } | null
  /** The SIM card that is in it, when one is bound to it. */
  card: {
    id: string
    carrier: string
    iccid: string
    state: string
    rawState: string | null
    stopReason: string | null
    dataOff: boolean | null
    imei: string | null
    boundImei: string | null
    since: number | null
  } | null
  /** What its LoRaWAN network server knows of it; null: it is no device of LoRaWAN. */
  lora: {
    /** Whether it was made there with its keys from here, and why not. */
    state: 'none' | 'pending' | 'registered' | 'failed'
    fault: string | null
    lastSeenAt: number | null
    problem: { level: string; code: string; text: string } | null
    problemAt: number | null
    /** The gateway that heard it last. */
    gateway: { name: string; state: string; since: number | null } | null
  } | null
  /** The cameras that look at it. */
  cameras: {
    name: string
    state: 'online' | 'offline' | 'unknown'
    /** The vendor's account that it belongs to, with what the vendor said last; null: a stream address of its own. */
    account: { name: string; state: string; fault: { code: string; text: string } | null } | null
  }[]
  /** Its certificates: how many count, and when the last was revoked, epoch ms. */
  certificates: { active: number; revokedAt: number | null }
  /** How often its limits held it back on the last day on which they did. */
  flow: { slowed: number; refused: number; lastAt: number } | null
  productKey: string
  published: boolean
  linkType: string
  nodeType: string
  formatKind: string
  /** Of the model in force. */
  identifiers: string[]
  writable: number
  services: number
  companyStatus: string
}

/** Everything the doctor looks at, read at one time. */
export interface Facts {
  now: number
  device: DeviceFacts
  /** The product's own port, where it has one. */
  ownPort: { port: number; state: 'open' | 'failed'; error: string | null } | null
  ports: {
    mqttPort: number
    mqttsPort: number | null
    tcpPort: number | null
    udpPort: number | null
    coapPort: number | null
  }
  /** Null: the gateway does not answer. */
  path: DevicePathState | null
  /** Rows that each consumer of the journal is behind; null: not known. */
  behind: Record<string, number> | null
  /** Newest first. */
  rows: LogRow[]
  /** Newest first. */
  connections: ConnectionChange[]
  /** `waiting`: what those in the queue ask for. */
  commands: {
    queued: number
    waiting: string[]
    oldestQueuedAt: number | null
    recent: { state: string; at: number }[]
  }
  messagesQuota: { used: number; limit: number } | null
  watch: WatchFacts | null
}

/** What watches the device, as far as the caller may see it; null in its place: he may not see that. */
export interface WatchFacts {
  maintenance: { until: number; since: number; reason: string } | null
  /** Open alarms: how many, the gravest level, the time of the newest, names of the first triggers. */
  alarms: { open: number; level: number; at: number | null; names: string[] } | null
  /** Triggers that watch it: how many are judged, and those that are not, with the reason. */
  triggers: { judged: number; failing: { name: string; why: string }[]; paused: { name: string; why: string }[] } | null
}

/** One thing found wrong. */
export interface Found {
  cause: Cause
  severity: 'broken' | 'warning'
  at: number | null
  params: Record<string, unknown>
  raw: Buffer | null
  fixes: Fix[]
}

export interface Step {
  facts: Record<string, unknown>
  found: Found[]
  /** True: there is something that speaks for the step; otherwise it counts as unknown while nothing is found. */
  passed: boolean
}

export function found(cause: Cause, over: Partial<Omit<Found, 'cause'>> = {}): Found {
  return { cause, severity: 'broken', at: null, params: {}, raw: null, fixes: [], ...over }
}

export const MINUTE_MS = 60_000
/** A connection without a message is not worth a word before. */
export const SILENT_MS = 2 * MINUTE_MS
