import { beforeAll, expect, it } from 'vitest'
import { seedFleetWeek, takePastOut } from '../db/seeds/demo/fleet-week.seed.ts'
import { type Company, company, type Management, management } from '../db/testing/management.ts'
import type { Ctx } from '../lib/context.ts'
import { silentLogger } from '../lib/log.ts'
import { createStatisticsModule, type StatisticsModule } from '../modules/statistics/statistics.module.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A quarter past an hour, in the middle of a short step. */
const NOW = Date.UTC(2026, 4, 6, 10, 17, 0)
const PAST = 3_360

let m: Management
let own: Company
let statistics: StatisticsModule
let now = NOW
const devices: number[] = []

const at = (ctx: Ctx): Ctx => ({ ...ctx, now })
const trends = (from: number, to: number) => statistics.service.trends(at(own.ctx), { from, to })
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)
const add = (device: number, messages: number) =>
  m.db.superuser.query(
    `insert into device_stats (device, hour, messages) values ($1, $2, $3)
     on conflict (device, hour) do update set messages = device_stats.messages + excluded.messages`,
    [device, Math.floor(now / HOUR), messages],
  )

beforeAll(async () => {
  m = await management()
  own = await company(m.db)
  statistics = createStatisticsModule({
    database: m.database,
    logger: silentLogger,
    now: () => now,
    attention: () => [],
  })
  const product = await m.products.service.create(own.ctx, { name: 'pumps', linkType: 'mqtt' })
  for (const name of ['a', 'b', 'c']) {
    const made = await m.devices.service.create(own.ctx, { productId: product.id, name })
    const { rows } = await m.db.superuser.query<{ num: number }>('select num from devices where id = $1', [made.id])
    devices.push(rows[0]!.num)
  }
})

it('shows a week of the fleet on the first day, and no past of the devices as a spike of today', async () => {
  await m.database.withSystemScope('seed', scope => seedFleetWeek(scope, own.id, now))
  const week = await trends(NOW - 7 * DAY, NOW)
  expect(week.now.at).toHaveLength(7 * 24 + 1)
  expect(Math.min(...week.now.devices)).toBe(3)
  expect(Math.min(...week.now.online)).toBeGreaterThanOrEqual(2)
  const day = await trends(NOW - DAY, NOW)
  expect(Math.min(...day.now.messages)).toBeGreaterThan(2 * 30)
  expect(Math.max(...day.now.messages)).toBeLessThan(3 * 45)
  // Twice is once.
  await m.database.withSystemScope('seed', scope => seedFleetWeek(scope, own.id, now))
  expect(await trends(NOW - 7 * DAY, NOW)).toEqual(week)

  // Two of them write their past in six minutes, over the end of a short step, and send what all devices send.
  const since = now
  for (let minute = 0; minute < 6; minute++) {
    for (const device of devices) await add(device, 8)
    for (const device of devices.slice(0, 2)) await add(device, PAST / 6)
    await statistics.sampler.sample(own.id)
    now += MINUTE
  }
  await statistics.sampler.sample(own.id)
  expect(Math.max(...(await trends(since - HOUR, now)).now.messages)).toBeGreaterThan(2_000)

  await m.database.withSystemScope('seed', scope => takePastOut(scope, own.id, { since, until: now }, PAST))
  const mended = await trends(since - HOUR, now)
  expect(Math.max(...mended.now.messages)).toBeLessThan(3 * 45 + 3 * 8 * 6)
  const { rows } = await m.db.superuser.query(
    'select messages from device_stats where device = any ($1) order by device',
    [devices],
  )
  // Three steps of the hour before it, and eight messages a minute since.
  const [first] = rows
  expect(first?.messages).toBeGreaterThan(3 * 36 + 47)
  expect(first?.messages).toBeLessThan(3 * 42 + 49)
  expect(new Set(rows.map(row => row.messages)).size).toBe(1)

  // The samples that follow count on from there.
  now += 5 * MINUTE
  for (const device of devices) await add(device, 40)
  await statistics.sampler.sample(own.id)
  const after = await trends(since - 3 * MINUTE, now + MINUTE)
  expect(sum(after.now.messages.slice(-3))).toBeLessThan(3 * (48 + 40 + 45))
  expect(after.now.messages.at(-1)).toBeLessThanOrEqual(3 * 48)
  expect(Math.min(...(await trends(NOW - DAY, now + MINUTE)).now.messages)).toBeGreaterThan(0)
})
