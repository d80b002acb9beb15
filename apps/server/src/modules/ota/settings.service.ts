import type { BodyOf } from '@thingwright/contracts'
import type { FirmwareKeyView, FirmwareSettingsView, firmwareContract } from '@thingwright/contracts/firmware.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorId, actorName, type Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { storeFirmwareRules } from '../products/index.ts'
import { readPublicKey } from './firmware-signature.ts'
import * as repo from './settings.repo.ts'

export interface FirmwareSettingsService {
  get(ctx: Ctx, productId: string): Promise<FirmwareSettingsView>
  set(
    ctx: Ctx,
    productId: string,
    input: BodyOf<(typeof firmwareContract)['setSettings']>,
  ): Promise<FirmwareSettingsView>
  addKey(ctx: Ctx, productId: string, input: { name: string; publicKey: string }): Promise<FirmwareKeyView>
  removeKey(ctx: Ctx, productId: string, keyId: string): Promise<{ ok: boolean }>
}

const MAX_KEYS = 5

export function createFirmwareSettings(deps: {
  database: Database
  /** @throws AppError auth.proof_required */
  requireFreshProof(ctx: Ctx): Promise<void>
}): FirmwareSettingsService {
  const { database, requireFreshProof } = deps

  async function product(scope: TenantScope, id: string, lock = false): Promise<repo.ProductRow> {
    const row = await repo.findProduct(scope, id, lock)
    if (!row) throw new AppError('product.not_found')
    return row
  }

  async function view(scope: TenantScope, id: string): Promise<FirmwareSettingsView> {
    const { firmware } = await product(scope, id)
    return {
      productId: id,
      requireSignature: firmware.requireSignature ?? false,
      requireVerified: firmware.requireVerified ?? false,
      magicHex: firmware.magicHex ?? null,
      keys: (await repo.keysOf(scope, id)).map(toKey),
    }
  }

  return {
    get: (ctx, productId) => database.withTenant(ctx, scope => view(scope, productId)),

    async set(ctx, productId, input) {
      await requireFreshProof(ctx)
      return database.withTenant(ctx, async scope => {
        const before = await product(scope, productId)
        if (input.requireSignature && (await repo.keysOf(scope, productId)).length === 0)
          throw new AppError('firmware.key_missing')
        const rules = {
          requireSignature: input.requireSignature,
          requireVerified: input.requireVerified,
          magicHex: input.magicHex?.toLowerCase() ?? null,
        }
        if (!(await storeFirmwareRules(scope, productId, rules))) throw new AppError('product.not_found')
        await recordAudit(scope, ctx, {
          action: 'firmware_settings.update',
          objectType: 'firmware_settings',
          objectId: productId,
          objectName: before.name,
          before: { ...before.firmware },
          after: rules,
        })
        return view(scope, productId)
      })
    },

    async addKey(ctx, productId, { name, publicKey }) {
      await requireFreshProof(ctx)
      const bytes = readPublicKey(publicKey)
      return database.withTenant(ctx, async scope => {
        const { name: productName } = await product(scope, productId, true)
        const keys = await repo.keysOf(scope, productId)
        if (keys.some(key => key.publicKey.equals(bytes))) throw new AppError('firmware.key_known')
        if (keys.length >= MAX_KEYS) throw new AppError('firmware.key_limit', { params: { limit: MAX_KEYS } })
        const id = newId(ctx.now)
        await repo.insertKey(scope, {
          id,
          productId,
          name,
          publicKey: bytes,
          createdById: actorId(ctx.actor),
          createdBy: actorName(ctx.actor),
        })
        await recordAudit(scope, ctx, {
          action: 'firmware_key.create',
          objectType: 'firmware_key',
          objectId: id,
          objectName: name,
          after: { product: productName, publicKey: bytes.toString('base64') },
        })
        return toKey((await repo.keysOf(scope, productId)).find(key => key.id === id)!)
      })
    },

    async removeKey(ctx, productId, keyId) {
      await requireFreshProof(ctx)
      return database.withTenant(ctx, async scope => {
        const { firmware, name: productName } = await product(scope, productId, true)
        const keys = await repo.keysOf(scope, productId)
        const key = keys.find(each => each.id === keyId)
        if (!key) throw new AppError('firmware.key_not_found')
        if (firmware.requireSignature && keys.length === 1) throw new AppError('firmware.key_missing')
        await repo.deleteKey(scope, keyId)
        await recordAudit(scope, ctx, {
          action: 'firmware_key.remove',
          objectType: 'firmware_key',
          objectId: keyId,
          objectName: key.name,
          before: { product: productName, publicKey: key.publicKey.toString('base64') },
        })
        return { ok: true }
      })
    },
  }
}

function toKey({ id, name, publicKey, createdBy, createdAt, packages }: repo.KeyRow): FirmwareKeyView {
  return {
    id,
    name,
    publicKey: publicKey.toString('base64'),
    createdBy,
    createdAt: createdAt.toISOString(),
    packages,
  }
}
