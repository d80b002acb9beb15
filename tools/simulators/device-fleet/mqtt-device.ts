import { CommandHandler } from './command-handler.ts'
import type { FleetDeviceConfig } from './config.ts'
import { FirmwareUnit } from './firmware/unit.ts'
import type { Address, FleetDevice, FleetDeviceContext } from './fleet-device.ts'
import type { EmittedEvent } from './models/physical-model.ts'
import type { SimulatedDevice } from './models/simulation.ts'
import { type Acknowledged, MqttLink } from './mqtt-link.ts'

const KEEP_ALIVE_SECONDS = 60

export interface MqttDeviceContext extends FleetDeviceContext {
  mqtt: Address
  protocolVersion: 4 | 5
  latency: (ms: number) => void
  /** The server refused the credentials. */
  refused: (device: FleetDevice, code: number) => void
}

/** A device with a session of its own: posts at its pace, is commanded and updated over MQTT. */
export class MqttDevice implements FleetDevice {
  readonly config: FleetDeviceConfig
  readonly #simulation: SimulatedDevice
  readonly #context: MqttDeviceContext
  readonly #link: MqttLink
  readonly #commands: CommandHandler
  readonly #prefix: string
  readonly #intervalMs: number
  readonly firmware: FirmwareUnit | null
  #nextPostAt = 0
  #lastPostAt = 0
  #livePostAcked = false

  constructor(config: FleetDeviceConfig, simulation: SimulatedDevice, context: MqttDeviceContext) {
    this.config = config
    this.#simulation = simulation
    this.#context = context
    this.#commands = new CommandHandler(simulation)
    this.#intervalMs = config.intervalMs ?? simulation.intervalMs
    this.#prefix = `things/${config.productKey}/${config.deviceNo}/`
    this.firmware = config.firmware
      ? new FirmwareUnit(config.productKey, config.firmware, {
          post: (suffix, payload, acknowledged) => this.#link.publish(this.#prefix + suffix, payload, acknowledged),
          reset: downMs => this.#link.cut(downMs),
          bricked: () => {
            this.#link.stop().catch(() => undefined)
          },
        })
      : null
    this.#link = new MqttLink(
      {
        ...context.mqtt,
        username: `${config.productKey}/${config.deviceNo}`,
        password: config.deviceSecret,
        clientId: `fleet-${config.deviceNo}`,
        protocolVersion: context.protocolVersion,
        keepAliveSeconds: KEEP_ALIVE_SECONDS,
        filter: `${this.#prefix}#`,
        random: context.random,
        now: context.now,
      },
      {
        ready: () => this.#cameUp(),
        message: (topic, payload) => this.#asked(topic, payload),
        refused: code => context.refused(this, code),
      },
      context.firstConnectAt,
    )
  }

  get connected(): boolean {
    return this.#link.ready
  }

  get inFlight(): number {
    return this.#link.inFlight
  }

  /** The platform has a present value of this device, so that older ones count as history. */
  get isLive(): boolean {
    return this.#livePostAcked
  }

  get simulation(): SimulatedDevice {
    return this.#simulation
  }

  tick(now: number): void {
    this.#link.tick(now)
    this.firmware?.flush()
    if (!this.#link.ready || now < this.#nextPostAt) return
    // Keep the rhythm, but do not make up for what was missed.
    this.#nextPostAt = Math.max(this.#nextPostAt + this.#intervalMs, now)
    this.#live(now)
  }

  /** Posts anything under the device's own prefix, once and at QoS 1. */
  post(suffix: string, payload: string, acknowledged: Acknowledged): boolean {
    return this.#link.publish(this.#prefix + suffix, payload, acknowledged)
  }

  stop(): Promise<void> {
    return this.#link.stop()
  }

  #cameUp(): void {
    const now = this.#context.now()
    this.firmware?.online().catch(() => undefined)
    this.#live(now)
    this.#nextPostAt = now + this.#intervalMs * this.#context.random()
  }

  /** Lives up to now and tells. */
  #live(now: number): void {
    const events = this.#simulation.advance(now)
    if (now > this.#lastPostAt) {
      this.#lastPostAt = now
      this.#count(`{"ts":${now},"values":${JSON.stringify(this.#simulation.report())}}`, 'property/post')
    }
    this.#announce(events)
  }

  #announce(events: EmittedEvent[]): void {
    // After a long absence only the last few are news.
    for (const { identifier, params } of events.slice(-5)) {
      this.#count(JSON.stringify({ ts: this.#simulation.at, params }), `event/${identifier}/post`)
    }
  }

  #asked(topic: string, payload: Buffer): void {
    if (!topic.startsWith(this.#prefix)) return
    const suffix = topic.slice(this.#prefix.length)
    if (suffix.startsWith('ota/')) {
      this.firmware?.receive(suffix, payload)
      return
    }
    const now = this.#context.now()
    this.#announce(this.#simulation.advance(now))
    const reply = this.#commands.handle(suffix, payload)
    if (!reply) return
    if (reply.executed) this.#context.counters.commands++
    this.#count(reply.payload, reply.suffix)
    if (reply.executed) this.#live(now + 1)
  }

  #count(payload: string, suffix: string): void {
    const { counters, latency } = this.#context
    const taken = this.post(suffix, payload, (accepted, ms) => {
      if (accepted) counters.acked++
      else counters.refused++
      if (accepted && suffix === 'property/post') this.#livePostAcked = true
      latency(ms)
    })
    if (taken) counters.sent++
    else counters.skipped++
  }
}
