import type pg from 'pg'

export interface ShadowRow {
  device: number
  /** property → [value, ts, quality] */
  reported: Record<string, [unknown, number, number]> | null
  desired: Record<string, unknown> | null
  version: number | null
}

/** Reported and wanted state of many devices. */
export async function shadowsOf(db: pg.Pool, devices: readonly number[]): Promise<Map<number, ShadowRow>> {
  const result = await db.query<ShadowRow>({
    name: 'shadows',
    text: `select k.device, l.values as reported, s.desired, s.version from unnest($1::int[]) as k (device)
      left join latest l on l.device = k.device left join shadow_desired s on s.device = k.device`,
    values: [devices],
  })
  return new Map(result.rows.map(row => [row.device, row]))
}
