import { isWatched, SqlPart, Statement } from './statement.ts'

/**
 * What a filter asks for: a condition in which `$1` is the filter's value; or one for each of a few values, which are not
 * parameters then, `other` for those that are.
 */
export type FilterPart = SqlPart | { readonly [value: string]: SqlPart }

/** The condition of every filter that there is. */
export type Filters<Filter extends object> = { readonly [Key in keyof Required<Filter>]: FilterPart }

/** A filter that was asked for: its condition, and whether its value is a parameter. */
export interface Asked {
  key: string
  text: string
  hasValue: boolean
}

/** What a filter asks for, in the order of the filters, and the values of the parameters. One without a value is not asked for. */
export function askedBy<Filter extends object>(
  filters: Filters<Filter>,
  filter: Filter,
): { asked: Asked[]; values: unknown[] } {
  const asked: Asked[] = []
  const values: unknown[] = []
  for (const name of Object.keys(filters) as (keyof Filter & string)[]) {
    const value = filter[name] as unknown
    if (value === undefined) continue
    const found = askedOf(name, filters[name], String(value))
    asked.push(found)
    if (found.hasValue) values.push(value)
  }
  return { asked, values }
}

/**
 * The conditions as one.
 * @param given parameters that come before the filters' own
 * @returns also the number of the next parameter
 */
export function conditionsOf(
  asked: readonly Asked[],
  where: SqlPart | undefined,
  given: number,
): { text: string; next: number } {
  const conditions = where ? [where.text] : []
  let next = given + 1
  for (const { text, hasValue } of asked) {
    conditions.push(hasValue ? text.replaceAll(/\$1\b/g, `$${next}`) : text)
    if (hasValue) next++
  }
  return { text: conditions.length > 0 ? conditions.join(' and ') : 'true', next }
}

/** Every condition that a filter can become. */
export function waysOf(name: string, filter: FilterPart): Asked[] {
  if (isPart(filter)) return [askedOf(name, filter, '')]
  return Object.entries(filter).map(([value, { text }]) => ({
    key: `${name}=${value}`,
    text,
    hasValue: value === 'other',
  }))
}

function askedOf(name: string, filter: FilterPart, value: string): Asked {
  if (isPart(filter)) return { key: name, text: filter.text, hasValue: true }
  const own = Object.hasOwn(filter, value) && value !== 'other' ? filter[value] : undefined
  if (own) return { key: `${name}=${value}`, text: own.text, hasValue: false }
  if (!filter.other) throw new Error(`${name} has no ${value}`)
  return { key: name, text: filter.other.text, hasValue: true }
}

function isPart(filter: FilterPart): filter is SqlPart {
  return typeof (filter as SqlPart).text === 'string'
}

/** A statement about all that filters leave. */
export interface FilteredSql<Row, Filter extends object> {
  /** @param given values of the first parameters */
  of(filter: Filter, ...given: unknown[]): [statement: Statement<Row>, params: unknown[]]
}

/**
 * Statements that do something to all that filters leave, or count it: one for each way of asking, kept. The check of all
 * statements sees each filter alone and all at once.
 * @param options.given parameters of the statement's own; the filters' follow them
 * @param options.alike other statements have these filters: all at once are enough for the check
 * @param statement with the conditions as one
 */
export function filteredSql<Row, Filter extends object>(
  options: { filters: Filters<Filter>; given: number; alike?: boolean },
  statement: (where: SqlPart) => SqlPart,
): FilteredSql<Row, Filter> {
  const { filters, given } = options
  const kept = new Map<string, Statement<Row>>()
  const make = (asked: readonly Asked[]) => {
    const { text } = conditionsOf(asked, undefined, given)
    return new Statement<Row>(statement(new SqlPart(text)).text)
  }
  if (isWatched()) {
    const names = Object.keys(filters) as (keyof Filter & string)[]
    const ways = names.map(name => waysOf(name, filters[name]))
    make(ways.flatMap(([first]) => first ?? []))
    if (!options.alike) for (const asked of [[], ...ways.flat().map(way => [way])]) make(asked)
  }
  return {
    of(filter, ...first) {
      if (first.length !== given) throw new Error(`${given} parameters come first, ${first.length} were given`)
      const { asked, values } = askedBy(filters, filter)
      const key = asked.map(({ key }) => key).join()
      const found = kept.get(key) ?? make(asked)
      kept.set(key, found)
      return [found, [...first, ...values]]
    },
  }
}
