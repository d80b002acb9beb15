import type { Rates } from '@thingwright/contracts/tariffs.contract'
import { systemContext } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { createTelemetryModule } from '../telemetry/index.ts'
import { createPrices } from './billing.service.ts'
import { startOfDay } from './days.ts'
import * as repo from './demo.repo.ts'
import demo from './tariffs.demo.json' with { type: 'json' }
import type { TariffsModule } from './tariffs.module.ts'

const HOUR_MS = 3_600_000
const ZONE = 'Asia/Shanghai'

/** Two tariffs, two customers with a meter each, and their statements of last month. */
export async function seedTariffs(
  database: Database,
  tenantId: string,
  { tariffs, meters, billing }: Pick<TariffsModule, 'tariffs' | 'meters' | 'billing'>,
): Promise<void> {
  const ctx = systemContext(tenantId, 'demo')
  if ((await tariffs.list(ctx, { limit: 1 })).items.length > 0) return
  const { customers, devices } = await database.withTenant(ctx, async scope => ({
    customers: await repo.customers(scope, tenantId),
    devices: await repo.counting(scope, tenantId),
  }))
  if (customers.length < 2 || devices.length < 2) return
  const thisMonth = new Date(ctx.now + 8 * HOUR_MS)
  const monthName = (ago: number) =>
    new Date(Date.UTC(thisMonth.getUTCFullYear(), thisMonth.getUTCMonth() - ago, 1)).toISOString().slice(0, 7)
  const month = monthName(1)
  const [from, to] = [startOfDay(ZONE, `${month}-01`), startOfDay(ZONE, `${monthName(0)}-01`)]
  const times = Array.from({ length: (to - from) / HOUR_MS + 1 }, (_, hour) => from + hour * HOUR_MS)
  const telemetry = createTelemetryModule({ database })
  for (const [at, wanted] of demo.tariffs.entries()) {
    const { name, unit, remark, rates } = wanted
    const tariff = await tariffs.create(ctx, {
      name,
      unit,
      remark,
      validFrom: '2026-01-01',
      rates: rates as unknown as Rates,
    })
    const device = devices[at]!
    // More by day than by night.
    let register = wanted.start
    const values = times.map((_, hour) => {
      const value = Math.round(register * 100) / 100
      register += hour % 24 >= 8 && hour % 24 < 22 ? wanted.perHour * 1.5 : wanted.perHour / 2
      return value
    })
    await telemetry.storeImported(
      [{ device: device.num, property: device.property, readings: { times, values, quality: null } }],
      ctx.now,
      0,
    )
    const meter = await meters.create(ctx, {
      name: `${device.name}${wanted.suffix}`,
      deviceId: device.id,
      property: 'energy',
      endUserId: customers[at]!,
      tariffId: tariff.id,
      mode: wanted.mode as 'prepaid',
      fromDay: `${month}-01`,
      gapMode: 'open',
    })
    await billing.bill(ctx, meter.id, { month, zone: ZONE, runId: null, prices: createPrices(ZONE) })
  }
}
