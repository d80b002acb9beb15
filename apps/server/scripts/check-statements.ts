// Every statement of the program against the migrated schema: it must be understood, some role must be allowed to run it,
// and its row must be what its type says. Part of `npm run check`.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { EMBEDDED_ROLE_PREFIX, embeddedConnection } from '../src/db/embedded/embedded-postgres.ts'
import { loginRoles, ROLE_KINDS } from '../src/db/login-roles.ts'
import { startTestServer, TEMPLATE_DATABASE } from '../src/db/testing/test-server.ts'
import { watchStatements } from '../src/lib/sql/statement.ts'
import { differences, type Field, type Rows } from './row-differences.ts'

const source = join(import.meta.dirname, '../src')

interface Found {
  text: string
  isCount: boolean
  /** file:line:column of what made it. */
  place: string
}

/** Files that make statements; tests and what is only for them are not the program. */
function files(folder = source): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'testing' ? [] : files(path)
    if (!/\.ts$/.test(entry.name) || /\.test\.ts$/.test(entry.name)) return []
    const text = readFileSync(path, 'utf8')
    return /lib\/sql\/|from '\.\.?\/sql\//.test(text) ? [path] : []
  })
}

/** A program runs when it is imported: it holds no statements of its own. */
const isProgram = (file: string) => /^(await )?main\(/m.test(readFileSync(file, 'utf8'))

async function collect(): Promise<Found[]> {
  const found: Found[] = []
  watchStatements(statement => {
    const line = (new Error().stack ?? '')
      .split('\n')
      .slice(2)
      .find(at => !at.includes('/lib/sql/'))
    const place = /((?:file:\/\/)?\/[^)]*:\d+:\d+)/.exec(line ?? '')?.[1] ?? '?'
    found.push({
      text: statement.text,
      isCount: statement.isCount,
      place: relative(source, place.replace('file://', '')),
    })
  })
  for (const file of [...files(), ...process.argv.slice(2)])
    if (!isProgram(file)) await import(pathToFileURL(file).href)
  return found
}

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
  const rows = JSON.parse(
    execFileSync(process.execPath, [join(import.meta.dirname, '../../../scripts/statement-rows.mjs')], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    }),
  ) as Rows
  const statements = await collect()
  const server = await startTestServer()
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
    const canBeNull = new Map(columns.rows.map(({ table, column, name }) => [`${table}/${column}`, name]))
    /** A condition on the column keeps rows out in which it is null. */
    const isNullable = ({ tableID, columnID }: Field, text: string) => {
      const name = canBeNull.get(`${tableID}/${columnID}`)
      return name !== undefined && !new RegExp(`\\b${name} (is not null|[<>=]|between )`).test(text)
    }
    const seen = new Set<string>()
    for (const { text, place, isCount } of statements) {
      const described = await new Promise<{ error?: Error | undefined; fields: Field[] }>(resolve =>
        owner.query(new Describe(text, (error, fields) => resolve({ error, fields })) as unknown as pg.Submittable),
      )
      if (described.error) {
        problems.push(`${place}: ${described.error.message}`)
        continue
      }
      const line = place.replace(/:\d+$/, '')
      const row = rows[line]
      if (row && !isCount) {
        seen.add(line)
        for (const difference of differences(row, described.fields, field => isNullable(field, text)))
          problems.push(`${place}: ${difference}`)
      }
      if (!/^\s*(select|insert|update|delete|with|\(select)\b/i.test(text)) continue
      const refusals: string[] = []
      for (const { kind, client } of clients) {
        try {
          await client.query(`explain (generic_plan) ${text}`)
        } catch (error) {
          refusals.push(`${kind}: ${(error as Error).message}`)
        }
      }
      if (refusals.length === clients.length) problems.push(`${place}: no role may run it (${refusals.join('; ')})`)
    }
    for (const file of files().filter(isProgram))
      problems.push(
        `${relative(source, file)}: a program runs when it is imported; its statements belong into a file beside it`,
      )
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
