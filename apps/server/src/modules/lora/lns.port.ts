import type { LORA_GATEWAY_STATES, LORA_METRIC_STEPS, LORA_REGIONS } from '@thingwright/contracts/lora.words'
import type { LoraFrame, LoraGatewayView, LoraMetric } from '@thingwright/contracts/lora-gateways.contract'
import type { LoraMulticastItem, LoraMulticastView } from '@thingwright/contracts/lora-multicast.contract'
import type { LoraProfileFields } from '@thingwright/contracts/lora-profiles.contract'

export type LoraRegion = (typeof LORA_REGIONS)[number]
export type GatewayState = (typeof LORA_GATEWAY_STATES)[number]
export type MetricStep = (typeof LORA_METRIC_STEPS)[number]

/** With what a network server lets us in. */
export interface LnsAccess {
  /** `https://host:port` */
  url: string
  apiKey: string
  /** Tenant of the network server. */
  tenantId: string
  /** A person of it; without one regions are not asked for. */
  email: string
  password: string
}

/** What a list of device profiles says of one. */
export interface LnsProfileItem
  extends Pick<
    LoraProfileFields,
    'name' | 'region' | 'macVersion' | 'regParamsRevision' | 'supportsOtaa' | 'supportsClassB' | 'supportsClassC'
  > {
  remoteId: string
  /** Made for the whole server. */
  shared: boolean
  createdAt: string
  updatedAt: string
}

/** A device profile whole, and when the server says that it changed last. */
export interface LnsProfile {
  fields: LoraProfileFields
  createdAt: string
  updatedAt: string
}

/** What people change of a gateway. */
export type LnsGatewayFields = Pick<
  LoraGatewayView,
  'name' | 'description' | 'location' | 'statsInterval' | 'downlinkPriority' | 'tags'
>

export interface LnsGatewayItem
  extends Pick<LnsGatewayFields, 'name' | 'description' | 'location' | 'downlinkPriority'> {
  gatewayId: string
  locationSource: LoraGatewayView['locationSource']
  regionConfigId: string | null
  state: GatewayState
  lastSeenAt: string | null
  createdAt: string
  updatedAt: string
}

export interface LnsGateway extends Omit<LnsGatewayItem, 'state' | 'regionConfigId'>, LnsGatewayFields {
  metadata: Record<string, string>
}

export interface LnsRegion {
  id: string
  description: string
  region: LoraRegion
}

export interface LnsRegionInfo extends LnsRegion {
  channels: { frequency: number; dataRates: number[] }[]
  rx1Delay: number
  rx1DrOffset: number
  rx2Dr: number
  rx2Frequency: number
  pingSlotDr: number
  pingSlotFrequency: number
  userInfo: string
}

/** A frame for a device, or values for the server's own codec. */
export interface LnsDownlink {
  devEui: string
  port: number
  confirmed: boolean
  bytes: Uint8Array | null
  object: Record<string, unknown> | null
  /** The server drops it then; null: never. */
  expiresAt: Date | null
}

/** A device as it is made at the server. */
export interface LnsDevice {
  devEui: string
  name: string
  applicationId: string
  /** Remote id of its device profile. */
  profileId: string
  joinEui: string
  skipFcntCheck: boolean
  disabled: boolean
  variables: Record<string, string>
  tags: Record<string, string>
  /** Root keys by which it joins; null: it has a session of its own. */
  keys: { nwkKey: string; appKey: string; genAppKey: string } | null
  /** The session of a device that does not join (LoRaWAN 1.0: one network key). */
  session: { devAddr: string; appSKey: string; nwkSKey: string } | null
}

/** Session and queue of a device. Session keys are not read. */
export interface LnsSession {
  session: { devAddr: string; fCntUp: number; nFCntDown: number; aFCntDown: number } | null
  queue: {
    id: string
    port: number
    confirmed: boolean
    hex: string
    pending: boolean
    fCntDown: number
    expiresAt: string | null
  }[]
}

/** TLS client certificate of a gateway, which the server does not keep. */
export interface LnsCertificate {
  caCert: string
  tlsCert: string
  tlsKey: string
  expiresAt: string | null
}

export type LnsMulticastItem = LoraMulticastItem
/** What a multicast group is made of. */
export interface LnsMulticastFields {
  name: string
  applicationId: string
  region: LoraRegion
  type: LoraMulticastItem['type']
  mcAddr: string
  mcNwkSKey: string
  mcAppSKey: string
  dr: number
  frequency: number
  pingSlotPeriodicity: number
}
export type LnsMulticast = Omit<LoraMulticastView, 'applicationName'>

/** The device or gateway whose traffic is read. */
export type LnsTraffic = { of: 'gateway'; gatewayId: string } | { of: 'frames' | 'events'; devEui: string }

export type LnsFault =
  /** The key or the person is not let in, or may not do this. */
  | 'credentials'
  /** It knows no such object. */
  | 'gone'
  | 'exists'
  /** It says no: a value that it does not take, an object in use. */
  | 'refused'
  /** No answer, or it failed by itself: later. */
  | 'unavailable'
  /** What it answered is not what its documents say. */
  | 'answer'

/** A network server that did not do what it was asked. */
export class LnsError extends Error {
  /**
   * @param text its own words, never translated
   * @param code its own code
   */
  constructor(
    readonly fault: LnsFault,
    readonly text: string,
    readonly code = '',
  ) {
    super(`${fault}${code ? ` ${code}` : ''}: ${text}`)
    this.name = 'LnsError'
  }
}

/** A LoRaWAN network server, by one connection. Every method fails with LnsError. */
export interface Lns {
  /** Asks for the tenant, and signs the person in where there is one. @returns the tenant's name */
  test(): Promise<{ tenantName: string }>
  profiles(): Promise<LnsProfileItem[]>
  profile(remoteId: string): Promise<LnsProfile>
  /** @returns its id */
  createProfile(fields: LoraProfileFields): Promise<string>
  /** What we do not know of a profile stays. */
  updateProfile(remoteId: string, fields: LoraProfileFields): Promise<void>
  removeProfile(remoteId: string): Promise<void>
  gateways(): Promise<LnsGatewayItem[]>
  gateway(gatewayId: string): Promise<LnsGateway>
  createGateway(gatewayId: string, fields: LnsGatewayFields): Promise<void>
  updateGateway(gatewayId: string, fields: LnsGatewayFields): Promise<void>
  removeGateway(gatewayId: string): Promise<void>
  metrics(gatewayId: string, from: Date, to: Date, step: MetricStep): Promise<LoraMetric[]>
  /** null: this connection has no person who may ask. */
  regions(): Promise<LnsRegion[] | null>
  region(id: string): Promise<LnsRegionInfo | null>
  /** Puts a frame into the device's queue. @returns the id of the item */
  enqueue(downlink: LnsDownlink): Promise<string>
  applications(): Promise<{ id: string; name: string }[]>
  /** Makes a device with its keys, or changes the one that is there; what we do not know of it stays. */
  putDevice(device: LnsDevice): Promise<void>
  removeDevice(devEui: string): Promise<void>
  session(devEui: string): Promise<LnsSession>
  flushQueue(devEui: string): Promise<void>
  gatewayCertificate(gatewayId: string): Promise<LnsCertificate>
  /** What the server keeps of the traffic and what comes within a moment, the newest first. */
  traffic(of: LnsTraffic): Promise<LoraFrame[]>
  multicastGroups(): Promise<LnsMulticastItem[]>
  multicastGroup(groupId: string): Promise<LnsMulticast>
  /** @returns its id */
  createMulticastGroup(fields: LnsMulticastFields): Promise<string>
  removeMulticastGroup(groupId: string): Promise<void>
  addToMulticastGroup(groupId: string, devEui: string): Promise<void>
  removeFromMulticastGroup(groupId: string, devEui: string): Promise<void>
  sendToMulticastGroup(groupId: string, port: number, bytes: Uint8Array): Promise<void>
  close(): void
}

/** Makes the client of a connection. */
export type LnsFactory = (access: LnsAccess, simulated: boolean) => Lns
