import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { newClient } from '../lib/database/pool.ts'
import { type LoginRoles, quoteIdentifier, quoteLiteral } from './migration-files.ts'
import { StartError } from './start-error.ts'

export const ROLE_KINDS = ['app', 'system', 'telemetry'] as const
/** Longest name PostgreSQL keeps whole (NAMEDATALEN - 1). */
const LONGEST_NAME = 63
const UNIQUE_VIOLATION = '23505'
const DUPLICATE_OBJECT = '42710'
const INSUFFICIENT_PRIVILEGE = '42501'

/** The passwords of the three roles; absent for the embedded server, whose socket only we can reach. */
export type RolePasswords = Record<(typeof ROLE_KINDS)[number], string>

/** The external database does not let us make our login roles: its administrator runs `sql` once. */
export class RolesNeededError extends StartError {
  constructor(
    /** Statements to print, ready for psql; passwords are in them only as SCRAM verifiers. */
    readonly sql: string,
    user: string,
    cause: unknown,
  ) {
    super(
      `The database user ${user} may not create or change the three login roles. Have an administrator run this once, then start again:\n\n${sql}\n`,
      { cause },
    )
    this.name = 'RolesNeededError'
  }
}

/** Names of the three roles for a prefix. */
export function loginRoles(prefix: string): LoginRoles {
  return { app: `${prefix}_app`, system: `${prefix}_system`, telemetry: `${prefix}_telemetry` }
}

/** A role prefix from a database's name: roles are shared by all databases of a server, so it carries the name. */
export function rolePrefixOf(database: string): string {
  const plain = database.toLowerCase().replace(/[^a-z0-9_]+/g, '_')
  if (plain === database && plain.length + '_telemetry'.length <= LONGEST_NAME) return plain
  // Two names that look alike after cleaning must not share their roles.
  return `${plain.slice(0, 40)}_${createHash('sha256').update(database).digest('hex').slice(0, 8)}`
}

/** The roles' passwords, derived from the installation's secret key so that they need not be stored. */
export function rolePasswords(secretKey: string, prefix: string): RolePasswords {
  const derive = (role: string) =>
    createHmac('sha256', secretKey).update(`database-role:${prefix}_${role}`).digest('base64url')
  return { app: derive('app'), system: derive('system'), telemetry: derive('telemetry') }
}

/**
 * Makes the three roles where they are missing, and sees to it that they log in with our passwords.
 * @param client a connection of the owner, inside no transaction
 * @throws RolesNeededError when the owner may not
 * @throws StartError when a role exists that could look past row-level security
 */
export async function ensureLoginRoles(
  client: pg.Client,
  connect: pg.ClientConfig,
  roles: LoginRoles,
  passwords: RolePasswords | undefined,
): Promise<void> {
  const { rows } = await client.query<RoleRow>(
    'select rolname, rolcanlogin, rolsuper or rolbypassrls as sees_all from pg_roles where rolname = any($1)',
    [ROLE_KINDS.map(kind => roles[kind])],
  )
  const statements: string[] = []
  for (const kind of ROLE_KINDS) {
    const name = roles[kind]
    const password = passwords?.[kind]
    const found = rows.find(row => row.rolname === name)
    if (found?.sees_all) {
      throw new StartError(
        `The database role ${name} is a superuser or bypasses row-level security: take that from it.`,
      )
    }
    const secret = password === undefined ? '' : ` password ${quoteLiteral(scramVerifier(password))}`
    if (!found) {
      statements.push(
        `create role ${quoteIdentifier(name)} login nosuperuser nobypassrls nocreatedb nocreaterole${secret};`,
      )
    } else if (!found.rolcanlogin || (password !== undefined && !(await canLogin(connect, name, password)))) {
      statements.push(`alter role ${quoteIdentifier(name)} login${secret};`)
    }
  }
  for (const statement of statements) {
    try {
      await client.query(statement)
    } catch (error) {
      const { code } = error as pg.DatabaseError
      // Roles belong to the whole server: another database's migration may have been faster.
      if (code === DUPLICATE_OBJECT || code === UNIQUE_VIOLATION) continue
      if (code !== INSUFFICIENT_PRIVILEGE) throw error
      throw new RolesNeededError(statements.join('\n'), String(client.user), error)
    }
  }
}

interface RoleRow {
  rolname: string
  rolcanlogin: boolean
  sees_all: boolean
}

/** Tries the password; an error other than a refused sign-in is the caller's to see later, when it connects. */
async function canLogin(connect: pg.ClientConfig, user: string, password: string): Promise<boolean> {
  const client = newClient({ ...connect, user, password })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch (error) {
    // 28P01 wrong password, 28000 not allowed; anything else (no CONNECT right yet) came after the password.
    return !['28P01', '28000'].includes((error as pg.DatabaseError).code ?? '')
  } finally {
    await client.end().catch(() => {})
  }
}

/** The form in which PostgreSQL stores a password (RFC 5803), so that it never travels or is logged in the clear. */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16), iterations = 4096): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const hmac = (label: string) => createHmac('sha256', salted).update(label).digest()
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`
}
