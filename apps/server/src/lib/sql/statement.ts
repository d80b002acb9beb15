import type pg from 'pg'

/**
 * A piece of SQL that statements are put together from: a list of columns, a join, the name of a view. It is written in
 * the program, so nothing from outside can stand in it.
 */
export class SqlPart {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text
  }
}

/** What may stand in a statement: pieces of SQL, and numbers of the program. Values go in as $1, $2 … */
export type Piece = SqlPart | number

interface Watcher {
  told(statement: Statement<unknown>): void
  /** What a piece becomes, so that it can be told in statements where it comes from. */
  piece(text: string): string
}

let watcher: Watcher | null = null

/** Tells of every statement that is made from now on: the check of all of them begins here, and imports the program. */
export function watchStatements(by: Watcher): void {
  watcher = by
}

/** Whether somebody wants to see the statements: then those that are made on demand are made too. */
export function isWatched(): boolean {
  return watcher !== null
}

/** A whole statement as a value: everything that goes to the database is one, so all of them can be found and checked. */
export class Statement<Row> {
  /** Only for the types: what a row of the answer looks like. */
  declare readonly row: Row

  /** @param name of statements that a connection keeps planned, unique in the program */
  constructor(
    readonly text: string,
    readonly name?: string,
    readonly isCount = false,
  ) {
    watcher?.told(this)
  }

  /** How many rows there are, beside a list whose rows have another type. */
  static ofCount(text: string): Statement<{ n: number }> {
    return new Statement<{ n: number }>(text, undefined, true)
  }

  /** The same, kept planned by each connection under a name: for what the device path says all the time. */
  named(name: string): Statement<Row> {
    return new Statement(this.text, name)
  }
}

/** The answer of a statement that is not asked for columns. */
export type NoRow = Record<never, never>

/** A statement: sql<Row>`select … where id = $1`. */
export function sql<Row = NoRow>(text: TemplateStringsArray, ...pieces: readonly Piece[]): Statement<Row> {
  return new Statement(joined(text, pieces))
}

/** A piece of SQL for statements: part`d.id, d.name`. */
export function part(text: TemplateStringsArray, ...pieces: readonly Piece[]): SqlPart {
  const all = joined(text, pieces)
  return new SqlPart(watcher ? watcher.piece(all) : all)
}

/** A statement, and the same that holds what it finds until the transaction ends. */
export interface Holdable<Row> {
  free: Statement<Row>
  held: Statement<Row>
}

/** @param lock how the rows are held: for update, for share, of which table */
export function holdable<Row>({ text }: Statement<Row>, lock: SqlPart): Holdable<Row> {
  return { free: new Statement(text), held: new Statement(`${text} ${lock}`) }
}

function joined(text: TemplateStringsArray, pieces: readonly Piece[]): string {
  return text.reduce((all, next, i) => `${all}${pieces[i - 1]}${next}`)
}

/** What runs SQL: a pool, or one connection of it. */
export interface Connection {
  query<R extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<R>>
}

/** Runs a statement outside the scopes of `lib/database/database.ts`: on the pools of the device path. */
export function runOn<Row>(
  on: Connection,
  { text, name }: Statement<Row>,
  values?: readonly unknown[],
): Promise<pg.QueryResult<Row & pg.QueryResultRow>> {
  return on.query<Row & pg.QueryResultRow>({
    text,
    ...(name === undefined ? {} : { name }),
    ...(values === undefined ? {} : { values: values as unknown[] }),
  })
}

/** What takes statements: a scope of `lib/database/database.ts`, or a connection of the device path. */
export interface Runner {
  run<Row>(statement: Statement<Row>, params?: readonly unknown[]): Promise<pg.QueryResult<Row & pg.QueryResultRow>>
}

/** A connection as what takes statements. */
export function runner(on: Connection): Runner {
  return { run: (statement, params) => runOn(on, statement, params) }
}
