import type { SessionInfo } from '../../modules/devices/gateway.port.ts'
import type { PollingState } from '../../modules/diagnosis/diagnosis.port.ts'
import { matches } from '../topics/topic-filter.ts'
import type { DeliveryResult, DisconnectReason, DownlinkMessage, Transport } from '../transport.port.ts'
import type { HttpTransport } from '../transports/http/http.transport.ts'
import { devicePrefix } from '../transports/mqtt/topics.ts'
import type { DeviceRecord } from '../uplink.ts'
import type { FurtherTransport } from './options.ts'
import type { SubDevices } from './sub-devices.ts'

/** Owner of the connections that `GatewayOptions.connections` makes. */
export const MQTT = 'mqtt'
export const SIMULATOR = 'simulator'

interface Held<T extends Transport> {
  connections: T
  http: HttpTransport
  /** By their names in metrics. */
  others: Readonly<Record<string, FurtherTransport>>
  simulator: Transport
  subs: SubDevices
}

/**
 * Every way from this process to a device, and which of them holds which device's connection. Transports need a port
 * that knows it, so it is made empty and holds them once they are made; nothing reaches a device before.
 */
export class Carriers<T extends Transport> {
  private held: Held<T> | null = null
  /** In the order in which they are offered a message. */
  private direct: readonly Transport[] = []
  private all: readonly Transport[] = []
  /** Which transport holds a device's connection. */
  private readonly owners = new Map<number, string>()

  /** @returns what it holds from now on */
  hold(held: Held<T>): Held<T> {
    this.held = held
    this.direct = [held.connections, held.http, ...Object.values(held.others), held.simulator]
    this.all = [...this.direct, held.subs]
    return held
  }

  /** Devices that a gateway speaks for. */
  get subs(): SubDevices {
    return this.made.subs
  }

  /** The first transport that takes the message has it. */
  deliver(device: DeviceRecord, message: DownlinkMessage, delivered: () => void): DeliveryResult {
    return handOver(this.all, device, message, delivered)
  }

  /** As `deliver`, to the device's own connection alone: to a gateway on behalf of a device below it. */
  deliverDirectly(device: DeviceRecord, message: DownlinkMessage, delivered: () => void): DeliveryResult {
    return handOver(this.direct, device, message, delivered)
  }

  /** Whether something waits at the other end of the device's connection. */
  canTake(device: number): boolean {
    const { connections, http, others, simulator, subs } = this.made
    return (
      (connections.session(device)?.subscriptions.length ?? 0) > 0 ||
      http.isWaiting(device) ||
      subs.has(device) ||
      Object.values(others).some(each => each.takesCommands !== false && each.session(device) !== null) ||
      simulator.session(device) !== null
    )
  }

  /** Raw sockets know nothing but bytes; on MQTT the device says so by what it has subscribed to. */
  speaksBytes(device: DeviceRecord): boolean {
    const owner = this.owners.get(device.num)
    if (owner !== MQTT) return owner === 'tcp' || owner === 'udp' || this.isBehindLora(device)
    const subscriptions = this.made.connections.session(device.num)?.subscriptions ?? []
    const topic = `${devicePrefix(device)}raw/down`
    return subscriptions.some(({ filter }) => matches(filter, topic))
  }

  private isBehindLora(device: DeviceRecord): boolean {
    return (this.made.others.lora?.session(device.num) ?? null) !== null
  }

  session(device: number): SessionInfo | null {
    for (const transport of this.all) {
      const session = transport.session(device)
      if (session) return session
    }
    return null
  }

  /** A device has one connection: the one before ends. */
  opened(owner: string, device: number): void {
    // Before the change of hands, so that the log shows where what was simulated ends.
    if (owner !== SIMULATOR) this.endSimulated(device)
    const before = this.owners.get(device)
    this.owners.set(device, owner)
    if (before !== undefined && before !== owner) this.named(before)?.kick(device, 'taken_over')
  }

  /** False: another transport took the device over before this one noticed. */
  closed(owner: string, device: number): boolean {
    if (this.owners.get(device) !== owner) return false
    this.owners.delete(device)
    return true
  }

  /** Something real was heard of the device: nobody acts for it any more. */
  endSimulated(device: number): void {
    this.made.simulator.kick(device, 'taken_over')
  }

  kick(device: number, reason: DisconnectReason): void {
    for (const transport of this.all) transport.kick(device, reason)
  }

  /** Goes on with a short link of the gateway's earlier life. */
  adopt(device: DeviceRecord, address: string, transport: string): SessionInfo | null {
    const { http, others, subs } = this.made
    if (transport === 'gateway') return subs.adopt(device, address)
    if (transport === 'http') return http.adopt(device, address)
    return others[transport]?.adopt?.(device, address) ?? null
  }

  /** How a device is polled over the connection of its own or of its gateway; null: it is not. */
  polling(device: number, gateway: number | null): PollingState | null {
    for (const transport of Object.values(this.made.others)) {
      const state = transport.polling?.(device, gateway)
      if (state) return state
    }
    return null
  }

  /** A device or product changed; the directory has forgotten it already. */
  changed(what: { device?: number; product?: number }): void {
    for (const transport of Object.values(this.made.others)) transport.changed?.(what)
  }

  async start(): Promise<void> {
    const { connections, http, others, simulator, subs } = this.made
    for (const transport of [http, connections, ...Object.values(others), simulator, subs]) await transport.start()
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map(transport => transport.stop()))
  }

  metrics(): Record<string, number> {
    const { others, http, subs } = this.made
    return {
      ...Object.assign({}, ...Object.values(others).map(transport => transport.metrics?.() ?? {})),
      polls_state: http.polls(),
      sub_devices_state: subs.size,
    }
  }

  private get made(): Held<T> {
    if (!this.held) throw new Error('the transports are not made yet')
    return this.held
  }

  private named(owner: string): Transport | undefined {
    const { connections, others, simulator } = this.made
    return owner === MQTT ? connections : owner === SIMULATOR ? simulator : others[owner]
  }
}

function handOver(
  transports: readonly Transport[],
  device: DeviceRecord,
  message: DownlinkMessage,
  delivered: () => void,
): DeliveryResult {
  for (const transport of transports) {
    const result = transport.deliver(device, message, delivered)
    if (result !== 'not_reachable') return result
  }
  return 'not_reachable'
}
