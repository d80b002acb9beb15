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

/** What is said of the devices of one cell. */
const CELL = part`avg(f.lng) as lng, avg(f.lat) as lat, count(*)::int as count,
      (count(*) filter (where p.link = 'online'))::int as online, (count(*) filter (where p.alarm_level > 0))::int as alarms,
      coalesce(max(p.alarm_level), 0)::int as alarm, min(f.lng) as west, min(f.lat) as south, max(f.lng) as east,
      max(f.lat) as north, min(f.num) as num, coalesce(min(p.link), 'never') as link`

/**
 * The devices are read once and grouped as they are read; only where few are in the part are those few read again, for
 * cells of their own. Nothing of a fleet of 100,000 is kept aside meanwhile, and only those in the part are looked up among
 * the present ones.
 */
const ANSWER = filteredSql<AnswerRow, DeviceSelector>(
  { filters: DEVICE_FILTERS, given: 9, alike: true },
  where => part`with placed as not materialized (
    select d.num, d.place_lng as lng, d.place_lat as lat,
      coalesce(d.place_lat between $3 and $5 and case when $2::float8 <= $4::float8 then d.place_lng between $2 and $4
        else d.place_lng >= $2 or d.place_lng <= $4 end, false) as inside
    from devices d where d.tenant_id = $1 and ${where}),
  wide as materialized (
    select f.inside, count(f.lng) as located, ${CELL}
    from placed f left join device_presence p on p.device = f.num and f.inside
    group by f.inside, case when f.inside then floor(f.lng / $6::float8) end, case when f.inside then floor(f.lat / $6) end),
  counts as materialized (
    select coalesce(sum(count) filter (where inside), 0)::int as inside, coalesce(sum(located), 0)::int as located,
      coalesce(sum(count - located), 0)::int as unlocated
    from wide),
  narrow as materialized (
    select f.inside, count(f.lng) as located, ${CELL}
    from placed f left join device_presence p on p.device = f.num
    where f.inside and (select inside from counts) <= $7::int
    group by f.inside, floor(f.lng / $8::float8), floor(f.lat / $8)),
  cells as (
    select * from (
      select * from wide where inside and (select inside from counts) > $7 union all select * from narrow) every
    order by count desc, num limit $9)
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
