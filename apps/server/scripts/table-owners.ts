import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadModule } from 'libpg-query'
import type { Found } from './collect-statements.ts'
import { type Use, usesOf } from './statement-tables.ts'

/** The owners of the tables and who else may write them: src/table-owners.json. Who reads them is written down by itself. */
export interface TableOwners {
  /** Files (or folders) that handle tables whoever owns them, and why. */
  whole: Record<string, string>
  tables: Record<
    string,
    {
      owner: string
      /** Others that write it, and why. */
      writers?: Record<string, string>
    }
  >
}

export function readTableOwners(): TableOwners {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../src/table-owners.json'), 'utf8')) as TableOwners
}

interface AreaUse extends Use {
  area: string
  place: string
}

/** Which area uses which table; a piece of SQL belongs to the module that wrote it, whoever puts it into a statement. */
export async function tableUses(statements: readonly Found[]): Promise<AreaUse[]> {
  await loadModule()
  return statements.flatMap(({ marked, area, place }) => {
    const bytes = Buffer.from(marked)
    return usesOf(marked).map(use => ({ ...use, place, area: areaAt(bytes.subarray(0, use.at).toString(), area) }))
  })
}

/** The area of the innermost piece that is open after this text. */
function areaAt(text: string, area: string): string {
  const open = [area]
  for (const [, begins] of text.matchAll(/\/\*(?:<([\w-]+)|>)\*\//g)) {
    if (begins) open.push(begins)
    else open.pop()
  }
  return open.at(-1)!
}

/**
 * What the list does not allow, and what it says that is not so.
 * @param existing tables and views of the schema
 */
export function ownershipProblems(
  uses: readonly AreaUse[],
  { tables, whole }: TableOwners,
  existing: readonly string[],
): string[] {
  const problems: string[] = []
  const needed = new Set<string>()
  const everywhere = Object.keys(whole)
  for (const { table, area, place, writes } of uses) {
    const entry = tables[table]
    if (!entry || entry.owner === area) continue
    needed.add(`${writes ? 'writers' : 'readers'} ${table} ${area}`)
    const exempt = everywhere.find(path => place.startsWith(path))
    if (exempt) needed.add(`whole ${exempt}`)
    else if (writes && !entry.writers?.[area]) problems.push(`${place}: writes ${table}, which ${entry.owner} owns`)
  }
  for (const table of existing) if (!tables[table]) problems.push(`${table}: has no owner in table-owners.json`)
  for (const [table, { writers = {} }] of Object.entries(tables)) {
    if (!existing.includes(table)) problems.push(`${table}: stands in table-owners.json and is no table`)
    for (const area of Object.keys(writers))
      if (!needed.has(`writers ${table} ${area}`)) problems.push(`${table}: ${area} is declared and does not write it`)
  }
  for (const path of everywhere) if (!needed.has(`whole ${path}`)) problems.push(`${path}: needs no exemption`)
  return [...new Set(problems)]
}

/** Which modules read tables of others by their names, a line for each table; those that handle all tables left out. */
export function readersOf(uses: readonly AreaUse[], { tables, whole }: TableOwners): string {
  const readers = new Map<string, Set<string>>()
  for (const { table, area, place, writes } of uses) {
    const owner = tables[table]?.owner
    if (writes || owner === undefined || owner === area) continue
    if (Object.keys(whole).some(path => place.startsWith(path))) continue
    readers.set(table, (readers.get(table) ?? new Set()).add(area))
  }
  return [...readers]
    .map(([table, areas]) => `${table} of ${tables[table]!.owner}: ${[...areas].sort().join(', ')}\n`)
    .sort()
    .join('')
}

/** What is different of the readers since somebody last looked at them. */
export function changedReaders(kept: string, now: string): string[] {
  const [before, after] = [kept, now].map(text => text.split('\n').filter(Boolean)) as [string[], string[]]
  const command = 'see that it should, then npx tsx apps/server/scripts/check-statements.ts --write-readers'
  return [
    ...after.filter(line => !before.includes(line)).map(line => `table-readers.txt: now ${line}: ${command}`),
    ...before
      .filter(line => !after.some(other => other.split(':')[0] === line.split(':')[0]))
      .map(line => `table-readers.txt: nobody now, was ${line}: ${command}`),
  ]
}
