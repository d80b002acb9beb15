import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type { BatchTarget, DeviceChange, deviceBatchesContract } from '@thingwright/contracts/device-batches.contract'
import { BATCH_MAX_DEVICES } from '@thingwright/contracts/device-batches.contract'
import type { Permission } from '@thingwright/contracts/permissions'
import { recordAudit } from '../../../lib/audit.ts'
import { actorId, type Ctx } from '../../../lib/context.ts'
import type { Database, TenantScope } from '../../../lib/database/database.ts'
import { AppError, isAppError } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import type { Logger } from '../../../lib/log.ts'
import type { GroupsService } from '../../groups/index.ts'
import type { RunningTask, TaskResult, TasksModule } from '../../tasks/index.ts'
import { deviceNums } from '../device-list.repo.ts'
import { purgeDone } from '../device-purges.repo.ts'
import { filterOf } from '../devices.service.ts'
import { type ChangeTools, type ChunkResult, changeDevices } from './batch-change.ts'
import words from './batch-words.json' with { type: 'json' }
import * as repo from './device-batches.repo.ts'
import { mappingOf } from './product-mapping.ts'

type Contract = typeof deviceBatchesContract
type Started = ResponseOf<Contract['create']>

export interface DeviceBatchesDeps extends ChangeTools {
  database: Database
  groups: Pick<GroupsService, 'hold'>
  tasks: Pick<TasksModule, 'service' | 'register'>
  /** Deletes everything the device path keeps of a device. Repeatable. */
  purge(deviceNum: number): Promise<void>
  /** Values kept under a number of a property are found under another one from now on. */
  renumber(moves: readonly { device: number; from: number; to: number }[]): Promise<void>
  /** @throws AppError auth.proof_required when the caller did not confirm lately that it is he */
  requireFreshProof(ctx: Ctx): Promise<void>
  logger: Logger
}

export interface DeviceBatchesService {
  preview(ctx: Ctx, input: BodyOf<Contract['preview']>): Promise<ResponseOf<Contract['preview']>>
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<Started>
  get(ctx: Ctx, id: string): Promise<ResponseOf<Contract['get']>>
  retry(ctx: Ctx, id: string): Promise<Started>
}

interface BatchInput {
  batchId: string
  action: DeviceChange['action']
}

/** Devices changed in one transaction: a second of work at most, so that nobody waits long for a device. */
const CHUNK = 200
const KEPT_MS = 31 * 86_400_000
const NEEDS_DELETE: ReadonlySet<DeviceChange['action']> = new Set(['recycle', 'restore', 'purge'])

export function createDeviceBatchesService(deps: DeviceBatchesDeps): DeviceBatchesService {
  const { database, tasks, logger } = deps

  async function targetNums(scope: TenantScope, target: BatchTarget): Promise<number[]> {
    if ('ids' in target) return repo.numsById(scope, target.ids)
    const filter = await filterOf(scope, target.filter)
    const nums = await deviceNums(scope, filter, BATCH_MAX_DEVICES + 1)
    if (nums.length > BATCH_MAX_DEVICES)
      throw new AppError('device.batch_too_big', { params: { limit: BATCH_MAX_DEVICES } })
    return nums
  }

  async function mapping(scope: TenantScope, nums: number[], productId: string) {
    const { productIds, taken } = await repo.productsOf(scope, nums, productId)
    return { ...(await mappingOf(scope, productIds, productId)), numbersTaken: taken }
  }

  async function begin(
    scope: TenantScope,
    ctx: Ctx,
    change: DeviceChange,
    nums: number[],
    retryOf: string | null,
  ): Promise<Started> {
    const id = newId(ctx.now)
    await repo.dropOldBatches(scope, new Date(ctx.now - KEPT_MS))
    await repo.insertBatch(scope, { id, change, nums, createdBy: actorId(ctx.actor), retryOf })
    const task = await tasks.service.startIn(scope, ctx, {
      kind: 'device.batch',
      title: {
        zh: `${words.zh[change.action]} · ${nums.length} ${words.zh.devices}`,
        en: `${words.en[change.action]} · ${nums.length} ${words.en.devices}`,
      },
      input: { batchId: id, action: change.action } satisfies BatchInput,
      total: nums.length,
    })
    await repo.setTask(scope, id, task.id)
    await recordAudit(scope, ctx, {
      action: 'device.batch',
      objectType: 'device_batch',
      objectId: id,
      objectName: words.zh[change.action],
      after: { ...change, count: nums.length, ...(retryOf ? { retryOf } : {}) },
    })
    return { id, taskId: task.id, count: nums.length }
  }

  async function allow(ctx: Ctx, change: DeviceChange): Promise<void> {
    if (NEEDS_DELETE.has(change.action)) requirePermission(ctx, 'device:delete')
    if (change.action === 'purge') await deps.requireFreshProof(ctx)
  }

  /** One's own batch; others do not exist. */
  async function own(scope: TenantScope, ctx: Ctx, id: string): Promise<repo.BatchRow> {
    const batch = await repo.findBatch(scope, id)
    if (!batch || batch.createdBy !== actorId(ctx.actor)) throw new AppError('device.batch_not_found')
    return batch
  }

  /** The change of some devices and how far the batch is, in one transaction. */
  async function step(ctx: Ctx, batch: repo.BatchRow, nums: number[]): Promise<ChunkResult> {
    const result = await database.withTenant(ctx, async scope => {
      const done = await changeDevices(deps, scope, ctx, batch.change, nums)
      await repo.advance(
        scope,
        batch.id,
        nums.length,
        done.failed.map(({ num }) => num),
      )
      return done
    })
    if (result.renumbered.length > 0) await deps.renumber(result.renumbered)
    // The device is gone whatever happens now; its data is deleted at the next start if not here.
    for (const num of result.purged)
      await deps
        .purge(num)
        .then(() => purgeDone(database, num))
        .catch((error: unknown) => logger.error({ err: error, device: num }, 'purge cut off'))
    return result
  }

  /** A stretch of the batch; when it cannot be done as a whole, device by device. */
  async function stretch(task: RunningTask, batch: repo.BatchRow, nums: number[]): Promise<void> {
    try {
      const { failed } = await step(task.ctx, batch, nums)
      for (const { item, code, params } of failed) task.failed(item, code, params)
      return
    } catch (error) {
      if (!isAppError(error)) throw error
      if (nums.length === 1) {
        await database.withTenant(task.ctx, scope => repo.advance(scope, batch.id, 1, nums))
        const [row] = await database.withTenant(task.ctx, scope => repo.lockDevices(scope, nums))
        task.failed(row ? `${row.name} · ${row.deviceNo}` : `#${nums[0]}`, error.code, error.params)
        return
      }
    }
    for (const num of nums) await stretch(task, batch, [num])
  }

  async function run(task: RunningTask): Promise<TaskResult> {
    const { batchId } = task.input as BatchInput
    const batch = await database.withTenant(task.ctx, scope => repo.findBatch(scope, batchId))
    if (!batch) throw new AppError('device.batch_not_found')
    // Of one that waits since before its action stood in the input.
    if (NEEDS_DELETE.has(batch.action)) requirePermission(task.ctx, 'device:delete')
    task.progress(batch.done, batch.total)
    for (let done = batch.done; done < batch.total && !task.cancelled(); ) {
      const nums = await database.withTenant(task.ctx, scope => repo.numsOf(scope, batchId, done, CHUNK))
      await stretch(task, batch, nums)
      done += nums.length
      task.progress(done, batch.total)
    }
    const after = await database.withTenant(task.ctx, scope => repo.findBatch(scope, batchId))
    return {
      summary: { batchId, action: batch.action, total: batch.total, done: after?.done, failed: after?.failedCount },
    }
  }

  tasks.register('device.batch', {
    run,
    needs(input) {
      const { action } = input as BatchInput
      return NEEDS_DELETE.has(action) ? ['device:write', 'device:delete'] : ['device:write']
    },
    resumable: true,
  })

  return {
    preview: (ctx, { target, productId }) =>
      database.withTenant(ctx, async scope => {
        const nums = await targetNums(scope, target)
        return { count: nums.length, mapping: productId ? await mapping(scope, nums, productId) : null }
      }),

    async create(ctx, { target, change, expected }) {
      await allow(ctx, change)
      return database.withTenant(ctx, async scope => {
        const nums = await targetNums(scope, target)
        if (nums.length === 0) throw new AppError('device.batch_empty')
        if (expected !== undefined && expected !== nums.length)
          throw new AppError('device.batch_changed', { params: { expected, count: nums.length } })
        if (change.action === 'product') {
          await deps.products.holdPublished(scope, change.productId)
          const { lost } = await mapping(scope, nums, change.productId)
          if (lost.length > 0 && !change.acceptLoss)
            throw new AppError('device.product_mapping', {
              params: { count: lost.length, identifiers: lost.map(({ identifier }) => identifier).slice(0, 20) },
            })
        }
        if (change.action === 'move' && change.groupId) await deps.groups.hold(scope, change.groupId, 'device')
        return begin(scope, ctx, change, nums, null)
      })
    },

    get: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const batch = await own(scope, ctx, id)
        return {
          id,
          action: batch.action,
          taskId: batch.taskId,
          total: batch.total,
          done: batch.done,
          failed: batch.failedCount,
          retryOf: batch.retryOf,
          createdAt: batch.createdAt.toISOString(),
        }
      }),

    async retry(ctx, id) {
      const batch = await database.withTenant(ctx, scope => own(scope, ctx, id))
      await allow(ctx, batch.change)
      return database.withTenant(ctx, async scope => {
        const nums = await repo.failedNums(scope, id)
        if (nums.length === 0) throw new AppError('device.batch_empty')
        return begin(scope, ctx, batch.change, nums, id)
      })
    },
  }
}

/** @throws AppError permission.denied */
function requirePermission(ctx: Ctx, permission: Permission): void {
  if (ctx.actor.kind !== 'system' && !ctx.actor.permissions.has(permission))
    throw new AppError('permission.denied', { params: { permission } })
}
