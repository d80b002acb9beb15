import type { UnknownKeyView } from '@thingwright/contracts/unknown-keys.contract'
import { guessType, isIdentifier, isReservedIdentifier } from '@thingwright/thing-model'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database.ts'
import { AppError } from '../../lib/errors.ts'
import { findProduct, type ProductRow } from './products.repo.ts'
import { clearUnknownKeys, listUnknownKeys, type UnknownKeyRow } from './unknown-keys.repo.ts'

export interface UnknownKeysService {
  list(ctx: Ctx, id: string): Promise<{ items: UnknownKeyView[] }>
  clear(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

/** Keys that devices sent and the model does not know. */
export function createUnknownKeysService({ database }: { database: Database }): UnknownKeysService {
  async function existing(scope: TenantScope, id: string, lock?: 'update'): Promise<ProductRow> {
    const row = await findProduct(scope, id, lock)
    if (row) return row
    if (lock && scope.limited && (await findProduct(scope, id))) throw new AppError('scope.outside')
    throw new AppError('product.not_found')
  }

  return {
    list: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const { publishedModel, draftModel } = await existing(scope, id)
        const known = new Set(publishedModel?.properties.map(({ identifier }) => identifier))
        const drafted = new Set(draftModel.properties.map(({ identifier }) => identifier))
        const rows = await listUnknownKeys(scope, id)
        return { items: rows.filter(({ key }) => !known.has(key)).map(row => toView(row, drafted)) }
      }),

    clear: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const { name } = await existing(scope, id, 'update')
        const count = await clearUnknownKeys(scope, id)
        await recordAudit(scope, ctx, {
          action: 'product.unknown_keys_clear',
          objectType: 'product',
          objectId: id,
          objectName: name,
          before: { keys: count },
        })
        return { ok: true }
      }),
  }
}

function toView({ firstAt, lastAt, ...row }: UnknownKeyRow, drafted: ReadonlySet<string>): UnknownKeyView {
  const { key, samples } = row
  const fits = isIdentifier(key) && !isReservedIdentifier(key, 'property')
  return {
    ...row,
    firstAt: firstAt.toISOString(),
    lastAt: lastAt.toISOString(),
    property: fits
      ? { identifier: key, name: key, dataType: { ...guessType(samples.map(readSample)) }, access: 'r' }
      : null,
    inDraft: drafted.has(key),
  }
}

/** A long sample is cut and says nothing but that it is long. */
function readSample(sample: string): unknown {
  try {
    return JSON.parse(sample) as unknown
  } catch {
    return sample.startsWith('"') ? sample : {}
  }
}
