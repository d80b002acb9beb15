import { inBackground } from '../../lib/background.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { RegistrationAnswer, SubDeviceRequest } from '../../modules/device-identity/registration.port.ts'
import type { SessionInfo } from '../../modules/devices/gateway.port.ts'
import type { Directory } from '../directory/directory.ts'
import { BatchLoader } from '../memory/batch-loader.ts'
import { Lru } from '../memory/lru.ts'
import type { Presence } from '../presence/presence.ts'
import { ShortLinks } from '../presence/short-links.ts'
import type { DeliveryResult, DisconnectReason, DownlinkMessage, Transport } from '../transport.port.ts'
import type { DeviceRecord } from '../uplink.ts'
import type { SubName } from './sub-devices.repo.ts'

export interface SubDevicesOptions {
  byName(names: readonly SubName[]): Promise<(SubName & { num: number })[]>
  under(gateways: readonly number[]): Promise<{ gateway: number; num: number }[]>
  directory: Pick<Directory, 'peek' | 'refresh' | 'product'>
  presence: Pick<Presence, 'has' | 'device'>
  clock: Clock
  /** Time that never jumps, for silence. */
  monotonic: Clock
  logger: Logger
  opened(device: DeviceRecord, info: SessionInfo): void
  closed(device: DeviceRecord, reason: DisconnectReason): void
  /** Asks the process that makes devices for one that a gateway spoke of. */
  make(request: SubDeviceRequest): Promise<RegistrationAnswer | null>
  /** Commands of these devices may be deliverable now. */
  wake(devices: readonly number[]): void
  /** Hands a message to the session of the gateway. */
  deliver(gateway: DeviceRecord, message: DownlinkMessage, delivered: () => void): DeliveryResult
}

/** A name that means nothing is not asked for again for this long, ms. */
const UNKNOWN_MS = 2_000
/** What the directory knows of a device is good for this long, ms. */
const MAX_AGE_MS = 60_000
/** Devices being made at the same time. */
const MAKING = 16
const NAMES = /^[^/+#\0]{1,64}$/

/**
 * Devices without a connection of their own: a gateway speaks for those bound to it. Who a name means is read once and
 * forgotten when the device changes. Such a device is there as long as its gateway is (the usual case), until it was
 * silent for its offline delay, when the gateway's product says so, or as long as it answers on a bus that we poll;
 * commands reach it through its gateway's session.
 */
export class SubDevices implements Transport {
  private readonly found = new Lru<string, number>(200_000)
  private readonly unknown = new Lru<string, number>(20_000)
  private readonly names: BatchLoader<string, DeviceRecord>
  private readonly bound: BatchLoader<number, DeviceRecord[]>
  private readonly links: ShortLinks
  /** Gateway of each device that is there through one. */
  private readonly gateways = new Map<number, number>()
  private readonly members = new Map<number, Set<number>>()
  private reviewing = new Set<number>()
  private readonly making = new Map<string, Promise<DeviceRecord | undefined>>()

  constructor(private readonly options: SubDevicesOptions) {
    const batch = { windowMs: 5, maxKeys: 500, maxParallel: 2 }
    this.names = new BatchLoader({ ...batch, load: keys => this.readNames(keys) })
    this.bound = new BatchLoader({ ...batch, load: gateways => this.readBound(gateways) })
    this.links = new ShortLinks({
      ...options,
      transport: 'gateway',
      opened: (device, info) => options.opened(device, info),
      closed: (device, reason) => this.left(device, reason),
      isWaiting: device => this.isCarried(device),
    })
  }

  get size(): number {
    return this.gateways.size
  }

  /**
   * The device that a gateway means, or null when none of that name is bound to it or it may not speak. It counts as
   * heard of. Rejects when the database cannot be asked.
   */
  async resolveSub(gateway: DeviceRecord, sub: string): Promise<DeviceRecord | null> {
    if (!NAMES.test(sub)) return null
    const known = this.known(gateway, sub)
    if (known) return this.spoke(gateway, known)
    const key = keyOf(gateway.num, sub)
    if ((this.unknown.peek(key) ?? 0) > this.options.clock.now()) return null
    const device = (await this.names.get(key)) ?? (await this.made(gateway, sub))
    if (!device) this.unknown.set(key, this.options.clock.now() + UNKNOWN_MS)
    return device?.enabled ? this.spoke(gateway, device) : null
  }

  /** Whether the gateway's session is the way to this device, and it is there. */
  has(device: number): boolean {
    return this.gateways.has(device)
  }

  /** Devices that are there through this gateway. */
  below(gateway: number): Iterable<number> {
    return this.members.get(gateway) ?? []
  }

  /** Devices that are bound to this one, as the database has them. Rejects when it cannot be asked. */
  async boundTo(gateway: number): Promise<DeviceRecord[]> {
    return (await this.bound.get(gateway)) ?? []
  }

  /** One of a gateway's devices left. */
  leave(gateway: DeviceRecord, device: DeviceRecord, reason: 'client' | 'no_data' = 'client'): void {
    if (this.gateways.get(device.num) === gateway.num) this.links.close(device.num, reason)
  }

  /** A device came or went. The devices below a gateway come and go with it. */
  presenceChanged(device: DeviceRecord, online: boolean): void {
    if (!online) {
      for (const sub of [...(this.members.get(device.num) ?? [])]) this.links.close(sub, 'gateway_offline')
      return
    }
    const { settings } = this.options.directory.product(device.productNum)
    if (settings?.nodeType !== 'gateway' || bySilence(settings.subDevices) || isBus(settings)) return
    inBackground(
      'finding devices below a gateway',
      this.bound.get(device.num).then(
        devices => {
          if (!this.options.presence.has(device.num)) return
          for (const sub of devices ?? []) if (sub.enabled) this.heard(device, sub)
        },
        error => this.options.logger.warn({ err: error, device: device.num }, 'devices below a gateway not readable'),
      ),
    )
  }

  /** Something about the device changed: it may be bound elsewhere now. */
  review(device: number): void {
    this.unknown.clear()
    this.reviewing.add(device)
    if (this.reviewing.size === 1)
      setImmediate(() => inBackground('reviewing devices below gateways', this.reviewAll()))
  }

  /** Goes on with a session of the gateway process's earlier life. */
  adopt(device: DeviceRecord, address: string): SessionInfo | null {
    if (device.gateway === null) return null
    this.enter(device, device.gateway)
    return this.links.adopt(device, address)
  }

  // ── Transport ──

  async start(): Promise<void> {
    this.links.start()
  }

  async stop(): Promise<void> {
    this.links.stop()
  }

  deliver(device: DeviceRecord, message: DownlinkMessage, delivered: () => void): DeliveryResult {
    const gateway = this.gateways.get(device.num)
    const record = gateway === undefined ? null : this.options.presence.device(gateway)
    if (!record) return 'not_reachable'
    const result = this.options.deliver(record, { ...message, sub: device }, delivered)
    const info = this.links.session(device.num)
    if (info && result !== 'not_reachable') {
      info.messagesOut++
      info.bytesOut += message.payload.length
    }
    return result
  }

  kick(device: number, reason: DisconnectReason): void {
    this.links.close(device, reason)
  }

  session(device: number): SessionInfo | null {
    return this.links.session(device)
  }

  // ── the rest ──

  /** A device that the gateway's product lets it bring along; null where it does not, or there is no room for it. */
  private made(gateway: DeviceRecord, sub: string): Promise<DeviceRecord | undefined> {
    const settings = this.options.directory.product(gateway.productNum).settings?.subDevices
    if (typeof settings?.autoCreateProductId !== 'string') return Promise.resolve(undefined)
    const key = keyOf(gateway.num, sub)
    const running = this.making.get(key)
    if (running) return running
    if (this.making.size >= MAKING) return Promise.resolve(undefined)
    const making = this.options
      .make({ gateway: gateway.num, tenantId: gateway.tenantId, sub })
      .then(answer => (answer?.ok ? this.names.get(key) : undefined))
      .finally(() => this.making.delete(key))
    this.making.set(key, making)
    return making
  }

  private known(gateway: DeviceRecord, sub: string): DeviceRecord | null {
    const num = this.found.get(keyOf(gateway.num, sub))
    const entry = num === undefined ? null : this.options.directory.peek(num)
    if (!entry || entry.record.gateway !== gateway.num || !entry.record.enabled) return null
    return this.options.clock.now() - entry.checkedAt < MAX_AGE_MS ? entry.record : null
  }

  private spoke(gateway: DeviceRecord, device: DeviceRecord): DeviceRecord {
    this.heard(gateway, device).messagesIn++
    return device
  }

  private heard(gateway: DeviceRecord, device: DeviceRecord): SessionInfo {
    const isNew = this.links.session(device.num) === null
    this.enter(device, gateway.num)
    const info = this.links.seen(device, `${gateway.productKey}/${gateway.deviceNo}`, '')
    if (isNew) this.options.wake([device.num])
    return info
  }

  private enter(device: DeviceRecord, gateway: number): void {
    const before = this.gateways.get(device.num)
    if (before === gateway) return
    if (before !== undefined) this.members.get(before)?.delete(device.num)
    this.gateways.set(device.num, gateway)
    const members = this.members.get(gateway)
    if (members) members.add(device.num)
    else this.members.set(gateway, new Set([device.num]))
  }

  private left(device: DeviceRecord, reason: DisconnectReason): void {
    const gateway = this.gateways.get(device.num)
    this.gateways.delete(device.num)
    if (gateway !== undefined) {
      const members = this.members.get(gateway)
      members?.delete(device.num)
      if (members?.size === 0) this.members.delete(gateway)
    }
    this.options.closed(device, reason)
  }

  /** Its gateway is there and answers for it: silence means nothing. */
  private isCarried(device: number): boolean {
    const gateway = this.gateways.get(device)
    const record = gateway === undefined ? null : this.options.presence.device(gateway)
    return record !== null && !bySilence(this.options.directory.product(record.productNum).settings?.subDevices)
  }

  private async reviewAll(): Promise<void> {
    const devices = [...this.reviewing]
    this.reviewing = new Set()
    try {
      const known = await this.options.directory.refresh(devices)
      for (const num of devices) {
        const record = known.get(num)?.record
        const gateway = this.gateways.get(num)
        if (gateway !== undefined && record?.gateway !== gateway) this.links.close(num, 'unbound')
        if (!record?.enabled || record.gateway === null || this.gateways.has(num)) continue
        const carrier = this.options.presence.device(record.gateway)
        const settings = carrier && this.options.directory.product(carrier.productNum).settings
        if (carrier && settings?.nodeType === 'gateway' && !bySilence(settings.subDevices) && !isBus(settings))
          this.heard(carrier, record)
      }
    } catch (error) {
      this.options.logger.warn({ err: error }, 'devices below gateways not reviewed')
    }
  }

  private async readNames(keys: readonly string[]): Promise<Map<string, DeviceRecord>> {
    const rows = await this.options.byName(keys.map(splitKey))
    const known = await this.options.directory.refresh([...new Set(rows.map(row => row.num))])
    const found = new Map<string, DeviceRecord>()
    for (const { gateway, sub, num } of rows) {
      const record = known.get(num)?.record
      if (record?.gateway !== gateway) continue
      found.set(keyOf(gateway, sub), record)
      this.found.set(keyOf(gateway, sub), num)
    }
    return found
  }

  private async readBound(gateways: readonly number[]): Promise<Map<number, DeviceRecord[]>> {
    const rows = await this.options.under(gateways)
    const known = rows.length > 0 ? await this.options.directory.refresh(rows.map(row => row.num)) : new Map()
    const found = new Map<number, DeviceRecord[]>()
    for (const { gateway, num } of rows) {
      const record = known.get(num)?.record
      if (record?.gateway === gateway) found.set(gateway, [...(found.get(gateway) ?? []), record])
    }
    return found
  }
}

function bySilence(settings: Readonly<Record<string, unknown>> | undefined): boolean {
  return settings?.presence === 'silence'
}

/** Devices on a bus say nothing by themselves: they are there when they answered, whatever their DTU is. */
function isBus({ linkType }: { linkType: string }): boolean {
  return linkType === 'modbus_rtu' || linkType === 'modbus_tcp'
}

function keyOf(gateway: number, sub: string): string {
  return `${gateway}/${sub}`
}

function splitKey(key: string): SubName {
  const slash = key.indexOf('/')
  return { gateway: Number(key.slice(0, slash)), sub: key.slice(slash + 1) }
}
