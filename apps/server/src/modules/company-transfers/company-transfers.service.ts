import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type {
  CompanyTransferView,
  companyTransfersContract,
  TransferOffer,
} from '@thingwright/contracts/company-transfers.contract'
import { NOT_TRANSFERABLE, TRANSFER_MOST } from '@thingwright/contracts/company-transfers.words'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, ownerIdOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import { containing, type ListPosition } from '../../lib/sql/list.ts'
import type { PlannedCall } from '../../lib/tools/tools.ts'
import { deviceNums, filterOf } from '../devices/index.ts'
import type { GroupsService } from '../groups/index.ts'
import type { ProductsService } from '../products/index.ts'
import type { TasksModule } from '../tasks/index.ts'
import type { QuotaGuard } from '../tenants/index.ts'
import * as repo from './company-transfers.repo.ts'
import { newTransferCode, transferCodeHash } from './transfer-code.ts'
import words from './transfer-words.json' with { type: 'json' }

type Contract = typeof companyTransfersContract

export const TRANSFER_TASK = 'device.company_transfer'

/** What the task is started with. */
export interface TransferInput {
  transferId: string
}

export interface CompanyTransfersDeps {
  database: Database
  products: { service: Pick<ProductsService, 'holdPublished' | 'remove'> }
  groups: { service: Pick<GroupsService, 'hold'> }
  quotas: QuotaGuard
  tasks: { service: Pick<TasksModule['service'], 'startIn'> }
  /** Products leave and come as the files of the product library. */
  api: { call(ctx: Ctx, call: PlannedCall): Promise<unknown> }
  /** @throws AppError auth.proof_required without a recent proof of identity */
  requireFreshProof(ctx: Ctx): Promise<void>
}

export interface CompanyTransfersService {
  list(ctx: Ctx, query: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  /** @throws AppError company_transfer.empty, too_many, link_type, offered */
  offer(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<ResponseOf<Contract['create']>>
  /** @throws AppError company_transfer.code_unknown */
  find(ctx: Ctx, code: string): Promise<TransferOffer>
  /** @throws AppError company_transfer.code_unknown, product_missing, product_differs, quota.exceeded */
  accept(ctx: Ctx, input: BodyOf<Contract['accept']>): Promise<CompanyTransferView>
  /** By a part of a company's name or of the note, or by its whole code; the newest first. */
  search(ctx: Ctx, q: string, limit: number): Promise<CompanyTransferView[]>
  get(ctx: Ctx, id: string): Promise<CompanyTransferView>
  devices(ctx: Ctx, id: string, query: QueryOf<Contract['devices']>): Promise<ResponseOf<Contract['devices']>>
  /** @throws AppError company_transfer.not_open */
  withdraw(ctx: Ctx, id: string): Promise<CompanyTransferView>
}

const HOUR_MS = 3_600_000
const DEFAULT_HOURS = 72

export function createCompanyTransfers(deps: CompanyTransfersDeps): CompanyTransfersService {
  const { database } = deps

  async function known(scope: TenantScope, id: string, lock = false): Promise<repo.TransferRow> {
    const row = await repo.find(scope, id, lock)
    if (!row) throw new AppError('company_transfer.not_found')
    return row
  }

  /** Devices of the target, all of which may leave. */
  async function chosen(scope: TenantScope, { target }: BodyOf<Contract['create']>): Promise<repo.OfferedDevice[]> {
    const ids = 'ids' in target ? target.ids : []
    const nums =
      'filter' in target ? await deviceNums(scope, await filterOf(scope, target.filter), TRANSFER_MOST + 1) : []
    if (nums.length > TRANSFER_MOST) throw tooMany()
    const devices = await repo.devicesToOffer(scope, nums, ids)
    const found = new Set(devices.map(device => device.id))
    const missing = ids.find(id => !found.has(id))
    if (missing !== undefined) throw new AppError('device.not_found', { params: { id: missing } })
    if (devices.length === 0) throw new AppError('company_transfer.empty')
    const bound = devices.find(({ linkType }) => (NOT_TRANSFERABLE as readonly string[]).includes(linkType))
    if (bound) throw new AppError('company_transfer.link_type', { params: { name: bound.productName } })
    return devices
  }

  /** The products of the devices, each with its file. */
  async function productsOf(ctx: Ctx, devices: readonly repo.OfferedDevice[]): Promise<repo.OfferedProduct[]> {
    const products: repo.OfferedProduct[] = []
    for (const [id, own] of ofProducts(devices)) {
      const { productName: name, linkType, nodeType } = own[0]!
      const file = (await deps.api.call(ctx, { route: 'GET /api/v1/products/{id}/file', params: { id } })) as Record<
        string,
        unknown
      >
      products.push({ id, name, linkType, nodeType, devices: own.length, to: null, file })
    }
    return products
  }

  /** The product of the caller's company for each offered one; null where a copy is asked for. */
  async function targets(
    scope: TenantScope,
    offered: readonly repo.OfferedProduct[],
    wanted: BodyOf<Contract['accept']>['products'],
  ): Promise<Map<string, string | null>> {
    const found = new Map<string, string | null>()
    for (const product of offered) {
      const choice = wanted.find(({ from }) => from === product.id)
      if (!choice) throw new AppError('company_transfer.product_missing', { params: { name: product.name } })
      if (choice.to !== null) {
        await deps.products.service.holdPublished(scope, choice.to)
        const kind = await repo.productKind(scope, choice.to)
        if (kind?.linkType !== product.linkType || kind.nodeType !== product.nodeType)
          throw new AppError('company_transfer.product_differs', { params: { name: product.name } })
      }
      found.set(product.id, choice.to)
    }
    return found
  }

  const viewOf = (scope: { tenantId: string }, row: repo.TransferRow): CompanyTransferView => {
    const out = row.tenantId === scope.tenantId
    return {
      id: row.id,
      direction: out ? 'out' : 'in',
      state: row.state,
      fromName: row.fromName,
      toName: row.toName,
      withHistory: row.withHistory,
      withTriggers: row.withTriggers,
      note: row.note,
      total: row.total,
      moved: row.moved,
      failed: row.failed,
      products: row.products.map(({ file: _, ...product }) => product),
      paused: out ? row.paused : [],
      byName: row.byName,
      acceptedName: row.acceptedName,
      taskId: out ? null : row.taskId,
      createdAt: row.createdAt.toISOString(),
      expiresAt: row.expiresAt.toISOString(),
      acceptedAt: row.acceptedAt?.toISOString() ?? null,
      endedAt: row.endedAt?.toISOString() ?? null,
    }
  }

  const service: CompanyTransfersService = {
    list(ctx, query) {
      const limit = query.limit ?? 20
      const after = decodeCursor(query.cursor, 2) as unknown as ListPosition | null
      const filter: repo.TransferFilter = {
        ...(query.direction ? { out: query.direction === 'out' } : {}),
        ...(query.state ? { state: query.state } : {}),
        ...(query.q ? { q: containing(query.q) } : {}),
      }
      return database.withTenant(ctx, async scope => {
        const { rows } = await readFrom(query.cursor, () =>
          scope.run(
            ...repo.LIST.page({ filter, sort: { key: 'createdAt', descending: true }, after, limit: limit + 1 }),
          ),
        )
        const total = query.total === '1' ? (await scope.run(...repo.LIST.count(filter))).rows[0]!.n : undefined
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(row => viewOf(scope, row)),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === undefined ? {} : { total }),
        }
      })
    },

    async offer(ctx, input) {
      await deps.requireFreshProof(ctx)
      if ('ids' in input.target && input.target.ids.length > TRANSFER_MOST) throw tooMany()
      // The files are read through their own routes before the transaction, which rejects files that were deleted meanwhile.
      const products = await productsOf(ctx, await database.withTenant(ctx, scope => chosen(scope, input)))
      const code = newTransferCode()
      return database.withTenant(ctx, async scope => {
        await repo.expire(scope, new Date(ctx.now))
        const devices = await chosen(scope, input)
        const counts = ofProducts(devices)
        const unread = devices.find(({ productId }) => !products.some(({ id }) => id === productId))
        if (unread) throw new AppError('device.batch_changed', { params: { expected: 0, count: devices.length } })
        const id = newId(ctx.now)
        await repo.insert(scope, {
          id,
          fromName: await repo.companyName(scope),
          codeHash: transferCodeHash(code),
          withHistory: input.withHistory ?? true,
          withTriggers: input.withTriggers ?? false,
          note: input.note ?? '',
          total: devices.length,
          products: products
            .filter(product => counts.has(product.id))
            .map(product => ({ ...product, devices: counts.get(product.id)!.length })),
          byId: ownerIdOf(ctx.actor),
          byName: actorName(ctx.actor),
          expiresAt: new Date(ctx.now + (input.hours ?? DEFAULT_HOURS) * HOUR_MS),
        })
        const placed = await repo.insertItems(scope, id, devices)
        const busy = devices.find(device => !placed.has(device.id))
        if (busy) throw new AppError('company_transfer.offered', { params: { name: busy.name } })
        const row = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'company_transfer.offer',
          objectType: 'company_transfer',
          objectId: id,
          objectName: row.fromName,
          after: {
            devices: devices.length,
            deviceIds: devices.slice(0, 50).map(device => device.id),
            withHistory: row.withHistory,
            withTriggers: row.withTriggers,
            expiresAt: row.expiresAt.toISOString(),
          },
        })
        return { ...viewOf(scope, row), code }
      })
    },

    find: (ctx, code) =>
      database.withTenant(ctx, async scope => {
        const row = await repo.offered(scope, transferCodeHash(code))
        if (!row) throw new AppError('company_transfer.code_unknown')
        return {
          fromName: row.fromName,
          withHistory: row.withHistory,
          withTriggers: row.withTriggers,
          note: row.note,
          total: row.total,
          products: row.products.map(({ file: _, ...product }) => product),
          expiresAt: row.expiresAt.toISOString(),
        }
      }),

    async accept(ctx, { code, products: wanted, groupId = null }) {
      const hash = transferCodeHash(code)
      const { offer, into } = await database.withTenant(ctx, async scope => {
        const found = await repo.offered(scope, hash)
        if (!found) throw new AppError('company_transfer.code_unknown')
        const chosenProducts = await targets(scope, found.products, wanted)
        if (groupId !== null) await deps.groups.service.hold(scope, groupId, 'device')
        await deps.quotas.hold(scope, 'devices', found.total)
        return { offer: found, into: chosenProducts }
      })
      const copies: string[] = []
      try {
        for (const product of offer.products) {
          if (into.get(product.id) !== null) continue
          const made = (await deps.api.call(ctx, {
            route: 'POST /api/v1/products/import',
            body: { file: product.file },
          })) as { id: string }
          copies.push(made.id)
          into.set(product.id, made.id)
        }
        return await database.withTenant(ctx, async scope => {
          const id = await repo.take(scope, hash, {
            name: await repo.companyName(scope),
            by: actorName(ctx.actor),
            products: offer.products.map(product => ({ ...product, to: into.get(product.id) ?? null })),
            groupId,
          })
          if (id === null) throw new AppError('company_transfer.code_unknown')
          const count = offer.total
          const task = await deps.tasks.service.startIn(scope, ctx, {
            kind: TRANSFER_TASK,
            title: {
              zh: `${words.zh.task} · ${count} ${words.zh.devices}`,
              en: `${words.en.task} · ${count} ${words.en.devices}`,
            },
            input: { transferId: id } satisfies TransferInput,
            total: count,
          })
          await repo.setTask(scope, id, task.id)
          const row = await known(scope, id)
          await recordAudit(scope, ctx, {
            action: 'company_transfer.accept',
            objectType: 'company_transfer',
            objectId: id,
            objectName: row.fromName,
            after: { devices: count, products: row.products.map(({ name, to }) => ({ name, to })), groupId },
          })
          return viewOf(scope, row)
        })
      } catch (error) {
        // The offer was not taken, so copies of products would stay without devices.
        for (const id of copies) await deps.products.service.remove(ctx, id)
        throw error
      }
    },

    async search(ctx, q, limit) {
      const code = await database.withTenant(ctx, async scope => {
        const row = await repo.withCode(scope, transferCodeHash(q))
        return row && viewOf(scope, row)
      })
      return code ? [code] : (await service.list(ctx, { q, limit })).items
    },

    get: (ctx, id) => database.withTenant(ctx, async scope => viewOf(scope, await known(scope, id))),

    devices: (ctx, id, { limit = 20, cursor, state }) =>
      readFrom(cursor, () =>
        database.withTenant(ctx, async scope => {
          const transfer = await known(scope, id)
          const after = decodeCursor(cursor, 1) as [number] | null
          const rows = await repo.items(scope, id, state ?? null, Number(after?.[0] ?? -1), limit + 1)
          const page = rows.slice(0, limit)
          const last = page.at(-1)
          const out = transfer.tenantId === scope.tenantId
          return {
            items: page.map(row => ({
              place: row.place,
              deviceNo: row.deviceNo,
              name: row.name,
              ownerName: out ? row.ownerName : '',
              state: row.state,
              reason: row.reason,
              deviceId: out ? (row.state === 'moved' ? null : row.deviceId) : row.newId,
              movedAt: row.movedAt?.toISOString() ?? null,
            })),
            nextCursor: rows.length > limit && last ? encodeCursor([String(last.place)]) : null,
          }
        }),
      ),

    withdraw: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        if (before.tenantId !== scope.tenantId) throw new AppError('company_transfer.not_found')
        if (before.state !== 'offered') throw new AppError('company_transfer.not_open')
        await repo.endItems(scope, id, 'withdrawn')
        await repo.end(scope, id, 'withdrawn')
        const row = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'company_transfer.withdraw',
          objectType: 'company_transfer',
          objectId: id,
          objectName: row.fromName,
          before: { state: before.state },
          after: { state: row.state, devices: row.total },
        })
        return viewOf(scope, row)
      }),
  }
  return service
}

const tooMany = () => new AppError('company_transfer.too_many', { params: { limit: TRANSFER_MOST } })

function ofProducts(devices: readonly repo.OfferedDevice[]): Map<string, repo.OfferedDevice[]> {
  const found = new Map<string, repo.OfferedDevice[]>()
  for (const device of devices) {
    const own = found.get(device.productId)
    if (own) own.push(device)
    else found.set(device.productId, [device])
  }
  return found
}
