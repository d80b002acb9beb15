import { applyOverlay, type CompiledModel, compileModel, parseModel } from '@thingwright/thing-model'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { ownModel, publishedModel } from './commands.repo.ts'

const KEPT = 500

/** Compiled thing models by product, compiled again when a newer version is published. */
export class CommandModels {
  private readonly models = new Map<string, { version: number; model: CompiledModel }>()

  /**
   * The model in force for a device: its product's, with the device's own changes over it.
   * @throws AppError product.not_published
   */
  async ofDevice(scope: TenantScope, productId: string, device: { id: string } | null): Promise<CompiledModel> {
    const model = await this.of(scope, productId)
    const overlay = device && (await ownModel(scope, device.id))
    if (!overlay) return model
    const applied = applyOverlay(model.model, overlay)
    return applied.ok ? compileModel(applied.model) : model
  }

  /** @throws AppError product.not_published */
  async of(scope: TenantScope, productId: string): Promise<CompiledModel> {
    const held = this.models.get(productId)
    const current = await publishedModel(scope, productId, held?.version ?? -1)
    if (!current) throw new AppError('product.not_published')
    if (held && held.version === current.version) return held.model
    const parsed = parseModel(current.model)
    if (!parsed.ok) throw new Error(`published thing model of product ${productId} is not valid`)
    const model = compileModel(parsed.model)
    this.models.delete(productId)
    this.models.set(productId, { version: current.version, model })
    if (this.models.size > KEPT) this.models.delete(this.models.keys().next().value!)
    return model
  }
}
