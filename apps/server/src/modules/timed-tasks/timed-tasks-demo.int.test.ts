import { beforeAll, expect, it } from 'vitest'
import { insertDevice, insertProduct, insertTenant, type TenantFixture } from '../../db/fixtures.ts'
import { DEMO_PRODUCTS } from '../../db/seeds/demo/catalogue.ts'
import wanted from '../../db/seeds/demo/timed-tasks.json' with { type: 'json' }
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { type Ctx, systemContext } from '../../lib/context.ts'
import { silentLogger } from '../../lib/log.ts'
import { createCommandsModule } from '../commands/index.ts'
import { type DemoTimedTasks, seedDemoTimedTasks } from './timed-tasks.demo.ts'
import { createTimedTasksModule, type TimedTasksModule } from './timed-tasks.module.ts'

let db: TestDatabase
let tenant: TenantFixture
let timed: TimedTasksModule
let now = Date.parse('2027-03-01T00:00:30Z')
const deviceIds = new Map<string, string>()
const ctx = (): Ctx => ({ ...systemContext(tenant.id, 'demo'), now })
const seed = (ids = deviceIds) => seedDemoTimedTasks(ctx(), timed, wanted as DemoTimedTasks, ids)

beforeAll(async () => {
  db = await testDatabase()
  const common = { database: db.database, logger: silentLogger, now: () => now }
  const { intake } = createCommandsModule({
    ...common,
    gateway: { wake: () => undefined, forget: () => undefined },
    requireFreshProof: async () => {
      throw new Error('nobody is there')
    },
  })
  timed = createTimedTasksModule({
    ...common,
    intake,
    gateway: { wake: () => undefined },
    timeZone: async () => 'Asia/Shanghai',
    ownerNow: async () => undefined,
  })
  tenant = await insertTenant(db.superuser)
  for (const { thingModel, devices } of DEMO_PRODUCTS) {
    const product = await insertProduct(db.superuser, tenant, { model: thingModel })
    for (const { deviceNo, lng, lat } of devices) {
      const device = await insertDevice(db.superuser, product)
      deviceIds.set(deviceNo, device.id)
      await db.superuser.query('update devices set location = $2 where id = $1', [device.id, { lng, lat }])
    }
  }
})

it('of the demo are made once, each with a next run, and not where their devices are gone', async () => {
  await seed(new Map([...deviceIds].filter(([number]) => number !== 'PUMP-02')))
  expect((await timed.service.list(ctx(), {})).items.map(({ name }) => name)).not.toContain('备用泵夜间补水')
  await seed()
  await seed()
  const { items } = await timed.service.list(ctx(), {})
  expect(items.map(({ name, state }) => [name, state]).sort()).toEqual(
    wanted.tasks.map(({ name }) => [name, 'enabled']).sort(),
  )
  expect(items.every(({ nextRunAt }) => nextRunAt !== null)).toBe(true)
  expect((await timed.scenes.list(ctx(), {})).items).toHaveLength(wanted.scenes.length)
  // What somebody paused since stays so.
  await timed.service.setEnabled(ctx(), items[0]!.id, false)
  await seed()
  expect((await timed.service.get(ctx(), items[0]!.id)).state).toBe('disabled')
  await timed.service.setEnabled(ctx(), items[0]!.id, true)
})

it('of the demo run: within a day every device of theirs got its commands, and none of them was refused', async () => {
  await seed()
  const end = now + 25 * 3_600_000
  while (now < end) {
    // From one moment at which something is due to the next.
    const { rows } = await db.superuser.query(
      `select least((select min(next_run) from timed_tasks where tenant_id = $1),
         (select min(next_at) from timed_task_runs where tenant_id = $1 and state in ('pending', 'running'))) as at`,
      [tenant.id],
    )
    now = Math.max(now, (rows[0].at as Date).getTime())
    await timed.runner.tick()
  }
  const { rows } = await db.superuser.query(
    `select t.name, count(distinct r.id)::int as runs, count(*) filter (where x.result = 'done')::int as done,
       count(*) filter (where x.result <> 'done')::int as other
     from timed_tasks t join timed_task_runs r on r.task_id = t.id and r.state = 'done' join timed_task_steps s on s.run_id = r.id
       left join timed_task_results x on x.step_id = s.id and s.action ->> 'kind' = 'command'
     where t.tenant_id = $1 group by t.name`,
    [tenant.id],
  )
  expect(rows.map(({ name }) => name).sort()).toEqual(wanted.tasks.map(({ name }) => name).sort())
  expect(rows.every(({ done }) => done > 0)).toBe(true)
  const { rows: refused } = await db.superuser.query(
    "select count(*)::int as n from timed_task_results where result <> 'done' and tenant_id = $1",
    [tenant.id],
  )
  expect(refused).toEqual([{ n: 0 }])
}, 120_000)
