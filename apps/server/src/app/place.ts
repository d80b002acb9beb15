import type { Config } from '../lib/config.ts'
import type { DeviceAddresses } from '../modules/devices/index.ts'
import { addressesOf, type DevicePorts, urlOf } from './addresses.ts'

/** Where this installation is reached, as far as that is known. */
export interface Place {
  addresses(): DeviceAddresses
  ports(): DevicePorts
  /** The ports are taken. */
  settle(ports: DevicePorts): void
  settled(): boolean
  /** Base address of console and API. */
  url(): string
  /** Ports that were not free, and what was taken instead: a line each. */
  moved(): string[]
  /** The ports that were taken, as the variables by which to ask for the same ones again. */
  settings(): Record<string, string>
}

export function createPlace(config: Config): Place {
  let ports: DevicePorts = { http: 0, mqtt: 0, mqtts: null, tcp: null, udp: null, coap: null }
  const listeners = ['http', 'mqtt', 'mqtts', 'tcp', 'udp', 'coap'] as const
  return {
    addresses: () => addressesOf(config, ports),
    ports: () => ports,
    settle(taken) {
      ports = taken
    },
    settled: () => ports.http !== 0,
    url: () => urlOf(config, ports.http),
    moved: () =>
      listeners.flatMap(name => {
        const asked = config[name]
        const port = ports[name]
        return port === null || asked.port === 0 || asked.port === port
          ? []
          : [`${asked.variable}: ${asked.port} was in use, so ${port} was taken`]
      }),
    // A port that is off was switched off by its setting, which stays as it is.
    settings: () =>
      Object.fromEntries(
        listeners.flatMap(name => {
          const port = ports[name]
          return port === null ? [] : [[config[name].variable, String(port)]]
        }),
      ),
  }
}
