import type pg from 'pg'
import type { Clock } from '../../lib/clock.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Logger } from '../../lib/log.ts'
import type { ChangedCommand } from '../../lib/news.ts'
import type {
  RegistrationAnswer,
  RegistrationRequest,
  SubDeviceRequest,
} from '../../modules/device-identity/registration.port.ts'
import type { GatewayPort, SessionInfo } from '../../modules/devices/gateway.port.ts'
import type { PollingState, Probe, Probes, RawFrame } from '../../modules/diagnosis/diagnosis.port.ts'
import type { FirmwareAnswer, FirmwareQuestion } from '../../modules/ota/firmware.port.ts'
import type { Arrivals } from '../arrivals.ts'
import type { GatewayMetrics } from '../channel/ipc.ts'
import type { ScriptRunner } from '../codecs/script/script.codec.ts'
import type { Directory } from '../directory/directory.ts'
import type { LinkProduct } from '../directory/link-products.repo.ts'
import type { Lanes } from '../lanes.port.ts'
import type { DecodedUplink } from '../stages/decode.ts'
import type { DisconnectReason, IngestPort, Transport } from '../transport.port.ts'
import type { HttpTransport } from '../transports/http/http.transport.ts'
import type { DeviceRecord, JournalEntry, UplinkChannel } from '../uplink.ts'
import type { Frames } from './frames.ts'
import type { WrongTries } from './wrong-tries.ts'

/** What a transport with connections of its own gets besides the port. */
export interface ConnectionHooks {
  /** A device confirmed a command that was handed over in an earlier life of the gateway. */
  delivered(device: number, commandId: string): void
}

/** What a transport that answers for itself gets besides the port. */
export interface TransportHooks extends ConnectionHooks {
  directory: Directory
  clock: Clock
  /** Time that never jumps. */
  monotonic: Clock
  /** Products whose link settings matter before their device is known. */
  linkProducts(): Promise<LinkProduct[]>
  /** Where scripts of users run. */
  scripts: ScriptRunner
  /** Devices that are bound to this one as their gateway. */
  boundTo(gateway: number): Promise<DeviceRecord[]>
  /** A device on a short link (UDP, CoAP, a gateway's sub-device) came or went. */
  shortOpened(device: DeviceRecord, info: SessionInfo): void
  shortClosed(device: DeviceRecord, reason: DisconnectReason): void
  /** Gives the device the commands that wait for it and for those below it; resolves when the queue was looked at. */
  takeCommands(device: DeviceRecord): Promise<void>
  /** Which kind of reply a command of this device takes; null: it has no such command. */
  replyChannel(device: DeviceRecord, commandId: string): Promise<UplinkChannel | null>
  /** Commands that did not leave after all go back into the queue. */
  returnCommands(device: number, ids: string[]): void
  /** A message on its way will not be confirmed; `expired`: what was said when it was dropped for its time, null: an answer ends it. */
  undelivered(device: number, commandId: string, expired: string | null): void
  /** Nothing that is on its way to the device counts any longer. */
  forgetCommands(device: number): void
}

/** A transport besides MQTT and HTTP. */
export interface FurtherTransport extends Transport {
  /** False: what its devices are told leaves another way. */
  readonly takesCommands?: boolean
  metrics?(): Record<string, number>
  /** A device or product changed; the directory has forgotten it already. */
  changed?(what: { device?: number; product?: number }): void
  /** Goes on with a short link of the gateway's earlier life. */
  adopt?(device: DeviceRecord, address: string): SessionInfo
  /** How a device is polled over the connection of its own or of its gateway; null: it is not. */
  polling?(device: number, gateway: number | null): PollingState | null
}

export interface GatewayOptions<T extends Transport> {
  /** Pool of the telemetry role. */
  db: pg.Pool
  node: string
  /** Grows with every life of the gateway. */
  epoch: number
  clock: Clock
  /** Time that never jumps. */
  monotonic: Clock
  logger: Logger
  lanes: Lanes
  /** Gives messages without a time of their own theirs. */
  arrivals: Arrivals
  /** The stage that checks a message against the thing model. */
  validate(uplink: DecodedUplink): JournalEntry[]
  /** Makes the transport whose sessions are connections (MQTT). */
  connections(port: IngestPort, hooks: ConnectionHooks): T
  /** The other transports, by their names in metrics. A device has one connection: a new one ends that of any other. */
  others?(portOf: (name: string) => IngestPort, hooks: TransportHooks): Record<string, FurtherTransport>
  onCommandsChanged(changed: ChangedCommand[]): void
  /** Slows guessing; absent: its own. */
  wrongTries?: WrongTries
  /** Opens device secrets; absent: no HMAC sign-in. */
  secrets?: CryptoBox | null
  /** Asks for a registration; absent: there is none. */
  register?(request: RegistrationRequest | SubDeviceRequest): Promise<RegistrationAnswer | null>
  /** Asks for what a device is to install, and for its bytes; absent: there is none. */
  firmware?(asked: FirmwareQuestion): Promise<FirmwareAnswer | null>
  /** Raw frames of devices that somebody watches. */
  onFrames?(device: number, frames: RawFrame[], missed: number): void
  freeDiskRatio?(): Promise<number>
  /** Messages that wait for the journal. */
  queued?(): number
  /** Epoch ms at which the certificate of the TLS port ends. */
  certificateUntil?: (() => number) | undefined
  /** How long devices of the life before have to come back, ms. */
  graceMs?: number
}

/** The device path of one process: directory, pipelines, presence and transports, put together. */
export interface Gateway<T extends Transport> extends Omit<GatewayPort, 'session'> {
  readonly port: IngestPort
  readonly connections: T
  readonly http: HttpTransport
  readonly frames: Frames
  /** @param done hears of each step that is over */
  start(done?: (step: string) => void): Promise<void>
  /** Takes nothing more, lets everything taken be stored and acknowledged, then lets go of the lanes. */
  stop(): Promise<void>
  session(device: number): SessionInfo | null
  metrics(): GatewayMetrics
  probe(probe: Probe): Promise<Probes[keyof Probes]['answer']>
  watchFrames(devices: readonly number[]): void
  /** Writes what was counted of companies and devices, and reads the companies' limits anew. */
  flushFlow(): Promise<void>
}
