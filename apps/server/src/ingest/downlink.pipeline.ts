import { inBackground } from '../lib/background.ts'
import type { Logger } from '../lib/log.ts'
import type { ChangedCommand } from '../lib/news.ts'
import type { Prepared } from './commands/command-encoder.ts'
import type { ClaimedCommand, DeviceRoom, Ending, Leaving } from './commands/command-queue.repo.ts'
import type { DeliveryResult, DownlinkMessage } from './transport.port.ts'
import type { DeviceRecord } from './uplink.ts'

export interface DownlinkOptions {
  /** The commands table, the only queue. */
  queue: {
    claim(devices: readonly DeviceRoom[]): Promise<ClaimedCommand[]>
    unclaim(ids: readonly string[]): Promise<void>
    markDelivered(ids: readonly string[]): Promise<ChangedCommand[]>
    markLeaving(leaving: readonly Leaving[]): Promise<void>
    end(endings: readonly Ending[]): Promise<ChangedCommand[]>
  }
  /** What a device is to be told; a promise where a script or the database is asked. Never rejects for the command's own sake. */
  prepare(command: ClaimedCommand, device: DeviceRecord): Prepared | Promise<Prepared>
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
 * cannot take stays in the table and waits for the next `wake`. A command that takes time to encode holds up its own
 * device only.
 */
export class DownlinkPipeline {
  private readonly waiting = new Set<number>()
  /** Devices that refused a command since they were last woken: the sweep leaves them alone. */
  private readonly deaf = new Set<number>()
  private readonly inFlight = new Map<number, number>()
  /** Devices whose commands are being encoded: what else they have waits behind. */
  private readonly busy = new Map<number, Promise<void>>()
  /** Woken while they were busy. */
  private readonly missed = new Set<number>()
  /** Commands that ended here, until the table says so too. */
  private endings: Ending[] = []
  /** Callers that wait until a device's turn is over. */
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
      this.ask(device, resolve)
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
    this.oneLess(device)
    this.confirmed.push(id)
    this.confirmTimer ??= setTimeout(
      () => inBackground('writing confirmed commands', this.writeConfirmed()),
      DELIVERED_MS,
    )
    this.wake([device])
  }

  /**
   * A message on its way will not be confirmed: there is room for another.
   * @param expired what carried it dropped it because its time was over, in these words; null: an answer ends the command
   */
  undelivered(device: number, id: string, expired: string | null): void {
    this.oneLess(device)
    if (expired !== null) this.endings.push({ id, state: 'expired', code: 'expired', message: expired })
    this.wake([device])
  }

  async stop(): Promise<void> {
    this.stopped = true
    if (this.retryTimer) clearTimeout(this.retryTimer)
    await this.running
    await Promise.all(this.busy.values())
    await this.putBack().catch(error => this.options.logger.warn({ err: error }, 'commands not put back'))
    await this.writeConfirmed()
  }

  private oneLess(device: number): void {
    const left = (this.inFlight.get(device) ?? 0) - 1
    if (left > 0) this.inFlight.set(device, left)
    else this.inFlight.delete(device)
  }

  private run(): void {
    if (
      this.running ||
      this.retryTimer ||
      this.stopped ||
      this.waiting.size + this.back.length + this.endings.length === 0
    )
      return
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
      this.send(claimed, devices)
      await this.putBack()
    } catch (error) {
      this.options.logger.warn({ err: error }, 'commands not readable; trying again')
      for (const { device } of devices) this.waiting.add(device)
      this.retryTimer = setTimeout(() => {
        this.retryTimer = null
        this.run()
      }, this.options.retryMs ?? 500)
    } finally {
      for (const { device, resolve } of answer)
        if (this.busy.has(device)) this.ask(device, resolve)
        else resolve()
    }
  }

  private async putBack(): Promise<void> {
    await this.writeEndings()
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

  private async writeEndings(): Promise<void> {
    const { endings } = this
    if (endings.length === 0) return
    this.endings = []
    try {
      const changed = await this.options.queue.end(endings)
      if (changed.length > 0) this.options.onChanged(changed)
    } catch (error) {
      this.endings.unshift(...endings)
      throw error
    }
  }

  private ask(device: number, resolve: () => void): void {
    const askers = this.askers.get(device)
    if (askers) askers.push(resolve)
    else this.askers.set(device, [resolve])
  }

  private takeAskers(devices: readonly DeviceRoom[]): { device: number; resolve: () => void }[] {
    if (this.askers.size === 0) return []
    return devices.flatMap(({ device }) => {
      const askers = this.askers.get(device) ?? []
      this.askers.delete(device)
      return askers.map(resolve => ({ device, resolve }))
    })
  }

  private takeBatch(): DeviceRoom[] {
    const devices: DeviceRoom[] = []
    for (const device of this.waiting) {
      this.waiting.delete(device)
      // Looked at again when what it has is encoded.
      if (this.busy.has(device)) {
        this.missed.add(device)
        continue
      }
      const room = WINDOW - (this.inFlight.get(device) ?? 0)
      // A full window is woken by the next confirmation.
      if (room > 0 && this.options.reachable(device)) devices.push({ device, room })
      else for (const { resolve } of this.takeAskers([{ device, room }])) resolve()
      if (devices.length >= BATCH) break
    }
    return devices
  }

  private send(claimed: readonly ClaimedCommand[], devices: readonly DeviceRoom[]): void {
    const sent: ChangedCommand[] = []
    const taken = new Map<number, number>()
    const slow = new Map<number, { command: ClaimedCommand; prepared: Prepared | Promise<Prepared> | null }[]>()
    for (const command of claimed) {
      taken.set(command.device, (taken.get(command.device) ?? 0) + 1)
      const behind = slow.get(command.device)
      if (behind) {
        behind.push({ command, prepared: null })
        continue
      }
      const device = this.options.reachable(command.device)
      const prepared = device && this.options.prepare(command, device)
      if (prepared && (prepared instanceof Promise || needsWord(prepared)))
        slow.set(command.device, [{ command, prepared }])
      else if (prepared && this.handOver(command, prepared)) sent.push({ device: command.device, id: command.id })
      else {
        this.keep(command)
        taken.delete(command.device)
      }
    }
    // As many as were asked for: there may be more.
    for (const { device, room } of devices) if (taken.get(device) === room) this.waiting.add(device)
    if (sent.length > 0) this.options.onChanged(sent)
    for (const [device, rest] of slow) this.later(device, rest)
  }

  /** The rest of a device's commands, one after the other, while other devices' go on. */
  private later(
    num: number,
    rest: readonly { command: ClaimedCommand; prepared: Prepared | Promise<Prepared> | null }[],
  ): void {
    let kept = false
    const keep = (command: ClaimedCommand) => {
      kept = true
      this.keep(command)
    }
    const work = async () => {
      for (const { command, prepared: begun } of rest) {
        try {
          const device = this.options.reachable(num)
          const prepared = device && (await (begun ?? this.options.prepare(command, device)))
          if (!prepared) keep(command)
          else if (!prepared.ok)
            this.endings.push({ id: command.id, state: 'failed', code: prepared.code, message: prepared.detail })
          else {
            // What is known of the bytes is written before they leave, as everything is.
            if (needsWord(prepared)) await this.options.queue.markLeaving([leavingOf(command, prepared)])
            if (this.handOver(command, prepared)) this.options.onChanged([{ device: num, id: command.id }])
            else keep(command)
          }
        } catch (error) {
          this.options.logger.warn({ err: error, device: num }, 'a command could not be sent; trying again')
          keep(command)
        }
      }
    }
    const running = work().finally(() => {
      this.busy.delete(num)
      // There may be more; but what the device cannot take now waits until it is woken.
      if (this.missed.delete(num) || !kept) this.waiting.add(num)
      else for (const { resolve } of this.takeAskers([{ device: num, room: 0 }])) resolve()
      this.run()
    })
    this.busy.set(num, running)
  }

  private keep(command: ClaimedCommand): void {
    this.back.push(command.id)
    this.deaf.add(command.device)
  }

  private handOver(command: ClaimedCommand, prepared: Prepared): boolean {
    const device = this.options.reachable(command.device)
    if (!device || !prepared.ok) return false
    const result = this.options.deliver(device, prepared.message, () => this.delivered(device.num, command.id))
    if (result === 'sent_confirmed_later') this.inFlight.set(device.num, (this.inFlight.get(device.num) ?? 0) + 1)
    // No word of delivery will come, and no answer: this was all.
    if (result === 'sent' && prepared.settles) this.endings.push({ id: command.id, state: 'succeeded' })
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
      if (!this.stopped)
        this.confirmTimer ??= setTimeout(
          () => inBackground('writing confirmed commands', this.writeConfirmed()),
          this.options.retryMs ?? 500,
        )
    }
  }
}

/** Something about the command must be in the table before it leaves, or it will not leave at all. */
function needsWord(prepared: Prepared): boolean {
  return !prepared.ok || prepared.settles || prepared.message.frames !== undefined
}

/** Bytes kept for people to read. */
const SHOWN_BYTES = 2_048

function leavingOf(command: ClaimedCommand, prepared: Prepared & { ok: true }): Leaving {
  const { frames = [] } = prepared.message
  return {
    id: command.id,
    frames: frames.slice(0, 16).map(frame => frame.toString('hex', 0, SHOWN_BYTES)),
    settles: prepared.settles,
  }
}
