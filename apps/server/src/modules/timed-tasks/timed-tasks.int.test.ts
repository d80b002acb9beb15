import { text } from 'node:stream/consumers'
import type { Permission } from '@thingwright/contracts/permissions'
import type { TimedTaskInput } from '@thingwright/contracts/timed-tasks.contract'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant, type TenantFixture } from '../../db/fixtures.ts'
import { refusal } from '../../db/testing/management.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Actor, Ctx, MemberActor } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { type CommandIntake, createCommandsModule } from '../commands/index.ts'
import { exportTimedRuns } from './timed-task-export.ts'
import { createTimedTasksModule, type TimedTasksModule } from './timed-tasks.module.ts'

const MODEL = {
  properties: [
    { identifier: 'pump', name: 'pump', dataType: { type: 'bool' }, access: 'rw' },
    { identifier: 'temperature', name: 'temperature', dataType: { type: 'double' }, access: 'r' },
  ],
  events: [],
  services: [],
}
const MINUTE = 60_000
const HOUR = 3_600_000

let db: TestDatabase
let tenant: TenantFixture
let pump: DeviceFixture
let other: DeviceFixture
let now: number
let owners: Map<string, Actor | null>
let intake: CommandIntake
let timed: TimedTasksModule

const ownerId = newId()

function ctx(permissions: Permission[] = ['device:command', 'timed-task:read', 'timed-task:write']): Ctx {
  return {
    tenantId: tenant.id,
    actor: {
      kind: 'member',
      loginId: ownerId,
      username: 'li',
      displayName: 'Li',
      permissions: new Set(permissions),
      dataScope: { kind: 'all' },
    },
    locale: 'en',
    requestId: 'r',
    now,
  }
}

function module(over: { intake?: CommandIntake } = {}): TimedTasksModule {
  return createTimedTasksModule({
    database: db.database,
    intake: over.intake ?? intake,
    gateway: { wake: () => undefined },
    timeZone: async () => 'Asia/Shanghai',
    ownerNow: async (_, id) => (owners.has(id) ? owners.get(id) : ctx().actor),
    logger: silentLogger,
    now: () => now,
  })
}

beforeAll(async () => {
  db = await testDatabase()
  intake = createCommandsModule({
    database: db.database,
    gateway: { wake: () => undefined, forget: () => undefined },
    requireFreshProof: async () => {
      throw new Error('nobody is there')
    },
    now: () => now,
    logger: silentLogger,
  }).intake
})

beforeEach(async () => {
  now = Date.UTC(2027, 2, 1, 0, 0)
  owners = new Map()
  await db.superuser.query('delete from timed_task_runs')
  await db.superuser.query('delete from timed_tasks')
  tenant = await insertTenant(db.superuser)
  const product = await insertProduct(db.superuser, tenant, { model: MODEL })
  pump = await insertDevice(db.superuser, product)
  other = await insertDevice(db.superuser, product)
  timed = module()
})

const set = (value: boolean, deviceIds = [pump.id]) => ({
  kind: 'command' as const,
  scope: { deviceIds },
  command: { kind: 'property_set' as const, params: { pump: value } },
})

const daily = (over: Partial<TimedTaskInput> = {}): TimedTaskInput => ({
  name: 'daily',
  schedule: { kind: 'daily', times: ['08:10'] },
  actions: [set(true)],
  ...over,
})

async function commands(): Promise<{ device: string; params: unknown; source: string; expires: Date }[]> {
  const { rows } = await db.superuser.query(
    `select device_id as device, params, source, expires_at as expires from commands where tenant_id = $1 order by created_at, id`,
    [tenant.id],
  )
  return rows
}

const runsOf = async (id: string) => (await timed.log.list(ctx(), { taskId: id })).items

describe('a timed task', () => {
  it('runs when it is due, once, and says what came of it', async () => {
    // 08:10 in Shanghai is 00:10 UTC.
    const task = await timed.service.create(ctx(), daily())
    expect(task).toMatchObject({
      state: 'enabled',
      nextRunAt: '2027-03-01T00:10:00.000Z',
      names: { [pump.id]: expect.any(String) },
    })
    await timed.runner.tick()
    expect(await commands()).toEqual([])
    now += 10 * MINUTE
    await timed.runner.tick()
    await timed.runner.tick()
    expect(await commands()).toMatchObject([{ device: pump.id, params: { pump: true }, source: 'timed_task' }])
    const [run] = await runsOf(task.id)
    expect(run).toMatchObject({ state: 'done', cause: 'schedule', dueAt: '2027-03-01T00:10:00.000Z', missed: 0 })
    expect(run!.steps).toMatchObject([{ result: 'done', done: 1, failed: 0 }])
    expect((await timed.log.results(ctx(), task.id, run!.id, {})).items).toMatchObject([
      { deviceId: pump.id, result: 'done', commandState: 'queued' },
    ])
    expect(await timed.service.get(ctx(), task.id)).toMatchObject({
      nextRunAt: '2027-03-02T00:10:00.000Z',
      lastState: 'done',
    })
  })

  it('switches on and off across midnight, and a command for a device that is away does not outlive the next edge', async () => {
    const task = await timed.service.create(
      ctx(),
      daily({
        schedule: { kind: 'pair', zone: 'UTC', on: '22:00', off: '06:00' },
        offActions: [set(false)],
        misfire: 'once',
        misfireMinutes: 1440,
      }),
    )
    now += 22 * HOUR
    await timed.runner.tick()
    now += 8 * HOUR
    await timed.runner.tick()
    const [on, off] = await commands()
    expect([on!.params, off!.params]).toEqual([{ pump: true }, { pump: false }])
    expect(on!.expires.toISOString()).toBe('2027-03-02T06:00:00.000Z')
    expect((await runsOf(task.id)).map(run => run.edge)).toEqual(['off', 'on'])
  })

  it.each([
    ['skip', 30, []],
    ['once', 30, []],
    ['once', 120, [{ pump: true }]],
  ] as const)(
    'due while nobody was there follows its policy: %s within %i minutes',
    async (misfire, misfireMinutes, sent) => {
      const task = await timed.service.create(ctx(), daily({ misfire, misfireMinutes }))
      now += 3 * 24 * HOUR + 70 * MINUTE
      await timed.runner.tick()
      expect((await commands()).map(({ params }) => params)).toEqual(sent)
      const [run] = await runsOf(task.id)
      expect(run).toMatchObject(
        sent.length > 0
          ? { state: 'done', missed: 3, dueAt: '2027-03-04T00:10:00.000Z' }
          : { state: 'skipped', missed: 4, fault: { code: 'timed_task.too_late' } },
      )
      expect((await timed.service.get(ctx(), task.id)).nextRunAt).toBe('2027-03-05T00:10:00.000Z')
    },
  )

  it.each([
    ['Europe/Berlin', '2027-03-27T12:00:00Z', ['2027-03-28T01:30:00.000Z', '2027-03-29T00:30:00.000Z']],
    ['Europe/Berlin', '2027-10-30T12:00:00Z', ['2027-10-31T00:30:00.000Z', '2027-11-01T01:30:00.000Z']],
    ['Asia/Shanghai', '2027-03-27T12:00:00Z', ['2027-03-27T18:30:00.000Z', '2027-03-28T18:30:00.000Z']],
    ['America/St_Johns', '2027-03-13T12:00:00Z', ['2027-03-14T06:00:00.000Z', '2027-03-15T05:00:00.000Z']],
  ])('keeps the clock of %s from %s on', async (zone, from, moments) => {
    now = Date.parse(from)
    const task = await timed.service.create(ctx(), daily({ schedule: { kind: 'daily', zone, times: ['02:30'] } }))
    const ran: string[] = []
    for (const _ of moments) {
      const { nextRunAt } = await timed.service.get(ctx(), task.id)
      now = Date.parse(nextRunAt!)
      await timed.runner.tick()
      ran.push((await runsOf(task.id))[0]!.dueAt)
    }
    expect(ran).toEqual(moments)
    expect(await commands()).toHaveLength(2)
  })

  it('is never run by two processes', async () => {
    for (let n = 0; n < 40; n++) await timed.service.create(ctx(), daily({ name: `n${n}` }))
    now += 10 * MINUTE
    const processes = [module(), module(), module()]
    await Promise.all(processes.map(({ runner }) => runner.tick()))
    await Promise.all(processes.map(({ runner }) => runner.tick()))
    const { rows } = await db.superuser.query(
      'select count(*)::int as runs, count(distinct task_id)::int as tasks from timed_task_runs where tenant_id = $1',
      [tenant.id],
    )
    expect(rows).toEqual([{ runs: 40, tasks: 40 }])
    const { rows: sent } = await db.superuser.query(
      'select count(*)::int as n from timed_task_results where tenant_id = $1',
      [tenant.id],
    )
    expect(sent).toEqual([{ n: 40 }])
    expect(await commands()).toHaveLength(40)
  })

  it('is begun once each, where ten thousand of them are due together and two processes look', async () => {
    const task = await timed.service.create(ctx(), daily())
    await db.superuser.query(
      `insert into timed_tasks select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'name', 'n' || n))).*
       from timed_tasks t, generate_series(1, 9999) n where t.id = $1`,
      [task.id],
    )
    now += 10 * MINUTE
    const claims = await Promise.all(
      [module(), module()].map(async ({ runner }) => {
        const sizes: number[] = []
        for (let size = await runner.claim(); size > 0; size = await runner.claim()) sizes.push(size)
        return sizes
      }),
    )
    const { rows } = await db.superuser.query(
      `select count(*)::int as runs, count(distinct task_id)::int as tasks, count(distinct due_at)::int as moments
       from timed_task_runs where tenant_id = $1`,
      [tenant.id],
    )
    expect(rows).toEqual([{ runs: 10_000, tasks: 10_000, moments: 1 }])
    // Both had some, in few transactions: how long each takes decides when the last one begins.
    expect(claims.every(sizes => sizes.length > 0)).toBe(true)
    expect(claims.flat().length).toBeLessThanOrEqual(24)
  }, 60_000)

  it('whose process ended in the middle goes on, and no device gets its command twice', async () => {
    const task = await timed.service.create(ctx(), daily({ actions: [set(true), set(false, [pump.id, other.id])] }))
    now += 10 * MINUTE
    let puts = 0
    const dying = module({
      intake: {
        ...intake,
        async put(...args) {
          if (++puts === 2) throw new Error('killed')
          return intake.put(...args)
        },
        async putSame() {
          throw new Error('killed')
        },
      },
    })
    await dying.runner.tick()
    expect(await commands()).toHaveLength(1)
    expect((await runsOf(task.id))[0]).toMatchObject({
      state: 'running',
      steps: [{ result: 'done' }, { result: 'pending' }],
    })
    // Nobody touches it before its minute is over.
    await timed.runner.tick()
    expect(await commands()).toHaveLength(1)
    now += 2 * MINUTE
    await timed.runner.tick()
    expect((await commands()).map(({ params }) => params)).toEqual([{ pump: true }, { pump: false }, { pump: false }])
    expect((await runsOf(task.id))[0]).toMatchObject({ state: 'done' })
  })

  it('carried out with others of its owner keeps its own result, and goes on alone where their process ended', async () => {
    const made = []
    for (const [n, ids] of [[pump.id], [other.id], [pump.id, other.id]].entries())
      made.push(await timed.service.create(ctx(), daily({ name: `n${n}`, actions: [set(n === 0, ids)] })))
    await db.superuser.query(`update devices set lifecycle = 'disabled' where id = $1`, [other.id])
    now += 10 * MINUTE
    let puts = 0
    const dying = module({
      intake: {
        ...intake,
        async put(...args) {
          if (++puts > 2) throw new Error('killed')
          return intake.put(...args)
        },
      },
    })
    await dying.runner.tick()
    now += 2 * MINUTE
    await timed.runner.tick()
    const states = await Promise.all(made.map(async ({ id }) => (await runsOf(id))[0]!))
    expect(states).toMatchObject([
      { state: 'done', steps: [{ done: 1, failed: 0 }] },
      { state: 'failed', steps: [{ done: 0, failed: 1 }] },
      { state: 'partial', steps: [{ done: 1, failed: 1 }] },
    ])
    expect((await commands()).map(({ params }) => params)).toEqual([{ pump: true }, { pump: false }])
  })

  it('due together with others tells each its device, puts older wishes aside, and names the one that takes nothing', async () => {
    const product = await insertProduct(db.superuser, tenant, { model: MODEL })
    const devices = []
    for (let n = 0; n < 6; n++) devices.push(await insertDevice(db.superuser, product))
    const ids = devices.map(({ id }) => id)
    const before = await timed.service.create(
      ctx(),
      daily({ name: 'before', enabled: false, actions: [set(false, ids)] }),
    )
    await timed.service.run(ctx(), before.id, undefined)
    await timed.runner.tick()
    await db.superuser.query(`update devices set lifecycle = 'disabled' where id = $1`, [ids[5]])
    await db.superuser.query(`update devices set overrides = jsonb_build_object('model', null) where id = $1`, [ids[4]])
    const made = []
    for (const [n, id] of ids.entries())
      made.push(await timed.service.create(ctx(), daily({ name: `n${n}`, actions: [set(true, [id])] })))
    now += 10 * MINUTE
    await timed.runner.tick()
    const runs = await Promise.all(made.map(async ({ id }) => (await runsOf(id))[0]!))
    expect(runs.map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done', 'done', 'failed'])
    const { items } = await timed.log.results(ctx(), made[5]!.id, runs[5]!.id, {})
    expect(items).toMatchObject([{ deviceId: ids[5], fault: { code: 'device.disabled' } }])
    const { rows } = await db.superuser.query(
      `select c.device_id as id, c.state, c.params, c.error_code as error, d.desired from commands c
       join shadow_desired d on d.device = c.device where c.device_id = any ($1) order by c.position`,
      [ids],
    )
    const of = (id: string) => rows.filter(row => row.id === id)
    for (const id of ids.slice(0, 5))
      expect(of(id)).toMatchObject([
        { state: 'cancelled', error: 'superseded', params: { pump: false } },
        { state: 'queued', params: { pump: true }, desired: { pump: true } },
      ])
    expect(of(ids[5]!)).toMatchObject([{ state: 'queued', params: { pump: false }, desired: { pump: false } }])
  })

  it('waits between its steps, and writes a scene out', async () => {
    const scene = await timed.scenes.create(ctx(), {
      name: 'flush',
      actions: [set(true), { kind: 'delay', seconds: 600 }, set(false)],
    })
    const task = await timed.service.create(
      ctx(),
      daily({ actions: [{ kind: 'scene', sceneId: scene.id }, set(true, [other.id])] }),
    )
    now += 10 * MINUTE
    await timed.runner.tick()
    expect(await commands()).toHaveLength(1)
    now += 9 * MINUTE
    await timed.runner.tick()
    expect(await commands()).toHaveLength(1)
    now += MINUTE
    await timed.runner.tick()
    expect((await commands()).map(({ params }) => params)).toEqual([{ pump: true }, { pump: false }, { pump: true }])
    const [run] = await runsOf(task.id)
    expect(run!.steps.map(step => [step.action.kind, step.sceneName, step.result])).toEqual([
      ['command', 'flush', 'done'],
      ['delay', 'flush', 'done'],
      ['command', 'flush', 'done'],
      ['command', null, 'done'],
    ])
    expect((await refusal(timed.scenes.remove(ctx(), scene.id))).code).toBe('scene.in_use')
  })

  it('acts with the rights that its owner has then: one who left stops it with a reason', async () => {
    const task = await timed.service.create(ctx(), daily())
    owners.set(ownerId, ctx(['timed-task:write']).actor)
    now += 10 * MINUTE
    await timed.runner.tick()
    expect((await runsOf(task.id))[0]).toMatchObject({ state: 'skipped', fault: { code: 'timed_task.needs_command' } })
    owners.set(ownerId, null)
    now += 24 * HOUR
    await timed.runner.tick()
    expect((await runsOf(task.id))[0]).toMatchObject({ state: 'skipped', fault: { code: 'timed_task.owner_gone' } })
    expect(await timed.service.get(ctx(), task.id)).toMatchObject({
      state: 'error',
      nextRunAt: null,
      fault: { code: 'timed_task.owner_gone', message: 'The owner of the task may no longer act' },
    })
    owners.clear()
    await timed.service.setEnabled(ctx(), task.id, true)
    now += 24 * HOUR
    await timed.runner.tick()
    expect(await commands()).toHaveLength(1)
  })

  it('runs by hand, paused or not, and says which device did not take it', async () => {
    const task = await timed.service.create(ctx(), daily({ enabled: false, actions: [set(true, [pump.id, other.id])] }))
    expect(task.state).toBe('disabled')
    await db.superuser.query(`update devices set lifecycle = 'disabled' where id = $1`, [other.id])
    const begun = await timed.service.run(ctx(), task.id, undefined)
    expect(begun).toMatchObject({ state: 'pending', cause: 'manual', byName: 'li' })
    await timed.runner.tick()
    expect((await runsOf(task.id))[0]).toMatchObject({
      state: 'partial',
      steps: [{ result: 'partial', done: 1, failed: 1 }],
    })
    const { items } = await timed.log.results(ctx(), task.id, begun.id, { result: 'failed' })
    expect(items).toMatchObject([{ deviceId: other.id, fault: { code: 'device.disabled' } }])
    expect((await refusal(timed.service.run(ctx(), task.id, 'off'))).code).toBe('timed_task.not_a_pair')
    expect((await refusal(timed.service.run(ctx(['timed-task:write']), task.id, undefined))).code).toBe(
      'timed_task.needs_command',
    )
  })

  it('goes by a calendar, which moves it when it changes', async () => {
    const calendar = await timed.calendars.create(ctx(), { name: 'China', holidays: ['2027-03-01'], workdays: [] })
    const task = await timed.service.create(
      ctx(),
      daily({ calendarId: calendar.id, schedule: { kind: 'daily', times: ['08:10'], dayKind: 'workday' } }),
    )
    expect(task.nextRunAt).toBe('2027-03-02T00:10:00.000Z')
    await timed.calendars.update(ctx(), calendar.id, {
      name: 'China',
      holidays: ['2027-03-02'],
      workdays: [],
      version: 1,
    })
    expect((await timed.service.get(ctx(), task.id)).nextRunAt).toBe('2027-03-01T00:10:00.000Z')
    expect((await refusal(timed.calendars.remove(ctx(), calendar.id))).code).toBe('calendar.in_use')
  })

  it('goes by the sun where its device is', async () => {
    const schedule = { kind: 'sun' as const, zone: 'Europe/Berlin', event: 'sunset' }
    const error = await refusal(timed.service.create(ctx(), daily({ schedule })))
    expect(error.fields).toMatchObject({ 'schedule.event': { code: 'timed_task.no_position' } })
    await db.superuser.query(`update devices set location = '{"lat": 52.52, "lng": 13.405}' where id = $1`, [pump.id])
    const { nextRunAt } = await timed.service.create(ctx(), daily({ schedule }))
    // Berlin, 1 March 2027: 17:46 by the almanac.
    expect(Math.abs(Date.parse(nextRunAt!) - Date.parse('2027-03-01T16:46:00Z'))).toBeLessThan(3 * MINUTE)
  })

  it.each([
    [
      'once in the past',
      () => ({ schedule: { kind: 'once' as const, at: '2020-01-01T00:00' } }),
      'schedule.at',
      'timed_task.in_the_past',
    ],
    [
      'the thirtieth of February',
      () => ({ schedule: { kind: 'monthly' as const, days: [30], months: [2], times: ['08:00'] } }),
      'schedule.days',
      'timed_task.never_runs',
    ],
    [
      'a cron that is none',
      () => ({ schedule: { kind: 'cron' as const, expression: 'at night' } }),
      'schedule.expression',
      'schedule.cron',
    ],
    [
      'a zone that is none',
      () => ({ schedule: { kind: 'daily' as const, zone: 'Mars/Olympus', times: ['08:00'] } }),
      'schedule.zone',
      'schedule.zone',
    ],
    [
      'a time that is none',
      () => ({ schedule: { kind: 'daily' as const, times: ['25:00'] } }),
      'schedule.times.0',
      'schedule.time',
    ],
    [
      'a pair without an end',
      () => ({ schedule: { kind: 'pair' as const, on: '08:00', off: '18:00' } }),
      'offActions',
      'timed_task.off_missing',
    ],
    ['no steps', () => ({ actions: [] }), 'actions', 'timed_task.no_steps'],
    [
      'delays alone',
      () => ({ actions: [{ kind: 'delay' as const, seconds: 5 }] }),
      'actions',
      'timed_task.only_delays',
    ],
    [
      'a delay of no time',
      () => ({ actions: [set(true), { kind: 'delay' as const, seconds: 0 }] }),
      'actions.1.seconds',
      'timed_task.seconds',
    ],
    [
      'a device that is not there',
      () => ({ actions: [set(true, [newId()])] }),
      'actions.0.scope.deviceIds.0',
      'timed_task.device_unknown',
    ],
    ['nobody', () => ({ actions: [{ ...set(true), scope: {} }] }), 'actions.0.scope', 'timed_task.scope_one'],
    [
      'a scene that is not there',
      () => ({ actions: [{ kind: 'scene' as const, sceneId: newId() }] }),
      'actions.0.sceneId',
      'scene.not_found',
    ],
    ['a calendar that is not there', () => ({ calendarId: newId() }), 'calendarId', 'calendar.not_found'],
  ] as [string, () => Partial<TimedTaskInput>, string, string][])(
    'is refused with %s, the field named',
    async (_, over, field, code) => {
      const error = await refusal(timed.service.create(ctx(), daily(over())))
      expect(error.code).toBe('timed_task.invalid')
      expect(error.fields?.[field]?.code).toBe(code)
      expect((await timed.service.list(ctx(), {})).items).toEqual([])
    },
  )

  it('is refused when its device would not take the command', async () => {
    const wrong = {
      kind: 'command' as const,
      scope: { deviceIds: [pump.id] },
      command: { kind: 'property_set' as const, params: { temperature: 5 } },
    }
    const error = await refusal(timed.service.create(ctx(), daily({ actions: [wrong] })))
    expect(Object.keys(error.fields ?? {})).toEqual(['actions.0.command.params.temperature'])
    expect((await refusal(timed.service.create(ctx(['timed-task:write']), daily()))).code).toBe(
      'timed_task.needs_command',
    )
  })

  it('belongs to one company, is found by its device, and is looked ahead before it is kept', async () => {
    const task = await timed.service.create(ctx(), daily())
    expect((await timed.service.list(ctx(), { deviceId: pump.id })).items.map(({ id }) => id)).toEqual([task.id])
    expect((await timed.service.list(ctx(), { deviceId: other.id })).items).toEqual([])
    const foreign = { ...ctx(), tenantId: (await insertTenant(db.superuser)).id }
    for (const attempt of [
      () => timed.service.get(foreign, task.id),
      () => timed.service.remove(foreign, task.id),
      () => timed.service.run(foreign, task.id, undefined),
    ])
      expect((await refusal(attempt())).code).toBe('timed_task.not_found')
    const preview = await timed.service.preview(ctx(), {
      schedule: { kind: 'weekly', days: [1], times: ['08:00'] },
      count: 2,
    })
    expect(preview).toEqual({
      zone: 'Asia/Shanghai',
      items: [
        { at: '2027-03-08T00:00:00.000Z', edge: null },
        { at: '2027-03-15T00:00:00.000Z', edge: null },
      ],
    })
  })

  it('leaves what it did as a file, newest first, to those who may see the task', async () => {
    await timed.service.create(ctx(), daily())
    now += 10 * MINUTE
    await timed.runner.tick()
    const route = timed.routes.find(one => one.contract.path === '/api/v1/timed-tasks/runs/export')!
    const csv = async (over: Partial<Ctx> = {}) => {
      const query = { format: 'csv' as const }
      const reply = await exportTimedRuns({ database: db.database, runs: timed.log }, { ...ctx(), ...over }, query)
      return (await text(reply.body)).trim().split('\n')
    }
    expect(route.contract.permission).toBe('timed-task:read')
    const lines = await csv()
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain('daily')
    const limited: Actor = {
      ...(ctx().actor as MemberActor),
      loginId: newId(),
      dataScope: { kind: 'limited', groupIds: [], productIds: [], own: true },
    }
    expect(await csv({ actor: limited })).toHaveLength(1)
  })

  it('of who sees a part of the company is his alone, and reaches nothing outside his part', async () => {
    const theirs = await timed.service.create(ctx(), daily({ name: 'theirs' }))
    const limited: Ctx = {
      ...ctx(),
      actor: {
        ...(ctx().actor as MemberActor),
        loginId: newId(),
        dataScope: { kind: 'limited', groupIds: [], productIds: [], own: true },
      },
    }
    await db.superuser.query('update devices set created_by = $2 where id = $1', [
      other.id,
      (limited.actor as MemberActor).loginId,
    ])
    const outside = await refusal(timed.service.create(limited, daily()))
    expect(outside.fields?.['actions.0.scope.deviceIds.0']?.code).toBe('timed_task.device_unknown')
    const mine = await timed.service.create(limited, daily({ name: 'mine', actions: [set(true, [other.id])] }))
    expect((await timed.service.list(limited, {})).items.map(({ id }) => id)).toEqual([mine.id])
    const batch = await timed.service.batch(limited, { ids: [theirs.id], action: 'remove' })
    expect(batch).toMatchObject({ done: 0, failed: [{ code: 'timed_task.not_found' }] })
    // What a task reaches is looked at when it runs: the device has left his part since.
    owners.set((limited.actor as MemberActor).loginId, limited.actor)
    await db.superuser.query('update devices set created_by = null where id = $1', [other.id])
    now += 10 * MINUTE
    await timed.runner.tick()
    expect((await commands()).map(({ device }) => device)).toEqual([pump.id])
    expect((await runsOf(mine.id))[0]).toMatchObject({
      state: 'failed',
      steps: [{ result: 'failed', fault: { code: 'device.not_found' } }],
    })
  })
})
