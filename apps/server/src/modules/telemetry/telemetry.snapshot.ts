import type pg from 'pg'
import type { Database } from '../../lib/database.ts'

/** A statement that is planned once per connection. */
export interface NamedStatement {
  name: string
  text: string
  values: unknown[]
}

/** Rows of any shape, by $1 parameters. */
export interface Reader {
  query<R extends pg.QueryResultRow>(sql: string | pg.QueryConfig, params?: unknown[]): Promise<pg.QueryResult<R>>
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
