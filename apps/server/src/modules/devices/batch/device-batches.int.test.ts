import { PERMISSIONS, type Permission } from '@thingwright/contracts/permissions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertProduct } from '../../../db/fixtures.ts'
import { type Company, company, type Management, management, refusal } from '../../../db/testing/management.ts'
import type { Actor, Ctx } from '../../../lib/context.ts'
import { AppError } from '../../../lib/errors.ts'
import { silentLogger } from '../../../lib/log.ts'
import { createTasksModule, type TasksModule } from '../../tasks/index.ts'
import { withTags } from './batch-change.ts'
import { createDeviceBatches } from './device-batches.routes.ts'
import type { DeviceBatchesService } from './device-batches.service.ts'
import { mapProperties } from './product-mapping.ts'

let m: Management
let tasks: TasksModule
let batches: DeviceBatchesService
let proven = true
/** What a purge does besides; who somebody is now, when that is asked. */
let onPurge: () => Promise<void> = async () => {}
let actorNow: (actor: Actor) => Actor = actor => actor
const moves: object[] = []

beforeAll(async () => {
  m = await management()
  tasks = createTasksModule({
    database: m.database,
    files: m.store,
    logger: silentLogger,
    currentActor: async (_tenantId, actor) => actorNow(actor),
    now: () => Date.now(),
  })
  batches = createDeviceBatches({
    database: m.database,
    gateway: m.gateway,
    groups: m.groups.service,
    products: m.products.service,
    quotas: m.tenants.quotas,
    tasks,
    async purge(num) {
      m.purged.push(num)
      await onPurge()
    },
    renumber: async given => void moves.push(...given),
    requireFreshProof: async () => {
      if (!proven) throw new AppError('auth.proof_required')
    },
    logger: silentLogger,
  }).service
  tasks.runner.start()
})
afterAll(() => tasks.runner.stop())

const asOwner = (of: Company): Ctx => {
  const { ctx } = of
  return { ...ctx, actor: { ...ctx.actor, permissions: new Set(PERMISSIONS) } as Ctx['actor'] }
}
const ended = async (of: Company, id: string, allFailed = false) => {
  await expect.poll(async () => (await tasks.service.get(asOwner(of), id)).endedAt).not.toBeNull()
  const task = await tasks.service.get(asOwner(of), id)
  // A batch of which every device was refused has failed; its counts and failures are there all the same.
  if (allFailed) expect([task.state, task.error?.code]).toEqual(['failed', 'task.all_failed'])
  else expect(task.state, task.error?.message).toBe(task.failedCount > 0 ? 'partial' : 'succeeded')
  return task
}
const run = async (of: Company, input: Parameters<DeviceBatchesService['create']>[1], allFailed = false) => {
  const started = await batches.create(asOwner(of), input)
  return { ...started, task: await ended(of, started.taskId, allFailed) }
}
const MODEL = (...types: [string, string][]) => ({
  properties: types.map(([identifier, type]) => ({ identifier, name: identifier, dataType: { type }, access: 'r' })),
})

async function fleet(count: number) {
  const own = await company(m.db)
  const product = await m.products.service.create(own.ctx, {
    name: 'P',
    linkType: 'mqtt',
    thingModel: MODEL(['temp', 'double'], ['state', 'int32'], ['old', 'double']),
  })
  await m.db.superuser.query(
    `insert into devices (id, tenant_id, product_id, product_num, device_no, name, secret_hash, secret_cipher)
     select gen_random_uuid(), $1, $2, num, 'd' || n, 'd' || n, '', '' from products, generate_series(1, $3::int) n where id = $2`,
    [own.id, product.id, count],
  )
  const { rows } = await m.db.superuser.query<{ id: string; num: number; device_no: string }>(
    'select id, num, device_no from devices where product_id = $1 order by num',
    [product.id],
  )
  return { own, product, devices: rows }
}
const column = async (of: Company, what: string) =>
  (
    await m.db.superuser.query<{ v: string; n: number }>(
      `select ${what} as v, count(*)::int as n from devices where tenant_id = $1 group by 1 order by 1`,
      [of.id],
    )
  ).rows.map(({ v, n }) => `${v} ${n}`)

describe('a batch over devices', () => {
  it('takes all that a filter shows, goes on in stretches, and lists what failed', async () => {
    const { own, devices } = await fleet(450)
    await m.devices.lifecycle.disable(own.ctx, devices[3]!.id)
    m.gateway.take()
    const { task, id } = await run(own, { target: { filter: {} }, change: { action: 'disable' }, expected: 450 })
    expect(task).toMatchObject({ done: 450, total: 450, failedCount: 0 })
    expect(await column(own, 'lifecycle')).toEqual(['disabled 450'])
    const notes = m.gateway.take()
    expect(notes.filter(note => note.startsWith('kick'))).toHaveLength(449)
    expect(await batches.get(asOwner(own), id)).toMatchObject({ total: 450, done: 450, failed: 0, action: 'disable' })
    const log = await m.audit.service.list(own.ctx, { action: 'device.disable', total: '1' })
    expect(log.total).toBe(450)
    expect((await m.audit.service.list(own.ctx, { action: 'device.batch' })).items[0]?.after).toMatchObject({
      action: 'disable',
      count: 450,
    })
    await m.devices.lifecycle.remove(own.ctx, devices[0]!.id)
    const ids = devices.slice(0, 10).map(device => device.id)
    const second = await run(own, { target: { ids }, change: { action: 'enable' } })
    expect(second.task.failedCount).toBe(1)
    expect((await tasks.service.failures(asOwner(own), second.taskId, {})).items).toMatchObject([
      { item: 'd1 · d1', code: 'device.recycled' },
    ])
    await m.devices.lifecycle.restore(own.ctx, devices[0]!.id)
    const retried = await batches.retry(asOwner(own), second.id)
    expect(retried.count).toBe(1)
    expect((await ended(own, retried.taskId)).failedCount).toBe(0)
    expect(await column(own, 'lifecycle')).toEqual(['disabled 440', 'inactive 10'])
    expect((await refusal(batches.retry(asOwner(own), retried.id))).code).toBe('device.batch_empty')
  })

  it('moves, tags and sets delays; what is found afterwards is what was set', async () => {
    const { own, devices } = await fleet(5)
    const group = await m.groups.service.create(own.ctx, { kind: 'device', name: '一车间' })
    await run(own, { target: { filter: {} }, change: { action: 'move', groupId: group.id } })
    await run(own, { target: { filter: { groupId: group.id } }, change: { action: 'tags', add: ['冷链'], remove: [] } })
    await run(own, { target: { filter: { tag: '冷链' } }, change: { action: 'offlineDelay', seconds: 90 } })
    expect(await column(own, 'offline_delay_seconds')).toEqual(['90 5'])
    const many = Array.from({ length: 20 }, (_, n) => `t${n}`)
    const full = await run(
      own,
      { target: { ids: [devices[0]!.id] }, change: { action: 'tags', add: many, remove: [] } },
      true,
    )
    expect(full.task.failedCount).toBe(1)
    expect((await m.devices.service.list(own.ctx, { tag: '冷链', total: '1' })).total).toBe(5)
  })

  it('recycles, restores and deletes for good, the last only from the bin and with a fresh proof', async () => {
    const { own, devices } = await fleet(3)
    const target = { ids: devices.map(device => device.id) }
    expect((await run(own, { target, change: { action: 'purge' } }, true)).task.failedCount).toBe(3)
    await run(own, { target, change: { action: 'recycle' } })
    await run(own, { target: { ids: [devices[0]!.id] }, change: { action: 'restore' } })
    proven = false
    const refused = await refusal(
      batches.create(asOwner(own), { target: { filter: { lifecycle: 'recycled' } }, change: { action: 'purge' } }),
    ).finally(() => {
      proven = true
    })
    expect(refused.code).toBe('auth.proof_required')
    await run(own, { target: { filter: { lifecycle: 'recycled' } }, change: { action: 'purge' } })
    expect(await column(own, 'lifecycle')).toEqual(['inactive 1'])
    expect(m.purged).toEqual(expect.arrayContaining(devices.slice(1).map(device => device.num)))
  })

  it('changes the product only when what is lost was accepted; equal properties keep their history', async () => {
    const { own, product, devices } = await fleet(3)
    const target = await m.products.service.create(own.ctx, {
      name: 'Q',
      linkType: 'mqtt',
      thingModel: MODEL(['temp', 'double'], ['state', 'string'], ['fresh', 'int32']),
    })
    await m.devices.service.create(own.ctx, { name: 'there', productId: target.id, deviceNo: 'd2' })
    const all = { filter: { productId: product.id } }
    expect(await batches.preview(asOwner(own), { target: all, productId: target.id })).toEqual({
      count: 3,
      mapping: {
        kept: ['temp'],
        lost: [
          { identifier: 'state', reason: 'type' },
          { identifier: 'old', reason: 'missing' },
        ],
        added: ['fresh'],
        numbersTaken: 1,
      },
    })
    const change = { action: 'product' as const, productId: target.id, acceptLoss: false }
    expect((await refusal(batches.create(asOwner(own), { target: all, change }))).code).toBe('device.product_mapping')
    const { task } = await run(own, { target: all, change: { ...change, acceptLoss: true } })
    expect(task.failedCount).toBe(1)
    expect((await m.devices.service.list(own.ctx, { productId: target.id, total: '1' })).total).toBe(3)
    const moved = moves as { device: number }[]
    expect(moved.map(({ device }) => device)).toEqual([devices[0]!.num, devices[2]!.num])
  })

  it('refuses an empty batch, a count that is another by now, foreign devices and batches, and missing rights', async () => {
    const { own, devices } = await fleet(2)
    const other = await company(m.db)
    const ids = devices.map(device => device.id)
    const enable = { action: 'enable' as const }
    const code = async (promise: Promise<unknown>) => (await refusal(promise)).code
    expect(await code(batches.create(asOwner(other), { target: { ids }, change: enable }))).toBe('device.batch_empty')
    expect(await code(batches.create(asOwner(own), { target: { ids }, change: enable, expected: 3 }))).toBe(
      'device.batch_changed',
    )
    const { id } = await run(own, { target: { ids }, change: enable })
    expect(await code(batches.get(asOwner(other), id))).toBe('device.batch_not_found')
    expect(await code(batches.create(own.ctx, { target: { ids }, change: { action: 'recycle' } }))).toBe(
      'permission.denied',
    )
    await insertProduct(m.db.superuser, other)
  })

  it('of a limited caller touches his part only', async () => {
    const { own, devices } = await fleet(4)
    const group = await m.groups.service.create(own.ctx, { kind: 'device', name: 'mine' })
    await m.devices.service.update(own.ctx, devices[0]!.id, { version: 1, groupId: group.id })
    const limited: Ctx = {
      ...asOwner(own),
      actor: {
        ...(asOwner(own).actor as Extract<Ctx['actor'], { kind: 'member' }>),
        dataScope: { kind: 'limited', groupIds: [group.id], productIds: [], own: false },
      },
    }
    const { taskId, count } = await batches.create(limited, {
      target: { filter: {} },
      change: { action: 'disable' },
    })
    expect(count).toBe(1)
    await ended(own, taskId)
    expect(await column(own, 'lifecycle')).toEqual(['disabled 1', 'inactive 3'])
    // Out of his scope: the whole stretch is refused by the policy, then each device for itself.
    const out = await batches.create(limited, { target: { filter: {} }, change: { action: 'move', groupId: null } })
    const task = await ended(own, out.taskId, true)
    expect(task.failedCount).toBe(1)
    expect((await tasks.service.failures(limited, out.taskId, {})).items[0]?.code).toBe('scope.outside')
  })
})

it('tags are added once and taken away', () => {
  expect(withTags(['a', 'b'], ['b', 'c'], ['a'])).toEqual(['b', 'c'])
})

it('of several products a property that one has otherwise is lost', () => {
  const mapped = mapProperties(
    [
      { identifier: 'a', type: 'double' },
      { identifier: 'a', type: 'string' },
      { identifier: 'b', type: 'int32' },
    ],
    [
      { identifier: 'a', type: 'double' },
      { identifier: 'b', type: 'int32' },
    ],
  )
  expect(mapped).toEqual({ kept: ['b'], lost: [{ identifier: 'a', reason: 'type' }], added: [] })
})

describe('a batch whose starter loses a right while it runs', () => {
  it('stops where it is, also when that is the right to remove', async () => {
    const { own } = await fleet(450)
    const there = async () =>
      Number((await m.db.superuser.query('select count(*) from devices where tenant_id = $1', [own.id])).rows[0].count)
    await m.db.superuser.query(
      `update devices set lifecycle = 'recycled', recycled_at = now(), lifecycle_before = 'inactive' where tenant_id = $1`,
      [own.id],
    )
    let asked = 0
    onPurge = async () => {
      if (asked > 0) return
      actorNow = actor => {
        asked++
        return { ...actor, permissions: new Set<Permission>(['device:write']) } as Actor
      }
      tasks.runner.recheck()
      await expect.poll(() => asked).toBeGreaterThan(0)
      await new Promise(resolve => setImmediate(resolve))
    }
    try {
      const target = { filter: { lifecycle: 'recycled' as const } }
      const { taskId, count } = await batches.create(asOwner(own), { target, change: { action: 'purge' } })
      expect(count).toBe(450)
      await expect.poll(async () => (await tasks.service.get(asOwner(own), taskId)).endedAt).not.toBeNull()
      const task = await tasks.service.get(asOwner(own), taskId)
      expect([task.state, task.error?.code]).toEqual(['failed', 'permission.denied'])
      expect(await there()).toBe(250)
    } finally {
      onPurge = async () => {}
      actorNow = actor => actor
    }
  })
})
