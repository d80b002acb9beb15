import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { watchStatements } from '../src/lib/sql/statement.ts'

const source = join(import.meta.dirname, '../src')

export interface Found {
  text: string
  /** The same with the areas that its pieces come from: `/*<area*` and `/*>*`, each closed as a comment is. */
  marked: string
  isCount: boolean
  /** Of one that connections keep planned. */
  name?: string | undefined
  /** file:line:column of what made it. */
  place: string
  /** The module that made it, or the folder of what is no module. */
  area: string
}

/** Imports every file that makes statements, and these too. @returns what they made */
export async function collectStatements(more: readonly string[]): Promise<Found[]> {
  const found: Found[] = []
  watchStatements({
    told({ text, isCount, name }) {
      const path = callerOf()
      const place = relative(source, path)
      found.push({
        text: text.replaceAll(/\/\*(<[\w-]+|>)\*\//g, ''),
        marked: text,
        isCount,
        name,
        place,
        area: areaOf(path),
      })
    },
    piece: text => `/*<${areaOf(callerOf())}*/${text}/*>*/`,
  })
  for (const file of [...files(), ...more]) if (!isProgram(file)) await import(pathToFileURL(file).href)
  return found
}

/** Files that hold statements and cannot be imported. */
export function programsWithStatements(): string[] {
  return files()
    .filter(isProgram)
    .map(file => relative(source, file))
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

/** The file, line and column that wanted a statement or a piece of one. */
function callerOf(): string {
  const line = (new Error().stack ?? '')
    .split('\n')
    .slice(2)
    .find(at => !at.includes('/lib/sql/') && !at.includes('/collect-statements.ts'))
  const place = /((?:file:\/\/)?\/[^)]*:\d+:\d+)/.exec(line ?? '')?.[1] ?? '?'
  return place.replace('file://', '')
}

function areaOf(path: string): string {
  const inside = relative(source, path)
  // A file that stands elsewhere was planted. The folder of the whole tree may be called `modules` too.
  const area = inside.startsWith('..') ? /\/modules\/([\w-]+)\//.exec(path) : /^(?:modules\/)?([\w-]+)/.exec(inside)
  return area?.[1] ?? 'elsewhere'
}
