import type { TenantScope } from '../../lib/database/database.ts'
import { filteredSql } from '../../lib/sql/filters.ts'
import { part } from '../../lib/sql/statement.ts'
import { productDirectory } from '../products/products.views.ts'
import { DEVICE_FILTERS, type DeviceSelector } from './device-selector.views.ts'

/** Degrees, WGS 84; west of more than east lies across 180 degrees. */
export interface MapPart {
  west: number
  south: number
  east: number
  north: number
}

export interface CellRow extends MapPart {
  lng: number
  lat: number
  count: number
  online: number
  alarms: number
  alarmLevel: number
  id: string | null
  name: string | null
  deviceNo: string | null
  productName: string | null
  link: 'never' | 'online' | 'offline' | null
}

const LNG = part`(d.location ->> 'lng')::float8`
const LAT = part`(d.location ->> 'lat')::float8`
const INSIDE = part`${LAT} between $3 and $5
    and case when $2::float8 <= $4::float8 then ${LNG} between $2 and $4 else ${LNG} >= $2 or ${LNG} <= $4 end`

const COUNTS = filteredSql<{ inside: number; located: number; unlocated: number }, DeviceSelector>(
  { filters: DEVICE_FILTERS, given: 5 },
  where => part`select count(*) filter (where d.location is not null and ${INSIDE})::int as inside,
    count(d.location)::int as located, (count(*) - count(d.location))::int as unlocated
  from devices d where d.tenant_id = $1 and ${where}`,
)

/** How many devices have a place, in this part and at all, and how many have none. */
export async function countOnMap(scope: TenantScope, filter: DeviceSelector, of: MapPart) {
  const { rows } = await scope.run(...COUNTS.of(filter, scope.tenantId, of.west, of.south, of.east, of.north))
  return rows[0]!
}

const CELLS = filteredSql<CellRow, DeviceSelector>(
  { filters: DEVICE_FILTERS, given: 7, alike: true },
  where => part`with found as (
    select d.num, ${LNG} as lng, ${LAT} as lat, coalesce(p.link, 'never') as link, coalesce(p.alarm_level, 0) as alarm
    from devices d left join device_presence p on p.device = d.num
    where d.tenant_id = $1 and d.location is not null and ${INSIDE} and ${where}),
  cells as (
    select avg(lng) as lng, avg(lat) as lat, count(*)::int as count, (count(*) filter (where link = 'online'))::int as online,
      (count(*) filter (where alarm > 0))::int as alarms,
      max(alarm)::int as alarm, min(lng) as west, min(lat) as south, max(lng) as east, max(lat) as north, min(num) as num,
      min(link) as link
    from found group by floor(lng / $6::float8), floor(lat / $6::float8) order by count(*) desc, min(num) limit $7)
  select c.lng, c.lat, c.count, c.online, c.alarms, c.alarm as "alarmLevel", c.west, c.south, c.east, c.north, s.id, s.name,
    s.device_no as "deviceNo", o.name as "productName", case when s.id is null then null else c.link end as link
  from cells c left join devices s on s.num = c.num and c.count = 1 left join ${productDirectory} o on o.id = s.product_id`,
)

/** Devices of this part by cells of so many degrees, the fullest first. */
export async function cellsOfMap(
  scope: TenantScope,
  filter: DeviceSelector,
  of: MapPart,
  cell: number,
  limit: number,
): Promise<CellRow[]> {
  const given = [scope.tenantId, of.west, of.south, of.east, of.north, cell, limit]
  return (await scope.run(...CELLS.of(filter, ...given))).rows
}
