import type { FleetDevice } from './fleet-device.ts'
import type { HistoryPlan } from './history-plan.ts'
import type { SimulatedDevice } from './models/simulation.ts'
import type { MqttDevice } from './mqtt-device.ts'
import type { Throttle } from './throttle.ts'

/** Messages of one publish. Few enough for one flush of the server to hold them beside the live ones. */
const BATCH_MESSAGES = 100
/** The limit on a publish is 64 KB; the array's last element must still fit. */
const BATCH_BYTES = 60_000
const WAIT_FOR_DEVICE_MS = 500
/** A device that does not get its acknowledgement (cut off, disabled) must not hold up the others. */
const GIVE_UP_MS = 30_000

export interface HistoryOptions {
  plan: HistoryPlan
  /** Messages already written, per device key; kept up to date. */
  done: Record<string, number>
  throttle: Throttle
  now: () => number
  sleep: (ms: number) => Promise<void>
  /** The device's life from the beginning of the plan. */
  newLife: (device: MqttDevice) => SimulatedDevice
  progress: (done: number, total: number) => void
}

/**
 * Posts the past of the devices through their own sessions, as arrays with times: in turns, oldest first, one publish
 * under way at a time. Each device lives its life again from its seed, so nothing has to be kept but a number.
 */
export class HistoryWriter {
  readonly #options: HistoryOptions
  readonly #devices: readonly MqttDevice[]
  readonly #lives = new Map<MqttDevice, SimulatedDevice>()
  #stopped = false
  #done = 0
  refused = 0

  constructor(devices: readonly MqttDevice[], options: HistoryOptions) {
    this.#devices = devices
    this.#options = options
    for (const device of devices) this.#done += this.#doneOf(device)
  }

  get total(): number {
    return this.#devices.length * this.#options.plan.perDevice
  }

  /** Ends when all is written, or after the publish under way once {@link stop} was called. */
  async run(): Promise<void> {
    const { plan, now, sleep, throttle, progress } = this.#options
    progress(this.#done, this.total)
    while (!this.#stopped) {
      const waiting = this.#devices.filter(device => this.#doneOf(device) < plan.perDevice)
      if (waiting.length === 0) return
      let sent = false
      for (const device of waiting) {
        if (this.#stopped) return
        // Only after a live post: what comes now is late and must not look like the present.
        if (!device.connected || !device.isLive) continue
        const startedAt = now()
        const messages = await this.#sendBatch(device)
        if (messages === 0) continue
        sent = true
        this.#done += messages
        progress(this.#done, this.total)
        await sleep(throttle.sent(messages, now() - startedAt, now()))
      }
      if (!sent) await sleep(WAIT_FOR_DEVICE_MS)
    }
  }

  stop(): void {
    this.#stopped = true
  }

  /** @returns how many messages the server has now taken; 0 when the device could not send */
  async #sendBatch(device: MqttDevice): Promise<number> {
    const { plan, done } = this.#options
    const first = this.#doneOf(device)
    const life = this.#lifeAt(device, plan.from + first * plan.intervalMs)
    const parts: string[] = []
    let bytes = 2
    while (parts.length < BATCH_MESSAGES && first + parts.length < plan.perDevice && bytes < BATCH_BYTES) {
      life.advance(plan.from + (first + parts.length + 1) * plan.intervalMs)
      const part = `{"ts":${life.at},"values":${JSON.stringify(life.report())}}`
      bytes += Buffer.byteLength(part) + 1
      parts.push(part)
    }
    const accepted = await confirmed(device, `[${parts.join()}]`)
    if (accepted === null) {
      // Not known to be there, so this stretch must be lived through once more; twice the same point is one point.
      this.#lives.delete(device)
      return 0
    }
    if (!accepted) this.refused += parts.length
    done[keyOf(device)] = first + parts.length
    if (first + parts.length >= plan.perDevice) this.#lives.delete(device)
    return parts.length
  }

  #lifeAt(device: MqttDevice, at: number): SimulatedDevice {
    let life = this.#lives.get(device)
    if (!life) {
      life = this.#options.newLife(device)
      this.#lives.set(device, life)
    }
    life.advance(at)
    return life
  }

  #doneOf(device: MqttDevice): number {
    return this.#options.done[keyOf(device)] ?? 0
  }
}

/** Whether the server took the post; null when it could not be sent or was not acknowledged for long. */
function confirmed(device: MqttDevice, payload: string): Promise<boolean | null> {
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve(null), GIVE_UP_MS)
    const settle = (accepted: boolean | null) => {
      // Left running, thirty seconds' worth of timers would hold on to as many payloads.
      clearTimeout(timer)
      resolve(accepted)
    }
    if (!device.post('property/post', payload, settle)) settle(null)
  })
}

export function keyOf(device: FleetDevice): string {
  return `${device.config.productKey}/${device.config.deviceNo}`
}
