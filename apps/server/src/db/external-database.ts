import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { newClient } from '../lib/database/pool.ts'
import type { Logger } from '../lib/log.ts'
import { StartError } from './start-error.ts'

/** Oldest PostgreSQL we run on. */
const OLDEST = 15
const PATIENCE_MS = 30_000
/** The server is not there yet, or not ready yet: worth waiting for, as when both are started together. */
const NOT_YET = ['ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'ECONNRESET', '57P03']

/** Of sslmode: these encrypt, and verify once there is a root certificate. */
const ENCRYPT_ONLY = ['allow', 'prefer', 'require']
const SSL_MODES = ['disable', ...ENCRYPT_ONLY, 'verify-ca', 'verify-full', 'no-verify']

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

/**
 * Takes a connection URL apart, so that the same server can be reached under other names.
 * @throws StartError with one line that does not repeat the URL
 */
export function parseDatabaseUrl(url: string): ExternalConnection {
  const { host, port, database, user, password, ssl } = asDriverReads(url)
  if (!database || !user) throw new StartError('DATABASE_URL must name a user and a database.')
  return {
    host,
    port,
    database: decoded(url) ?? database,
    user,
    password: password ?? undefined,
    ssl: verification(ssl, modeOf(url)),
    connectionTimeoutMillis: 15_000,
  }
}

/** The driver's own reading of the URL: certificates, socket folders, the variables of libpq. */
function asDriverReads(url: string): pg.Client & { ssl?: boolean | Record<string, unknown> } {
  const address = new URL(url)
  const mode = modeOf(url)
  if (mode !== null && !SSL_MODES.includes(mode))
    throw new StartError(`DATABASE_URL: sslmode takes ${SSL_MODES.join(', ')}.`)
  // What a mode verifies is ours to say (below); of some the driver warns that its next release verifies less.
  if (mode !== null && mode !== 'disable' && mode !== 'no-verify') address.searchParams.set('sslmode', 'verify-full')
  try {
    return new pg.Client({ connectionString: address.href })
  } catch (error) {
    throw new StartError(`DATABASE_URL: ${(error as Error).message}`, { cause: error })
  }
}

function modeOf(url: string): string | null {
  return new URL(url).searchParams.get('sslmode')
}

/** The driver leaves %23, %2F, %3F and their like in the name. */
function decoded(url: string): string | null {
  const { hostname, pathname } = new URL(url)
  if (/^%2f/i.test(hostname) || pathname.length < 2) return null
  return decodeURIComponent(pathname.slice(1))
}

/**
 * What is asked of the server's certificate, as plain values that travel to other processes. The modes ask at least
 * for what libpq asks (PostgreSQL §32.19): `require` without a root certificate only encrypts, everything else checks
 * the chain and the name; what may be unencrypted there is encrypted here.
 */
function verification(
  ssl: boolean | Record<string, unknown> | undefined,
  mode: string | null,
): ExternalConnection['ssl'] {
  if (!ssl || mode === 'disable') return false
  const { ca, cert, key, rejectUnauthorized } = ssl === true ? ({} as Record<string, unknown>) : ssl
  return {
    ...(typeof ca === 'string' ? { ca } : {}),
    ...(typeof cert === 'string' ? { cert } : {}),
    ...(typeof key === 'string' ? { key } : {}),
    ...(rejectUnauthorized === false || (ENCRYPT_ONLY.includes(mode ?? '') && typeof ca !== 'string')
      ? { rejectUnauthorized: false }
      : {}),
  }
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
  const client = newClient(connection)
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
