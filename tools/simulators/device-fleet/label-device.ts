import type { FleetDeviceConfig } from './config.ts'
import type { Address, FleetDevice, FleetDeviceContext } from './fleet-device.ts'
import type { Values } from './models/physical-model.ts'
import type { SimulatedDevice } from './models/simulation.ts'
import { TcpLink } from './tcp-link.ts'

const HEARTBEAT = { packet: 'HB\r\n', everyMs: 30_000 }
/** Three heartbeats without an answer. */
const SILENCE_MS = 95_000

/** A device behind a DTU that sends one line of text after the other and can be told nothing. */
export class LabelDevice implements FleetDevice {
  readonly config: FleetDeviceConfig
  readonly simulation: SimulatedDevice
  readonly inFlight = 0
  readonly #context: FleetDeviceContext
  readonly #link: TcpLink
  readonly #intervalMs: number
  #nextFrameAt = 0

  constructor(
    config: FleetDeviceConfig,
    simulation: SimulatedDevice,
    context: FleetDeviceContext & { tcp: Address | null },
  ) {
    this.config = config
    this.simulation = simulation
    this.#context = context
    this.#intervalMs = config.intervalMs ?? simulation.intervalMs
    this.#link = new TcpLink(
      {
        address: context.tcp,
        register: `${config.productKey}/${config.deviceNo}/${config.deviceSecret}\r\n`,
        heartbeat: HEARTBEAT,
        silenceMs: SILENCE_MS,
        random: context.random,
        now: context.now,
      },
      {
        ready: () => {
          this.#nextFrameAt = context.now()
        },
        // Nothing but answers to heartbeats comes; the link has noted them.
        data: () => undefined,
      },
      context.firstConnectAt,
    )
  }

  get connected(): boolean {
    return this.#link.ready
  }

  tick(now: number): void {
    this.#link.tick(now)
    if (!this.#link.ready || now < this.#nextFrameAt) return
    // Keep the rhythm, but do not make up for what was missed.
    this.#nextFrameAt = Math.max(this.#nextFrameAt + this.#intervalMs, now)
    this.simulation.advance(now)
    const { counters } = this.#context
    if (this.#link.write(flowMeterFrame(this.simulation.report()))) counters.sent++
    else counters.skipped++
  }

  stop(): Promise<void> {
    return this.#link.stop()
  }
}

/** `$FM,42.13,18234.517,87,18.4*` and the end of its line: flow, total, signal, temperature. */
export function flowMeterFrame({ flow, total, signal, temperature }: Values): string {
  return `$FM,${Number(flow).toFixed(2)},${Number(total).toFixed(3)},${String(signal)},${Number(temperature).toFixed(1)}*\r\n`
}
