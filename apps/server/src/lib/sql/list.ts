import { isWatched, type SqlPart, Statement } from './statement.ts'

/**
 * What a filter asks for: a condition in which `$1` is the filter's value; or one for each of a few values, which are not
 * parameters then, `other` for those that are.
 */
export type FilterPart = SqlPart | { readonly [value: string]: SqlPart }

export interface ListOptions<Filter extends object, Sort extends string> {
  columns: SqlPart
  from: SqlPart
  /** Where rows are counted, when not all joins of `from` are needed for that. */
  countFrom?: SqlPart
  /** Holds for every row; its parameters are the first `given`. */
  where?: SqlPart
  given?: number
  filters: { readonly [Key in keyof Required<Filter>]: FilterPart }
  sorts: { readonly [Key in Sort]: { by: SqlPart; type: 'timestamptz' | 'text' | 'bigint' | 'int' } }
  /** Makes the order whole where sort keys are equal. */
  id: { by: SqlPart; type: 'uuid' | 'bigint' }
}

/** Where a page begins: the sort key of the last row before it as PostgreSQL prints it, and its id. */
export type ListPosition = readonly [key: string, id: string]

export interface ListPage<Filter, Sort> {
  /** Values of the parameters of `where`. */
  given?: readonly unknown[]
  /** Filters without a value are not asked for. */
  filter: Filter
  sort: { key: Sort; descending: boolean }
  after: ListPosition | null
  limit: number
}

export interface ListSql<Row, Filter extends object, Sort extends string> {
  page(page: ListPage<Filter, Sort>): [statement: Statement<Row & { position: string }>, params: unknown[]]
  count(filter: Filter, given?: readonly unknown[]): [statement: Statement<{ n: number }>, params: unknown[]]
}

/** A filter that was asked for: its condition, and whether its value is a parameter. */
interface Asked {
  key: string
  text: string
  hasValue: boolean
}

/**
 * The statements of a list that people filter, sort and turn the pages of: one for each way of asking, kept. The check of
 * all statements sees each filter alone and all at once, and every order from the beginning and from the middle.
 */
export function listSql<Row, Filter extends object, Sort extends string>(
  options: ListOptions<Filter, Sort>,
): ListSql<Row, Filter, Sort> {
  const { columns, from, id, sorts, filters } = options
  const given = options.given ?? 0
  const kept = new Map<string, Statement<never>>()
  const names = Object.keys(filters) as (keyof Filter & string)[]

  function keep<R>(key: string, make: () => Statement<R>): Statement<R> {
    const found = (kept.get(key) as Statement<R> | undefined) ?? make()
    kept.set(key, found as Statement<never>)
    return found
  }

  function whereOf(asked: readonly Asked[]): { text: string; next: number } {
    const conditions = options.where ? [options.where.text] : []
    let next = given + 1
    for (const { text, hasValue } of asked) {
      conditions.push(hasValue ? text.replaceAll(/\$1\b/g, `$${next}`) : text)
      if (hasValue) next++
    }
    return { text: conditions.length > 0 ? conditions.join(' and ') : 'true', next }
  }

  function pageOf(asked: readonly Asked[], sort: Sort, descending: boolean, begins: boolean) {
    const { text, next } = whereOf(asked)
    const { by, type } = sorts[sort]
    const direction = descending ? 'desc' : 'asc'
    const after = begins
      ? ''
      : ` and (${by}, ${id.by}) ${descending ? '<' : '>'} ($${next}::${type}, $${next + 1}::${id.type})`
    const limit = `$${begins ? next : next + 2}`
    return new Statement<Row & { position: string }>(
      `select ${columns}, ${by}::text as position from ${from} where ${text}${after}
       order by ${by} ${direction}, ${id.by} ${direction} limit ${limit}`,
    )
  }

  const countOf = (asked: readonly Asked[]) =>
    Statement.ofCount(`select count(*)::int as n from ${options.countFrom ?? from} where ${whereOf(asked).text}`)

  function read(filter: Filter): { asked: Asked[]; values: unknown[] } {
    const asked: Asked[] = []
    const values: unknown[] = []
    for (const name of names) {
      const value = filter[name] as unknown
      if (value === undefined) continue
      const found = askedOf(name, filters[name], String(value))
      asked.push(found)
      if (found.hasValue) values.push(value)
    }
    return { asked, values }
  }

  const keyOf = (asked: readonly Asked[]) => asked.map(({ key }) => key).join()

  if (isWatched()) {
    const each = names.flatMap(name => waysOf(name, filters[name]))
    const one = names.flatMap(name => waysOf(name, filters[name]).slice(0, 1))
    const first = Object.keys(sorts)[0] as Sort
    for (const asked of [[], ...each.map(way => [way]), one]) {
      pageOf(asked, first, true, true)
      countOf(asked)
    }
    for (const sort of Object.keys(sorts) as Sort[])
      for (const descending of [true, false]) pageOf(one, sort, descending, false)
  }

  return {
    page({ given: first = [], filter, sort, after, limit }) {
      const { asked, values } = read(filter)
      const key = `page ${sort.key} ${sort.descending} ${after === null} ${keyOf(asked)}`
      return [
        keep(key, () => pageOf(asked, sort.key, sort.descending, after === null)),
        [...first, ...values, ...(after ?? []), limit],
      ]
    },
    count(filter, first = []) {
      const { asked, values } = read(filter)
      return [keep(`count ${keyOf(asked)}`, () => countOf(asked)), [...first, ...values]]
    },
  }
}

/** A pattern of `like` and `ilike` for texts that contain this one. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
}

/** The conditions of filters alone, for statements that do something to all that a list shows. @param params are added to */
export function conditionsOf<Filter extends object>(
  filters: { readonly [Key in keyof Required<Filter>]: FilterPart },
  filter: Filter,
  params: unknown[],
): string {
  const conditions = (Object.keys(filters) as (keyof Filter & string)[]).flatMap(name => {
    const value = filter[name] as unknown
    if (value === undefined) return []
    const { text, hasValue } = askedOf(name, filters[name], String(value))
    return [hasValue ? text.replaceAll(/\$1\b/g, `$${params.push(value)}`) : text]
  })
  return conditions.length > 0 ? conditions.join(' and ') : 'true'
}

function askedOf(name: string, filter: FilterPart, value: string): Asked {
  if (isPart(filter)) return { key: name, text: filter.text, hasValue: true }
  const own = Object.hasOwn(filter, value) && value !== 'other' ? filter[value] : undefined
  if (own) return { key: `${name}=${value}`, text: own.text, hasValue: false }
  if (!filter.other) throw new Error(`${name} has no ${value}`)
  return { key: name, text: filter.other.text, hasValue: true }
}

/** Every condition that a filter can become. */
function waysOf(name: string, filter: FilterPart): Asked[] {
  if (isPart(filter)) return [askedOf(name, filter, '')]
  return Object.entries(filter).map(([value, { text }]) => ({
    key: `${name}=${value}`,
    text,
    hasValue: value === 'other',
  }))
}

function isPart(filter: FilterPart): filter is SqlPart {
  return typeof (filter as SqlPart).text === 'string'
}
