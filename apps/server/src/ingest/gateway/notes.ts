import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { Directory } from '../directory/directory.ts'
import type { Lanes } from '../lanes.port.ts'
import { Lru } from '../memory/lru.ts'
import { type JournalEntry, JournalKind, Quality } from '../uplink.ts'

export interface NotesOptions {
  directory: Pick<Directory, 'find'>
  lanes: Pick<Lanes, 'append'>
  clock: Clock
  logger: Logger
}

/** The same thing about the same device is written once in this time, with the number of times it happened. */
const QUIET_MS = 10_000

/**
 * Lines in a device's log that are no messages: a wrong secret, a refused topic. Kept as refused rows without bytes. A
 * device or an attacker that repeats itself makes one line in ten seconds, so the journal cannot be flooded from outside.
 */
export class Notes {
  private readonly recent = new Lru<string, { until: number; more: number }>(20_000)

  constructor(private readonly options: NotesOptions) {}

  async note(productKey: string, deviceNo: string, event: string, detail: Record<string, unknown>): Promise<void> {
    const { clock, directory, lanes, logger } = this.options
    const now = clock.now()
    const key = `${productKey}/${deviceNo}/${event}`
    const last = this.recent.get(key)
    if (last && last.until > now) {
      last.more++
      return
    }
    this.recent.set(key, { until: now + QUIET_MS, more: 0 })
    try {
      const entry = await directory.find(productKey, deviceNo)
      if (!entry) return
      const row: JournalEntry = {
        device: entry.record,
        kind: JournalKind.refused,
        arrivedAt: now,
        ts: now,
        deviceTs: null,
        quality: Quality.good,
        values: JSON.stringify({ ...detail, ...(last && last.more > 0 ? { repeated: last.more } : {}) }, storable),
        raw: null,
        refusedReason: event,
        late: false,
      }
      lanes.append([row], () => undefined)
    } catch (error) {
      logger.warn({ err: error, productKey, deviceNo, event }, 'line for a device log not written')
    }
  }
}

/** Detail may quote what a stranger sent: PostgreSQL stores neither NUL nor half a surrogate pair. */
function storable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, 200).toWellFormed().replaceAll('\0', '\uFFFD') : value
}
