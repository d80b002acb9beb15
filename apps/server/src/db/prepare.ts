import type pg from 'pg'
import type { DatabaseAccess } from '../lib/database.ts'
import type { Logger } from '../lib/log.ts'
import {
  EMBEDDED_DATABASE,
  EMBEDDED_ROLE_PREFIX,
  type EmbeddedAddress,
  type EmbeddedPostgres,
  embeddedConnection,
  startEmbeddedPostgres,
} from './embedded/embedded-postgres.ts'
import { inspectDatabase, parseDatabaseUrl } from './external-database.ts'
import { loginRoles, rolePasswords, rolePrefixOf } from './login-roles.ts'
import { migrate } from './migrate.ts'

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

/**
 * Makes the database ready for use: starts the embedded server or checks the external one, makes login roles, migrates.
 * @throws StartError with one line for the operator (RolesNeededError: with the SQL to run)
 */
export async function prepareDatabase(options: PrepareOptions): Promise<PreparedDatabase> {
  return options.databaseUrl === null ? prepareEmbedded(options) : prepareExternal(options, options.databaseUrl)
}

async function prepareEmbedded(options: PrepareOptions): Promise<PreparedDatabase> {
  const { attachTo, dataDir, logger, settings } = options
  const embedded = attachTo ? null : await startEmbeddedPostgres({ dataDir, logger, settings })
  const address = attachTo ?? embedded!.address
  try {
    const superuser = embeddedConnection(address, 'postgres')
    const { applied } = await migrate(superuser, { database: EMBEDDED_DATABASE, rolePrefix: EMBEDDED_ROLE_PREFIX })
    const roles = loginRoles(EMBEDDED_ROLE_PREFIX)
    return {
      kind: 'embedded',
      access: {
        app: embeddedConnection(address, roles.app),
        system: embeddedConnection(address, roles.system),
        telemetry: embeddedConnection(address, roles.telemetry),
      },
      superuser,
      ...(await inspectDatabase({ ...superuser, user: 'postgres', database: EMBEDDED_DATABASE }, logger)),
      applied,
      embedded,
      stop: async () => embedded?.stop(),
    }
  } catch (error) {
    await embedded?.stop()
    throw error
  }
}

async function prepareExternal(options: PrepareOptions, url: string): Promise<PreparedDatabase> {
  const superuser = parseDatabaseUrl(url)
  const facts = await inspectDatabase(superuser, options.logger)
  const rolePrefix = rolePrefixOf(superuser.database)
  const passwords = rolePasswords(options.secretKey, rolePrefix)
  const roles = loginRoles(rolePrefix)
  const { applied } = await migrate(superuser, { database: superuser.database, rolePrefix, passwords })
  return {
    kind: 'external',
    access: {
      app: { ...superuser, user: roles.app, password: passwords.app },
      system: { ...superuser, user: roles.system, password: passwords.system },
      telemetry: { ...superuser, user: roles.telemetry, password: passwords.telemetry },
    },
    superuser,
    ...facts,
    applied,
    embedded: null,
    stop: async () => {},
  }
}
