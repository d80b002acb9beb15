import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type { DeviceView, DeviceWithSecret, devicesContract } from '@thingwright/contracts/devices.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newAccessToken } from '../../lib/crypto/device-credentials.ts'
import { newDeviceSecret } from '../../lib/crypto/secrets.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId, randomKey } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { searchIndexOf, searchQueryOf } from '../../lib/lists/search.ts'
import type { GroupsService } from '../groups/index.ts'
import type { ProductsService } from '../products/index.ts'
import type { QuotaGuard } from '../tenants/index.ts'
import { namedOnce } from './attributes.ts'
import { type ChangeDeps, changeDevice, existingDevice } from './device-change.ts'
import { countByState, type DeviceStateCounts } from './device-counts.repo.ts'
import * as list from './device-list.repo.ts'
import { deviceSelector } from './device-selector.views.ts'
import { giveToken } from './device-token.repo.ts'
import { auditFacts, toView } from './devices.mapping.ts'
import * as repo from './devices.repo.ts'

type Contract = typeof devicesContract
export type ListDevices = QueryOf<Contract['list']>
export type CreateDevice = BodyOf<Contract['create']>
export type UpdateDevice = BodyOf<Contract['update']>

export interface DevicesServiceDeps extends ChangeDeps {
  groups: Pick<GroupsService, 'hold'>
  products: Pick<ProductsService, 'holdPublished'>
  quotas: QuotaGuard
  /** Seals device secrets. */
  secrets: CryptoBox
}

export interface DevicesService {
  list(ctx: Ctx, input: ListDevices): Promise<{ items: DeviceView[]; nextCursor: string | null; total?: number }>
  counts(ctx: Ctx): Promise<DeviceStateCounts>
  create(ctx: Ctx, input: CreateDevice): Promise<DeviceWithSecret>
  get(ctx: Ctx, id: string): Promise<DeviceView>
  update(ctx: Ctx, id: string, input: UpdateDevice): Promise<DeviceView>
}

const NUMBER_LENGTH = 16
const NUMBER_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

export function createDevicesService(deps: DevicesServiceDeps): DevicesService {
  const { database, groups, products, quotas, secrets } = deps

  return {
    list: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const limit = input.limit ?? 20
        const sort = parseSort(input.sort, list.DEVICE_SORTS, '-createdAt')
        const order = `${sort.descending ? '-' : ''}${sort.key}`
        const after = readPosition(input.cursor, order)
        const filter = await filterOf(scope, input)
        const { rows, ...total } = await readFrom(input.cursor, () =>
          list.listDevices(scope, filter, sort, after, limit + 1, input.total === '1'),
        )
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(toView),
          nextCursor: rows.length > limit && last ? encodeCursor([order, last.part, last.position, last.num]) : null,
          ...total,
        }
      }),

    counts: ctx => database.withTenant(ctx, countByState),

    create: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const product = await products.holdPublished(scope, input.productId)
        if (input.groupId) await groups.hold(scope, input.groupId, 'device')
        await quotas.hold(scope, 'devices')
        const id = newId(ctx.now)
        const secret = newDeviceSecret(secrets, id)
        const tags = uniqueTags(input.tags ?? [])
        const add = (deviceNo: string) =>
          repo.insertDevice(scope, {
            id,
            tenantId: scope.tenantId,
            productId: product.id,
            productNum: product.num,
            deviceNo,
            name: input.name,
            secretHash: secret.hash,
            secretCipher: secret.cipher,
            groupId: input.groupId ?? null,
            tags,
            attributes: namedOnce(input.attributes ?? []),
            description: input.description ?? '',
            location: input.location ?? null,
            offlineDelaySeconds: input.offlineDelaySeconds ?? null,
            ...searchColumns(scope, { name: input.name, deviceNo, tags }),
          })
        if (input.deviceNo !== undefined) {
          if (!(await add(input.deviceNo))) await refuseNumber(scope, product.id, input.deviceNo)
        } else if (!(await add(randomNumber())) && !(await add(randomNumber()))) {
          // Two misses in 36^16 numbers: not chance.
          throw new AppError('server.error')
        }
        const accessToken = await giveToken(scope, { id, productId: product.id }, () => newAccessToken(secrets, id))
        const row = await existingDevice(scope, id)
        await recordAudit(scope, ctx, {
          action: 'device.create',
          objectType: 'device',
          objectId: id,
          objectName: row.name,
          after: auditFacts(row),
        })
        // It may have knocked before it was known.
        scope.afterCommit(() => deps.gateway.forget({ device: row.num }))
        return { ...toView(row), deviceSecret: secret.shown, ...(accessToken === null ? {} : { accessToken }) }
      }),

    get: (ctx, id) => database.withTenant(ctx, async scope => toView(await existingDevice(scope, id))),

    update: async (ctx, id, { version, ...input }) =>
      toView(
        await changeDevice(deps, ctx, id, { action: 'device.update', version }, async (scope, before) => {
          if (input.groupId && input.groupId !== before.groupId) await groups.hold(scope, input.groupId, 'device')
          const name = input.name ?? before.name
          const tags = input.tags ? uniqueTags(input.tags) : before.tags
          await repo.updateDevice(scope, id, {
            name,
            tags,
            ...(input.attributes === undefined ? {} : { attributes: namedOnce(input.attributes) }),
            ...(input.description === undefined ? {} : { description: input.description }),
            ...(input.groupId === undefined ? {} : { groupId: input.groupId }),
            ...(input.location === undefined ? {} : { location: input.location }),
            ...(input.offlineDelaySeconds === undefined ? {} : { offlineDelaySeconds: input.offlineDelaySeconds }),
            ...searchColumns(scope, { name, deviceNo: before.deviceNo, tags }),
          })
        }),
      ),
  }
}

/** What a list's query asks of a device. */
export async function filterOf(
  scope: TenantScope,
  input: Omit<ListDevices, 'limit' | 'cursor' | 'sort' | 'total'>,
): Promise<list.DeviceFilter> {
  const { needle: _, ids: __, recycled = false, ...selector } = await deviceSelector(scope, input)
  return {
    ...selector,
    tenantId: scope.tenantId,
    recycled,
    search: searchQueryOf(scope.tenantId, input.q, input.tag || undefined),
  }
}

/** @throws AppError device.number_taken with the id of the device that has it */
async function refuseNumber(scope: TenantScope, productId: string, deviceNo: string): Promise<never> {
  const taken = await repo.findByNumber(scope, productId, deviceNo)
  throw new AppError('device.number_taken', {
    params: { deviceNo, ...(taken ? { id: taken.id, recycled: taken.lifecycle === 'recycled' } : {}) },
  })
}

export function searchColumns(scope: TenantScope, device: { name: string; deviceNo: string; tags: string[] }) {
  const { text, grams } = searchIndexOf(scope.tenantId, [device.name, device.deviceNo], device.tags)
  return { searchText: text, searchGrams: grams }
}

export function uniqueTags(tags: readonly string[]): string[] {
  return [...new Set(tags)]
}

function randomNumber(): string {
  return randomKey(NUMBER_LENGTH, NUMBER_ALPHABET)
}

/** @throws AppError request.cursor_invalid, also for the cursor of another order */
function readPosition(cursor: string | undefined, order: string): list.DevicePosition | null {
  const values = decodeCursor(cursor, 4)
  if (!values) return null
  const [of, part, key, num] = values
  if (of !== order || !list.isPart(part) || typeof key !== 'string' || !Number.isInteger(num))
    throw new AppError('request.cursor_invalid')
  return [part, key, num as number]
}
