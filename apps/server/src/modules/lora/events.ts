import { LORA_LOCATION_SOURCES } from '@thingwright/contracts/lora.words'

/** An event of ChirpStack's integrations, as far as it is read (`integration.proto`, JSON). */
export interface LoraEvent {
  /** Tenant id of ChirpStack; empty when the event does not name it. */
  remoteTenantId: string
  devEui: string
  name: string
  applicationId: string
  profileRemoteId: string
  class: 'A' | 'B' | 'C'
  devAddr: string | null
  time: Date | null
}

export const EVENTS = ['up', 'join', 'ack', 'txack', 'log', 'status', 'location'] as const
export type EventName = (typeof EVENTS)[number]

export interface Uplink {
  port: number | null
  bytes: Buffer
  /** Values decoded by ChirpStack's codec. */
  object: Record<string, unknown> | null
  fCnt: number | null
  dr: number | null
  frequency: number | null
  /** Id of the gateway with the best reception. */
  gatewayId: string
  rssi: number | null
  snr: number | null
}

type Row = Record<string, unknown>
const rowOf = (value: unknown): Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : {}
const textOf = (value: unknown, most = 200) => (typeof value === 'string' ? value.slice(0, most) : '')
/** 64-bit numbers are strings in protobuf JSON. */
function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** The device and times of an event; null when it is not an event of ChirpStack 4 or names no device. */
export function eventOf(body: unknown): LoraEvent | null {
  const row = rowOf(body)
  const info = rowOf(row.deviceInfo)
  const devEui = textOf(info.devEui).toLowerCase()
  if (!/^[0-9a-f]{16}$/.test(devEui)) return null
  const time = Date.parse(textOf(row.time))
  const letter = textOf(info.deviceClassEnabled).replace('CLASS_', '')
  return {
    remoteTenantId: textOf(info.tenantId).toLowerCase(),
    devEui,
    name: textOf(info.deviceName),
    applicationId: textOf(info.applicationId),
    profileRemoteId: textOf(info.deviceProfileId),
    class: letter === 'B' || letter === 'C' ? letter : 'A',
    devAddr: textOf(row.devAddr) || null,
    time: Number.isNaN(time) ? null : new Date(time),
  }
}

/** The uplink in an event. null: its bytes cannot be read exactly. */
export function uplinkOf(body: unknown): Uplink | null {
  const row = rowOf(body)
  const data = row.data ?? ''
  if (typeof data !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(data)) return null
  const bytes = Buffer.from(data, 'base64')
  const heard = (Array.isArray(row.rxInfo) ? row.rxInfo : []).map(rowOf)
  const best = heard.reduce<Row>(
    (a, b) => ((numberOf(b.rssi) ?? -999) > (numberOf(a.rssi) ?? -999) ? b : a),
    heard[0] ?? {},
  )
  const port = numberOf(row.fPort)
  return {
    // Port 0 carries MAC commands of the network, not values of the device.
    port: port === null || port < 1 || port > 255 ? null : port,
    bytes,
    object: row.object === undefined || row.object === null ? null : rowOf(row.object),
    fCnt: numberOf(row.fCnt),
    dr: numberOf(row.dr),
    frequency: numberOf(rowOf(row.txInfo).frequency),
    gatewayId: textOf(best.gatewayId, 16).toLowerCase(),
    rssi: numberOf(best.rssi),
    // Protobuf JSON leaves out fields that are 0.
    snr: heard.length === 0 ? null : (numberOf(best.snr) ?? 0),
  }
}

export interface DeviceStatus {
  margin: number | null
  externalPower: boolean
  battery: number | null
}

export function statusOf(body: unknown): DeviceStatus {
  const row = rowOf(body)
  return {
    margin: numberOf(row.margin),
    externalPower: row.externalPowerSource === true,
    battery:
      row.batteryLevelUnavailable === true || row.externalPowerSource === true ? null : numberOf(row.batteryLevel),
  }
}

/** Position of a device from ChirpStack: from its GPS, or computed by a location service. */
export interface DevicePosition {
  lat: number
  lng: number
  alt: number
  source: (typeof LORA_LOCATION_SOURCES)[number]
}

/** @returns null when it is not a valid position */
export function positionOf(body: unknown): DevicePosition | null {
  const at = rowOf(rowOf(body).location)
  const [lat, lng] = [numberOf(at.latitude), numberOf(at.longitude)]
  if (lat === null || lng === null || Math.abs(lat) > 90 || Math.abs(lng) > 180 || (lat === 0 && lng === 0)) return null
  const source = textOf(at.source, 40).toLowerCase()
  return {
    lat,
    lng,
    alt: numberOf(at.altitude) ?? 0,
    source: LORA_LOCATION_SOURCES.find(word => word === source) ?? 'unknown',
  }
}

export const ackOf = (body: unknown) => ({
  queueItemId: textOf(rowOf(body).queueItemId),
  acknowledged: rowOf(body).acknowledged === true,
})

export function logOf(body: unknown): { level: string; code: string; text: string; queueItemId: string } {
  const row = rowOf(body)
  return {
    level: textOf(row.level, 20).toLowerCase(),
    code: textOf(row.code, 60),
    text: textOf(row.description, 500),
    queueItemId: textOf(rowOf(row.context).queue_item_id),
  }
}
