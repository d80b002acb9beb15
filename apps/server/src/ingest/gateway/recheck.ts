import { inBackground } from '../../lib/background.ts'
import type { Logger } from '../../lib/log.ts'
import type { Directory } from '../directory/directory.ts'
import type { Presence } from '../presence/presence.ts'
import type { DeviceRecord } from '../uplink.ts'

export interface RecheckOptions {
  directory: Pick<Directory, 'refresh'>
  presence: Pick<Presence, 'has' | 'devices' | 'device'>
  kick(device: number): void
  /** The device does not exist any more. */
  gone(device: number): void
  logger: Logger
  /** Time in which every connected device is looked at once, ms. */
  periodMs?: number
}

const PARTS = 12

/** What a session got at its sign-in and keeps: with other rights or another limit it has to sign in anew. */
function isOtherwise(now: DeviceRecord, then: DeviceRecord | null | undefined): boolean {
  if (!then) return false
  return (
    (now.messagesPerSecond ?? null) !== (then.messagesPerSecond ?? null) ||
    JSON.stringify(now.rights ?? null) !== JSON.stringify(then.rights ?? null)
  )
}

/** Changes of many devices in a row make one look-up. */
const COLLECT_MS = 10

/**
 * Ends sessions of devices that were disabled, removed, given other rights, or whose product was taken back: at once when told, and within a minute when the word was lost.
 * Connected devices are read again a part at a time, so that the look-ups make no peak.
 */
export class Recheck {
  private timer: NodeJS.Timeout | null = null
  private open: number[] = []
  private part = 0
  private told = new Set<number>()
  private tellTimer: NodeJS.Timeout | null = null

  constructor(private readonly options: RecheckOptions) {}

  start(): void {
    this.timer = setInterval(
      () => inBackground('checking devices that are connected', this.nextPart()),
      (this.options.periodMs ?? 60_000) / PARTS,
    )
    this.timer.unref()
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer)
    if (this.tellTimer) clearTimeout(this.tellTimer)
  }

  /** Something about these devices changed. */
  tell(devices: readonly number[]): void {
    for (const device of devices) this.told.add(device)
    if (this.told.size === 0) return
    this.tellTimer ??= setTimeout(() => {
      this.tellTimer = null
      const told = [...this.told]
      this.told.clear()
      inBackground('checking devices that were changed', this.check(told))
    }, COLLECT_MS)
  }

  private async check(devices: readonly number[]): Promise<void> {
    const { directory, presence, kick, gone, logger } = this.options
    try {
      const known = await directory.refresh(devices)
      for (const device of devices) {
        const entry = known.get(device)
        if (!entry) gone(device)
        if (!presence.has(device)) continue
        if (!(entry?.record.enabled && entry.published) || isOtherwise(entry.record, presence.device(device)))
          kick(device)
      }
    } catch (error) {
      logger.warn({ err: error }, 'connected devices not rechecked')
    }
  }

  private async nextPart(): Promise<void> {
    if (this.open.length === 0) {
      this.open = [...this.options.presence.devices()]
      this.part = Math.ceil(this.open.length / PARTS)
    }
    const devices = this.open.splice(0, this.part)
    if (devices.length > 0) await this.check(devices)
  }
}
