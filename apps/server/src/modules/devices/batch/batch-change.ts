import type { DeviceChange } from '@thingwright/contracts/device-batches.contract'
import type { ErrorCode } from '@thingwright/contracts/errors'
import { type AuditRecord, recordAudits } from '../../../lib/audit.ts'
import type { Ctx } from '../../../lib/context.ts'
import type { TenantScope } from '../../../lib/database/database.ts'
import type { GroupsService } from '../../groups/index.ts'
import type { HeldProduct, ProductsService } from '../../products/index.ts'
import type { QuotaGuard } from '../../tenants/index.ts'
import { auditFacts } from '../devices.mapping.ts'
import type { DeviceRow } from '../devices.repo.ts'
import { searchColumns } from '../devices.service.ts'
import type { GatewayPort } from '../gateway.port.ts'
import * as repo from './device-batches.repo.ts'
import { mappingOf } from './product-mapping.ts'

export interface ChangeTools {
  gateway: Pick<GatewayPort, 'forget' | 'kick'>
  groups: Pick<GroupsService, 'hold'>
  products: Pick<ProductsService, 'holdPublished'>
  quotas: QuotaGuard
}

export interface FailedDevice {
  num: number
  /** How a person knows it. */
  item: string
  code: ErrorCode
  params?: Record<string, unknown>
}

export interface ChunkResult {
  failed: FailedDevice[]
  /** Numbers of devices that are gone for good. */
  purged: number[]
  /** Devices of another product now: their history is to follow under these numbers. */
  renumbered: { device: number; from: number; to: number }[]
}

type Of<A extends DeviceChange['action']> = Extract<DeviceChange, { action: A }>
const MAX_TAGS = 20

/** A device after the change, as far as the operation log says it; null: gone. */
type After = Partial<DeviceRow> | null

interface Plan {
  changed: { row: DeviceRow; after: After }[]
  failed: FailedDevice[]
  /** Writes the change of `changed`. */
  write(nums: number[]): Promise<void>
  kick?: boolean
}

/**
 * Does one change with some devices in the transaction of the scope: all of them or, when it throws, none. A device that
 * is already as it should be is left alone, so a change may be done again.
 * @throws AppError when the change as a whole does not work: group or product gone, quota, data scope
 */
export async function changeDevices(
  tools: ChangeTools,
  scope: TenantScope,
  ctx: Ctx,
  change: DeviceChange,
  nums: number[],
): Promise<ChunkResult> {
  const rows = await repo.lockDevices(scope, nums)
  const known = new Set(rows.map(row => row.num))
  const result: ChunkResult = { failed: [], purged: [], renumbered: [] }
  // One that was purged meanwhile is what a purge wants.
  for (const num of nums)
    if (!known.has(num) && change.action !== 'purge')
      result.failed.push({ num, item: `#${num}`, code: 'device.not_found' })
  const plan = await planOf(tools, scope, change, rows, result)
  result.failed.push(...plan.failed)
  if (plan.changed.length === 0) return result
  const touched = plan.changed.map(({ row }) => row.num)
  await plan.write(touched)
  await recordAudits(
    scope,
    ctx,
    plan.changed.map(({ row, after }): AuditRecord => {
      const before = auditFacts(row)
      return {
        action: ACTIONS[change.action],
        objectType: 'device',
        objectId: row.id,
        objectName: row.name,
        before,
        after: after === null ? null : auditFacts({ ...row, ...after }),
      }
    }),
  )
  scope.afterCommit(() => {
    for (const num of touched) {
      tools.gateway.forget({ device: num })
      if (plan.kick) tools.gateway.kick(num)
    }
  })
  return result
}

const ACTIONS: Record<DeviceChange['action'], string> = {
  enable: 'device.enable',
  disable: 'device.disable',
  recycle: 'device.remove',
  purge: 'device.remove',
  restore: 'device.restore',
  move: 'device.update',
  tags: 'device.update',
  offlineDelay: 'device.update',
  product: 'device.change_product',
}

const failure = (row: DeviceRow, code: ErrorCode, params?: Record<string, unknown>): FailedDevice => ({
  num: row.num,
  item: `${row.name} · ${row.deviceNo}`,
  code,
  ...(params ? { params } : {}),
})

/** Sorts the rows: in the recycle bin (a failure unless wanted), already so, to be changed. */
function sort(rows: DeviceRow[], wanted: (row: DeviceRow) => After | undefined | ErrorCode, binToo = false) {
  const changed: Plan['changed'] = []
  const failed: FailedDevice[] = []
  for (const row of rows) {
    if (row.lifecycle === 'recycled' && !binToo) {
      failed.push(failure(row, 'device.recycled'))
      continue
    }
    const after = wanted(row)
    if (typeof after === 'string') failed.push(failure(row, after))
    else if (after !== undefined) changed.push({ row, after })
  }
  return { changed, failed }
}

async function planOf(
  tools: ChangeTools,
  scope: TenantScope,
  change: DeviceChange,
  rows: DeviceRow[],
  result: ChunkResult,
): Promise<Plan> {
  const update =
    (what: Parameters<typeof repo.updateAll>[2], values: unknown[] = []) =>
    (nums: number[]) =>
      repo.updateAll(scope, nums, what, values)
  switch (change.action) {
    case 'enable':
      return {
        ...sort(rows, row =>
          row.lifecycle === 'disabled' ? { lifecycle: row.activatedAt ? 'active' : 'inactive' } : undefined,
        ),
        write: update('enable'),
      }
    case 'disable':
      return {
        ...sort(rows, row => (row.lifecycle === 'disabled' ? undefined : { lifecycle: 'disabled' })),
        write: update('disable'),
        kick: true,
      }
    case 'recycle':
      return {
        ...sort(rows, row => (row.lifecycle === 'recycled' ? undefined : { lifecycle: 'recycled' }), true),
        write: update('recycle'),
        kick: true,
      }
    case 'restore': {
      const sorted = sort(
        rows,
        row => (row.lifecycle === 'recycled' ? { lifecycle: row.lifecycleBefore ?? 'inactive' } : undefined),
        true,
      )
      if (sorted.changed.length > 0) await tools.quotas.hold(scope, 'devices', sorted.changed.length)
      return {
        ...sorted,
        write: update('restore'),
      }
    }
    case 'purge':
      return {
        ...sort(rows, row => (row.lifecycle === 'recycled' ? null : 'device.not_recycled'), true),
        kick: true,
        async write(nums) {
          await repo.deleteAll(scope, nums)
          result.purged.push(...nums)
        },
      }
    case 'move': {
      const { groupId } = change as Of<'move'>
      if (groupId !== null) await tools.groups.hold(scope, groupId, 'device')
      return {
        ...sort(rows, row => (row.groupId === groupId ? undefined : { groupId })),
        write: update('move', [groupId]),
      }
    }
    case 'offlineDelay': {
      const { seconds } = change as Of<'offlineDelay'>
      return {
        ...sort(rows, row => (row.offlineDelaySeconds === seconds ? undefined : { offlineDelaySeconds: seconds })),
        write: update('offlineDelay', [seconds]),
      }
    }
    case 'tags':
      return tagPlan(scope, change as Of<'tags'>, rows)
    case 'product':
      return productPlan(tools, scope, change as Of<'product'>, rows, result)
  }
}

/** Tags after taking some away and adding others; none twice. */
export function withTags(tags: readonly string[], add: readonly string[], remove: readonly string[]): string[] {
  const gone = new Set(remove)
  return [...new Set([...tags.filter(tag => !gone.has(tag)), ...add])]
}

function tagPlan(scope: TenantScope, { add, remove }: Of<'tags'>, rows: DeviceRow[]): Plan {
  const lines = new Map<number, repo.TagLine>()
  const sorted = sort(rows, row => {
    const tags = withTags(row.tags, add, remove)
    if (tags.length > MAX_TAGS) return 'device.too_many_tags'
    if (tags.length === row.tags.length && tags.every((tag, n) => tag === row.tags[n])) return undefined
    const { searchText, searchGrams } = searchColumns(scope, { name: row.name, deviceNo: row.deviceNo, tags })
    lines.set(row.num, { num: row.num, tags, search_text: searchText, search_grams: searchGrams })
    return { tags }
  })
  return { ...sorted, write: () => repo.updateTags(scope, [...lines.values()]) }
}

async function productPlan(
  { products }: ChangeTools,
  scope: TenantScope,
  { productId }: Of<'product'>,
  rows: DeviceRow[],
  result: ChunkResult,
): Promise<Plan> {
  const product: HeldProduct = await products.holdPublished(scope, productId)
  const taken = await repo.takenNumbers(
    scope,
    productId,
    rows.filter(row => row.productId !== productId).map(row => row.deviceNo),
  )
  const sorted = sort(rows, row =>
    row.productId === productId
      ? undefined
      : taken.has(row.deviceNo)
        ? 'device.number_taken'
        : { productId, productNum: product.num, productKey: product.productKey, productName: product.name },
  )
  // Two devices of different products may have the same number: the first one gets it.
  const numbers = new Set<string>()
  const changed = sorted.changed.filter(({ row }) => {
    if (numbers.has(row.deviceNo)) {
      sorted.failed.push(failure(row, 'device.number_taken', { deviceNo: row.deviceNo }))
      return false
    }
    numbers.add(row.deviceNo)
    return true
  })
  for (const old of new Set(changed.map(({ row }) => row.productId))) {
    const kept = new Set((await mappingOf(scope, [old], productId)).kept)
    const of = changed.filter(({ row }) => row.productId === old).map(({ row }) => row)
    const pairs = (await repo.renumbering(scope, of[0]!.productNum, product.num)).filter(({ identifier }) =>
      kept.has(identifier),
    )
    for (const row of of) for (const { from, to } of pairs) result.renumbered.push({ device: row.num, from, to })
  }
  return {
    changed,
    failed: sorted.failed,
    write: nums => repo.updateAll(scope, nums, 'product', [productId, product.num]),
    kick: true,
  }
}
