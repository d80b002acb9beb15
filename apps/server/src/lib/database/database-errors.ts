/** What an error of the database means to its caller. Errors wrapped by the query builder are looked into. */

/** The five-character SQLSTATE (PostgreSQL manual, appendix A), or undefined when PostgreSQL did not say it. */
export function sqlState(error: unknown): string | undefined {
  return find(error, code => /^(?=.*\d)[0-9A-Z]{5}$/.test(code))
}

const NETWORK = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']
/** Words for a connection that went away or never came: the driver's own, which gives no code, and silent-connections.ts's. */
const DRIVER =
  /Connection terminated|timeout (exceeded )?when trying to connect|^timeout expired$|not queryable|Client has encountered|^the database does not answer$/i

/**
 * Whether the connection was lost or could not be made: nothing is known about a COMMIT that was under way, and the same
 * work may succeed later. Covers SQLSTATE class 08 and 57P01-57P05 (server stops, crashes or starts).
 */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== undefined && (state.startsWith('08') || /^57P0[1-5]$/.test(state))) return true
  if (find(error, code => NETWORK.includes(code)) !== undefined) return true
  return state === undefined && chain(error).some(link => DRIVER.test(link.message))
}

/** Whether the database has no room left (SQLSTATE 53100): waiting and trying again is right, other statements fail too. */
export function isDiskFull(error: unknown): boolean {
  return sqlState(error) === '53100' || chain(error).some(link => /No space left on device/.test(link.message))
}

/** Whether the data itself cannot be stored (classes 22 and 23): the same statement will never succeed. */
export function isDataError(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error) ?? '')
}

/** Whether a value is taken already (SQLSTATE 23505), in the named index if one is named. */
export function isUniqueViolation(error: unknown, index?: string): boolean {
  if (sqlState(error) !== '23505') return false
  return index === undefined || chain(error).some(link => (link as { constraint?: unknown }).constraint === index)
}

/** Whether a row was refused by a policy (SQLSTATE 42501 in PostgreSQL's own words; a missing grant reads differently). */
export function isOutsideScope(error: unknown): boolean {
  return sqlState(error) === '42501' && chain(error).some(link => /row-level security policy/.test(link.message))
}

/** What a function of the database refused with a code of ours (SQLSTATE TW001; message: the code, detail: its params). */
export function refusalOfDatabase(error: unknown): { code: string; params: Record<string, unknown> } | null {
  if (sqlState(error) !== 'TW001') return null
  const said = chain(error).find(link => (link as { code?: unknown }).code === 'TW001') as Error & { detail?: string }
  return { code: said.message, params: JSON.parse(said.detail ?? '{}') as Record<string, unknown> }
}

function find(error: unknown, matches: (code: string) => boolean): string | undefined {
  for (const link of chain(error)) {
    const { code } = link as { code?: unknown }
    if (typeof code === 'string' && matches(code)) return code
  }
  return undefined
}

/** The error, its causes, and the parts of an AggregateError (several addresses tried). */
function chain(error: unknown): Error[] {
  const links: Error[] = []
  const visit = (value: unknown, depth: number) => {
    if (!(value instanceof Error) || depth > 5) return
    links.push(value)
    if (value instanceof AggregateError) for (const part of value.errors) visit(part, depth + 1)
    visit(value.cause, depth + 1)
  }
  visit(error, 0)
  return links
}
