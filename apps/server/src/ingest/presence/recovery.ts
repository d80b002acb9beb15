import type { Logger } from '../../lib/log.ts'
import type { ChangedCommand } from '../../lib/news.ts'
import { type SessionInfo, SHORT_LINKS, type TransportName } from '../../modules/devices/gateway.port.ts'
import type { DirectoryEntry } from '../directory/directory.ts'
import type { DeviceRecord } from '../uplink.ts'
import type { Presence } from './presence.ts'

interface LeftBehind {
  device: number
  transport: string | null
  address: string | null
}

export interface RecoveryOptions {
  sessionsBefore(): Promise<{ device: number; transport: string; address: string }[]>
  devicesNotBack(): Promise<LeftBehind[]>
  removeSessions(devices: readonly number[]): Promise<void>
  recoverSent(): Promise<number[]>
  abandonSent(devices: readonly number[]): Promise<ChangedCommand[]>
  refresh(devices: readonly number[]): Promise<Map<number, DirectoryEntry>>
  presence: Presence
  /** Takes over a session that needs no connection. */
  adopt(device: DeviceRecord, address: string, transport: string): SessionInfo | null
  onChanged(changed: ChangedCommand[]): void
  logger: Logger
}

/** How long devices of the life before have to come back, ms (design.md §6). */
export const GRACE_MS = 30_000

/**
 * What a crash left behind. At the start: short links go on, commands that never left are queued again. After the grace
 * time: devices that are not back go offline, and what had been sent to them without a confirmation is given up.
 */
export class Recovery {
  private timer: NodeJS.Timeout | null = null

  constructor(private readonly options: RecoveryOptions) {}

  async start(graceMs: number = GRACE_MS): Promise<void> {
    await this.options.recoverSent()
    const sessions = await this.options.sessionsBefore()
    const short = sessions.filter(session => SHORT_LINKS.has(session.transport as TransportName))
    const known = await this.options.refresh(short.map(session => session.device))
    for (const session of short) {
      const device = known.get(session.device)?.record
      if (!device?.enabled) continue
      const info = this.options.adopt(device, session.address, session.transport)
      if (info) this.options.presence.adopt(device, info)
    }
    this.later(graceMs)
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer)
  }

  /** Ends what is not back. Repeatable: rows go only when the offline moment is durable. */
  async finish(): Promise<void> {
    const { options } = this
    const lost = (await options.devicesNotBack()).filter(row => !options.presence.has(row.device))
    for (let from = 0; from < lost.length; from += 500) {
      const part = lost.slice(from, from + 500)
      const known = await options.refresh(part.map(row => row.device))
      await Promise.all(part.map(row => this.offline(row, known.get(row.device)?.record)))
      await options.removeSessions(part.map(row => row.device))
    }
    const changed = await options.abandonSent(lost.map(row => row.device))
    if (changed.length > 0) options.onChanged(changed)
    if (lost.length > 0) options.logger.info({ devices: lost.length }, 'devices that did not come back are offline')
  }

  /** Resolves once durable; at once for a device that is gone or came back meanwhile. */
  private offline(row: LeftBehind, device: DeviceRecord | undefined): Promise<void> {
    if (!device || this.options.presence.has(row.device)) return Promise.resolve()
    return new Promise(resolve => this.options.presence.lost(device, row.transport, row.address, resolve))
  }

  private later(ms: number): void {
    this.timer = setTimeout(() => {
      this.finish().catch(error => {
        this.options.logger.warn({ err: error }, 'sessions of the life before not ended; trying again')
        this.later(5_000)
      })
    }, ms)
    this.timer.unref()
  }
}
