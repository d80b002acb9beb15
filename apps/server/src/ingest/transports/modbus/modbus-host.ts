import { inBackground } from '../../../lib/background.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import type { PollingState } from '../../../modules/diagnosis/diagnosis.port.ts'
import type { Directory } from '../../directory/directory.ts'
import { Lru } from '../../memory/lru.ts'
import type { IngestPort } from '../../transport.port.ts'
import type { DeviceRecord } from '../../uplink.ts'
import type { TcpSession } from '../tcp/tcp-session.ts'
import { ModbusDriver } from './modbus-driver.ts'
import { PollWheel } from './poll-wheel.ts'

export interface ModbusHostOptions {
  port: IngestPort
  directory: Pick<Directory, 'peek' | 'product' | 'refresh'>
  boundTo(gateway: number): Promise<DeviceRecord[]>
  returnCommands(device: number, ids: string[]): void
  clock: Clock
  /** Time that never jumps. */
  monotonic: Clock
  logger: Logger
}

/** Changes heard of in this time are looked up together, ms. */
const COLLECT_MS = 30
/** Latest lags kept for the percentiles. */
const LAGS = 4_096

/** What all polled connections share: the timer wheel, who is on which bus, and the figures. */
export class ModbusHost {
  readonly port: IngestPort
  readonly directory: ModbusHostOptions['directory']
  readonly clock: Clock
  readonly monotonic: Clock
  readonly wheel: PollWheel<() => void>
  /** Polls in a row that went unanswered, kept while a DTU is away: who was dead is not new when it comes back. */
  readonly silent = new Lru<number, number>(100_000)
  private readonly drivers = new Set<ModbusDriver>()
  private readonly byDevice = new Map<number, ModbusDriver>()
  private changedDevices = new Set<number>()
  private changedProducts = new Set<number>()
  private toReload = new Set<ModbusDriver>()
  private timer: NodeJS.Timeout | null = null
  private readonly lags = new Float64Array(LAGS)
  private polls = 0
  private unanswered = 0
  private skips = 0

  constructor(private readonly options: ModbusHostOptions) {
    this.port = options.port
    this.directory = options.directory
    this.clock = options.clock
    this.monotonic = options.monotonic
    this.wheel = new PollWheel(options.monotonic, due => due())
  }

  start(): void {
    this.wheel.start()
  }

  stop(): void {
    this.wheel.stop()
    if (this.timer) clearTimeout(this.timer)
  }

  /** A driver for a connection that has just signed in; null: its devices are not polled. */
  drive(session: TcpSession, linkType: string, registration?: Buffer): ModbusDriver | null {
    if (linkType !== 'modbus_rtu' && linkType !== 'modbus_tcp') return null
    const driver = new ModbusDriver(session, linkType === 'modbus_rtu' ? 'rtu' : 'tcp', this, registration)
    this.drivers.add(driver)
    this.reload(driver)
    return driver
  }

  boundTo(gateway: number): Promise<DeviceRecord[]> {
    return this.options.boundTo(gateway)
  }

  returnCommands(device: number, ids: string[]): void {
    this.options.returnCommands(device, ids)
  }

  /** A device or product changed: the buses that have to do with it are looked at again. */
  changed({ device, product }: { device?: number; product?: number }): void {
    if (this.drivers.size === 0) return
    if (device !== undefined) this.changedDevices.add(device)
    if (product !== undefined) this.changedProducts.add(product)
    this.later()
  }

  /** How a device is polled; null: neither it nor its gateway has a connection that is polled. */
  polling(device: number, gateway: number | null): PollingState | null {
    const speaker = gateway ?? device
    const driver = [...this.drivers].find(({ session }) => session.device.num === speaker)
    return driver?.polling(device) ?? null
  }

  reload(driver: ModbusDriver): void {
    this.toReload.add(driver)
    this.later()
  }

  joined(device: number, driver: ModbusDriver): void {
    this.byDevice.set(device, driver)
  }

  left(device: number, driver: ModbusDriver): void {
    if (this.byDevice.get(device) === driver) this.byDevice.delete(device)
  }

  ended(driver: ModbusDriver): void {
    this.drivers.delete(driver)
    this.toReload.delete(driver)
  }

  /** @param lagMs from the moment a poll was due until its last answer */
  polled(lagMs: number, answered: boolean): void {
    this.lags[this.polls++ % LAGS] = lagMs
    if (!answered) this.unanswered++
  }

  /** A defect of ours: it costs one poll or write, never the process. */
  failed(error: unknown): void {
    this.options.logger.error({ err: error }, 'a Modbus device could not be read or written')
  }

  skipped(): void {
    this.skips++
  }

  metrics(): Record<string, number> {
    const lags = this.lags.slice(0, Math.min(this.polls, LAGS)).sort()
    const at = (share: number) => lags[Math.min(lags.length - 1, Math.floor(lags.length * share))] ?? 0
    return {
      modbus_buses_state: this.drivers.size,
      modbus_slaves_state: this.byDevice.size,
      modbus_polls: this.polls,
      modbus_polls_unanswered: this.unanswered,
      modbus_polls_skipped: this.skips,
      modbus_lag_p50_ms_state: at(0.5),
      modbus_lag_p99_ms_state: at(0.99),
    }
  }

  private later(): void {
    this.timer ??= setTimeout(() => {
      this.timer = null
      inBackground('reading devices on Modbus buses', this.reloadAll())
    }, COLLECT_MS)
  }

  private async reloadAll(): Promise<void> {
    const { directory, logger } = this.options
    const devices = this.changedDevices
    const products = this.changedProducts
    this.changedDevices = new Set()
    this.changedProducts = new Set()
    try {
      await Promise.all([...products].map(product => this.current(product)))
      const known = devices.size > 0 ? await directory.refresh([...devices]) : new Map()
      const sessions = new Map([...this.drivers].map(driver => [driver.session.device.num, driver]))
      for (const num of devices) {
        const gateway = known.get(num)?.record.gateway
        for (const driver of [this.byDevice.get(num), sessions.get(num), sessions.get(gateway)])
          if (driver) this.toReload.add(driver)
      }
      if (products.size > 0)
        for (const [num, driver] of this.byDevice) {
          const record = directory.peek(num)?.record
          if (!record || products.has(record.productNum)) this.toReload.add(driver)
        }
      if (products.size > 0)
        for (const driver of this.drivers) if (products.has(driver.session.device.productNum)) this.toReload.add(driver)
      const drivers = [...this.toReload]
      this.toReload = new Set()
      await Promise.all(drivers.map(driver => driver.load()))
    } catch (error) {
      logger.warn({ err: error }, 'devices on a Modbus bus not readable; trying again')
      for (const driver of this.drivers) this.toReload.add(driver)
      this.timer = setTimeout(() => {
        this.timer = null
        inBackground('reading devices on Modbus buses', this.reloadAll())
      }, 1_000)
    }
  }

  /** Resolves when what is known of the product is what the database says. */
  current(product: number): Promise<void> {
    const entry = this.directory.product(product)
    return entry.current ? Promise.resolve() : new Promise(resolve => entry.waiting.push(resolve))
  }
}
