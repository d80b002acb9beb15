import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const scripts = join(import.meta.dirname, '../../scripts')

/** What a file imports at its head, before its first line runs. */
function importsOf(name: string): string[] {
  const head = readFileSync(join(scripts, name), 'utf8').split(
    /^(?:const|let|function|async|export|class|if|await)\b/m,
  )[0]
  return [...(head ?? '').matchAll(/^(?:import|\}).*?'([^']+)'$/gm)].map(m => m[1] ?? '')
}

/** Packages that a script needs before it can install them, each with the way to it. */
function neededBefore(name: string, way: string[] = []): string[] {
  if (way.includes(name)) return []
  return importsOf(name).flatMap(from => {
    if (from.startsWith('node:')) return []
    if (from.startsWith('./')) return neededBefore(from.slice(2), [...way, name])
    return [[...way, name, from].join(' > ')]
  })
}

// A fresh clone has no packages: whatever a command installs first, it cannot import before.
it('every command of package.json begins on a machine without node_modules', () => {
  const manifest = JSON.parse(readFileSync(join(scripts, '../package.json'), 'utf8')) as { scripts: object }
  const commands = Object.values(manifest.scripts).flatMap(line => /^node scripts\/(\S+)/.exec(String(line))?.[1] ?? [])
  expect(commands).toContain('test.mjs')
  expect(commands.every(name => readdirSync(scripts).includes(name))).toBe(true)
  expect(commands.flatMap(name => neededBefore(name))).toEqual([])
})
