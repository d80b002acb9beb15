import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import type { ListSql } from '../../lib/sql/list.ts'

export interface ListInput {
  limit?: number | undefined
  cursor?: string | undefined
  q?: string | undefined
  sort?: string | undefined
  total?: '0' | '1' | undefined
}

/** Text of a search as it stands in `like`. */
export const needleOf = (q: string | undefined): { q?: string } => {
  const text = q?.trim()
  return text ? { q: `%${text.replaceAll(/[\\%_]/g, sign => `\\${sign}`)}%` } : {}
}

/** A page of a list, its cursor, and the number of rows where that is asked for. */
export async function listPage<Row extends { id: string }, Filter extends object, Sort extends string, View>(
  scope: TenantScope,
  list: ListSql<Row, Filter, Sort>,
  input: ListInput,
  asked: {
    given: readonly unknown[]
    filter: Filter
    sorts: readonly Sort[]
    fallback: NoInfer<`${'' | '-'}${Sort}`>
    view: (row: Row) => View
  },
): Promise<{ items: View[]; nextCursor: string | null; total?: number }> {
  const { given, filter, view } = asked
  const limit = input.limit ?? 20
  const sort = parseSort(input.sort, asked.sorts, asked.fallback)
  const position = decodeCursor(input.cursor, 2)
  if (position && !position.every(each => typeof each === 'string')) throw new AppError('request.cursor_invalid')
  const after = position as [string, string] | null
  const { rows } = await readFrom(input.cursor, () =>
    scope.run(...list.page({ given, filter, sort, after, limit: limit + 1 })),
  )
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const total = input.total === '1' ? (await scope.run(...list.count(filter, given))).rows[0]!.n : undefined
  return {
    items: page.map(view),
    nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
    ...(total === undefined ? {} : { total }),
  }
}
