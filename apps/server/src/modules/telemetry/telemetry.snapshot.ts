import type { Database } from '../../lib/database.ts'
import { laneOf } from '../../lib/journal-lanes.ts'

/** A statement that is planned once per connection. */
export interface NamedStatement {
  name: string
  text: string
  values: unknown[]
}

/** Rows of any shape, by $1 parameters. */
export interface Reader {
  query<R extends object>(sql: string | NamedStatement, params?: unknown[]): Promise<{ rows: R[] }>
}

/** Where the journal's part that is not in segments (or not in `latest`) begins for one device's lane. */
export interface Position {
  lane: number
  seq: number
  arrivedAt: Date | null
}

/**
 * Reads in one snapshot: sealing moves rows from the journal to segments, and a read that saw the journal after and the
 * segments before would miss them (or the other way round see them twice).
 */
export async function inSnapshot<T>(
  database: Pick<Database, 'telemetry'>,
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  const client = await database.telemetry.connect()
  let broken: Error | undefined
  try {
    await client.query('begin isolation level repeatable read read only')
    const result = await work(client as unknown as Reader)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((e: Error) => {
      broken = e
    })
    throw error
  } finally {
    client.release(broken)
  }
}

/** How far a consumer has come in a device's lane. */
export async function positionOf(reader: Reader, consumer: 'store' | 'latest', device: number): Promise<Position> {
  const lane = laneOf(device)
  const { rows } = await reader.query<{ seq: number; arrived_at: Date | null }>(
    'select seq, arrived_at from consumer_cursors where consumer = $1 and lane = $2',
    [consumer, lane],
  )
  return { lane, seq: rows[0]?.seq ?? 0, arrivedAt: rows[0]?.arrived_at ?? null }
}
