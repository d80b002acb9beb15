import { AsyncLocalStorage } from 'node:async_hooks'
import type { StreamReply } from '../http.ts'
import type { TableExport } from './table-export.ts'

/** Makes a file of a table in another way than its caller asked for: other columns, another format. */
export type TableSink = (table: TableExport) => Promise<StreamReply>

const sinks = new AsyncLocalStorage<TableSink>()

/** What a sink throws that only wanted to see which columns a table has. It is no failure. */
export class TableSeen extends Error {
  override name = 'TableSeen'
  constructor(readonly columns: TableExport['columns']) {
    super('the columns of a table were looked at')
  }
}

/** Within `work` every table that is exported is made by `sink`: a report takes the lists of all modules that way. */
export function withTableSink<T>(sink: TableSink, work: () => Promise<T>): Promise<T> {
  return sinks.run(sink, work)
}

/** Leaves the sink again: what it makes of a table is a table itself. */
export function withoutTableSink<T>(work: () => Promise<T>): Promise<T> {
  return sinks.exit(work)
}

export const currentSink = (): TableSink | undefined => sinks.getStore()
