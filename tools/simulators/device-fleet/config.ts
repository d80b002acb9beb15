import { readFileSync } from 'node:fs'
import type { FirmwareLife } from './firmware/unit.ts'
import type { Address } from './fleet-device.ts'
import { type DeviceKind, isDeviceKind } from './models/index.ts'
import type { Values } from './models/physical-model.ts'

/** One device to be simulated, with the credentials it signs in by. */
export interface FleetDeviceConfig {
  /** Which physical model; the `kind` of the product in the demo catalogue. */
  kind: DeviceKind
  productKey: string
  deviceNo: string
  deviceSecret: string
  /** Home of the device; the middle of Hangzhou when absent. */
  lng?: number
  lat?: number
  traits?: Values
  /** Time between two live posts; the model's own when absent. */
  intervalMs?: number
  /** Absent: it has no firmware to speak of. */
  firmware?: FirmwareLife
}

export interface HistoryConfig {
  days: number
  /** Bound for all devices together. */
  maxMessages: number
  /** Root of the process tree whose CPU the writer keeps low; the parent process when absent. */
  watchPid?: number
}

/** What a fleet is told by whoever starts it: as the first IPC message, or as the JSON of `--config FILE`. */
export interface FleetConfig {
  mqtt: Address
  /** Where devices without MQTT dial. Absent: those stay offline. */
  tcp?: Address
  devices: FleetDeviceConfig[]
  /** Where device states and the progress of the history are kept; nothing survives the process without it. */
  stateFile?: string
  /** Absent: no history is written. */
  history?: HistoryConfig
}

export class ConfigError extends Error {}

/** Reads a configuration from anything; a ConfigError names what is wrong. */
export function parseConfig(input: unknown): FleetConfig {
  const config = record(input, 'configuration')
  if (!Array.isArray(config.devices)) throw new ConfigError('devices: a list is needed')
  return {
    mqtt: parseAddress(config.mqtt, 'mqtt'),
    ...(config.tcp === undefined ? {} : { tcp: parseAddress(config.tcp, 'tcp') }),
    devices: config.devices.map(parseDevice),
    ...(config.stateFile === undefined ? {} : { stateFile: text(config.stateFile, 'stateFile') }),
    ...(config.history === undefined ? {} : { history: parseHistory(config.history) }),
  }
}

export function readConfig(file: string): FleetConfig {
  return parseConfig(JSON.parse(readFileSync(file, 'utf8')))
}

function parseAddress(input: unknown, place: string): Address {
  const address = record(input, place)
  return { host: text(address.host, `${place}.host`), port: integer(address.port, `${place}.port`, 1, 65_535) }
}

function parseDevice(input: unknown, i: number): FleetDeviceConfig {
  const place = `devices[${i}]`
  const device = record(input, place)
  const kind = text(device.kind, `${place}.kind`)
  if (!isDeviceKind(kind)) throw new ConfigError(`${place}.kind: no physical model is called ${kind}`)
  return {
    kind,
    productKey: text(device.productKey, `${place}.productKey`),
    deviceNo: text(device.deviceNo, `${place}.deviceNo`),
    deviceSecret: text(device.deviceSecret, `${place}.deviceSecret`),
    ...(typeof device.lng === 'number' && typeof device.lat === 'number' ? { lng: device.lng, lat: device.lat } : {}),
    ...(device.traits === undefined ? {} : { traits: record(device.traits, `${place}.traits`) }),
    ...(device.firmware === undefined ? {} : { firmware: parseFirmware(device.firmware, `${place}.firmware`) }),
    ...(device.intervalMs === undefined
      ? {}
      : { intervalMs: integer(device.intervalMs, `${place}.intervalMs`, 10, 86_400_000) }),
  }
}

const CHOICES = {
  behaviour: ['honest', 'careless'],
  powerLossIn: ['downloading', 'downloaded', 'verified', 'installing', 'trial'],
  fault: ['flash', 'crash', 'refuse', 'mute'],
  transport: ['auto', 'https', 'chunks'],
} as const

function parseFirmware(input: unknown, place: string): FirmwareLife {
  const firmware = record(input, place)
  for (const [name, words] of Object.entries(CHOICES)) {
    const word = firmware[name]
    if (word !== undefined && !(words as readonly unknown[]).includes(word))
      throw new ConfigError(`${place}.${name}: one of ${words.join(', ')} is needed`)
  }
  text(firmware.version, `${place}.version`)
  return firmware as unknown as FirmwareLife
}

function parseHistory(input: unknown): HistoryConfig {
  const history = record(input, 'history')
  return {
    days: integer(history.days, 'history.days', 1, 365),
    maxMessages: integer(history.maxMessages ?? 500_000, 'history.maxMessages', 0, 100_000_000),
    ...(history.watchPid === undefined
      ? {}
      : { watchPid: integer(history.watchPid, 'history.watchPid', 1, 2 ** 31 - 1) }),
  }
}

function record(value: unknown, place: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new ConfigError(`${place}: an object is needed`)
}

function text(value: unknown, place: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new ConfigError(`${place}: a text is needed`)
}

function integer(value: unknown, place: string, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
  throw new ConfigError(`${place}: a whole number from ${min} to ${max} is needed`)
}
