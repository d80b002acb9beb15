import type { FleetConfig, FleetDeviceConfig } from './config.ts'
import type { FleetCounters, FleetDevice } from './fleet-device.ts'
import { type HistoryPlan, planHistory } from './history-plan.ts'
import { HistoryWriter, keyOf } from './history-writer.ts'
import { LabelDevice } from './label-device.ts'
import { LatencyWindow } from './latency.ts'
import { ModbusDevice } from './modbus-device.ts'
import { createDevice, linkTypeOf } from './models/index.ts'
import { seedOf } from './models/rng.ts'
import type { SimulatedDevice, SimulationSnapshot } from './models/simulation.ts'
import { MqttDevice } from './mqtt-device.ts'
import { treeCpuSeconds } from './process-cpu.ts'
import { emptyState, type FleetState, readState, writeState } from './state-file.ts'
import { Throttle } from './throttle.ts'

const HOUR = 3_600_000
const TICK_MS = 200
const SAVE_EVERY_MS = 10_000
/** Connections a second while a fleet starts. */
const CONNECTS_PER_SECOND = 100
/** A device that was off for longer is not lived through minute by minute. */
const LONGEST_GAP_MS = 48 * HOUR
/** Time a device without a past has lived before it appears, so that tanks and rooms have settled. */
const SETTLING_MS = 2 * HOUR
/** Slice of a device's past lived through before others get the processor. */
const SLICE_MS = 24 * HOUR
const DRAIN_MS = 3_000
const HANGZHOU = { lng: 120.17, lat: 30.27 }

export interface FleetEvents {
  /** Progress of the history, in messages; each device has the same number. */
  history?(done: number, total: number, perDevice: number): void
  /** A device's credentials were not accepted. */
  refused?(device: FleetDeviceConfig, code: number): void
  /** Something that a person should know of; the devices live on. */
  problem?(message: string): void
}

/** Only tests hurry. */
export interface FleetPace {
  tickMs?: number
  /** Messages a second that the history begins with. */
  historyRate?: number
}

export interface FleetStats extends FleetCounters {
  devices: number
  connected: number
}

/** Many simulated devices in one process: one timer, one socket each. */
export class Fleet {
  readonly #config: FleetConfig
  readonly #events: FleetEvents
  readonly #state: FleetState
  readonly #pace: FleetPace
  readonly #devices: FleetDevice[] = []
  readonly #counters: FleetCounters = { sent: 0, acked: 0, refused: 0, skipped: 0, commands: 0 }
  /** Acknowledgement times since it was last reset. */
  readonly latency = new LatencyWindow()
  #timer: NodeJS.Timeout | null = null
  #writer: HistoryWriter | null = null
  #history: Promise<void> | null = null
  #startedAt = 0
  #nextSaveAt = 0
  #stopping = false
  #saveFailed = false

  constructor(config: FleetConfig, events: FleetEvents = {}, pace: FleetPace = {}) {
    this.#config = config
    this.#events = events
    this.#pace = pace
    this.#state = config.stateFile === undefined ? emptyState() : readState(config.stateFile)
  }

  get stats(): FleetStats {
    const connected = this.#devices.reduce((sum, device) => sum + (device.connected ? 1 : 0), 0)
    return { ...this.#counters, devices: this.#config.devices.length, connected }
  }

  /** Brings the devices to life one after the other; resolves when all have begun (not yet connected). */
  async start(): Promise<void> {
    const plan = this.#planned()
    this.#timer = setInterval(() => this.#tick(), this.#pace.tickMs ?? TICK_MS)
    this.#startedAt = Date.now()
    this.#nextSaveAt = this.#startedAt + SAVE_EVERY_MS
    for (const [i, config] of this.#config.devices.entries()) {
      const simulation = await this.#broughtUp(config, plan)
      if (this.#stopping) return
      this.#devices.push(this.#connected(config, simulation, i))
    }
    if (plan) {
      this.#history = this.#writeHistory(plan).catch((error: unknown) => {
        this.#events.problem?.(`history stopped: ${String(error)}`)
      })
    }
  }

  /** Says goodbye to the server, keeps the state. */
  async stop(): Promise<void> {
    if (this.#stopping) return
    this.#stopping = true
    this.#writer?.stop()
    // Nothing new from here on; what is under way is waited for.
    if (this.#timer) clearInterval(this.#timer)
    const deadline = Date.now() + DRAIN_MS
    const waiting = () => this.#devices.some(device => device.connected && device.inFlight > 0)
    while (waiting() && Date.now() < deadline) await sleep(20)
    await Promise.all(this.#devices.map(device => device.stop()))
    this.#save()
  }

  /** Resolves when the history is written (at once when there is none). */
  get historyWritten(): Promise<void> {
    return this.#history ?? Promise.resolve()
  }

  #tick(): void {
    const now = Date.now()
    for (const device of this.#devices) device.tick(now)
    if (now >= this.#nextSaveAt) {
      this.#nextSaveAt = now + SAVE_EVERY_MS
      this.#save()
    }
  }

  /** The plan begun in an earlier run, or a new one when history is asked for and none was begun. */
  #planned(): HistoryPlan | null {
    const { history } = this.#config
    if (!history) return null
    // The others have no way to tell of the past: a Modbus master reads the present, and the frames have no time.
    const devices = this.#config.devices.filter(device => linkTypeOf(device.kind) === 'mqtt')
    if (!this.#state.history) {
      const plan = planHistory(devices.length, Date.now(), history.days, history.maxMessages)
      if (!plan) return null
      const done = Object.fromEntries(devices.map(device => [deviceKey(device), 0]))
      this.#state.history = { plan, done }
    }
    return this.#state.history.plan
  }

  /**
   * A device as it is now: continued from where it was, or, new, having lived through exactly the past that the history
   * will tell, so that the last historical point and the first live one belong together.
   */
  async #broughtUp(config: FleetDeviceConfig, plan: HistoryPlan | null): Promise<SimulatedDevice> {
    const now = Date.now()
    const snapshot = this.#state.devices[deviceKey(config)]
    const simulation = snapshot
      ? createDevice(config.kind, { snapshot: awakened(snapshot, now) })
      : newLife(config, this.#hasHistory(config) && plan ? plan.from : now - SETTLING_MS)
    while (simulation.at < now && !this.#stopping) {
      const began = performance.now()
      simulation.advance(Math.min(now, simulation.at + SLICE_MS))
      // Half of the time at most belongs to the past: a server is starting beside us.
      if (simulation.at < now) await sleep(performance.now() - began)
    }
    return simulation
  }

  #hasHistory(config: FleetDeviceConfig): boolean {
    return this.#state.history?.done[deviceKey(config)] !== undefined
  }

  #connected(config: FleetDeviceConfig, simulation: SimulatedDevice, index: number): FleetDevice {
    const context = {
      firstConnectAt: this.#startedAt + ((index + Math.random()) / CONNECTS_PER_SECOND) * 1_000,
      now: Date.now,
      random: Math.random,
      counters: this.#counters,
    }
    const tcp = this.#config.tcp ?? null
    switch (linkTypeOf(config.kind)) {
      case 'modbus_rtu':
        return new ModbusDevice(config, simulation, { ...context, tcp })
      case 'tcp':
        return new LabelDevice(config, simulation, { ...context, tcp })
      default:
        return new MqttDevice(config, simulation, {
          ...context,
          mqtt: this.#config.mqtt,
          // Every other device speaks the newer protocol: both are in use, and 5.0 tells us of refusals.
          protocolVersion: index % 2 === 0 ? 5 : 4,
          latency: ms => this.latency.record(ms),
          refused: (device, code) => this.#events.refused?.(device.config, code),
        })
    }
  }

  async #writeHistory(plan: HistoryPlan): Promise<void> {
    const { done } = this.#state.history!
    const watched = this.#config.history?.watchPid ?? process.ppid
    this.#writer = new HistoryWriter(
      this.#devices.filter(
        (device): device is MqttDevice => device instanceof MqttDevice && this.#hasHistory(device.config),
      ),
      {
        plan,
        done,
        throttle: new Throttle(() => treeCpuSeconds(watched), Date.now(), this.#pace.historyRate),
        now: Date.now,
        sleep,
        newLife: device => newLife(device.config, plan.from),
        progress: (written, total) => this.#events.history?.(written, total, plan.perDevice),
      },
    )
    await this.#writer.run()
    this.#save()
  }

  #save(): void {
    if (this.#config.stateFile === undefined) return
    for (const device of this.#devices) this.#state.devices[keyOf(device)] = device.simulation.snapshot()
    try {
      writeState(this.#config.stateFile, this.#state)
      this.#saveFailed = false
    } catch (error) {
      // A full disk: tried again with the next save, told once.
      if (!this.#saveFailed) this.#events.problem?.(`state not saved: ${String(error)}`)
      this.#saveFailed = true
    }
  }
}

function deviceKey({ productKey, deviceNo }: FleetDeviceConfig): string {
  return `${productKey}/${deviceNo}`
}

function newLife(config: FleetDeviceConfig, at: number): SimulatedDevice {
  const { lng = HANGZHOU.lng, lat = HANGZHOU.lat, traits, kind } = config
  return createDevice(kind, { seed: seedOf(deviceKey(config)), site: { at, lng, lat, traits } })
}

function awakened(snapshot: SimulationSnapshot, now: number): SimulationSnapshot {
  const earliest = now - LONGEST_GAP_MS
  if (snapshot.state.at >= earliest) return snapshot
  return { ...snapshot, state: { ...snapshot.state, at: earliest } }
}

function sleep(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
