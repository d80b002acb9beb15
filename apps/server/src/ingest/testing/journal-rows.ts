import type pg from 'pg'
import type { TestDatabase } from '../../db/testing.ts'
import { laneOf } from '../lanes.port.ts'
import { JournalKind } from '../uplink.ts'

export interface RowFixture {
  device: number
  values?: unknown
  kind?: number
  arrivedAt?: number
  ts?: number
  late?: boolean
  quality?: number
  raw?: Buffer
  refusedReason?: string
}

/** Puts rows at the end of the journal, as one flush of the lanes would have: seen all at once. Numbers of the rows. */
export async function insertRows(
  db: TestDatabase,
  rows: readonly RowFixture[],
  /** False: the test has made a partition for them, for times that are far from now. */
  ensurePartition = true,
): Promise<number[]> {
  const numbers: number[] = []
  const dated = rows.map(row => ({ ...row, arrivedAt: row.arrivedAt ?? Date.now() }))
  const hours = new Set(dated.map(row => Math.floor(row.arrivedAt / 3_600_000)))
  if (ensurePartition)
    for (const hour of hours)
      await db.superuser.query('select ensure_journal_partition(to_timestamp($1::float8))', [hour * 3_600])
  const client = await db.superuser.connect()
  try {
    await client.query('begin')
    for (const row of dated) numbers.push(await insertRow(client, row))
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
  return numbers
}

async function insertRow(client: pg.ClientBase, row: RowFixture & { arrivedAt: number }): Promise<number> {
  const lane = laneOf(row.device)
  const { rows } = await client.query<{ seq: number }>(
    `insert into journal (lane, seq, arrived_at, device, kind, quality, late, ts, values, raw, refused_reason)
       select $1::smallint, coalesce((select max(seq) from journal where lane = $1), 0) + 1, to_timestamp($2::float8 / 1000), $3, $4, $5, $6, $7, $8, $9, $10
       returning seq`,
    [
      lane,
      row.arrivedAt,
      row.device,
      row.kind ?? JournalKind.property,
      row.quality ?? 0,
      row.late ?? false,
      row.ts ?? row.arrivedAt,
      row.values === undefined ? '{}' : JSON.stringify(row.values),
      row.raw ?? null,
      row.refusedReason ?? null,
    ],
  )
  return rows[0]!.seq
}

/** Waits for a condition; the test's own time limit ends it. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise(resolve => setTimeout(resolve, 5))
}
