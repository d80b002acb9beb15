import pg from 'pg'
import type { Statement } from '../sql/statement.ts'

/** A read with parameters that a connection keeps planned. */
export interface PreparedRead<Row> {
  /** Unique in the program, an SQL identifier. */
  name: string
  /** PostgreSQL types of $1, $2 … */
  types: readonly string[]
  statement: Statement<Row>
}

export type ReadParameter = string | number | null | readonly string[]

/** Per connection, what it has prepared. A connection that is gone takes its statements along. */
const kept = new WeakMap<pg.PoolClient, Set<string>>()

/**
 * These reads find single rows by their ids: the plan is the same for all of them, and making it anew for every call
 * (which PostgreSQL prefers when it guesses that a plan for these very values is cheaper) costs more than the read.
 */
const ONE_PLAN = "set_config('plan_cache_mode', 'force_generic_plan', true)"

/**
 * One read in a transaction of its own, in one round trip: BEGIN, the settings, EXECUTE and COMMIT travel together. One
 * after the other they cost four round trips, which is most of what a small request takes.
 * @param settings what is selected at the beginning: set_config calls that hold nothing unchecked
 * @throws what the database says; the transaction is rolled back
 */
export async function readPrepared<R>(
  pool: pg.Pool,
  settings: string,
  read: PreparedRead<R>,
  params: readonly ReadParameter[],
): Promise<R[]> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    const prepared = kept.get(client) ?? new Set()
    kept.set(client, prepared)
    if (!prepared.has(read.name)) {
      await client.query(`prepare ${read.name}${inBrackets(read.types)} as ${read.statement.text}`)
      prepared.add(read.name)
    }
    const answers = (await client.query(
      `begin read only; select ${ONE_PLAN}, ${settings}; execute ${read.name}${inBrackets(params.map(literal))}; commit`,
    )) as unknown as pg.QueryResult<R & pg.QueryResultRow>[]
    return answers[2]!.rows
  } catch (error) {
    await client.query('rollback').catch((e: Error) => {
      broken = e
    })
    throw error
  } finally {
    client.release(broken)
  }
}

function inBrackets(words: readonly string[]): string {
  return words.length === 0 ? '' : `(${words.join(', ')})`
}

/** A value as it stands in a statement. @throws RangeError for a number that is none */
function literal(value: ReadParameter): string {
  if (value === null) return 'null'
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError('a parameter must be finite')
    return String(value)
  }
  if (typeof value === 'string') return pg.escapeLiteral(value)
  return pg.escapeLiteral(
    `{${value.map(text => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',')}}`,
  )
}
