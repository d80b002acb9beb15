import type { Logger } from '../../../lib/log.ts'
import type { LinkPortState } from '../../../modules/devices/gateway.port.ts'
import type { LinkedProduct } from './link-directory.ts'

export interface OwnPortsOptions {
  /** Opens the product's port. Rejects when it cannot be had. */
  open(product: LinkedProduct): Promise<{ close(): void }>
  logger: Logger
}

interface OpenPort {
  product: LinkedProduct
  /** What makes this another port: its number, and how its first packets are read. */
  key: string
  listener: { close(): void } | null
  error: string | null
}

/** The ports that belong to products: opened and closed as the products' settings change, while everything else goes on. */
export class OwnPorts {
  private readonly ports = new Map<number, OpenPort>()
  private running: Promise<void> = Promise.resolve()

  constructor(private readonly options: OwnPortsOptions) {}

  /** Makes the open ports those of these products; one that could not be had is tried again each time. */
  show(products: readonly LinkedProduct[]): Promise<void> {
    this.running = this.running.then(() => this.apply(products))
    return this.running
  }

  states(): LinkPortState[] {
    return [...this.ports.values()].map(({ product, listener, error }) => ({
      product: product.num,
      port: product.ownPort ?? 0,
      state: listener ? 'open' : 'failed',
      error,
    }))
  }

  async close(): Promise<void> {
    await this.running
    for (const port of this.ports.values()) port.listener?.close()
    this.ports.clear()
  }

  private async apply(products: readonly LinkedProduct[]): Promise<void> {
    const wanted = new Map(products.map(product => [product.num, product]))
    for (const [num, port] of this.ports) {
      const product = wanted.get(num)
      if (product && keyOf(product) === port.key && port.listener) continue
      port.listener?.close()
      this.ports.delete(num)
    }
    for (const product of products) {
      if (this.ports.has(product.num)) continue
      const port: OpenPort = { product, key: keyOf(product), listener: null, error: null }
      this.ports.set(product.num, port)
      try {
        port.listener = await this.options.open(product)
      } catch (error) {
        port.error = (error as NodeJS.ErrnoException).code ?? String(error)
        this.options.logger.warn({ err: error, port: product.ownPort }, 'a product’s port could not be opened')
      }
    }
  }
}

function keyOf(product: LinkedProduct): string {
  return JSON.stringify([product.ownPort, product.productKey, product.settings.register])
}
