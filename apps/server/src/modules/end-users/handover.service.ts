import type { BodyOf } from '@thingwright/contracts'
import type { endUsersContract, HandoverResult, HandoverView } from '@thingwright/contracts/end-users.contract'
import { HANDOVER_AT_ONCE, HANDOVER_MOST } from '@thingwright/contracts/end-users.words'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, customerOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import type { DependentObjects } from '../../lib/dependents.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import type { ListPosition } from '../../lib/sql/list.ts'
import { setDeviceOwner } from '../devices/index.ts'
import type { RunningTask, TasksModule } from '../tasks/index.ts'
import words from './end-user-words.json' with { type: 'json' }
import * as users from './end-users.repo.ts'
import * as repo from './handover.repo.ts'

type Contract = typeof endUsersContract

export interface HandoverDeps {
  database: Database
  tasks: Pick<TasksModule, 'service' | 'register'>
  /** What end users make for their devices, of all modules, once they are made. */
  dependents(): readonly DependentObjects[]
}

export interface HandoverService {
  /** @throws AppError end_user.not_found, device.not_found, end_user.device_twice, quota_exceeded */
  assign(ctx: Ctx, id: string, input: BodyOf<Contract['assign']>): Promise<HandoverResult>
  /** @throws AppError end_user.not_his */
  takeBack(ctx: Ctx, id: string, deviceIds: readonly string[]): Promise<HandoverResult>
  /** @throws AppError end_user.not_his, end_user.same_owner */
  transfer(ctx: Ctx, id: string, input: BodyOf<Contract['transfer']>): Promise<HandoverResult>
  /** For a change that stands in a transaction of its own: devices go to an end user with their history. */
  assignIn(scope: TenantScope, ctx: Ctx, id: string, deviceIds: readonly string[]): Promise<void>
  list(
    ctx: Ctx,
    id: string,
    query: { limit?: number | undefined; cursor?: string | undefined },
  ): Promise<{ items: HandoverView[]; nextCursor: string | null }>
}

/** A hand-over as it is asked for; also what a task of it keeps. */
interface Order {
  deviceIds: readonly string[]
  /** The end user, with those below him, to whom the devices must belong; null: any owner. */
  from: string | null
  to: string | null
  withHistory: boolean
  withTriggers: boolean
  action: 'end_user.assign_devices' | 'end_user.take_back' | 'end_user.transfer_devices'
}

const CHUNK = 200

export function createHandovers({ database, tasks, dependents }: HandoverDeps): HandoverService {
  async function known(scope: TenantScope, id: string): Promise<users.EndUserRow> {
    const row = await users.find(scope, id)
    if (!row) throw new AppError('end_user.not_found')
    return row
  }

  /** All of an order or nothing of it, in one transaction. */
  async function handOver(scope: TenantScope, ctx: Ctx, order: Order): Promise<Omit<HandoverResult, 'taskId'>> {
    // The quota is counted while nobody else hands over.
    await users.lockTree(scope)
    const to = order.to === null ? null : await known(scope, order.to)
    const devices = await repo.holdDevices(scope, order.deviceIds)
    const found = new Set(devices.map(device => device.id))
    const missing = order.deviceIds.find(id => !found.has(id))
    if (missing !== undefined) throw new AppError('device.not_found', { params: { id: missing } })
    const moving = devices.filter(device => device.ownerId !== order.to)
    if (order.from !== null) {
      const his = new Set(await users.idsBelow(scope, order.from))
      const stranger = moving.find(device => device.ownerId === null || !his.has(device.ownerId))
      if (stranger) throw new AppError('end_user.not_his', { params: { id: stranger.id, name: stranger.name } })
    }
    const ids = moving.map(device => device.id)
    if (ids.length === 0) return { done: 0, unchanged: devices.length, paused: [] }
    if (to)
      for (const quota of await repo.quotasAlong(scope, to.path, ids))
        if (quota.used + quota.more > quota.limit)
          throw new AppError('end_user.quota_exceeded', { params: { ...quota } })
    const from = [...new Set(moving.flatMap(device => device.ownerId ?? []))]
    await setDeviceOwner(scope, ids, order.to, order.withHistory)
    const paused: { id: string; name: string }[] = []
    if (from.length > 0)
      for (const { ownerChanged } of dependents())
        paused.push(
          ...(await ownerChanged(scope, ctx, {
            deviceIds: ids,
            from,
            to: order.to,
            toPath: to?.path ?? [],
            goesAlong: order.withTriggers,
          })),
        )
    await repo.insertHandovers(
      scope,
      moving.map(device => ({
        id: newId(),
        deviceId: device.id,
        fromId: device.ownerId,
        fromName: device.ownerName,
        toId: order.to,
        toName: to?.name ?? '',
        withHistory: order.withHistory,
        withTriggers: order.withTriggers,
        paused,
        byName: actorName(ctx.actor),
      })),
    )
    const lines = (await Promise.all(from.map(id => users.find(scope, id)))).flatMap(row => row?.path ?? [])
    scope.tell('rights.changed', { logins: [...new Set([...lines, ...(to?.path ?? [])])] })
    scope.tell('owner.changed', { tenantId: scope.tenantId, deviceIds: ids, to: order.to })
    return { done: ids.length, unchanged: devices.length - ids.length, paused }
  }

  async function audit(
    scope: TenantScope,
    ctx: Ctx,
    user: users.EndUserRow,
    order: Order,
    result: Omit<HandoverResult, 'taskId'> | null,
  ): Promise<void> {
    await recordAudit(scope, ctx, {
      action: order.action,
      objectType: 'end_user',
      objectId: user.id,
      objectName: user.name,
      after: {
        devices: order.deviceIds.length,
        deviceIds: order.deviceIds.slice(0, 50),
        to: order.to,
        withHistory: order.withHistory,
        withTriggers: order.withTriggers,
        ...(result ? { done: result.done, paused: result.paused } : {}),
      },
    })
  }

  /** At once where they are few, else by a task. */
  async function carryOut(
    ctx: Ctx,
    id: string,
    orderOf: (scope: TenantScope) => Promise<Order>,
  ): Promise<HandoverResult> {
    return database.withTenant(ctx, async scope => {
      const user = await known(scope, id)
      const order = await orderOf(scope)
      const twice = order.deviceIds.find((device, place) => order.deviceIds.indexOf(device) !== place)
      if (twice !== undefined) throw new AppError('end_user.device_twice', { params: { id: twice } })
      if (order.to !== null) await known(scope, order.to)
      if (order.deviceIds.length <= HANDOVER_AT_ONCE) {
        const result = await handOver(scope, ctx, order)
        await audit(scope, ctx, user, order, result)
        return { ...result, taskId: null }
      }
      const count = order.deviceIds.length
      const task = await tasks.service.startIn(scope, ctx, {
        kind: 'device.handover',
        title: {
          zh: `${words.zh.task} · ${count} ${words.zh.devices}`,
          en: `${words.en.task} · ${count} ${words.en.devices}`,
        },
        input: order,
        total: count,
      })
      await audit(scope, ctx, user, order, null)
      return { done: 0, unchanged: 0, paused: [], taskId: task.id }
    })
  }

  /** What was handed over before a kill is not handed over again: it is his already. */
  async function run(task: RunningTask) {
    const order = task.input as Order
    const paused = new Map<string, string>()
    let done = 0
    const step = async (deviceIds: readonly string[]): Promise<void> => {
      try {
        const result = await database.withTenant(task.ctx, scope => handOver(scope, task.ctx, { ...order, deviceIds }))
        done += result.done
        for (const { id, name } of result.paused) paused.set(id, name)
      } catch (error) {
        if (!isAppError(error)) throw error
        if (deviceIds.length === 1) return task.failed(deviceIds[0]!, error.code, error.params)
        for (const id of deviceIds) await step([id])
      }
    }
    for (let at = task.doneBefore; at < order.deviceIds.length && !task.cancelled(); at += CHUNK) {
      await step(order.deviceIds.slice(at, at + CHUNK))
      task.progress(Math.min(at + CHUNK, order.deviceIds.length), order.deviceIds.length)
    }
    return { summary: { done, paused: [...paused].map(([id, name]) => ({ id, name })) } }
  }
  tasks.register('device.handover', { run, needs: () => ['end-user:write'], resumable: true })

  const how = ({
    withHistory = true,
    withTriggers = false,
  }: {
    withHistory?: boolean | undefined
    withTriggers?: boolean | undefined
  }) => ({
    withHistory,
    withTriggers,
  })

  return {
    assign: (ctx, id, { deviceIds, ...rest }) =>
      carryOut(ctx, id, async () => ({
        deviceIds,
        from: null,
        to: id,
        ...how(rest),
        action: 'end_user.assign_devices',
      })),
    async assignIn(scope, ctx, id, deviceIds) {
      const order: Order = { deviceIds, from: null, to: id, ...how({}), action: 'end_user.assign_devices' }
      const user = await known(scope, id)
      await audit(scope, ctx, user, order, await handOver(scope, ctx, order))
    },
    takeBack: (ctx, id, deviceIds) =>
      carryOut(ctx, id, async () => ({
        deviceIds,
        from: id,
        // What an end user takes back from one below him is his own.
        to: customerOf(ctx.actor)?.id ?? null,
        withHistory: true,
        withTriggers: false,
        action: 'end_user.take_back',
      })),
    transfer: (ctx, id, { to, deviceIds, ...rest }) =>
      carryOut(ctx, id, async scope => {
        if (to === id) throw new AppError('end_user.same_owner')
        return {
          deviceIds: deviceIds ?? (await repo.deviceIdsOf(scope, [id], HANDOVER_MOST)),
          from: id,
          to,
          ...how(rest),
          action: 'end_user.transfer_devices',
        }
      }),
    list: (ctx, id, query) =>
      readFrom(query.cursor, () =>
        database.withTenant(ctx, async scope => {
          await known(scope, id)
          const limit = query.limit ?? 20
          const after = decodeCursor(query.cursor, 2) as ListPosition | null
          const rows = await repo.listHandovers(scope, id, after, limit + 1)
          const page = rows.slice(0, limit)
          const last = page.at(-1)
          const person = (whose: string | null, name: string) => (whose === null ? null : { id: whose, name })
          return {
            items: page.map(row => ({
              id: row.id,
              deviceId: row.deviceId,
              deviceName: row.deviceName,
              deviceNo: row.deviceNo,
              from: person(row.fromId, row.fromName),
              to: person(row.toId, row.toName),
              withHistory: row.withHistory,
              withTriggers: row.withTriggers,
              paused: row.paused,
              byName: row.byName,
              at: row.at.toISOString(),
            })),
            nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          }
        }),
      ),
  }
}
