import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type {
  ProductChoice,
  ProductDetail,
  ProductView,
  productsContract,
} from '@thingwright/contracts/products.contract'
import { diffModels, emptyModel } from '@thingwright/thing-model'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId, randomKey } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { normaliseForSearch } from '../../lib/lists/search.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import type { GroupsService } from '../groups/index.ts'
import type { QuotaGuard } from '../tenants/index.ts'
import { findVersion, insertVersion } from './model-versions.repo.ts'
import { checkIcon, checkLinkType, readModel } from './products.checks.ts'
import { auditFacts, NO_DEVICES, toDetail, toDiff, toView } from './products.mapping.ts'
import * as repo from './products.repo.ts'
import type { ProductChange, ProductRow } from './products.rows.ts'

type Contract = typeof productsContract
export type ListProducts = QueryOf<Contract['list']>
export type CreateProduct = BodyOf<Contract['create']>
export type UpdateProduct = BodyOf<Contract['update']>
export type SetThingModel = BodyOf<Contract['setThingModel']>

export interface DeviceCounts {
  /** Without the recycle bin. */
  total: number
  online: number
  recycled: number
}

/** What a product must know of its devices; the module above answers. */
export interface ProductDevices {
  countByProduct(scope: TenantScope, productIds: string[]): Promise<ReadonlyMap<string, DeviceCounts>>
  /** Numbers of the devices that are connected now. */
  onlineNums(scope: TenantScope, productId: string): Promise<number[]>
  /** Gives an access token to each device of the product that has none; absent: there are none. */
  giveTokens?(scope: TenantScope, productId: string): Promise<number>
}

export interface ProductsServiceDeps {
  database: Database
  quotas: QuotaGuard
  groups: Pick<GroupsService, 'hold' | 'subtree'>
  gateway: Pick<GatewayPort, 'forget' | 'kick'>
  devices: ProductDevices
}

/** A product as other modules need it, held until their transaction ends. */
export interface HeldProduct {
  id: string
  num: number
  productKey: string
  name: string
  icon: string
}

export interface ProductsService {
  list(ctx: Ctx, input: ListProducts): Promise<{ items: ProductView[]; nextCursor: string | null; total?: number }>
  /** Published products of the company, whatever the caller's data scope: he may add devices of each of them. */
  catalogue(ctx: Ctx, q?: string): Promise<{ items: ProductChoice[] }>
  /** Categories that products of the company have, whatever the caller's data scope. */
  categories(ctx: Ctx): Promise<{ items: string[] }>
  create(ctx: Ctx, input: CreateProduct): Promise<ProductDetail>
  get(ctx: Ctx, id: string): Promise<ProductDetail>
  update(ctx: Ctx, id: string, input: UpdateProduct): Promise<ProductDetail>
  /** Into the recycle bin. */
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  /** Out of the recycle bin, not published; with its own port where that is still free. */
  restore(ctx: Ctx, id: string): Promise<ProductDetail>
  setThingModel(ctx: Ctx, id: string, input: SetThingModel): Promise<ProductDetail>
  modelDiff(ctx: Ctx, id: string): Promise<ReturnType<typeof toDiff> & { deviceCount: number }>
  publish(ctx: Ctx, id: string, input?: { note?: string; version?: number }): Promise<ProductDetail>
  /** Publishes an earlier version again, as the next number. A draft with changes of its own stays. */
  rollBack(ctx: Ctx, id: string, number: number, input: { note?: string; version?: number }): Promise<ProductDetail>
  unpublish(ctx: Ctx, id: string): Promise<ProductDetail>
  /** Stores a format that was checked; {@link ProductFormatService} does so. */
  setFormat(ctx: Ctx, id: string, format: Record<string, unknown>, version?: number): Promise<ProductDetail>
  /**
   * For those who add a device, within their transaction: the product stays and stays published until it ends.
   * @throws AppError product.not_found, product.not_published
   */
  holdPublished(scope: TenantScope, id: string): Promise<HeldProduct>
}

const KEY_LENGTH = 11

export function createProductsService({
  database,
  quotas,
  groups,
  gateway,
  devices,
}: ProductsServiceDeps): ProductsService {
  /** @throws AppError product.not_found also for another company's and for deleted ones */
  async function existing(scope: TenantScope, id: string, lock?: 'update' | 'share'): Promise<ProductRow> {
    const row = await repo.findProduct(scope, id, lock)
    if (row) return row
    // Seen because a device of the scope is of it, but not itself part of the scope.
    if (lock && scope.limited && (await repo.findProduct(scope, id))) throw new AppError('scope.outside')
    throw new AppError('product.not_found')
  }

  async function countsOf(scope: TenantScope, id: string): Promise<DeviceCounts> {
    return (await devices.countByProduct(scope, [id])).get(id) ?? NO_DEVICES
  }

  async function detail(scope: TenantScope, id: string): Promise<ProductDetail> {
    return toDetail(await existing(scope, id), await countsOf(scope, id))
  }

  /** One change of one product: locks it, checks the caller's version, writes, logs, and tells the device path. */
  function change(
    ctx: Ctx,
    id: string,
    action: string,
    version: number | undefined,
    work: (scope: TenantScope, before: ProductRow) => Promise<{ set: ProductChange; log?: Record<string, unknown> }>,
  ): Promise<ProductDetail> {
    return database.withTenant(ctx, async scope => {
      const before = await existing(scope, id, 'update')
      if (version !== undefined && before.version !== version)
        throw new AppError('version.conflict', { params: { current: await detail(scope, id) } })
      const { set, log } = await work(scope, before)
      await repo.updateProduct(scope, id, set)
      const after = await existing(scope, id)
      await recordAudit(scope, ctx, {
        action,
        objectType: 'product',
        objectId: id,
        objectName: after.name,
        before: auditFacts(before),
        after: { ...auditFacts(after), ...log },
      })
      scope.afterCommit(() => gateway.forget({ product: before.num }))
      return toDetail(after, await countsOf(scope, id))
    })
  }

  return {
    list: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const limit = input.limit ?? 20
        const sort = parseSort(input.sort, repo.PRODUCT_SORTS, '-createdAt')
        const order = `${sort.descending ? '-' : ''}${sort.key}`
        const after = decodeCursor(input.cursor, 3) as [string, string, string] | null
        if (after && (after[0] !== order || after.some(part => typeof part !== 'string')))
          throw new AppError('request.cursor_invalid')
        const filter: repo.ProductFilter = {
          recycled: input.recycled === '1',
          ...(input.category ? { category: input.category } : {}),
          ...(input.status ? { status: input.status } : {}),
          ...(input.linkType ? { linkType: input.linkType } : {}),
          ...(input.nodeType ? { nodeType: input.nodeType } : {}),
          ...(input.groupId ? { groupIds: await groups.subtree(scope, input.groupId, 'product') } : {}),
          ...(input.q ? { needle: normaliseForSearch(input.q) } : {}),
        }
        const position = after ? ([after[1], after[2]] as const) : null
        const rows = await readFrom(input.cursor, () => repo.listProducts(scope, filter, sort, position, limit + 1))
        const page = rows.slice(0, limit)
        const counts = await devices.countByProduct(
          scope,
          page.map(row => row.id),
        )
        const last = page.at(-1)
        return {
          items: page.map(row => toView(row, counts.get(row.id) ?? NO_DEVICES)),
          nextCursor: rows.length > limit && last ? encodeCursor([order, last.position, last.id]) : null,
          ...(input.total === '1' ? { total: await repo.countProducts(scope, filter) } : {}),
        }
      }),

    catalogue: (ctx, q) =>
      database.withTenant(ctx, async scope => ({
        items: await repo.listCatalogue(scope, normaliseForSearch(q ?? '')),
      })),

    categories: ctx => database.withTenant(ctx, async scope => ({ items: await repo.listCategories(scope) })),

    create: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        checkLinkType(input.linkType)
        const model = input.thingModel ? readModel(input.thingModel, 'thingModel.') : emptyModel()
        if (input.groupId) await groups.hold(scope, input.groupId, 'product')
        await quotas.hold(scope, 'products')
        const id = newId(ctx.now)
        const published = input.draft !== true
        await repo.insertProduct(scope, {
          id,
          tenantId: scope.tenantId,
          productKey: randomKey(KEY_LENGTH),
          name: input.name,
          description: input.description ?? '',
          category: input.category?.trim() ?? '',
          icon: checkIcon(input.icon ?? ''),
          linkType: input.linkType,
          nodeType: input.nodeType ?? 'device',
          status: published ? 'published' : 'draft',
          draftModel: model,
          publishedModel: published ? model : null,
          modelVersion: published ? 1 : 0,
          groupId: input.groupId ?? null,
          ...pick(input, ['offlineDelaySeconds', 'unknownKeys', 'lenientTypes', 'badValues']),
        })
        if (published) await keepVersion(scope, ctx, { productId: id, number: 1, model, note: '', restoredFrom: null })
        const row = await existing(scope, id)
        await recordAudit(scope, ctx, {
          action: 'product.create',
          objectType: 'product',
          objectId: id,
          objectName: row.name,
          after: auditFacts(row),
        })
        return toDetail(row, NO_DEVICES)
      }),

    get: (ctx, id) => database.withTenant(ctx, scope => detail(scope, id)),

    update: (ctx, id, { version, ...input }) =>
      change(ctx, id, 'product.update', version, async (scope, before) => {
        if (input.groupId && input.groupId !== before.groupId) await groups.hold(scope, input.groupId, 'product')
        return {
          set: {
            ...pick(input, [
              'name',
              'description',
              'offlineDelaySeconds',
              'groupId',
              'unknownKeys',
              'lenientTypes',
              'badValues',
            ]),
            ...(input.category === undefined ? {} : { category: input.category.trim() }),
            ...(input.icon === undefined ? {} : { icon: checkIcon(input.icon) }),
          },
        }
      }),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await existing(scope, id, 'update')
        const { total, recycled } = await scope.wholeCompany('in-use', () => countsOf(scope, id))
        if (total + recycled > 0) throw new AppError('product.has_devices', { params: { count: total, recycled } })
        await repo.updateProduct(scope, id, { deletedAt: new Date(ctx.now), status: 'draft' })
        await recordAudit(scope, ctx, {
          action: 'product.remove',
          objectType: 'product',
          objectId: id,
          objectName: row.name,
          before: auditFacts(row),
        })
        scope.afterCommit(() => gateway.forget({ product: row.num }))
        return { ok: true }
      }),

    restore: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await repo.findRecycled(scope, id)
        if (!before) {
          await existing(scope, id)
          throw new AppError('product.not_recycled')
        }
        await quotas.hold(scope, 'products')
        const port = before.ownPort
        await repo.updateProduct(scope, id, {
          deletedAt: null,
          ownPort: port === null ? null : await repo.claimPort(scope, { from: port, to: port }),
        })
        const after = await existing(scope, id)
        await recordAudit(scope, ctx, {
          action: 'product.restore',
          objectType: 'product',
          objectId: id,
          objectName: after.name,
          after: auditFacts(after),
        })
        scope.afterCommit(() => gateway.forget({ product: after.num }))
        return toDetail(after, NO_DEVICES)
      }),

    setThingModel: (ctx, id, { version, ...body }) =>
      change(ctx, id, 'product.thing_model', version, async (_scope, before) => {
        const model = readModel(body, '')
        const { added, removed, changed } = diffModels(before.draftModel, model)
        const names = (changes: typeof added) => changes.map(({ kind, identifier }) => `${kind} ${identifier}`)
        return {
          set: { draftModel: model },
          log: { model: { added: names(added), removed: names(removed), changed: names(changed) } },
        }
      }),

    modelDiff: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await existing(scope, id)
        const { total } = await countsOf(scope, id)
        return { ...toDiff(row.publishedModel ?? emptyModel(), row.draftModel), deviceCount: total }
      }),

    publish: (ctx, id, { note = '', version } = {}) =>
      change(ctx, id, 'product.publish', version, async (scope, before) => {
        if (!before.modelChanged && before.status === 'published') throw new AppError('product.model_unchanged')
        if (!before.modelChanged) return { set: { status: 'published' } }
        const model = before.draftModel
        const number = before.modelVersion + 1
        await keepVersion(scope, ctx, { productId: id, number, model, note, restoredFrom: null })
        return {
          set: { status: 'published', publishedModel: model, modelVersion: number },
          log: { note },
        }
      }),

    rollBack: (ctx, id, restoredFrom, { note = '', version }) =>
      change(ctx, id, 'product.model_restore', version, async (scope, before) => {
        const old = await findVersion(scope, id, restoredFrom)
        if (!old) throw new AppError('product.model_version_unknown', { params: { number: restoredFrom } })
        const { added, removed, changed } = diffModels(before.publishedModel ?? emptyModel(), old.model)
        if (added.length + removed.length + changed.length === 0) throw new AppError('product.model_unchanged')
        const number = before.modelVersion + 1
        await keepVersion(scope, ctx, { productId: id, number, model: old.model, note, restoredFrom })
        return {
          set: {
            publishedModel: old.model,
            modelVersion: number,
            ...(before.modelChanged ? {} : { draftModel: old.model }),
          },
          log: { restoredFrom, note },
        }
      }),

    unpublish: (ctx, id) =>
      change(ctx, id, 'product.unpublish', undefined, async (scope, before) => {
        if (before.status !== 'published') throw new AppError('product.not_published')
        const online = await scope.wholeCompany('in-use', () => devices.onlineNums(scope, id))
        scope.afterCommit(() => {
          // First what the gateway knows, then the sessions: a device that comes back at once must be refused.
          gateway.forget({ product: before.num })
          for (const num of online) gateway.kick(num)
        })
        return { set: { status: 'draft' } }
      }),

    setFormat: (ctx, id, format, version) =>
      change(ctx, id, 'product.format', version, async () => ({ set: { format } })),

    async holdPublished(scope, id) {
      // The company's catalogue is open to whoever may add devices: what counts is where the new device will stand.
      const row = await scope.wholeCompany('hold', () => existing(scope, id, 'share'))
      if (row.status !== 'published') throw new AppError('product.not_published')
      return { id: row.id, num: row.num, productKey: row.productKey, name: row.name, icon: row.icon }
    },
  }
}

/** A model that is published from now on: its properties have numbers, and it stays in the list of versions. */
async function keepVersion(
  scope: TenantScope,
  ctx: Ctx,
  version: Omit<Parameters<typeof insertVersion>[1], 'publishedBy'>,
): Promise<void> {
  await repo.numberProperties(scope, version.productId, identifiersOf(version.model))
  const publishedBy = ctx.actor.kind === 'system' ? null : ctx.actor.displayName || ctx.actor.username
  await insertVersion(scope, { ...version, publishedBy })
}

function identifiersOf(model: { properties: readonly { identifier: string }[] }): string[] {
  return model.properties.map(property => property.identifier)
}

function pick<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.filter(key => from[key] !== undefined).map(key => [key, from[key]])) as Pick<T, K>
}
