import type pg from 'pg'

/** Ids of the devices with these numbers, of those that exist. */
export async function deviceIds(db: Pick<pg.Pool, 'query'>, nums: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await db.query<{ num: number; id: string }>({
    name: 'kept-frames-devices',
    text: 'select num, id from devices where num = any ($1::int[])',
    values: [nums],
  })
  return new Map(rows.map(({ num, id }) => [num, id]))
}
