import { type CompiledModel, compileModel, emptyModel, parseModel } from '@thingwright/thing-model'
import type { Logger } from '../../lib/log.ts'
import type { ProductRow } from './directory.repo.ts'
import { Lru } from './lru.ts'

/** What the hot path knows of a product. The entry is kept and its content replaced, so holders see the new model. */
export interface ProductEntry {
  readonly num: number
  model: CompiledModel
  modelVersion: number
  /** False while a newer model is being read: uplinks wait in order instead of being checked against the old one. */
  current: boolean
  waiting: (() => void)[]
}

export interface ProductCacheOptions {
  load(nums: readonly number[]): Promise<ProductRow[]>
  logger: Logger
  /** Products kept. */
  limit?: number
  retryMs?: number
}

const NO_MODEL = compileModel(emptyModel())

/** Compiled thing models, one per product, read once and again when a product changes. */
export class ProductCache {
  private readonly entries: Lru<number, ProductEntry>
  private readonly loads = new Map<number, Promise<void>>()
  /** Products that changed while they were being read. */
  private readonly again = new Set<number>()

  constructor(private readonly options: ProductCacheOptions) {
    this.entries = new Lru(options.limit ?? 20_000)
  }

  /** The product's entry; one that nobody has read yet is being read and not current. */
  get(num: number): ProductEntry {
    const known = this.entries.get(num)
    if (known) return known
    const entry: ProductEntry = { num, model: NO_MODEL, modelVersion: -1, current: false, waiting: [] }
    this.entries.set(num, entry)
    void this.load(entry)
    return entry
  }

  /** Resolves when the model in force is at least of this version, as far as the database has it. */
  async atLeast(num: number, version: number): Promise<ProductEntry> {
    const entry = this.get(num)
    if (entry.modelVersion < version || !entry.current) await this.load(entry)
    return entry
  }

  /** The product changed: its next uplinks wait for the new model. */
  forget(num: number): void {
    const entry = this.entries.peek(num)
    if (!entry) return
    entry.current = false
    // A read that began before the change may bring the old model: it is made once more.
    if (this.loads.has(num)) this.again.add(num)
    else void this.load(entry)
  }

  private load(entry: ProductEntry): Promise<void> {
    const running = this.loads.get(entry.num)
    if (running) return running
    entry.current = false
    const load = this.read(entry).finally(() => {
      this.loads.delete(entry.num)
    })
    this.loads.set(entry.num, load)
    return load
  }

  private async read(entry: ProductEntry): Promise<void> {
    for (;;) {
      try {
        const [row] = await this.options.load([entry.num])
        if (row && row.model_version !== entry.modelVersion) {
          entry.model = this.compile(row)
          entry.modelVersion = row.model_version
        }
        if (!this.again.delete(entry.num)) break
      } catch (error) {
        this.options.logger.warn({ err: error, product: entry.num }, 'thing model not readable; trying again')
        await new Promise(resolve => setTimeout(resolve, this.options.retryMs ?? 500))
      }
    }
    entry.current = true
    const waiting = entry.waiting
    entry.waiting = []
    for (const run of waiting) run()
  }

  private compile(row: ProductRow): CompiledModel {
    if (row.published_model === null) return NO_MODEL
    const parsed = parseModel(row.published_model)
    if (parsed.ok) return compileModel(parsed.model)
    this.options.logger.error(
      { product: row.num, problems: parsed.problems.slice(0, 5) },
      'published thing model is not valid',
    )
    return NO_MODEL
  }
}
