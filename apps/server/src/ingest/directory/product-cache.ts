import { type CompiledModel, compileModel, emptyModel, parseModel } from '@thingwright/thing-model'
import { inBackground } from '../../lib/background.ts'
import type { Logger } from '../../lib/log.ts'
import { type Intake, intakeOf } from '../../modules/products/intake.port.ts'
import type { Codec } from '../codecs/codec.ts'
import { Lru } from '../memory/lru.ts'
import type { ProductRow } from './directory.repo.ts'

/** What transports and codecs ask of a product, as stored; each reads its own part. */
export interface ProductSettings {
  readonly productKey: string
  readonly tenantId: string
  readonly linkType: string
  readonly nodeType: 'device' | 'gateway' | 'sub_device'
  readonly format: Readonly<Record<string, unknown>>
  readonly link: Readonly<Record<string, unknown>>
  readonly dialects: Readonly<Record<string, unknown>>
  /** Of a gateway: how the devices below it behave. */
  readonly subDevices: Readonly<Record<string, unknown>>
  /** What the product says about its commands (contracts, command-schemas.ts). */
  readonly commandRules: Readonly<Record<string, unknown>>
  readonly intake: Intake
}

/** What the hot path knows of a product. The entry is kept and its content replaced, so holders see the new model. */
export interface ProductEntry {
  readonly num: number
  model: CompiledModel
  modelVersion: number
  /** How the product's devices connect and speak; null until it was read. */
  settings: ProductSettings | null
  /** Its format, compiled for its model; null: the JSON of the standard topics. */
  codec: Codec | null
  /** False while a newer model is being read: uplinks wait in order instead of being checked against the old one. */
  current: boolean
  waiting: (() => void)[]
}

export interface ProductCacheOptions {
  load(nums: readonly number[]): Promise<ProductRow[]>
  logger: Logger
  /** Absent: all products speak JSON. */
  compileFormat?(format: Readonly<Record<string, unknown>>, model: CompiledModel): Codec | null
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
    this.entries = new Lru(options.limit ?? 20_000, (_, entry) => entry.codec?.close?.())
  }

  /** The product's entry; one that nobody has read yet is being read and not current. */
  get(num: number): ProductEntry {
    const known = this.entries.get(num)
    if (known) return known
    const entry: ProductEntry = {
      num,
      model: NO_MODEL,
      modelVersion: -1,
      settings: null,
      codec: null,
      current: false,
      waiting: [],
    }
    this.entries.set(num, entry)
    inBackground('reading a product', this.load(entry))
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
    else inBackground('reading a product again', this.load(entry))
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
        if (row) this.replace(entry, row)
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

  private replace(entry: ProductEntry, row: ProductRow): void {
    const before = entry.settings?.format
    entry.settings = settingsOf(row)
    const newModel = row.model_version !== entry.modelVersion
    if (newModel) {
      entry.model = this.compile(row)
      entry.modelVersion = row.model_version
    }
    if (!newModel && before && JSON.stringify(before) === JSON.stringify(row.format)) return
    const { codec } = entry
    entry.codec = this.options.compileFormat?.(row.format, entry.model) ?? null
    codec?.close?.()
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

function settingsOf(row: ProductRow): ProductSettings {
  return {
    productKey: row.product_key,
    tenantId: row.tenant_id,
    linkType: row.link_type,
    nodeType: row.node_type,
    format: row.format,
    link: row.link,
    dialects: row.dialects,
    subDevices: row.sub_devices,
    commandRules: row.command_rules,
    intake: intakeOf({
      unknownKeys: row.unknown_keys,
      lenientTypes: row.lenient_types,
      dialects: row.dialects,
      badValues: row.bad_values,
    }),
  }
}
