// Every statement of the program against the migrated schema: it must be understood, some role must be allowed to run it,
// its row must be what its type says, and it may only use tables of its own module and declared ones. Part of `npm run check`.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { EMBEDDED_ROLE_PREFIX, embeddedConnection } from '../src/db/embedded/embedded-postgres.ts'
import { loginRoles, ROLE_KINDS } from '../src/db/login-roles.ts'
import { startTestServer, TEMPLATE_DATABASE } from '../src/db/testing/test-server.ts'
import { collectStatements, type Found, programsWithStatements } from './collect-statements.ts'
import { differences, type Field, type Rows } from './row-differences.ts'
import { changedPlans, hotPlans } from './statement-plans.ts'
import { changedReaders, ownershipProblems, readersOf, readTableOwners, tableUses } from './table-owners.ts'

/** The plans of the hot statements as they were last read by somebody; `--write-plans` writes them anew. */
const PLANS = join(import.meta.dirname, 'hot-plans.txt')

/** Which modules read tables of others; `--write-readers` writes them anew. */
const READERS = join(import.meta.dirname, 'table-readers.txt')

/** Asks the server what a statement answers with, without running it. */
class Describe {
  fields: Field[] = []
  constructor(
    private readonly text: string,
    private readonly done: (error: Error | undefined, fields: Field[]) => void,
  ) {}
  submit(connection: { parse(o: object): void; describe(o: object): void; sync(): void }): void {
    connection.parse({ text: this.text, name: '', types: [] })
    connection.describe({ type: 'S', name: '' })
    connection.sync()
  }
  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.fields = fields
  }
  /** The driver tells of one of these two. */
  handleError(error: Error): void {
    this.done(error, [])
  }
  handleReadyForQuery(): void {
    this.done(undefined, this.fields)
  }
}

async function main(): Promise<number> {
  // The compiler answers while the server starts.
  const [answer, statements, server] = await Promise.all([
    promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../../scripts/statement-rows.mjs')], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    }),
    collectStatements(process.argv.slice(2).filter(argument => !argument.startsWith('--write-'))),
    startTestServer(),
  ])
  const { rows, roles: needed } = JSON.parse(answer.stdout) as { rows: Rows; roles: Record<string, string[]> }
  const problems: string[] = []
  const roles = loginRoles(EMBEDDED_ROLE_PREFIX)
  const clients = await Promise.all(
    ROLE_KINDS.map(async kind => {
      const client = new pg.Client(embeddedConnection(server.address, roles[kind], TEMPLATE_DATABASE))
      await client.connect()
      return { kind, client }
    }),
  )
  const owner = new pg.Client(embeddedConnection(server.address, 'postgres', TEMPLATE_DATABASE))
  await owner.connect()
  try {
    const columns = await owner.query<{ table: number; column: number; name: string }>(
      `select a.attrelid::int as table, a.attnum as column, a.attname as name
       from pg_attribute a join pg_class c on c.oid = a.attrelid
       where a.attnum > 0 and not a.attnotnull and a.attrelid >= 16384 and c.relkind in ('r', 'p')`,
    )
    const { rows: tables } = await owner.query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') and not relispartition`,
    )
    const canBeNull = new Map(columns.rows.map(({ table, column, name }) => [`${table}/${column}`, name]))
    /** A condition on the column keeps rows out in which it is null. */
    const isNullable = ({ tableID, columnID }: Field, text: string) => {
      const name = canBeNull.get(`${tableID}/${columnID}`)
      return name !== undefined && !new RegExp(`\\b${name} (is not null|[<>=]|between )`).test(text)
    }
    const seen = new Set<string>()
    const understood: Found[] = []
    for (const statement of statements) {
      const { text, place, isCount } = statement
      const described = await new Promise<{ error?: Error | undefined; fields: Field[] }>(resolve =>
        owner.query(new Describe(text, (error, fields) => resolve({ error, fields })) as unknown as pg.Submittable),
      )
      if (described.error) {
        problems.push(`${place}: ${described.error.message}`)
        continue
      }
      understood.push(statement)
      const line = place.replace(/:\d+$/, '')
      const row = rows[line]
      if (row && !isCount) {
        seen.add(line)
        for (const difference of differences(row, described.fields, field => isNullable(field, text)))
          problems.push(`${place}: ${difference}`)
      }
      if (!/^\s*(select|insert|update|delete|with|\(select)\b/i.test(text)) continue
      const refusals: { kind: string; why: string }[] = []
      for (const { kind, client } of clients) {
        try {
          await client.query(`explain (generic_plan) ${text}`)
        } catch (error) {
          refusals.push({ kind, why: (error as Error).message })
        }
      }
      const why = refusals.map(refusal => `${refusal.kind}: ${refusal.why}`).join('; ')
      if (refusals.length === clients.length) problems.push(`${place}: no role may run it (${why})`)
      else if (refusals.some(({ kind }) => needed[line]?.includes(kind)))
        problems.push(`${place}: the role that runs it may not (${why})`)
    }
    for (const file of programsWithStatements())
      problems.push(`${file}: a program runs when it is imported; its statements belong into a file beside it`)
    const [app, system, telemetry] = ['app', 'system', 'telemetry'].map(
      wanted => clients.find(({ kind }) => kind === wanted)!.client,
    )
    const plans = await hotPlans(understood, telemetry!, [app!, system!])
    if (process.argv.includes('--write-plans')) writeFileSync(PLANS, plans)
    else problems.push(...changedPlans(readFileSync(PLANS, 'utf8'), plans))
    const uses = await tableUses(understood)
    const owners = readTableOwners()
    problems.push(
      ...ownershipProblems(
        uses,
        owners,
        tables.map(({ name }) => name),
      ),
    )
    const readers = readersOf(uses, owners)
    if (process.argv.includes('--write-readers')) writeFileSync(READERS, readers)
    else problems.push(...changedReaders(readFileSync(READERS, 'utf8'), readers))
    for (const line of Object.keys(rows))
      if (!seen.has(line)) problems.push(`${line}: is not made when its module is loaded, so nothing is known of it`)
  } finally {
    await Promise.all([owner.end(), ...clients.map(({ client }) => client.end())])
    await server.stop()
  }
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  process.stdout.write(`${statements.length} statements, ${problems.length} problems\n`)
  return problems.length
}

process.exit((await main()) ? 1 : 0)
