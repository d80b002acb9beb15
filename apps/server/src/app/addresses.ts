import { networkInterfaces } from 'node:os'
import type { GatewayPorts } from '../ingest/channel/ipc.ts'
import type { Config } from '../lib/config.ts'
import type { DeviceAddresses } from '../modules/devices/index.ts'

/** The name under which others reach this machine: never an address that only means “everywhere”. */
function visibleHost(host: string): string {
  if (host !== '0.0.0.0' && host !== '::') return host
  for (const list of Object.values(networkInterfaces()))
    for (const address of list ?? []) if (address.family === 'IPv4' && !address.internal) return address.address
  return '127.0.0.1'
}

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host)

/** The same for programs of this machine. */
export function localUrl(host: string, httpPort: number): string {
  return `http://${bracketed(host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host)}:${httpPort}`
}

/** Base address of console and API. */
export function urlOf(config: Pick<Config, 'publicUrl' | 'host'>, httpPort: number): string {
  return config.publicUrl ?? `http://${bracketed(visibleHost(config.host))}:${httpPort}`
}

/** Ports that were really taken; null: this installation does not listen. */
export interface DevicePorts extends GatewayPorts {
  http: number
}

/** Where devices reach this installation. */
export function addressesOf(config: Pick<Config, 'publicUrl' | 'host'>, ports: DevicePorts): DeviceAddresses {
  const httpUrl = urlOf(config, ports.http)
  return {
    // A URL wraps an IPv6 address into brackets, which belong to URLs only.
    host: new URL(httpUrl).hostname.replace(/^\[|\]$/g, ''),
    mqttPort: ports.mqtt,
    mqttsPort: ports.mqtts,
    tcpPort: ports.tcp,
    udpPort: ports.udp,
    coapPort: ports.coap,
    wsUrl: `${httpUrl.replace(/^http/, 'ws')}/mqtt`,
    httpUrl,
  }
}
