import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface CountRow {
  name: string
  devices: number
  online: number
}

export interface PlaceRow {
  lng: number
  lat: number
  devices: number
  online: number
}

const COUNTS = part`count(*)::int as devices, (count(*) filter (where p.link = 'online'))::int as online`

const FIRMWARE = sql<CountRow>`select f.version as name, ${COUNTS}
  from device_firmware f join devices d on d.num = f.device left join device_presence p on p.device = f.device
  where f.tenant_id = $1 and f.module = 'default' and d.recycled_at is null
  group by f.version order by devices desc, f.version limit 100`

/** Devices of each firmware version that they reported, the most first. */
export async function devicesByFirmware(scope: TenantScope): Promise<CountRow[]> {
  return (await scope.run(FIRMWARE, [scope.tenantId])).rows
}

const CARRIERS = sql<CountRow>`select s.carrier as name, ${COUNTS}
  from sim_cards s join devices d on d.id = s.device_id left join device_presence p on p.device = d.num
  where s.tenant_id = $1 and d.recycled_at is null
  group by s.carrier order by devices desc, s.carrier`

/** Devices with a SIM card, by its carrier, the most first. */
export async function devicesByCarrier(scope: TenantScope): Promise<CountRow[]> {
  return (await scope.run(CARRIERS, [scope.tenantId])).rows
}

/** Places nearer to each other than about five kilometres are in one province, all but a few. */
const PLACES = sql<PlaceRow>`select avg(d.place_lng) as lng, avg(d.place_lat) as lat, ${COUNTS}
  from devices d left join device_presence p on p.device = d.num
  where d.tenant_id = $1 and d.recycled_at is null and d.place_lng is not null
  group by floor(d.place_lng * 20), floor(d.place_lat * 20)`

/** Devices with a place, near ones as one row. */
export async function devicesByPlace(scope: TenantScope): Promise<PlaceRow[]> {
  return (await scope.run(PLACES, [scope.tenantId])).rows
}
