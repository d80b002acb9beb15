import { networkInterfaces } from 'node:os'
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

/** Base address of console and API. */
export function urlOf(config: Pick<Config, 'publicUrl' | 'host'>, httpPort: number): string {
  return config.publicUrl ?? `http://${bracketed(visibleHost(config.host))}:${httpPort}`
}

/** Where devices reach this installation. */
export function addressesOf(
  config: Pick<Config, 'publicUrl' | 'host'>,
  ports: { http: number; mqtt: number; mqtts: number | null },
): DeviceAddresses {
  const httpUrl = urlOf(config, ports.http)
  return {
    host: new URL(httpUrl).hostname,
    mqttPort: ports.mqtt,
    mqttsPort: ports.mqtts,
    wsUrl: `${httpUrl.replace(/^http/, 'ws')}/mqtt`,
    httpUrl,
  }
}
