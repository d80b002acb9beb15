import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { BatchLoader } from '../memory/batch-loader.ts'
import type { Shadow } from './shadow.repo.ts'

export interface AnswersOptions {
  shadows(devices: readonly number[]): Promise<Map<number, Shadow>>
  clock: Clock
  logger: Logger
}

/** Replies to what a device asks (interfaces.md §4): its shadow, and the time. */
export class Answers {
  private readonly loader: BatchLoader<number, Shadow>

  constructor(private readonly options: AnswersOptions) {
    this.loader = new BatchLoader({ load: options.shadows, windowMs: 5, maxKeys: 500, maxParallel: 2 })
  }

  /** `{"reported","desired","version"}`; null when the database cannot be asked. */
  async shadow(device: number): Promise<Buffer | null> {
    try {
      return Buffer.from(JSON.stringify(await this.loader.get(device)))
    } catch (error) {
      this.options.logger.warn({ err: error, device }, 'shadow not readable')
      return null
    }
  }

  /** `{"t0","t1","t2"}`: the device's time as it said it, arrival, and now; null for a question that is no JSON object. */
  time(payload: Buffer, arrivedAt: number): Buffer | null {
    const asked = payload.length > 1_024 ? null : parseObject(payload)
    if (!asked) return null
    const t0 = typeof asked.t0 === 'number' && Number.isFinite(asked.t0) ? asked.t0 : null
    return Buffer.from(JSON.stringify({ t0, t1: arrivedAt, t2: this.options.clock.now() }))
  }
}

function parseObject(payload: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(payload.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
