import type { BodyOf } from '@thingwright/contracts'
import { type DeviceModelView, thingModelsContract } from '@thingwright/contracts/thing-models.contract'
import { applyOverlay, type ModelOverlay, overlaySize, parseOverlay, type ThingModel } from '@thingwright/thing-model'
import type { Ctx } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import { type ChangeDeps, changeDevice } from './device-change.ts'
import { type DeviceModelRow, deviceModel, setOverlay } from './device-models.repo.ts'

export interface DeviceModelService {
  get(ctx: Ctx, id: string): Promise<DeviceModelView>
  set(ctx: Ctx, id: string, input: BodyOf<typeof thingModelsContract.setDeviceModel>): Promise<DeviceModelView>
  reset(ctx: Ctx, id: string): Promise<DeviceModelView>
}

/** What one device has otherwise than its product: an overlay, never a copy. */
export function createDeviceModelService(deps: ChangeDeps): DeviceModelService {
  const { database } = deps

  async function existing(scope: TenantScope, id: string): Promise<DeviceModelRow> {
    const row = await deviceModel(scope, id)
    if (!row) throw new AppError('device.not_found')
    return row
  }

  /** Replaces the overlay; the operation log has it as it was and as it is. */
  async function change(
    ctx: Ctx,
    id: string,
    version: number | undefined,
    next: (before: DeviceModelRow) => ModelOverlay | null,
  ): Promise<void> {
    let log = { before: {}, after: {} }
    const options = { action: 'device.thing_model', ...(version === undefined ? {} : { version }), log: () => log }
    await changeDevice(deps, ctx, id, options, async scope => {
      const before = await existing(scope, id)
      const overlay = next(before)
      await setOverlay(scope, id, overlay)
      log = { before: { model: before.overlay ?? {} }, after: { model: overlay ?? {} } }
    })
  }

  const get = (ctx: Ctx, id: string) => database.withTenant(ctx, async scope => toView(await existing(scope, id)))

  return {
    get,

    async set(ctx, id, { version, ...input }) {
      await change(ctx, id, version, before => {
        const read = parseOverlay(before.model, input)
        if (!read.ok)
          throw new AppError('product.model_invalid', {
            params: { count: read.problems.length },
            fields: Object.fromEntries(
              read.problems.map(({ path, code, params }) => [path || '$', { code: `model.${code}`, params }]),
            ),
          })
        return overlaySize(read.overlay) === 0 ? null : read.overlay
      })
      return get(ctx, id)
    },

    async reset(ctx, id) {
      await change(ctx, id, undefined, () => null)
      return get(ctx, id)
    },
  }
}

function toView({ overlay: stored, version, model, modelVersion }: DeviceModelRow): DeviceModelView {
  const overlay = pruned(model, stored)
  const applied = applyOverlay(model, overlay)
  return {
    modelVersion,
    // One that no longer fits the product's model counts for nothing, here as on the device path.
    model: { ...(applied.ok ? applied.model : model) },
    overlay: { ...overlay },
    localChanges: overlaySize(overlay),
    version,
  }
}

/** Without changes of what the product no longer has, and without own properties whose name the product took. */
function pruned(model: ThingModel, overlay: ModelOverlay | null): ModelOverlay {
  const known = new Set(model.properties.map(property => property.identifier))
  const changed = Object.entries(overlay?.changed ?? {}).filter(([identifier]) => known.has(identifier))
  const added = (overlay?.added ?? []).filter(property => !known.has(property.identifier))
  return {
    ...(changed.length > 0 ? { changed: Object.fromEntries(changed) } : {}),
    ...(added.length > 0 ? { added } : {}),
  }
}

export function deviceModelRoutes(models: DeviceModelService): BoundRoute[] {
  return [
    bind(thingModelsContract.deviceModel, (ctx, { params }) => models.get(ctx, params.id)),
    bind(thingModelsContract.setDeviceModel, (ctx, { params, body }) => models.set(ctx, params.id, body)),
    bind(thingModelsContract.resetDeviceModel, (ctx, { params }) => models.reset(ctx, params.id)),
  ]
}
