import type { ChangedCommand } from '../lib/ipc.ts'
import type { Logger } from '../lib/log.ts'
import type { ClaimedCommand, DeviceRoom } from './gateway/command-queue.repo.ts'
import type { DeliveryResult, DownlinkMessage } from './transports/transport.ts'
import type { DeviceRecord } from './uplink.ts'

export interface DownlinkOptions {
  /** The commands table, the only queue. */
  queue: {
    claim(devices: readonly DeviceRoom[]): Promise<ClaimedCommand[]>
    unclaim(ids: readonly string[]): Promise<void>
    markDelivered(ids: readonly string[]): Promise<ChangedCommand[]>
  }
  /** The device with a live session here, or null. */
  reachable(device: number): DeviceRecord | null
  /** Hands one message to whichever session of the device takes it. */
  deliver(device: DeviceRecord, message: DownlinkMessage, delivered: () => void): DeliveryResult
  onChanged(changed: ChangedCommand[]): void
  logger: Logger
  retryMs?: number
}

/** Commands of one device on their way without its confirmation. */
const WINDOW = 16
/** Devices in one query. */
const BATCH = 500
/** How long confirmations are collected, ms. */
const DELIVERED_MS = 10

/**
 * Queued command → claim → encode → deliver. A device's commands leave in the order in which they were made; what it
 * cannot take stays in the table and waits for the next `wake`.
 */
export class DownlinkPipeline {
  private readonly waiting = new Set<number>()
  /** Devices that refused a command since they were last woken: the sweep leaves them alone. */
  private readonly deaf = new Set<number>()
  private readonly inFlight = new Map<number, number>()
  /** Who waits for a device's turn to be over. */
  private readonly askers = new Map<number, (() => void)[]>()
  /** Claimed commands that did not leave, until the table says so too. */
  private back: string[] = []
  private confirmed: string[] = []
  private confirmTimer: NodeJS.Timeout | null = null
  private running: Promise<void> | null = null
  private retryTimer: NodeJS.Timeout | null = null
  private stopped = false

  constructor(private readonly options: DownlinkOptions) {}

  /** These devices may have commands to take. */
  wake(devices: Iterable<number>): void {
    for (const device of devices) {
      this.deaf.delete(device)
      this.waiting.add(device)
    }
    this.run()
  }

  /** As `wake`; resolves when the device was given what it can take now. */
  take(device: number): Promise<void> {
    return new Promise(resolve => {
      const askers = this.askers.get(device)
      if (askers) askers.push(resolve)
      else this.askers.set(device, [resolve])
      this.wake([device])
    })
  }

  /** Messages handed over did not leave after all: their commands go back into the queue, and their device may ask again. */
  returned(device: number, ids: readonly string[]): void {
    this.back.push(...ids)
    this.waiting.add(device)
    this.run()
  }

  /** As `wake`, for devices found by the sweep: not those that cannot take what waits for them. */
  remind(devices: Iterable<number>): void {
    for (const device of devices) if (!this.deaf.has(device)) this.waiting.add(device)
    this.run()
  }

  /** The device's connection ended: what was on its way will not be confirmed over it. */
  forget(device: number): void {
    this.inFlight.delete(device)
    this.deaf.delete(device)
    this.waiting.delete(device)
  }

  /** A device confirmed a command; also after a restart, when the session layer delivered what it had kept. */
  delivered(device: number, id: string): void {
    const left = (this.inFlight.get(device) ?? 0) - 1
    if (left > 0) this.inFlight.set(device, left)
    else this.inFlight.delete(device)
    this.confirmed.push(id)
    this.confirmTimer ??= setTimeout(() => void this.writeConfirmed(), DELIVERED_MS)
    this.wake([device])
  }

  async stop(): Promise<void> {
    this.stopped = true
    if (this.retryTimer) clearTimeout(this.retryTimer)
    await this.running
    await this.putBack().catch(error => this.options.logger.warn({ err: error }, 'commands not put back'))
    await this.writeConfirmed()
  }

  private run(): void {
    if (this.running || this.retryTimer || this.stopped || this.waiting.size + this.back.length === 0) return
    this.running = this.drain().finally(() => {
      this.running = null
      this.run()
    })
  }

  private async drain(): Promise<void> {
    const devices = this.takeBatch()
    // Taken now: who asks from here on is for the next round.
    const answer = this.takeAskers(devices)
    try {
      await this.putBack()
      if (devices.length === 0) return
      const claimed = await this.options.queue.claim(devices)
      this.back.push(...this.send(claimed, devices))
      await this.putBack()
    } catch (error) {
      this.options.logger.warn({ err: error }, 'commands not readable; trying again')
      for (const { device } of devices) this.waiting.add(device)
      this.retryTimer = setTimeout(() => {
        this.retryTimer = null
        this.run()
      }, this.options.retryMs ?? 500)
    } finally {
      for (const resolve of answer) resolve()
    }
  }

  private async putBack(): Promise<void> {
    const { back } = this
    if (back.length === 0) return
    this.back = []
    try {
      await this.options.queue.unclaim(back)
    } catch (error) {
      this.back.unshift(...back)
      throw error
    }
  }

  private takeAskers(devices: readonly DeviceRoom[]): (() => void)[] {
    if (this.askers.size === 0) return []
    return devices.flatMap(({ device }) => {
      const askers = this.askers.get(device) ?? []
      this.askers.delete(device)
      return askers
    })
  }

  private takeBatch(): DeviceRoom[] {
    const devices: DeviceRoom[] = []
    for (const device of this.waiting) {
      this.waiting.delete(device)
      const room = WINDOW - (this.inFlight.get(device) ?? 0)
      // A full window is woken by the next confirmation.
      if (room > 0 && this.options.reachable(device)) devices.push({ device, room })
      else for (const resolve of this.takeAskers([{ device, room }])) resolve()
      if (devices.length >= BATCH) break
    }
    return devices
  }

  /** @returns ids that must go back into the queue */
  private send(claimed: readonly ClaimedCommand[], devices: readonly DeviceRoom[]): string[] {
    const kept: string[] = []
    const sent: ChangedCommand[] = []
    const taken = new Map<number, number>()
    for (const command of claimed) {
      if (this.handOver(command)) {
        sent.push({ device: command.device, id: command.id })
        taken.set(command.device, (taken.get(command.device) ?? 0) + 1)
      } else {
        kept.push(command.id)
        this.deaf.add(command.device)
      }
    }
    // As many as were asked for: there may be more.
    for (const { device, room } of devices) if (taken.get(device) === room) this.waiting.add(device)
    if (sent.length > 0) this.options.onChanged(sent)
    return kept
  }

  private handOver(command: ClaimedCommand): boolean {
    const device = this.options.reachable(command.device)
    const message = device && encode(command)
    if (!device || !message) return false
    const result = this.options.deliver(device, message, () => this.delivered(device.num, command.id))
    if (result === 'sent_confirmed_later') this.inFlight.set(device.num, (this.inFlight.get(device.num) ?? 0) + 1)
    return result !== 'not_reachable'
  }

  private async writeConfirmed(): Promise<void> {
    if (this.confirmTimer) clearTimeout(this.confirmTimer)
    this.confirmTimer = null
    const ids = this.confirmed
    if (ids.length === 0) return
    this.confirmed = []
    try {
      const changed = await this.options.queue.markDelivered(ids)
      if (changed.length > 0) this.options.onChanged(changed)
    } catch (error) {
      this.options.logger.warn({ err: error }, 'confirmed commands not written; trying again')
      this.confirmed.unshift(...ids)
      if (!this.stopped) this.confirmTimer ??= setTimeout(() => void this.writeConfirmed(), this.options.retryMs ?? 500)
    }
  }
}

/** The message of a command as devices see it (interfaces.md §4), or null for a kind that has no form yet. */
function encode(command: ClaimedCommand): DownlinkMessage | null {
  const payload = () => Buffer.from(JSON.stringify({ id: command.id, params: command.params }))
  if (command.kind === 'property_set') return { commandId: command.id, suffix: 'property/set', payload: payload() }
  if (command.kind === 'service' && command.identifier)
    return { commandId: command.id, suffix: `service/${command.identifier}/invoke`, payload: payload() }
  return null
}
