import { inBackground } from '../../lib/background.ts'
import type { Logger } from '../../lib/log.ts'
import type { UnknownKeyDelta } from '../../modules/products/index.ts'
import type { DeviceRecord } from '../uplink.ts'

export interface UnknownKeysOptions {
  write(keys: readonly UnknownKeyDelta[]): Promise<void>
  logger: Logger
  flushMs?: number
}

const FLUSH_MS = 1_000
/** Keys of all products that wait to be written: whoever invents keys fills this, and is not heard any more until then. */
const MOST = 2_000
const PER_PRODUCT = 200
const SAMPLES = 3
const LONGEST_KEY = 160
const LONGEST_SAMPLE = 200

/**
 * Keys that devices sent and their product's model does not know, with a few of their values: gathered here, written
 * every second, so that a message costs no more than a look into two maps.
 */
export class UnknownKeys {
  private products = new Map<string, Map<string, UnknownKeyDelta>>()
  private size = 0
  private timer: NodeJS.Timeout | null = null
  private flushing: Promise<void> = Promise.resolve()

  constructor(private readonly options: UnknownKeysOptions) {}

  add(
    device: Pick<DeviceRecord, 'tenantId' | 'productId' | 'deviceNo'>,
    name: string,
    value: unknown,
    at: number,
  ): void {
    const key = name.slice(0, LONGEST_KEY).toWellFormed().replaceAll('\0', '\uFFFD')
    let keys = this.products.get(device.productId)
    if (!keys) {
      keys = new Map()
      this.products.set(device.productId, keys)
    }
    const known = keys.get(key)
    const sample = sampleOf(value)
    if (known) {
      known.seen++
      known.lastAt = at
      known.deviceNo = device.deviceNo
      if (!known.samples.includes(sample)) known.samples = [...known.samples, sample].slice(-SAMPLES)
      return
    }
    if (this.size >= MOST || keys.size >= PER_PRODUCT) return
    this.size++
    const { tenantId, productId, deviceNo } = device
    keys.set(key, { tenantId, productId, key, samples: [sample], seen: 1, deviceNo, firstAt: at, lastAt: at })
    this.timer ??= setTimeout(
      () => inBackground('writing unknown keys', this.flush()),
      this.options.flushMs ?? FLUSH_MS,
    )
  }

  /** Writes what was gathered; one at a time. */
  flush(): Promise<void> {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    this.flushing = this.flushing.then(() => this.write())
    return this.flushing
  }

  private async write(): Promise<void> {
    const keys = [...this.products.values()].flatMap(of => [...of.values()])
    this.products = new Map()
    this.size = 0
    if (keys.length === 0) return
    try {
      await this.options.write(keys)
    } catch (error) {
      // They come again with the devices' next messages.
      this.options.logger.warn({ err: error }, 'unknown keys of products not written')
    }
  }
}

/** JSON of the value, whole where it is short. */
function sampleOf(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return text.length <= LONGEST_SAMPLE ? text : `${text.slice(0, LONGEST_SAMPLE).toWellFormed()}…`
}
