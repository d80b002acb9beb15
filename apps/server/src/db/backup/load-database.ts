import { once } from 'node:events'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { newClient } from '../../lib/database/pool.ts'
import { quoteIdentifier, readMigrations } from '../migration-files.ts'
import { StartError } from '../start-error.ts'
import { partitionsOf, tablesWithRows, UNFINISHED_RESTORE } from './catalogue.ts'
import { countRows } from './dump-database.ts'
import type { Manifest, ReadRecord, SequenceValue } from './records.ts'

/**
 * Whether this program can take a backup in: it must know every migration the backup's database had, unchanged.
 * @throws StartError
 */
export function checkMigrations(manifest: Manifest, folder: string): void {
  const ours = readMigrations(folder)
  for (const [index, { name, sha256 }] of manifest.migrations.entries()) {
    const found = ours[index]
    if (found?.name === name && found.sha256 === sha256) continue
    throw new StartError(
      ours.some(file => file.name === name)
        ? `The backup's database had ${name} in another form than this program: use the program of ${manifest.program}.`
        : `The backup is newer than this program: it has ${name}.`,
    )
  }
}

/** Marks the database, so that a restore that was cut off is not taken for an installation. */
export async function markUnfinished(owner: pg.PoolConfig): Promise<void> {
  await connected(owner, async client => {
    await client.query(`create table ${UNFINISHED_RESTORE} (since timestamptz not null default now())`)
  })
}

/** Takes the mark away: the last step. */
export async function markFinished(owner: pg.PoolConfig): Promise<void> {
  await connected(owner, async client => {
    await client.query(`drop table ${UNFINISHED_RESTORE}`)
  })
}

/** One connection for one piece of work. */
async function connected<T>(owner: pg.PoolConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = newClient({ ...owner, application_name: 'thingwright restore' })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('set search_path = public; set statement_timeout = 0; set lock_timeout = 0')
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * Fills a migrated database in one transaction: all of it or nothing. References between tables are taken off and put
 * on again behind the rows, which checks them; triggers do not fire, for their effects are rows of the backup too.
 * @param work is handed what takes a record of the kinds table and sequences in; what it throws undoes everything
 * @returns rows of each table
 */
export async function loadDatabase(
  owner: pg.PoolConfig,
  partitions: Manifest['partitions'],
  onProgress: (table: string, rows: number) => void,
  work: (take: (read: ReadRecord) => Promise<void>) => Promise<void>,
): Promise<Record<string, number>> {
  return connected(owner, async client => {
    const rows: Record<string, number> = {}
    let sequences: SequenceValue[] = []
    await client.query('begin')
    const references = await takeReferencesOff(client)
    const triggers = await switchTriggersOff(client)
    const tables = await tablesWithRows(client)
    await client.query(`truncate ${tables.map(({ name }) => quoteIdentifier(name)).join(', ')}`)
    await makePartitions(client, partitions)
    await work(async ({ record, body }) => {
      if (record.type === 'table') rows[record.name] = await fill(client, record, body, onProgress)
      if (record.type === 'sequences') sequences = record.values
    })
    for (const { name, value, called } of sequences)
      await client.query('select setval($1::regclass, $2::bigint, $3)', [quoteIdentifier(name), value, called])
    for (const statement of [...references, ...triggers]) await client.query(statement)
    await client.query('commit')
    await client.query('analyze')
    return rows
  })
}

async function fill(
  client: pg.Client,
  { name, columns }: { name: string; columns: string[] },
  body: AsyncIterable<Buffer>,
  onProgress: (table: string, rows: number) => void,
): Promise<number> {
  const list = columns.map(quoteIdentifier).join(', ')
  const into = client.query(copyFrom(`copy ${quoteIdentifier(name)} (${list}) from stdin`))
  const finished = once(into, 'finish')
  finished.catch(() => {})
  let rows = 0
  for await (const piece of body) {
    rows += countRows(piece)
    if (!into.write(piece)) await Promise.race([once(into, 'drain'), finished])
    onProgress(name, rows)
  }
  into.end()
  await finished
  if (into.rowCount !== rows) throw new StartError(`${name}: ${rows} rows were read and ${into.rowCount} stored.`)
  return rows
}

async function makePartitions(client: pg.Client, list: Manifest['partitions']): Promise<void> {
  const there = new Set((await partitionsOf(client)).map(({ name }) => name))
  for (const { parent, name, bounds, options } of list) {
    if (there.has(name)) continue
    const [part, whole] = [quoteIdentifier(name), quoteIdentifier(parent)]
    const words = options.length ? ` with (${options.join(', ')})` : ''
    await client.query(
      `create table ${part} (like ${whole} including defaults including indexes including storage)${words}`,
    )
    await client.query(`alter table ${whole} attach partition ${part} ${bounds}`)
  }
}

/** @returns the statements that put them on again */
async function takeReferencesOff(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ held: string; name: string; definition: string }>(
    `select conrelid::regclass::text as held, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0
     order by conrelid::regclass::text, conname`,
  )
  for (const { held, name } of rows) await client.query(`alter table ${held} drop constraint ${quoteIdentifier(name)}`)
  return rows.map(
    ({ held, name, definition }) => `alter table ${held} add constraint ${quoteIdentifier(name)} ${definition}`,
  )
}

/** @returns the statements that switch them as they were */
async function switchTriggersOff(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ held: string; name: string; enabled: string }>(
    `select t.tgrelid::regclass::text as held, t.tgname as name, t.tgenabled as enabled
     from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not t.tgisinternal and t.tgparentid = 0 and t.tgenabled <> 'D' and c.relnamespace = 'public'::regnamespace`,
  )
  const word: Record<string, string> = { O: 'enable', A: 'enable always', R: 'enable replica' }
  for (const { held, name } of rows) await client.query(`alter table ${held} disable trigger ${quoteIdentifier(name)}`)
  return rows.map(({ held, name, enabled }) => `alter table ${held} ${word[enabled]} trigger ${quoteIdentifier(name)}`)
}
