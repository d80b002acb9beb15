import type pg from 'pg'
import type { DatabaseAccess } from '../lib/database/database.ts'
import type { Logger } from '../lib/log.ts'
import {
  EMBEDDED_DATABASE,
  EMBEDDED_ROLE_PREFIX,
  type EmbeddedAddress,
  type EmbeddedPostgres,
  embeddedConnection,
  startEmbeddedPostgres,
} from './embedded/embedded-postgres.ts'
import { type DatabaseFacts, inspectDatabase, parseDatabaseUrl } from './external-database.ts'
import { loginRoles, rolePasswords, rolePrefixOf } from './login-roles.ts'
import { type MigrateOptions, migrate } from './migrate.ts'

export interface PrepareOptions {
  /** Absolute; its lock is held. */
  dataDir: string
  /** DATABASE_URL; null: the embedded server. */
  databaseUrl: string | null
  /** The installation's secret: passwords of an external database's login roles are derived from it. */
  secretKey: string
  logger: Logger
  /** An embedded server that another process of ours owns and stops (development reloads). */
  attachTo?: EmbeddedAddress
  /** PostgreSQL settings for the embedded server, e.g. `{ shared_buffers: '1GB' }`. */
  settings?: Record<string, string>
}

export interface PreparedDatabase {
  kind: 'embedded' | 'external'
  /** Plain values, fit to be sent to child processes. */
  access: DatabaseAccess
  /** The tables' owner: migrations, maintenance and backups only. */
  superuser: pg.PoolConfig
  /** e.g. "18.4" */
  version: string
  /** Version of TimescaleDB when the database has it; so far it is only reported. */
  timescale: string | null
  /** Migrations applied by this start. */
  applied: string[]
  /** The embedded server when this process owns it. */
  embedded: EmbeddedPostgres | null
  /** Stops the embedded server when this process owns it; close the pools first. */
  stop(): Promise<void>
}

/** A database that can be connected to; nothing in it was looked at or changed yet. */
export interface ReachedDatabase extends Pick<PreparedDatabase, 'kind' | 'access' | 'superuser' | 'embedded' | 'stop'> {
  migrate(restoring?: MigrateOptions['restoring']): Promise<{ applied: string[] }>
  facts(): Promise<DatabaseFacts>
}

/**
 * Makes the database ready for use: starts the embedded server or checks the external one, makes login roles, migrates.
 * @throws StartError with one line for the operator (RolesNeededError: with the SQL to run)
 */
export async function prepareDatabase(options: PrepareOptions): Promise<PreparedDatabase> {
  const { migrate: bringUp, facts, ...reached } = await reachDatabase(options)
  try {
    const { applied } = await bringUp()
    return { ...reached, ...(await facts()), applied }
  } catch (error) {
    await reached.stop()
    throw error
  }
}

/**
 * Starts the embedded server, or waits for the external one.
 * @throws StartError with one line for the operator
 */
export async function reachDatabase(options: PrepareOptions): Promise<ReachedDatabase> {
  return options.databaseUrl === null ? reachEmbedded(options) : reachExternal(options, options.databaseUrl)
}

async function reachEmbedded(options: PrepareOptions): Promise<ReachedDatabase> {
  const { attachTo, dataDir, logger, settings } = options
  const embedded = attachTo ? null : await startEmbeddedPostgres({ dataDir, logger, settings })
  const address = attachTo ?? embedded!.address
  const superuser = embeddedConnection(address, 'postgres')
  const roles = loginRoles(EMBEDDED_ROLE_PREFIX)
  return {
    kind: 'embedded',
    access: {
      app: embeddedConnection(address, roles.app),
      system: embeddedConnection(address, roles.system),
      telemetry: embeddedConnection(address, roles.telemetry),
    },
    superuser,
    embedded,
    migrate: restoring =>
      migrate(superuser, { database: EMBEDDED_DATABASE, rolePrefix: EMBEDDED_ROLE_PREFIX, restoring }),
    facts: () => inspectDatabase({ ...superuser, user: 'postgres', database: EMBEDDED_DATABASE }, logger),
    stop: async () => embedded?.stop(),
  }
}

async function reachExternal(options: PrepareOptions, url: string): Promise<ReachedDatabase> {
  const superuser = parseDatabaseUrl(url)
  const facts = await inspectDatabase(superuser, options.logger)
  const rolePrefix = rolePrefixOf(superuser.database)
  const passwords = rolePasswords(options.secretKey, rolePrefix)
  const roles = loginRoles(rolePrefix)
  return {
    kind: 'external',
    access: {
      app: { ...superuser, user: roles.app, password: passwords.app },
      system: { ...superuser, user: roles.system, password: passwords.system },
      telemetry: { ...superuser, user: roles.telemetry, password: passwords.telemetry },
    },
    superuser,
    embedded: null,
    migrate: restoring => migrate(superuser, { database: superuser.database, rolePrefix, passwords, restoring }),
    facts: async () => facts,
    stop: async () => {},
  }
}
