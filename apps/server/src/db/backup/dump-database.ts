import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { newClient } from '../../lib/database/pool.ts'
import { quoteIdentifier } from '../migration-files.ts'
import { StartError } from '../start-error.ts'
import { partitionsOf, sequencesOf, tablesWithRows } from './catalogue.ts'
import type { Manifest, RecordWriter } from './records.ts'

export interface DumpOptions {
  /** The tables' owner. */
  owner: pg.PoolConfig
  /** Advisory lock of whoever drops partitions: held meanwhile, so that what the snapshot shows stays there. */
  maintenanceLock: number
  onProgress(table: string, rows: number): void
}

/** What a snapshot of the database holds besides its rows. */
export type Snapshot = Pick<Manifest, 'at' | 'migrations' | 'partitions' | 'tables'>

export interface Dump {
  snapshot: Snapshot
  /** Writes every table as it was at the snapshot. @returns rows of each */
  write(to: RecordWriter): Promise<Record<string, number>>
  close(): Promise<void>
}

/** Text that means the same everywhere, and numbers that come back to the last bit. */
const SPELLING = `set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';
  set extra_float_digits = 3; set bytea_output = 'hex'; set client_encoding = 'UTF8'; set search_path = public;
  set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0`

/** Takes a snapshot of a database that goes on being written. Nobody waits for it, except the dropping of what is old. */
export async function openDump(options: DumpOptions): Promise<Dump> {
  const client = newClient({ ...options.owner, application_name: 'thingwright backup' })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(SPELLING)
    await client.query('select pg_advisory_lock($1)', [options.maintenanceLock])
    await client.query('begin isolation level repeatable read read only')
    const {
      rows: [now],
    } = await client.query<{ at: Date }>('select now() as at')
    const migrated = await client.query<{ there: boolean }>(
      `select to_regclass('public.schema_migrations') is not null as there`,
    )
    if (!migrated.rows[0]!.there) throw new StartError('There is no installation in this database yet.')
    const { rows: migrations } = await client.query<{ name: string; sha256: string }>(
      'select name, sha256 from schema_migrations order by name',
    )
    const tables = await tablesWithRows(client)
    const partitions = await partitionsOf(client)
    return {
      snapshot: { at: now!.at.toISOString(), migrations, partitions, tables: tables.map(({ name }) => name) },
      async write(to) {
        const rows: Record<string, number> = {}
        for (const table of tables) rows[table.name] = await copyTable(client, table, to, options.onProgress)
        await to.begin({ type: 'sequences', values: await sequencesOf(client) })
        await to.end()
        return rows
      },
      close: () => client.end(),
    }
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

async function copyTable(
  client: pg.Client,
  { name, columns }: { name: string; columns: string[] },
  to: RecordWriter,
  onProgress: DumpOptions['onProgress'],
): Promise<number> {
  await to.begin({ type: 'table', name, columns })
  const list = columns.map(quoteIdentifier).join(', ')
  const stream = client.query(copyTo(`copy ${quoteIdentifier(name)} (${list}) to stdout`))
  let rows = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    rows += countRows(chunk)
    await to.piece(chunk)
    onProgress(name, rows)
  }
  await to.end()
  onProgress(name, rows)
  return rows
}

/** In COPY's text a line end is always the end of a row: those in values are written as \\n. */
export function countRows(chunk: Buffer): number {
  let rows = 0
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows++
  return rows
}
