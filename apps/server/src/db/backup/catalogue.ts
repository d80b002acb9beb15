import type pg from 'pg'
import { quoteIdentifier } from '../migration-files.ts'
import type { Manifest, SequenceValue } from './records.ts'

/** Stands in a database while a restore fills it: whoever finds it does not start. */
export const UNFINISHED_RESTORE = 'restore_unfinished'

type Client = Pick<pg.Client, 'query'>

export interface TableColumns {
  name: string
  columns: string[]
}

/** Ours alone: what an extension brought comes with it. */
const OURS = `c.relnamespace = 'public'::regnamespace and c.relname <> '${UNFINISHED_RESTORE}'
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`

/** Every table that holds rows itself (partitions, not what they are parts of), with the columns that are written. */
export async function tablesWithRows(client: Client): Promise<TableColumns[]> {
  const { rows } = await client.query<TableColumns>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relkind = 'r' and ${OURS} group by c.oid, c.relname order by c.relname`,
  )
  return rows
}

export async function partitionsOf(client: Client): Promise<Manifest['partitions']> {
  const { rows } = await client.query(
    `select p.relname as parent, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds,
            coalesce(c.reloptions, '{}') as options
     from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
     where c.relispartition and c.relkind = 'r' and ${OURS} order by p.relname, c.relname`,
  )
  return rows
}

/** Where every sequence stands now. That is outside of transactions, so it is read after the rows. */
export async function sequencesOf(client: Client): Promise<SequenceValue[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relkind = 'S' and ${OURS} order by c.relname`,
  )
  const values: SequenceValue[] = []
  for (const { name } of rows) {
    const found = await client.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${quoteIdentifier(name)}`,
    )
    values.push({ name, ...found.rows[0]! })
  }
  return values
}

/** Whether anybody has put anything here: tables, views, sequences, functions or schemas of his own. */
export async function isEmptyDatabase(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `select exists (
       select from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname !~ '^(pg_|information_schema$|_timescaledb|timescaledb)'
         and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     ) as found`,
  )
  return !rows[0]!.found
}

/** Whether a restore into this database was cut off. */
export async function hasUnfinishedRestore(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('public.${UNFINISHED_RESTORE}') is not null as there`,
  )
  return rows[0]!.there
}
