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

/** What is asked of the map. */
export interface MapQuestion {
  part: MapPart
  /** Side of a cell, degrees. */
  cell: number
  /** Up to so many devices each has a cell of its own… */
  each: number
  /** …which is so wide that only those at the same place share one. */
  samePlace: number
  limit: number
}

export interface MapCounts {
  /** Devices in the part. */
  inside: number
  /** Devices with a place, anywhere. */
  located: number
  unlocated: number
}

type AnswerRow = MapCounts & (CellRow | { [Key in keyof CellRow]: null })

/**
 * The devices are read once: a fleet of 100,000 has a table of a hundred megabytes, and its places are read out of JSON.
 * Only those in the part are looked up among the present ones.
 */
const ANSWER = filteredSql<AnswerRow, DeviceSelector>(
  { filters: DEVICE_FILTERS, given: 9, alike: true },
  where => part`with placed as materialized (
    select d.num, (d.location ->> 'lng')::float8 as lng, (d.location ->> 'lat')::float8 as lat
    from devices d where d.tenant_id = $1 and ${where}),
  found as materialized (
    select num, lng, lat from placed where lat between $3 and $5
      and case when $2::float8 <= $4::float8 then lng between $2 and $4 else lng >= $2 or lng <= $4 end),
  counts as (
    select (select count(*)::int from found) as inside, count(lng)::int as located, (count(*) - count(lng))::int as unlocated
    from placed),
  side as (select case when inside <= $7::int then $8::float8 else $6::float8 end as deg from counts),
  cells as (
    select avg(f.lng) as lng, avg(f.lat) as lat, count(*)::int as count,
      (count(*) filter (where p.link = 'online'))::int as online, (count(*) filter (where p.alarm_level > 0))::int as alarms,
      coalesce(max(p.alarm_level), 0)::int as alarm, min(f.lng) as west, min(f.lat) as south, max(f.lng) as east,
      max(f.lat) as north, min(f.num) as num, coalesce(min(p.link), 'never') as link
    from found f left join device_presence p on p.device = f.num cross join side
    group by floor(f.lng / side.deg), floor(f.lat / side.deg) order by count(*) desc, min(f.num) limit $9)
  select n.inside, n.located, n.unlocated, c.lng, c.lat, c.count, c.online, c.alarms, c.alarm as "alarmLevel", c.west, c.south,
    c.east, c.north, s.id, s.name, s.device_no as "deviceNo", o.name as "productName",
    case when s.id is null then null else c.link end as link
  from counts n left join cells c on true left join devices s on s.num = c.num and c.count = 1
    left join ${productDirectory} o on o.id = s.product_id
  order by c.count desc nulls last, c.num`,
)

/** Devices of a part of the map by cells, the fullest first, with how many there are in it and at all. */
export async function devicesOfMap(
  scope: TenantScope,
  filter: DeviceSelector,
  { part: of, cell, each, samePlace, limit }: MapQuestion,
): Promise<{ counts: MapCounts; cells: CellRow[] }> {
  const given = [scope.tenantId, of.west, of.south, of.east, of.north, cell, each, samePlace, limit]
  const { rows } = await scope.run(...ANSWER.of(filter, ...given))
  const { inside, located, unlocated } = rows[0]!
  return {
    counts: { inside, located, unlocated },
    cells: rows.flatMap(({ inside: _, located: __, unlocated: ___, ...cell }) => (cell.lng === null ? [] : [cell])),
  }
}
