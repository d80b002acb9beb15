import type pg from 'pg'
import { newClient } from '../lib/database/pool.ts'
import { hasUnfinishedRestore } from './backup/catalogue.ts'
import { ensureLoginRoles, loginRoles, type RolePasswords } from './login-roles.ts'
import {
  type LoginRoles,
  type MigrationFile,
  migrationsFolder,
  quoteIdentifier,
  readMigrations,
  withRoles,
} from './migration-files.ts'
import { StartError } from './start-error.ts'

export interface MigrateOptions {
  database: string
  /** The login roles are `<prefix>_app`, `<prefix>_system`, `<prefix>_telemetry`. */
  rolePrefix: string
  /** For an external database. Absent: the embedded server, where the database is made too. */
  passwords?: RolePasswords
  /** Folder with the migrations; tests hand in their own. */
  folder?: string
  /** A restore: goes as far as this migration only, into a database that is marked as unfinished. */
  restoring?: { upTo?: string }
}

/** Any number; every migrating process of one database waits on it. */
const LOCK = 730_001
const DUPLICATE_DATABASE = '42P04'
const UNIQUE_VIOLATION = '23505'

/**
 * Brings a database to the state this code expects: login roles, rights, and every migration that is missing, each in
 * its own transaction. Several processes may do this at the same time: one works, the others wait and find it done.
 * @returns names of the migrations applied by this call
 * @throws StartError when a merged migration was edited, or the database is newer than the code
 */
export async function migrate(superuser: pg.ClientConfig, options: MigrateOptions): Promise<{ applied: string[] }> {
  const last = options.restoring?.upTo
  const files = readMigrations(options.folder ?? migrationsFolder()).filter(({ name }) => !last || name <= last)
  const roles = loginRoles(options.rolePrefix)
  const connect = { ...superuser, database: options.database }
  const client = await open(connect, options.passwords === undefined)
  try {
    await client.query('set statement_timeout = 0; set lock_timeout = 0')
    // A killed process's half-done statement is noticed and undone soon; not every platform offers that.
    await client.query("set client_connection_check_interval = '1s'").catch(() => {})
    // Held by the connection: however this process ends, the lock goes with it.
    await client.query('select pg_advisory_lock($1)', [LOCK])
    if (!options.restoring && (await hasUnfinishedRestore(client)))
      throw new StartError(
        `A restore into the database ${options.database} was cut off: make an empty one and restore again.`,
      )
    await ensureLoginRoles(client, connect, roles, options.passwords)
    await grantEntry(client, options.database, roles)
    return { applied: await applyMissing(client, files, roles) }
  } finally {
    await client.end()
  }
}

async function open(connect: pg.ClientConfig & { database: string }, mayCreate: boolean): Promise<pg.Client> {
  if (mayCreate) await ensureDatabase(connect)
  return connected(connect)
}

async function ensureDatabase(connect: pg.ClientConfig & { database: string }): Promise<void> {
  const maintenance = await connected({ ...connect, database: 'postgres' })
  try {
    const found = await maintenance.query('select from pg_database where datname = $1', [connect.database])
    if (!found.rowCount) await maintenance.query(`create database ${quoteIdentifier(connect.database)}`)
  } catch (error) {
    // Another process made it a moment ago.
    if (![DUPLICATE_DATABASE, UNIQUE_VIOLATION].includes((error as pg.DatabaseError).code ?? '')) throw error
  } finally {
    await maintenance.end()
  }
}

async function connected(config: pg.ClientConfig): Promise<pg.Client> {
  const client = newClient(config)
  // A connection lost between two statements shows at the next one.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Rights to enter; what the roles may do inside stands in the migrations. */
async function grantEntry(client: pg.Client, database: string, roles: LoginRoles): Promise<void> {
  const names = Object.values(roles).map(quoteIdentifier).join(', ')
  await client.query(`
    grant connect on database ${quoteIdentifier(database)} to ${names};
    grant usage on schema public to ${names};
    revoke create on schema public from public, ${names}`)
}

async function applyMissing(client: pg.Client, files: MigrationFile[], roles: LoginRoles): Promise<string[]> {
  await client.query(`create table if not exists schema_migrations (
    name text primary key, sha256 text not null, applied_at timestamptz not null default now())`)
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from schema_migrations order by name',
  )
  checkHistory(files, rows)
  const missing = files.filter(file => !rows.some(row => row.name === file.name))
  for (const file of missing) {
    try {
      await client.query('begin')
      await client.query(withRoles(file.sql, roles))
      await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [file.name, file.sha256])
      await client.query('commit')
    } catch (error) {
      await client.query('rollback').catch(() => {})
      const { message, position } = error as pg.DatabaseError
      const line = position ? ` near line ${file.sql.slice(0, Number(position)).split('\n').length}` : ''
      throw new StartError(`The migration ${file.name} failed${line} and was undone: ${message}`, { cause: error })
    }
  }
  return missing.map(file => file.name)
}

function checkHistory(files: MigrationFile[], done: { name: string; sha256: string }[]): void {
  for (const row of done) {
    const file = files.find(candidate => candidate.name === row.name)
    if (!file) {
      throw new StartError(
        `The database is newer than this program: it has had ${row.name}, which this program does not know.`,
      )
    }
    if (file.sha256 !== row.sha256) {
      throw new StartError(
        `${row.name} was changed after it had been applied: undo the change and write a new migration.`,
      )
    }
  }
  const newest = done.at(-1)?.name ?? ''
  const late = files.find(file => file.name < newest && !done.some(row => row.name === file.name))
  if (late)
    throw new StartError(`${late.name} comes before ${newest}, which was applied already: give it the next number.`)
}
