import { text } from '../lib/i18n.ts'

/** Names that are the same in every language. */
const NAMES: Readonly<Record<string, string>> = {
  mqtt: 'MQTT',
  mqtts: 'MQTT (TLS)',
  'mqtt-ws': 'MQTT (WebSocket)',
  http: 'HTTP',
  tcp: 'TCP',
  udp: 'UDP',
  coap: 'CoAP',
  websocket: 'WebSocket',
  lora: 'LoRaWAN',
}
/** Those that are words, in the namespace `ui`. */
const WORDED = ['gateway', 'platform', 'simulator']
/** What is spoken over a connection, where it has a name of its own. */
const SPOKEN: Readonly<Record<string, string>> = { 'modbus-rtu': 'Modbus RTU', 'modbus-tcp': 'Modbus TCP' }

/** How a device is connected, in words; a way that has no name here stands for itself. */
export function transportName(transport: string): string {
  if (WORDED.includes(transport)) return text(`ui:transport.${transport}`)
  return NAMES[transport] ?? transport.toUpperCase()
}

/**
 * The same with what is spoken over it: the version of MQTT or HTTP, the kind of Modbus, the class of a LoRaWAN device.
 * Bytes without a protocol and the one version of WebSocket say nothing.
 */
export function connectionName(transport: string, version: string): string {
  const name = transportName(transport)
  if (transport === 'lora') return version === '' ? name : text('ui:transport.loraClass', { name, letter: version })
  if (version in SPOKEN) return `${SPOKEN[version]} (${name})`
  if (version === '' || version === 'raw' || transport === 'websocket') return name
  return `${name} ${version}`
}
