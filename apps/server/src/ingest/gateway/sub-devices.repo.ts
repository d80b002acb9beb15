import type pg from 'pg'
import { runOn, sql } from '../../lib/sql/statement.ts'

/** How a gateway names a device below it. */
export interface SubName {
  gateway: number
  /** Device number, or the address given when it was bound. */
  sub: string
}

/** Most sub-devices that are looked at when their gateway comes. */
const MOST = 1_000

const SUB_DEVICES_BY_NAME = sql<SubName & { num: number }>`select distinct on (k.gateway, k.sub) k.gateway, k.sub, d.num
  from unnest($1::int[], $2::text[]) as k (gateway, sub)
  join devices g on g.num = k.gateway
  join devices d on d.gateway = k.gateway and d.tenant_id = g.tenant_id and (d.sub_address = k.sub or d.device_no = k.sub)
  order by k.gateway, k.sub, d.sub_address is distinct from k.sub`.named('sub-devices-by-name')

/** Bound devices by what their gateways call them; an address counts before a number. */
async function subDevicesByName(db: pg.Pool, names: readonly SubName[]): Promise<(SubName & { num: number })[]> {
  const result = await runOn(db, SUB_DEVICES_BY_NAME, [names.map(name => name.gateway), names.map(name => name.sub)])
  return result.rows
}

const SUB_DEVICES_OF = sql<{
  gateway: number
  num: number
}>`select k.gateway, d.num from unnest($1::int[]) as k (gateway)
  cross join lateral (select num from devices where gateway = k.gateway order by num limit ${MOST}) d`.named(
  'sub-devices-of',
)

/** Numbers of the devices bound to gateways. */
async function subDevicesOf(db: pg.Pool, gateways: readonly number[]): Promise<{ gateway: number; num: number }[]> {
  const result = await runOn(db, SUB_DEVICES_OF, [gateways])
  return result.rows
}

/** The look-ups of sub-devices, bound to a pool. */
export function subDeviceQueries(db: pg.Pool) {
  return {
    byName: (names: readonly SubName[]) => subDevicesByName(db, names),
    under: (gateways: readonly number[]) => subDevicesOf(db, gateways),
  }
}
