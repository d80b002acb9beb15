import type { UnknownKeyView } from '@thingwright/contracts/unknown-keys.contract'
import { guessType, isIdentifier, isReservedIdentifier, type ThingModel } from '@thingwright/thing-model'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { findProduct } from './products.repo.ts'
import type { ProductRow } from './products.rows.ts'
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
        const rows = await listUnknownKeys(scope, id)
        const placed = rows.map(row => ({ row, place: placeOf(row.key) }))
        return {
          items: placed
            .filter(({ place }) => !(publishedModel && isIn(publishedModel, place)))
            .map(({ row, place }) => toView(row, place, draftModel)),
        }
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

interface Place {
  of: UnknownKeyView['of']
  key: string
}

const BELOW = /^(event|service)\/([^/]+)\/(.*)$/s

/** What the device path put before a key that is no property's. */
function placeOf(listed: string): Place {
  const [, kind, identifier, key] = BELOW.exec(listed) ?? []
  if (identifier === undefined || key === undefined) return { of: null, key: listed }
  return { of: { kind: kind as 'event' | 'service', identifier }, key }
}

/** The fields that stand at the place; null: the model has no such event or service. */
function fieldsAt(
  { properties, events, services }: ThingModel,
  of: Place['of'],
): readonly { identifier: string }[] | null {
  if (of === null) return properties
  if (of.kind === 'event') return events.find(event => event.identifier === of.identifier)?.params ?? null
  return services.find(service => service.identifier === of.identifier)?.output ?? null
}

function isIn(model: ThingModel, { of, key }: Place): boolean {
  return fieldsAt(model, of)?.some(({ identifier }) => identifier === key) ?? false
}

function toView({ firstAt, lastAt, ...row }: UnknownKeyRow, place: Place, draft: ThingModel): UnknownKeyView {
  const { of, key } = place
  const reserved = isReservedIdentifier(key, of === null ? 'property' : 'other')
  const fits = isIdentifier(key) && !reserved && fieldsAt(draft, of) !== null
  const field = () => ({ identifier: key, name: key, dataType: { ...guessType(row.samples.map(readSample)) } })
  return {
    ...row,
    of,
    firstAt: firstAt.toISOString(),
    lastAt: lastAt.toISOString(),
    property: fits ? { ...field(), ...(of === null ? { access: 'r' } : {}) } : null,
    inDraft: isIn(draft, place),
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
