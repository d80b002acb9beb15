import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadModule } from 'libpg-query'
import type { Found } from './collect-statements.ts'
import { type Use, usesOf } from './statement-tables.ts'

/** The owners of the tables and who else may come near them: src/table-owners.json. */
export interface TableOwners {
  /** Files (or folders) that handle tables whoever owns them, and why. */
  whole: Record<string, string>
  tables: Record<
    string,
    {
      owner: string
      /** Modules that read it by its name rather than through the owner's pieces and functions. */
      readers?: string[]
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
    const key = `${writes ? 'writers' : 'readers'} ${table} ${area}`
    needed.add(key)
    const exempt = everywhere.find(path => place.startsWith(path))
    if (exempt) needed.add(`whole ${exempt}`)
    else if (writes && !entry.writers?.[area]) problems.push(`${place}: writes ${table}, which ${entry.owner} owns`)
    else if (!writes && !entry.readers?.includes(area))
      problems.push(`${place}: reads ${table}, which ${entry.owner} owns, and is not declared`)
  }
  for (const table of existing) if (!tables[table]) problems.push(`${table}: has no owner in table-owners.json`)
  for (const [table, { readers = [], writers = {} }] of Object.entries(tables)) {
    if (!existing.includes(table)) problems.push(`${table}: stands in table-owners.json and is no table`)
    for (const area of readers)
      if (!needed.has(`readers ${table} ${area}`)) problems.push(`${table}: ${area} is declared and does not read it`)
    for (const area of Object.keys(writers))
      if (!needed.has(`writers ${table} ${area}`)) problems.push(`${table}: ${area} is declared and does not write it`)
  }
  for (const path of everywhere) if (!needed.has(`whole ${path}`)) problems.push(`${path}: needs no exemption`)
  return [...new Set(problems)]
}
