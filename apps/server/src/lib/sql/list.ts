import { type Asked, askedBy, conditionsOf, type FilterPart, waysOf } from './filters.ts'
import { isWatched, type SqlPart, Statement } from './statement.ts'

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

  const whereOf = (asked: readonly Asked[]) => conditionsOf(asked, options.where, given)

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

  const read = (filter: Filter) => askedBy(filters, filter)

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
