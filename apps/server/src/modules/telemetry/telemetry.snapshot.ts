import type { Database } from '../../lib/database/database.ts'
import { inTransaction } from '../../lib/database/in-transaction.ts'
import type { Connection } from '../../lib/sql/statement.ts'

/** A connection of the third role, or its pool. */
export type Reader = Connection

/**
 * Reads in one snapshot: sealing moves rows from the journal to segments, and a read that saw the journal after and the
 * segments before would miss them (or the other way round see them twice).
 */
export function inSnapshot<T>(database: Pick<Database, 'telemetry'>, work: (reader: Reader) => Promise<T>): Promise<T> {
  return inTransaction(database.telemetry, work, 'begin isolation level repeatable read read only')
}
