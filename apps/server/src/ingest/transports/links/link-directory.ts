import type { LinkSettings } from '@thingwright/contracts/links.contract'
import { inBackground } from '../../../lib/background.ts'
import { linkSettings } from '../../../lib/links/settings.ts'
import type { Logger } from '../../../lib/log.ts'
import { PatternError, patternOrProblem } from '../../../lib/patterns/pattern.ts'
import type { LinkProduct } from '../../directory/link-products.repo.ts'

/** A product with its settings in force. */
export interface LinkedProduct extends LinkProduct {
  readonly settings: LinkSettings
}

export interface LinkDirectoryOptions {
  load(): Promise<LinkProduct[]>
  logger: Logger
  /** How often it is read even when nobody said that something changed, ms. */
  periodMs?: number
}

/** Several changes in a row make one look-up, ms. */
const COLLECT_MS = 20

/** Products whose link settings matter before their device is known: own ports, and rules for numbers on the shared port. */
export class LinkDirectory {
  private products: LinkedProduct[] = []
  private refused = new Map<string, string>()
  private readonly listeners: (() => void)[] = []
  private timer: NodeJS.Timeout | null = null
  private period: NodeJS.Timeout | null = null
  private loading: Promise<void> | null = null
  private again = false

  constructor(private readonly options: LinkDirectoryOptions) {}

  /** Reads for the first time; a database that cannot be asked now is asked again later. */
  async start(): Promise<void> {
    if (this.period) return
    this.period = setInterval(() => this.changed(), this.options.periodMs ?? 60_000)
    this.period.unref()
    await this.read()
  }

  stop(): void {
    if (this.period) clearInterval(this.period)
    if (this.timer) clearTimeout(this.timer)
  }

  /** Some product changed. */
  changed(): void {
    this.timer ??= setTimeout(() => {
      this.timer = null
      inBackground('reading link settings of products', this.read())
    }, COLLECT_MS)
  }

  /** Told after every reading. */
  onRead(listener: () => void): void {
    this.listeners.push(listener)
  }

  /** Products with a port of their own of this link type. */
  withOwnPort(has: (linkType: string) => boolean): LinkedProduct[] {
    return this.products.filter(
      product => product.ownPort !== null && product.settings.port.mode === 'own' && has(product.linkType),
    )
  }

  /** Rules that take a number out of a packet, of products on the shared port. */
  rules(has: (linkType: string) => boolean): LinkedProduct[] {
    return this.products.filter(({ settings: { register }, linkType }) => RULES.has(register.kind) && has(linkType))
  }

  private read(): Promise<void> {
    if (this.loading) {
      this.again = true
      return this.loading
    }
    this.loading = this.readUntilCurrent().finally(() => {
      this.loading = null
    })
    return this.loading
  }

  private async readUntilCurrent(): Promise<void> {
    do {
      this.again = false
      try {
        const rows = await this.options.load()
        this.products = rows.map(row => ({ ...row, settings: linkSettings(row.link, row.formatKind) }))
        this.sayRefusedPatterns()
      } catch (error) {
        this.options.logger.warn({ err: error }, 'link settings of products not readable; trying again')
        setTimeout(() => this.changed(), 1_000).unref()
        return
      }
      for (const listener of this.listeners) listener()
    } while (this.again)
  }

  /** Expressions that were saved when more was allowed let nobody in: said once, until they are written anew. */
  private sayRefusedPatterns(): void {
    const refused = new Map<string, string>()
    for (const { productKey, settings } of this.products) {
      if (settings.register.kind !== 'regex') continue
      const found = patternOrProblem(settings.register.pattern ?? '')
      if (!(found instanceof PatternError)) continue
      refused.set(productKey, found.message)
      if (this.refused.get(productKey) !== found.message)
        this.options.logger.warn(
          { productKey, reason: found.message },
          'the expression for register packets cannot be used; devices of this product are not let in by it',
        )
    }
    this.refused = refused
  }
}

const RULES: ReadonlySet<string> = new Set(['regex', 'json'])
