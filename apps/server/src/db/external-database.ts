import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from '../lib/log.ts'
import { StartError } from './start-error.ts'

/** Oldest PostgreSQL we run on. */
const OLDEST = 15
const PATIENCE_MS = 30_000
/** The server is not there yet, or not ready yet: worth waiting for, as when both are started together. */
const NOT_YET = ['ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'ECONNRESET', '57P03']

/** What DATABASE_URL says, as plain values. */
export interface ExternalConnection extends pg.PoolConfig {
  database: string
  user: string
}

export interface DatabaseFacts {
  /** e.g. "16.4" */
  version: string
  /** Version of the TimescaleDB extension in this database, or null. */
  timescale: string | null
}

/** Takes a connection URL apart, so that the same server can be reached under other names. */
export function parseDatabaseUrl(url: string): ExternalConnection {
  // pg's own reading of the URL: sslmode, certificates, socket folders.
  const { host, port, database, user, password, ssl } = new pg.Client({ connectionString: url })
  if (!database || !user) throw new StartError('DATABASE_URL must name a user and a database.')
  return { host, port, database, user, password: password ?? undefined, ssl, connectionTimeoutMillis: 15_000 }
}

/**
 * Waits up to 30 s for the server, then looks whether it can be used.
 * @throws StartError with one line that names the server but never the password
 */
export async function inspectDatabase(
  connection: ExternalConnection,
  logger: Logger,
  patienceMs: number = PATIENCE_MS,
): Promise<DatabaseFacts> {
  const end = performance.now() + patienceMs
  const place = `${connection.user}@${connection.host}:${connection.port}/${connection.database}`
  for (;;) {
    try {
      return await ask(connection)
    } catch (error) {
      if (error instanceof StartError) throw error
      const { code, message } = error as pg.DatabaseError
      if (!NOT_YET.includes(code ?? '') || performance.now() >= end) {
        throw new StartError(`DATABASE_URL: cannot connect to ${place}: ${message || code}`, { cause: error })
      }
      logger.warn({ database: place, reason: message || code }, 'the database does not answer yet, trying again')
      await delay(1_000)
    }
  }
}

async function ask(connection: ExternalConnection): Promise<DatabaseFacts> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{
      number: number
      version: string
      encoding: string
      timescale: string | null
    }>(`
      select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
             current_setting('server_encoding') as encoding,
             (select extversion from pg_extension where extname = 'timescaledb') as timescale`)
    const { number, version, encoding, timescale } = rows[0]!
    if (number < OLDEST * 10_000) {
      throw new StartError(`DATABASE_URL: PostgreSQL ${version} is too old, ${OLDEST} or newer is needed.`)
    }
    if (encoding !== 'UTF8')
      throw new StartError(`DATABASE_URL: the database is encoded in ${encoding}, UTF8 is needed.`)
    return { version, timescale }
  } finally {
    await client.end().catch(() => {})
  }
}
