import type { CompiledModel } from '@thingwright/thing-model'
import type { Intake } from '../../modules/products/intake.port.ts'
import type { Codec } from '../codecs/codec.ts'
import { modelFor } from '../directory/device-models.ts'
import type { ProductEntry } from '../directory/product-cache.ts'
import type { RawUplink } from '../uplink.ts'

/** An uplink beside the thing model in force for its device. */
export interface IdentifiedUplink {
  readonly raw: RawUplink
  readonly model: CompiledModel
  /** The product's format; null or absent: JSON. */
  readonly codec?: Codec | null
  /** What becomes of what the model would refuse; absent: it is refused. */
  readonly intake?: Intake
}

/**
 * Finds the thing model that an uplink is checked against. While a newer one is being read the uplink waits its turn, so
 * that what a device sends after a publish is checked against what was published; `next` runs in the order of the calls.
 */
export function identify(raw: RawUplink, product: ProductEntry, next: (uplink: IdentifiedUplink) => void): void {
  if (product.current) {
    next(identified(raw, product))
    return
  }
  // The transport's buffer is ours during the call only.
  const kept = { ...raw, payload: Buffer.from(raw.payload) }
  product.waiting.push(() => next(identified(kept, product)))
}

function identified(raw: RawUplink, product: ProductEntry): IdentifiedUplink {
  const model = modelFor(product, raw.device)
  const { codec, settings } = product
  return settings ? { raw, model, codec, intake: settings.intake } : { raw, model, codec }
}
