import { systemContext } from '../lib/context.ts'
import type { ProductsService } from '../modules/products/index.ts'
import type { TelemetryService } from '../modules/telemetry/index.ts'

/** Properties in one table; the history service takes no more at once. */
const COLUMNS = 16

/** The history of a device as CSV, for the export of a whole company; null when nothing of it is kept. */
export function deviceHistory(products: Pick<ProductsService, 'get'>, telemetry: Pick<TelemetryService, 'exportCsv'>) {
  const known = new Map<string, Promise<string[]>>()
  return async (tenantId: string, device: { id: string; productId: string }, from: number) => {
    const ctx = systemContext(tenantId, 'company-export')
    let identifiers = known.get(device.productId)
    if (!identifiers) {
      identifiers = products.get(ctx, device.productId).then(({ publishedModel, thingModel }) => {
        const { properties = [] } = (publishedModel ?? thingModel) as {
          properties?: { identifier: string; history?: boolean }[]
        }
        return properties
          .filter(property => property.history !== false)
          .slice(0, COLUMNS)
          .map(({ identifier }) => identifier)
      })
      known.set(device.productId, identifiers)
      // Forgotten soon: a model may change, and an error must not stay.
      setTimeout(() => known.delete(device.productId), 60_000).unref()
    }
    const names = await identifiers
    if (names.length === 0) return null
    const { body } = await telemetry.exportCsv(ctx, device.id, {
      identifier: names.join(','),
      from: String(from),
      to: String(Date.now()),
      heads: 'identifiers',
    } as never)
    return bytesOf(body)
  }
}

async function* bytesOf(body: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer)
}
