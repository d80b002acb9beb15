import { randomBytes } from 'node:crypto'
import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { afterAll, inject } from 'vitest'
import { auditLineKey } from '../lib/crypto/audit-line.ts'
import { type Database, type DatabaseAccess, openDatabase } from '../lib/database/database.ts'
import { EMBEDDED_ROLE_PREFIX, type EmbeddedAddress, embeddedConnection } from './embedded/embedded-postgres.ts'
import { loginRoles, ROLE_KINDS } from './login-roles.ts'
import { quoteIdentifier } from './migration-files.ts'
import type { TestServerAnswer } from './testing/global-setup.ts'
import { startTestServer, TEMPLATE_DATABASE, type TestServer } from './testing/test-server.ts'

export { temporaryFolder } from './testing/test-server.ts'

export interface TestDatabase {
  database: Database
  /** Connections of the three roles, e.g. for a child process. */
  access: DatabaseAccess
  /** Pool of the superuser, for arranging and for looking behind the curtain. */
  superuser: pg.Pool
  name: string
  /** Closes the pools and drops the database; otherwise that happens after the test file's last test. */
  drop(): Promise<void>
}

const open = new Set<TestDatabase>()
let address: Promise<EmbeddedAddress> | undefined
let ownServer: TestServer | undefined

/** Where the run's server listens, for tests of the server itself (`embeddedConnection` makes a connection of it). */
export async function testServerAddress(): Promise<EmbeddedAddress> {
  address ??= serverAddress()
  return address
}

/** SECRET_KEY of installations in tests, and the key derived from it that seals lines of the operation log. */
export const TEST_SECRET_KEY = 'k'.repeat(64)
export const TEST_AUDIT_KEY = auditLineKey(TEST_SECRET_KEY)

/** A fresh, migrated, empty database of its own for a test or a test file. */
export async function testDatabase(): Promise<TestDatabase> {
  const at = await testServerAddress()
  const name = `t_${randomBytes(6).toString('hex')}`
  await asSuperuser(at, `create database ${quoteIdentifier(name)} template ${TEMPLATE_DATABASE} strategy file_copy`)
  const roles = loginRoles(EMBEDDED_ROLE_PREFIX)
  const [app, system, telemetry] = ROLE_KINDS.map(kind => embeddedConnection(at, roles[kind], name))
  const access: DatabaseAccess = { app: app!, system: system!, telemetry: telemetry! }
  const superuser = new pg.Pool({ ...embeddedConnection(at, 'postgres', name), max: 4 })
  const ignore = () => {}
  superuser.on('error', ignore)
  const database = openDatabase(access, ignore, TEST_AUDIT_KEY)
  const handle: TestDatabase = {
    database,
    access,
    superuser,
    name,
    async drop() {
      if (!open.delete(handle)) return
      await Promise.all([database.close(), superuser.end()])
      await asSuperuser(at, `drop database if exists ${quoteIdentifier(name)} with (force)`)
    },
  }
  open.add(handle)
  return handle
}

afterAll(async () => {
  await Promise.all([...open].map(handle => handle.drop()))
  await ownServer?.stop()
})

/**
 * Makes or drops a database. PostgreSQL waits five seconds for the connections that are being closed, and then gives up;
 * on a busy machine they need longer.
 */
async function asSuperuser(at: EmbeddedAddress, statement: string): Promise<void> {
  const client = new pg.Client(embeddedConnection(at, 'postgres', 'postgres'))
  await client.connect()
  try {
    for (let tries = 1; ; tries++) {
      const error = await client.query(statement).then(
        () => null,
        (reason: pg.DatabaseError) => reason,
      )
      if (!error) return
      if (error.code !== IN_USE || tries === 10) throw error
    }
  } finally {
    await client.end()
  }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: object_in_use. */
const IN_USE = '55006'

/** The run's server; without our global setup (a run with another configuration) the test file starts its own. */
async function serverAddress(): Promise<EmbeddedAddress> {
  const socket = inject('testServerSocket')
  if (!socket) {
    ownServer = await startTestServer()
    return ownServer.address
  }
  const answer = JSON.parse(await text(createConnection(socket))) as TestServerAnswer
  if ('error' in answer) throw new Error(`the test database server did not start: ${answer.error}`)
  return answer.address
}
