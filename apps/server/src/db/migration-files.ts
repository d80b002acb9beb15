import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from './start-error.ts'

export interface MigrationFile {
  /** File name, e.g. 0001_foundation.sql: its first four digits are its place in the order. */
  name: string
  sql: string
  sha256: string
}

/** The three login roles of design.md §7, as PostgreSQL names. */
export interface LoginRoles {
  app: string
  system: string
  telemetry: string
}

/** `migrations` beside this file in the source tree, beside the bundle (or its chunks) in dist/server. */
export function migrationsFolder(from: string = import.meta.dirname): string {
  const candidates = [join(from, 'migrations'), join(from, '..', 'migrations')]
  const found = candidates.find(dir => existsSync(dir))
  if (!found)
    throw new StartError(`The folder of the database migrations is missing (looked for ${candidates.join(', ')}).`)
  return found
}

/** Reads every migration in order. Line ends do not count towards the checksum: a checkout may change them. */
export function readMigrations(folder: string): MigrationFile[] {
  const names = readdirSync(folder)
    .filter(name => name.endsWith('.sql'))
    .sort()
  const numbers = new Set<string>()
  for (const name of names) {
    if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(name))
      throw new StartError(`${name}: a migration is named like 0002_words.sql.`)
    const number = name.slice(0, 4)
    if (numbers.has(number)) throw new StartError(`${name}: there are two migrations with the number ${number}.`)
    numbers.add(number)
  }
  return names.map(name => {
    const sql = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n')
    return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') }
  })
}

/**
 * Replaces `:app`, `:system` and `:telemetry` by quoted role names. A cast (`::text`), an array slice (`[1:app]`) and a
 * longer word (`:apple`) are none of these.
 */
export function withRoles(sql: string, roles: LoginRoles): string {
  return sql.replace(/(?<![:\w]):(app|system|telemetry)\b/g, (_, role: keyof LoginRoles) =>
    quoteIdentifier(roles[role]),
  )
}

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function quoteLiteral(text: string): string {
  if (text.includes('\\') || text.includes('\0'))
    throw new Error('this literal needs escaping that is not offered here')
  return `'${text.replaceAll("'", "''")}'`
}
