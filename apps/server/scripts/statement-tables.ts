import { parseSync } from 'libpg-query'

/** A table (or view) that a statement reads or writes, and where in its text it is named. */
export interface Use {
  table: string
  writes: boolean
  /** Byte offset. */
  at: number
}

interface RangeVar {
  schemaname?: string
  relname: string
  location?: number
}

const WRITES = new Set(['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'])

/** Every table that a statement names, as PostgreSQL's own parser reads it; names of its own WITH are none. */
export function usesOf(text: string): Use[] {
  const uses: Use[] = []
  visit(parseSync(text), new Set(), false, uses)
  return uses
}

function visit(node: unknown, own: ReadonlySet<string>, locks: boolean, uses: Use[]): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, own, locks, uses)
    return
  }
  if (typeof node !== 'object' || node === null) return
  for (const [key, value] of Object.entries(node)) {
    if (key === 'RangeVar') {
      const { relname, schemaname = 'public', location = 0 } = value as RangeVar
      // What a lock names is an alias of the statement.
      if (!own.has(relname) && !locks && schemaname === 'public' && !relname.startsWith('pg_'))
        uses.push({ table: relname, writes: false, at: location })
    } else if (WRITES.has(key)) {
      const { relation, ...rest } = value as { relation: RangeVar }
      uses.push({ table: relation.relname, writes: true, at: relation.location ?? 0 })
      visit(rest, namesOf(value, own), locks, uses)
    } else if (key === 'SelectStmt' || key === 'larg' || key === 'rarg') visit(value, namesOf(value, own), locks, uses)
    else visit(value, own, locks || key === 'LockingClause', uses)
  }
}

/** The names that a WITH adds. */
function namesOf(node: unknown, own: ReadonlySet<string>): ReadonlySet<string> {
  const { withClause } = node as { withClause?: { ctes?: { CommonTableExpr: { ctename: string } }[] } }
  if (!withClause?.ctes) return own
  return new Set([...own, ...withClause.ctes.map(({ CommonTableExpr }) => CommonTableExpr.ctename)])
}
