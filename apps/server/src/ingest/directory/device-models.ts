import { applyOverlay, type CompiledModel, compileModel, type ModelOverlay } from '@thingwright/thing-model'
import type { DeviceRecord } from '../uplink.ts'

/** Overlays compiled for one model of a product; devices with the same changes share one. */
const MOST = 2_000
const compiled = new WeakMap<CompiledModel, Map<string, CompiledModel>>()
/** By the overlay as the device's record holds it: a record's next message costs one look. */
const known = new WeakMap<object, { base: CompiledModel; model: CompiledModel }>()

/**
 * The thing model in force for a device: its product's, or that with the device's own changes over it. A device without
 * changes costs one comparison. An overlay that no longer fits the product's model counts for nothing.
 */
export function modelFor(product: { readonly model: CompiledModel }, device: DeviceRecord): CompiledModel {
  const overlay = device.overrides.model
  if (typeof overlay !== 'object' || overlay === null) return product.model
  const base = product.model
  const before = known.get(overlay)
  if (before?.base === base) return before.model
  const model = compileOverlay(base, overlay as ModelOverlay)
  known.set(overlay, { base, model })
  return model
}

function compileOverlay(base: CompiledModel, overlay: ModelOverlay): CompiledModel {
  let models = compiled.get(base)
  if (!models) {
    models = new Map()
    compiled.set(base, models)
  }
  const key = JSON.stringify(overlay)
  let model = models.get(key)
  if (!model) {
    const applied = applyOverlay(base.model, overlay)
    model = applied.ok && applied.model !== base.model ? compileModel(applied.model) : base
    if (models.size >= MOST) models.clear()
    models.set(key, model)
  }
  return model
}
