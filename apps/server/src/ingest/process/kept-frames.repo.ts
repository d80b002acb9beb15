import type pg from 'pg'
import { runOn, sql } from '../../lib/sql/statement.ts'

const DEVICE_IDS = sql<{ num: number; id: string }>`select num, id from devices where num = any ($1::int[])`.named(
  'kept-frames-devices',
)

/** Ids of the devices with these numbers, of those that exist. */
export async function deviceIds(db: Pick<pg.Pool, 'query'>, nums: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await runOn(db, DEVICE_IDS, [nums])
  return new Map(rows.map(({ num, id }) => [num, id]))
}
