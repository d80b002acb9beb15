import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { BatchLoader } from '../memory/batch-loader.ts'
import { Lru } from '../memory/lru.ts'
import { rateOf, rightsOf } from '../topics/topic-rights.ts'
import type { DeviceRecord } from '../uplink.ts'
import type { DeviceRow, ProductRow } from './directory.repo.ts'
import { ProductCache, type ProductCacheOptions, type ProductEntry } from './product-cache.ts'

/** A device with its secrets, as the cache holds it. */
export interface DirectoryEntry {
  readonly record: DeviceRecord
  readonly published: boolean
  /** The company's account lets its devices in. */
  readonly companyOpen: boolean
  readonly secretHash: Buffer
  readonly previousSecretHash: Buffer | null
  /** Epoch ms until which the previous secret is good. */
  readonly previousSecretUntil: number
  /** SHA-256 of access tokens; null: the device has none. */
  readonly tokenHash: Buffer | null
  readonly previousTokenHash: Buffer | null
  readonly previousTokenUntil: number
  /** Epoch ms of the last look at the database. */
  readonly checkedAt: number
}

export interface DirectoryOptions {
  byNumber(keys: readonly { productKey: string; deviceNo: string }[]): Promise<DeviceRow[]>
  byNum(nums: readonly number[]): Promise<DeviceRow[]>
  products(nums: readonly number[]): Promise<ProductRow[]>
  compileFormat?: NonNullable<ProductCacheOptions['compileFormat']>
  clock: Clock
  logger: Logger
  /** Devices kept. */
  limit?: number
  /** After this long a device is looked up again even when nobody said it changed. */
  maxAgeMs?: number
}

const LIMIT = 200_000
const MAX_AGE_MS = 60_000
/** A number that does not exist is not asked for again for this long. */
const UNKNOWN_MS = 2_000
const NAMES = /^[A-Za-z0-9_.:-]{1,64}$/

/** What the device path knows of devices and products: read on first use, many at once, forgotten when they change. */
export class Directory {
  private readonly byKey: Lru<string, DirectoryEntry>
  private readonly keys = new Map<number, string>()
  private readonly unknown = new Lru<string, number>(10_000)
  private readonly loader: BatchLoader<string, DeviceRow>
  private readonly productCache: ProductCache
  private readonly maxAgeMs: number
  /** Number of changes heard of, and the number at which each device or product last changed. */
  private changes = 0
  private readonly deviceChanges = new Lru<number, number>(20_000)
  private readonly productChanges = new Lru<number, number>(5_000)

  constructor(private readonly options: DirectoryOptions) {
    this.maxAgeMs = options.maxAgeMs ?? MAX_AGE_MS
    this.byKey = new Lru(options.limit ?? LIMIT, (_, entry) => this.keys.delete(entry.record.num))
    this.productCache = new ProductCache({
      load: options.products,
      logger: options.logger,
      ...(options.compileFormat ? { compileFormat: options.compileFormat } : {}),
    })
    this.loader = new BatchLoader({
      windowMs: 5,
      maxKeys: 500,
      maxParallel: 2,
      load: async keys => {
        const rows = await options.byNumber(keys.map(splitKey))
        return new Map(rows.map(row => [keyOf(row.product_key, row.device_no), row]))
      },
    })
  }

  get size(): number {
    return this.byKey.size
  }

  /** The device with its compiled product, or null when there is none. Rejects when the database cannot be asked. */
  async find(productKey: string, deviceNo: string): Promise<DirectoryEntry | null> {
    if (!NAMES.test(productKey) || !NAMES.test(deviceNo)) return null
    const key = keyOf(productKey, deviceNo)
    const known = this.byKey.get(key)
    if (known && this.options.clock.now() - known.checkedAt < this.maxAgeMs) return known
    if ((this.unknown.peek(key) ?? 0) > this.options.clock.now()) return null
    for (;;) {
      const asked = this.changes
      const row = await this.loader.get(key)
      if (!row) {
        this.drop(key)
        if (asked === this.changes) this.unknown.set(key, this.options.clock.now() + UNKNOWN_MS)
        return null
      }
      await this.productCache.atLeast(row.product_num, row.model_version)
      if (!this.changedSince(row, asked)) return this.store(row)
    }
  }

  /** What is known of a device by its name without asking anybody. */
  known(productKey: string, deviceNo: string): DirectoryEntry | null {
    return this.byKey.peek(keyOf(productKey, deviceNo)) ?? null
  }

  /** What is known of a device without asking anybody. */
  peek(num: number): DirectoryEntry | null {
    const key = this.keys.get(num)
    return key === undefined ? null : (this.byKey.peek(key) ?? null)
  }

  /** Reads devices again; those that no longer exist are absent from the answer. */
  async refresh(nums: readonly number[]): Promise<Map<number, DirectoryEntry>> {
    const found = new Map<number, DirectoryEntry>()
    for (let from = 0; from < nums.length; from += 500) {
      const part = nums.slice(from, from + 500)
      const asked = this.changes
      const rows = await this.options.byNum(part)
      for (const row of rows) found.set(row.num, this.store(row, this.changedSince(row, asked)))
      for (const num of part) if (!found.has(num)) this.forget({ device: num })
    }
    return found
  }

  product(num: number): ProductEntry {
    return this.productCache.get(num)
  }

  /** Forgets what was known: the next use reads it again. */
  forget(what: { device?: number; product?: number }): void {
    this.changes++
    this.unknown.clear()
    if (what.device !== undefined) {
      this.deviceChanges.set(what.device, this.changes)
      const key = this.keys.get(what.device)
      if (key !== undefined) this.drop(key)
    }
    if (what.product !== undefined) {
      this.productChanges.set(what.product, this.changes)
      for (const entry of this.byKey.values()) {
        if (entry.record.productNum === what.product) this.drop(keyOf(entry.record.productKey, entry.record.deviceNo))
      }
      this.productCache.forget(what.product)
    }
  }

  /** Whether the row may be older than the last word about its device or product. */
  private changedSince(row: DeviceRow, asked: number): boolean {
    return (this.deviceChanges.peek(row.num) ?? 0) > asked || (this.productChanges.peek(row.product_num) ?? 0) > asked
  }

  private drop(key: string): void {
    const entry = this.byKey.peek(key)
    if (!entry) return
    this.byKey.delete(key)
    this.keys.delete(entry.record.num)
  }

  private store(row: DeviceRow, outdated = false): DirectoryEntry {
    const key = keyOf(row.product_key, row.device_no)
    const entry: DirectoryEntry = {
      record: {
        num: row.num,
        id: row.id,
        tenantId: row.tenant_id,
        productId: row.product_id,
        productNum: row.product_num,
        productKey: row.product_key,
        deviceNo: row.device_no,
        enabled: row.company_open && (row.lifecycle === 'inactive' || row.lifecycle === 'active'),
        offlineDelaySeconds: row.offline_delay_seconds,
        gateway: row.gateway,
        subAddress: row.sub_address,
        overrides: row.overrides,
        rights: rightsOf(row.product_access ?? {}, row.device_access ?? {}),
        messagesPerSecond: rateOf(row.product_access ?? {}, row.device_access ?? {}),
      },
      published: row.product_status === 'published',
      companyOpen: row.company_open,
      secretHash: row.secret_hash,
      previousSecretHash: row.previous_secret_hash,
      previousSecretUntil: row.previous_secret_until?.getTime() ?? 0,
      tokenHash: row.access_token_hash ?? null,
      previousTokenHash: row.previous_token_hash ?? null,
      previousTokenUntil: row.previous_token_until?.getTime() ?? 0,
      checkedAt: outdated ? Number.NEGATIVE_INFINITY : this.options.clock.now(),
    }
    this.byKey.set(key, entry)
    this.keys.set(row.num, key)
    return entry
  }
}

function keyOf(productKey: string, deviceNo: string): string {
  return `${productKey}/${deviceNo}`
}

function splitKey(key: string): { productKey: string; deviceNo: string } {
  const slash = key.indexOf('/')
  return { productKey: key.slice(0, slash), deviceNo: key.slice(slash + 1) }
}
