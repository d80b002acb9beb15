import { isWatched, type NoRow, type SqlPart, Statement } from './statement.ts'

/** Where a field of a row is kept: the column's name, or one whose values are JSON. */
export type Column = string | { json: string }

/** Statements for rows of which a caller gives any of the columns: one for each set of columns. */
export interface Write<Values extends object, Row> {
  /** @returns the statement for what is there (a key that is undefined is not), and its parameters in order */
  of(values: Values, ...first: readonly unknown[]): [statement: Statement<Row>, params: unknown[]]
}

/** Holds every column that a row of this type has. */
export type Columns<Values extends object> = { readonly [Key in keyof Required<Values>]: Column }

/**
 * Inserts one row; columns that are not given get their defaults.
 * @param tail what follows the values: `on conflict …`, `returning …`
 */
export function insertInto<Values extends object, Row = NoRow>(
  table: SqlPart,
  columns: Columns<Values>,
  tail?: SqlPart,
): Write<Values, Row> {
  return write(columns, 0, names => {
    const places = names.map((_, i) => `$${i + 1}`).join(', ')
    return `insert into ${table} (${names.join(', ')}) values (${places}) ${tail ?? ''}`
  })
}

/**
 * Changes the columns that are given.
 * @param options.always is set with every change
 * @param options.where uses the first parameters, `given` of them
 */
export function updateOf<Values extends object, Row = NoRow>(
  table: SqlPart,
  columns: Columns<Values>,
  options: { always?: SqlPart; where: SqlPart; given: number; returning?: SqlPart },
): Write<Values, Row> {
  return write(columns, options.given, names => {
    const set = names.map((name, i) => `${name} = $${options.given + i + 1}`)
    if (options.always) set.push(options.always.text)
    return `update ${table} set ${set.join(', ')} where ${options.where} ${options.returning ? `returning ${options.returning}` : ''}`
  })
}

function write<Values extends object, Row>(
  columns: Columns<Values>,
  given: number,
  text: (names: string[]) => string,
): Write<Values, Row> {
  const keys = Object.keys(columns) as (keyof Values)[]
  const made = new Map<string, Statement<Row>>()
  const nameOf = (key: keyof Values) => {
    const column: Column = columns[key]
    return typeof column === 'string' ? column : column.json
  }
  const statement = (those: readonly (keyof Values)[]) => {
    const names = those.map(nameOf)
    const key = names.join()
    const found = made.get(key) ?? new Statement<Row>(text(names).trim())
    made.set(key, found)
    return found
  }
  // For the check of all statements: each column alone, and all at once.
  if (isWatched()) for (const those of [...keys.map(key => [key]), keys]) statement(those)
  return {
    of(values, ...first) {
      if (first.length !== given) throw new Error(`${given} parameters come first, ${first.length} were given`)
      const there = keys.filter(key => values[key] !== undefined)
      const params = there.map(key => {
        const value: unknown = values[key]
        return typeof columns[key] === 'string' || value === null ? value : JSON.stringify(value)
      })
      return [statement(there), [...first, ...params]]
    },
  }
}
