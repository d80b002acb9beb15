import type { Database } from '../../lib/database/database.ts'
import type { Connection } from '../../lib/sql/statement.ts'

/** A connection of the third role, or its pool. */
export type Reader = Connection

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
    const result = await work(client)
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
