import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type DeviceFixture,
  insertDevice,
  insertProduct,
  insertTenant,
  type ProductFixture,
} from '../../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Ctx, MemberActor } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { type CommandsModule, createCommandsModule } from './commands.module.ts'

const MODEL = {
  properties: [
    { identifier: 'pump', name: 'pump', dataType: { type: 'bool' }, access: 'rw' },
    { identifier: 'pressure', name: 'pressure', dataType: { type: 'double' }, access: 'r' },
  ],
  events: [],
  services: [
    { identifier: 'restart', name: 'restart', input: [], output: [] },
    { identifier: 'erase', name: 'erase', danger: true, input: [], output: [] },
  ],
}

let db: TestDatabase
let product: ProductFixture
let devices: DeviceFixture[]
let ctx: Ctx
let stranger: Ctx
let commands: CommandsModule
let woken: number[]
let proven: boolean
let allowed: boolean
let now: number

const contextOf = (tenantId: string): Ctx => ({
  tenantId,
  actor: {
    kind: 'member',
    loginId: newId(),
    username: 'li',
    displayName: 'Li',
    permissions: new Set(['device:command']),
    dataScope: { kind: 'all' },
  },
  locale: 'en',
  requestId: 'r',
  now: Date.now(),
})

beforeAll(async () => {
  db = await testDatabase()
  const tenant = await insertTenant(db.superuser)
  ctx = contextOf(tenant.id)
  stranger = contextOf((await insertTenant(db.superuser)).id)
  commands = createCommandsModule({
    database: db.database,
    gateway: { wake: nums => void woken.push(...nums), forget: () => undefined },
    async requireFreshProof() {
      if (!proven) throw Object.assign(new Error('proof'), { code: 'auth.proof_required' })
    },
    currentActor: async (_, actor) => (allowed ? actor : null),
    now: () => now,
    logger: silentLogger,
  })
})

beforeEach(async () => {
  product = await insertProduct(db.superuser, { id: ctx.tenantId }, { model: MODEL })
  devices = await Promise.all(Array.from({ length: 5 }, () => insertDevice(db.superuser, product)))
  devices.sort((a, b) => a.num - b.num)
  woken = []
  proven = false
  allowed = true
  now = Date.now()
  ctx = { ...ctx, now }
})

const restart = { kind: 'service' as const, identifier: 'restart', params: {} }
const ids = () => devices.map(device => device.id)
const finish = async () => {
  while (await commands.runners.batches.step())
    await db.superuser.query('update command_batches set next_at = now() where next_at > now()')
}
const states = async (id: string) =>
  (await commands.batches.items(ctx, id, { limit: 100 })).items.map(item => [item.deviceNo, item.state, item.errorCode])
const failing = (promise: Promise<unknown>) =>
  promise.then(
    () => 'did not fail',
    (error: unknown) => error,
  )

describe('a batch', () => {
  it('gives each device one command, and says of every other why not', async () => {
    const other = await insertDevice(db.superuser, await insertProduct(db.superuser, { id: ctx.tenantId }))
    const foreign = await insertDevice(
      db.superuser,
      await insertProduct(db.superuser, { id: stranger.tenantId }, { model: MODEL }),
    )
    const made = await commands.batches.create(ctx, {
      target: { deviceIds: [...ids(), other.id, foreign.id, ids()[0]!] },
      command: { kind: 'property_set', params: { pump: true } },
    })
    expect(made).toMatchObject({ state: 'running', total: 7, counts: { pending: 6, refused: 1 } })
    await db.superuser.query(`update devices set lifecycle = 'disabled' where num = $1`, [devices[1]!.num])
    await db.superuser.query('delete from devices where num = $1', [devices[2]!.num])
    await finish()
    expect(await states(made.id)).toEqual([
      [devices[0]!.deviceNo, 'queued', null],
      [devices[1]!.deviceNo, 'refused', 'device.disabled'],
      [devices[2]!.deviceNo, 'refused', 'device.not_found'],
      [devices[3]!.deviceNo, 'queued', null],
      [devices[4]!.deviceNo, 'queued', null],
      [other.deviceNo, 'refused', 'command.params_invalid'],
      ['', 'refused', 'device.not_found'],
    ])
    expect(await commands.batches.get(ctx, made.id)).toMatchObject({
      state: 'done',
      counts: { queued: 3, refused: 4 },
      endedAt: expect.any(String),
    })
    expect(woken.toSorted()).toEqual([0, 3, 4].map(i => devices[i]!.num).toSorted())
    expect(await failing(commands.batches.get(stranger, made.id))).toMatchObject({ code: 'command_batch.not_found' })
  })

  it('is filled by product and link, and refused when nobody fits', async () => {
    await db.superuser.query(
      `insert into device_presence (device, tenant_id, link, first_seen_at, last_seen_at) values ($1, $2, 'online', now(), now())`,
      [devices[3]!.num, ctx.tenantId],
    )
    const of = async (target: object) => (await commands.batches.create(ctx, { target, command: restart })).total
    expect(await of({ productId: product.id })).toBe(5)
    expect(await of({ productId: product.id, link: 'online' })).toBe(1)
    expect(await of({ productId: product.id, link: 'never' })).toBe(4)
    expect(await of({ productId: product.id, q: devices[1]!.deviceNo })).toBe(1)
    await db.superuser.query(`update devices set tags = '{roof}' where num = $1`, [devices[2]!.num])
    expect(await of({ productId: product.id, tag: 'roof', lifecycle: 'inactive' })).toBe(1)
    expect(await of({ all: true })).toBeGreaterThanOrEqual(5)
    for (const target of [{ productId: product.id, link: 'offline' as const }, {}, { productId: newId() }])
      expect(await failing(commands.batches.create(ctx, { target, command: restart }))).toMatchObject({
        code: 'command_batch.empty',
      })
    await finish()
  })

  it('never holds what lies in the recycle bin, however it was chosen', async () => {
    const gone = devices[2]!
    await db.superuser.query(`update devices set lifecycle = 'recycled', recycled_at = now() where num = $1`, [
      gone.num,
    ])
    const left = devices.filter(device => device !== gone).map(device => device.deviceNo)
    const chosen = async (target: object) =>
      (await states((await commands.batches.create(ctx, { target, command: restart })).id)).map(([no, state, why]) =>
        state === 'pending' ? no : why,
      )
    expect(await chosen({ productId: product.id })).toEqual(left)
    expect(await chosen({ productId: product.id, link: 'never' })).toEqual(left)
    const all = await chosen({ all: true })
    expect(all).toEqual(expect.arrayContaining(left))
    expect(all).not.toContain(gone.deviceNo)
    expect(await chosen({ deviceIds: ids() })).toEqual([...left, 'device.not_found'])
    expect(
      await failing(commands.batches.create(ctx, { target: { q: gone.deviceNo }, command: restart })),
    ).toMatchObject({ code: 'command_batch.empty' })
    await finish()
  })

  it('leaves at the asked pace', async () => {
    const { id } = await commands.batches.create(ctx, { target: { deviceIds: ids() }, command: restart, perSecond: 2 })
    expect(await commands.runners.batches.step()).toBe(true)
    expect(await commands.batches.get(ctx, id)).toMatchObject({ counts: { queued: 2, pending: 3 } })
    // Two of two a second have left: the next ones a second after them.
    const { rows } = await db.superuser.query(
      `select distinct extract(epoch from b.next_at - c.created_at)::float8 as wait
       from command_batches b join commands c on c.batch_id = b.id where b.id = $1`,
      [id],
    )
    expect(rows).toEqual([{ wait: 1 }])
    // However long this test takes, it is not their turn yet.
    await db.superuser.query(`update command_batches set next_at = now() + interval '1 hour' where id = $1`, [id])
    expect(await commands.runners.batches.step()).toBe(false)
    expect(await commands.batches.get(ctx, id)).toMatchObject({ counts: { queued: 2, pending: 3 } })
    await db.superuser.query('update command_batches set next_at = now() where id = $1', [id])
    await finish()
    expect(await commands.batches.get(ctx, id)).toMatchObject({ state: 'done', counts: { queued: 5 } })
  })

  it('goes on by itself when it is the turn of the next part', async () => {
    const { id } = await commands.batches.create(ctx, { target: { deviceIds: ids() }, command: restart, perSecond: 4 })
    commands.runners.batches.start()
    await expect.poll(async () => (await commands.batches.get(ctx, id)).state).toBe('done')
    await commands.runners.batches.stop()
    expect(await commands.batches.get(ctx, id)).toMatchObject({ counts: { queued: 5 } })
  })

  it('can be stopped: what has not left is taken back', async () => {
    const { id } = await commands.batches.create(ctx, { target: { deviceIds: ids() }, command: restart, perSecond: 2 })
    await commands.runners.batches.step()
    expect(await commands.batches.cancel(ctx, id)).toMatchObject({ state: 'cancelling' })
    await finish()
    expect(await commands.batches.get(ctx, id)).toMatchObject({ state: 'cancelled', counts: { cancelled: 5 } })
    expect(await failing(commands.batches.cancel(ctx, id))).toMatchObject({ code: 'command_batch.ended' })
  })

  it('goes on after its process died in the middle of a part, with nothing twice and nothing lost', async () => {
    const { id } = await commands.batches.create(ctx, { target: { deviceIds: ids() }, command: restart })
    const dying = createCommandsModule({
      database: {
        ...db.database,
        withTenant: (of, work) =>
          db.database.withTenant(of, async scope => {
            await work(scope)
            throw new Error('killed before the commit')
          }),
      },
      gateway: { wake: nums => void woken.push(...nums), forget: () => undefined },
      requireFreshProof: async () => undefined,
      now: () => now,
      logger: silentLogger,
    })
    expect(await dying.runners.batches.step()).toBe(true)
    expect(await commands.batches.get(ctx, id)).toMatchObject({ counts: { pending: 5 } })
    await db.superuser.query('update command_batches set next_at = now()')
    await Promise.all([finish(), finish()])
    expect(await commands.batches.get(ctx, id)).toMatchObject({ state: 'done', counts: { queued: 5 } })
    const { rows } = await db.superuser.query('select count(*)::int as n from commands where batch_id = $1', [id])
    expect(rows[0].n).toBe(5)
  })

  it('is tried again for those it failed on', async () => {
    const { id } = await commands.batches.create(ctx, { target: { deviceIds: ids() }, command: restart })
    await finish()
    expect(await failing(commands.batches.retry(ctx, id, {}))).toMatchObject({ code: 'command_batch.nothing_to_retry' })
    await db.superuser.query(
      `update commands set state = case when device = $2 then 'timed_out' else 'succeeded' end, finished_at = now(), attempt = 1 where batch_id = $1`,
      [id, devices[4]!.num],
    )
    const again = await commands.batches.retry(ctx, id, {})
    expect(again).toMatchObject({ total: 1, retryOf: id })
    await finish()
    expect(await states(again.id)).toEqual([[devices[4]!.deviceNo, 'queued', null]])
    expect((await commands.batches.list(ctx, { limit: 1 })).items[0]!.id).toBe(again.id)
  })

  it('ends when whoever asked may no longer send commands', async () => {
    const { id } = await commands.batches.create(ctx, { target: { deviceIds: ids() }, command: restart })
    allowed = false
    await finish()
    expect(await commands.batches.get(ctx, id)).toMatchObject({ state: 'done', counts: { refused: 5 } })
  })

  it('reaches no further than the caller’s data scope', async () => {
    const actor = { ...(ctx.actor as MemberActor) }
    const limited: Ctx = {
      ...ctx,
      actor: { ...actor, dataScope: { kind: 'limited', groupIds: [], productIds: [product.id], own: false } },
    }
    const elsewhere = await insertDevice(
      db.superuser,
      await insertProduct(db.superuser, { id: ctx.tenantId }, { model: MODEL }),
    )
    const made = await commands.batches.create(limited, {
      target: { deviceIds: [ids()[0]!, elsewhere.id] },
      command: restart,
    })
    await finish()
    expect((await commands.batches.items(limited, made.id, {})).items.map(item => item.errorCode)).toEqual([
      null,
      'device.not_found',
    ])
  })
})

describe('a dangerous command', () => {
  const erase = { kind: 'service' as const, identifier: 'erase', params: {} }
  const send = (over: object = {}) => commands.service.create(ctx, ids()[0]!, { ...erase, ...over })
  let known: string | undefined
  const set = async (value: object, over: { pin?: string | null; currentPin?: string } = {}) => {
    const { version } = await commands.templates.rules(ctx, product.id)
    return commands.templates.setRules(ctx, product.id, { rules: value, version, ...over })
  }
  const rules = async (value: object, pin?: string) => {
    const after = await set(value, { ...(pin ? { pin } : {}), ...(known ? { currentPin: known } : {}) })
    known = pin ?? known
    return after
  }

  it('keeps its PIN from those who do not know it', async () => {
    const guarded = { properties: { pump: { danger: { level: 'pin' } } } }
    await rules(guarded, '2468')
    for (const change of [
      () => set({}),
      () => set({ properties: { pump: { danger: { level: 'confirm' } } } }),
      () => set(guarded, { pin: null }),
      () => set(guarded, { pin: '1111' }),
    ])
      expect(await failing(change())).toMatchObject({
        code: 'command.pin_required',
        fields: { currentPin: { code: 'command.pin_required' } },
      })
    expect(await failing(set({}, { currentPin: '1111' }))).toMatchObject({ code: 'command.pin_wrong' })
    expect(await set({ ...guarded, retries: 2 })).toMatchObject({ pinSet: true, rules: { retries: 2 } })
    expect(await set({}, { pin: null, currentPin: '2468' })).toMatchObject({ pinSet: false, rules: {} })
    known = undefined
  })

  it('needs a second yes, alone and in a batch', async () => {
    expect(await failing(send())).toMatchObject({ code: 'command.confirm_required' })
    expect(await send({ acknowledged: true })).toMatchObject({ state: 'queued' })
    const batch = (over: object) =>
      commands.batches.create(ctx, { target: { deviceIds: ids() }, command: { ...erase, ...over } })
    expect(await failing(batch({}))).toMatchObject({ code: 'command.confirm_required' })
    const { id, request } = await batch({ acknowledged: true })
    expect(request).toEqual(erase)
    await finish()
    expect(await commands.batches.get(ctx, id)).toMatchObject({ counts: { queued: 5 } })
  })

  it('is not sent past its PIN as bytes, nor from the terminal', async () => {
    const raw = (over: object = {}) =>
      commands.service.create(ctx, ids()[0]!, { kind: 'raw', payload: { hex: 'aa' }, ...over })
    await rules({ properties: { pump: { danger: { level: 'confirm' } } } })
    expect(await raw()).toMatchObject({ state: 'queued' })
    await rules({ properties: { pump: { danger: { level: 'pin' } } } }, '1357')
    expect(await failing(raw({ acknowledged: true }))).toMatchObject({ code: 'command.pin_required' })
    expect(await raw({ pin: '1357' })).toMatchObject({ state: 'queued' })
    expect(await failing(commands.passRaw(ctx, product.id, 'aa', {}))).toMatchObject({ code: 'command.pin_required' })
    expect(await commands.passRaw(ctx, product.id, 'aa', { pin: '1357' })).toBeUndefined()
    expect(
      await failing(
        commands.batches.create(ctx, {
          target: { deviceIds: ids() },
          command: { kind: 'raw', payload: { hex: 'aa' } },
        }),
      ),
    ).toMatchObject({ code: 'command.pin_required' })
  })

  it('needs the PIN, which nobody may guess', async () => {
    expect(await rules({ services: { erase: { danger: { level: 'pin' } } } }, '2468')).toMatchObject({ pinSet: true })
    expect(await failing(send({ acknowledged: true }))).toMatchObject({ code: 'command.pin_required' })
    expect(await send({ pin: '2468' })).toMatchObject({ state: 'queued' })
    for (let i = 0; i < 5; i++)
      expect(await failing(send({ pin: '0000' }))).toMatchObject({ code: 'command.pin_wrong' })
    expect(await failing(send({ pin: '2468' }))).toMatchObject({ code: 'command.pin_locked' })
    now += 301_000
    expect(await send({ pin: '2468' })).toMatchObject({ state: 'queued' })
    const { rows } = await db.superuser.query(
      `select count(*)::int as n from audit_logs where (before::text || after::text) ~ '2468'`,
    )
    expect(rows[0].n).toBe(0)
  })

  it('needs a role and a fresh proof where the product says so, and is never sent by a machine', async () => {
    await rules({ services: { erase: { danger: { level: 'proof', roleIds: [newId()] } } } })
    expect(await failing(send({ acknowledged: true }))).toMatchObject({ code: 'command.role_required' })
    await rules({ services: { erase: { danger: { level: 'proof' } } } })
    expect(await failing(send({ acknowledged: true }))).toMatchObject({ code: 'auth.proof_required' })
    proven = true
    expect(await send({ acknowledged: true })).toMatchObject({ state: 'queued' })
    const machine = { ...ctx, actor: { kind: 'system' as const, reason: 'trigger' } }
    expect(
      await failing(commands.service.create(machine, ids()[0]!, { ...erase, acknowledged: true }, 'trigger')),
    ).toMatchObject({ code: 'command.not_alone' })
  })
})

describe('periodic reads', () => {
  const template = (over: object = {}) =>
    commands.templates.create(ctx, product.id, {
      code: newId(),
      name: 'Read',
      body: { params: [], payload: { kind: 'modbus', function: 3, address: 0, quantity: 2 }, ...over },
    })

  it('ask the devices that are online, one slot after the other, and never pile up', async () => {
    await db.superuser.query(
      `insert into device_presence (device, tenant_id, link, first_seen_at, last_seen_at)
       select unnest($1::int[]), $2, 'online', now(), now()`,
      [devices.slice(1).map(device => device.num), ctx.tenantId],
    )
    const { id: templateId } = await template()
    const made = await commands.schedules.add(ctx, product.id, { templateId, everySeconds: 5 })
    const period = async () => {
      let sent = 0
      for (let i = 0; i < 5; i++) {
        sent += await commands.runners.schedules.tick()
        await db.superuser.query('update command_schedules set next_run = now()')
      }
      return sent
    }
    expect(await period()).toBe(4)
    expect(woken.toSorted()).toEqual(
      devices
        .slice(1)
        .map(device => device.num)
        .toSorted(),
    )
    await db.superuser.query(
      `update commands set state = 'succeeded', finished_at = now() where schedule_id = $1 and device <> $2`,
      [made.id, devices[4]!.num],
    )
    expect(await period()).toBe(3)
    expect((await commands.schedules.list(ctx, product.id)).items).toMatchObject([
      { templateName: 'Read', sent: 3, skipped: 1, errorCode: null, lastRunAt: expect.any(String) },
    ])
    const { items } = await commands.service.list(ctx, devices[1]!.id, { source: 'schedule' })
    expect(items.length).toBe(2)
    expect(items[0]).toMatchObject({
      kind: 'raw',
      params: { hex: '010300000002c40b' },
      operatorName: 'system:schedule',
    })
    await commands.schedules.set(ctx, product.id, made.id, { everySeconds: 5, enabled: false, version: 1 })
    expect(await period()).toBe(0)
    await commands.schedules.remove(ctx, product.id, made.id)
  })

  it('ask by themselves, and go on doing so', async () => {
    await db.superuser.query(
      `insert into device_presence (device, tenant_id, link, first_seen_at, last_seen_at)
       values ($1, $2, 'online', now(), now())`,
      [devices[0]!.num, ctx.tenantId],
    )
    const { id: templateId } = await template()
    const made = await commands.schedules.add(ctx, product.id, { templateId, everySeconds: 5 })
    const due = () => db.superuser.query('update command_schedules set next_run = now() where id = $1', [made.id])
    const asked = async () => {
      await db.superuser.query(`update commands set state = 'succeeded', finished_at = now() where schedule_id = $1`, [
        made.id,
      ])
      await due()
      return (await commands.service.list(ctx, devices[0]!.id, { source: 'schedule' })).items.length
    }
    commands.runners.schedules.start()
    await expect.poll(asked).toBeGreaterThan(1)
    await commands.runners.schedules.stop()
    await commands.schedules.remove(ctx, product.id, made.id)
  })

  it('are never dangerous ones', async () => {
    const { id: templateId } = await template({ danger: { level: 'confirm' } })
    expect(await failing(commands.schedules.add(ctx, product.id, { templateId, everySeconds: 60 }))).toMatchObject({
      code: 'command_schedule.dangerous',
    })
  })
})

describe('templates', () => {
  const body = { params: [], payload: { kind: 'hex' as const, template: '0102' } }

  it('are kept in their order, copied, and refused with a code that is taken', async () => {
    const a = await commands.templates.create(ctx, product.id, { code: 'a', name: 'A', body })
    const b = await commands.templates.create(ctx, product.id, { code: 'b', name: 'B', body })
    expect(await failing(commands.templates.create(ctx, product.id, { code: 'a', name: 'A', body }))).toMatchObject({
      code: 'command_template.code_taken',
    })
    const copy = await commands.templates.duplicate(ctx, product.id, a.id)
    const codes = async () => (await commands.templates.list(ctx, product.id)).items.map(item => item.code)
    expect(await codes()).toEqual(['a', 'a-2', 'b'])
    await commands.templates.order(ctx, product.id, [b.id, copy.id])
    expect(await codes()).toEqual(['b', 'a-2', 'a'])
    const change = { code: 'c', name: 'C', body, version: a.version }
    expect(await commands.templates.update(ctx, product.id, a.id, change)).toMatchObject({ code: 'c', version: 2 })
    expect(await failing(commands.templates.update(ctx, product.id, a.id, change))).toMatchObject({
      code: 'version.conflict',
    })
    await commands.templates.remove(ctx, product.id, b.id)
    expect(await codes()).toEqual(['a-2', 'c'])
    expect(await failing(commands.templates.list(stranger, product.id))).toMatchObject({ code: 'product.not_found' })
  })

  it('show their bytes before they are sent', async () => {
    expect(
      await commands.templates.preview(ctx, product.id, {
        body: { ...body, payload: { kind: 'hex', template: '{{deviceNo:ascii}}', checksum: 'xor8' } },
        deviceId: devices[0]!.id,
      }),
    ).toMatchObject({
      kind: 'raw',
      hex: expect.stringMatching(new RegExp(`^${Buffer.from(devices[0]!.deviceNo).toString('hex')}..$`)),
    })
  })
})
