import type { CompiledModel } from '@thingwright/thing-model'
import type { Codec } from '../codecs/codec.ts'
import { modelFor } from '../gateway/device-models.ts'
import type { ProductEntry } from '../gateway/product-cache.ts'
import type { RawUplink } from '../uplink.ts'

/** An uplink beside the thing model in force for its device. */
export interface IdentifiedUplink {
  readonly raw: RawUplink
  readonly model: CompiledModel
  /** The product's format; null or absent: JSON. */
  readonly codec?: Codec | null
}

/**
 * Finds the thing model that an uplink is checked against. While a newer one is being read the uplink waits its turn, so
 * that what a device sends after a publish is checked against what was published; `next` runs in the order of the calls.
 */
export function identify(raw: RawUplink, product: ProductEntry, next: (uplink: IdentifiedUplink) => void): void {
  if (product.current) {
    next({ raw, model: modelFor(product, raw.device), codec: product.codec })
    return
  }
  // The transport's buffer is ours during the call only.
  const kept = { ...raw, payload: Buffer.from(raw.payload) }
  product.waiting.push(() => next({ raw: kept, model: modelFor(product, raw.device), codec: product.codec }))
}
