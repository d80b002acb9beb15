// What a working copy changes, for `npm test -- --changed`.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './lib.mjs'

/** What decides how everything is built and run: who touches it runs everything. */
const OF_ALL =
  /^(package(-lock)?\.json|tsconfig|biome\.json|scripts\/|\.ci\/|[^/]+\/[^/]+\/(package|tsconfig)\.json|.*vitest\.config)/

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)

/**
 * Files that differ from a commit, those that git does not know yet included and those that are gone left out.
 * @param since a commit or branch; what is not committed yet, without one
 * @returns absolute paths, or null when so much is touched that everything is to be run
 */
export function changedFiles(since = 'HEAD') {
  const names = [...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')]
  if (names.some(name => OF_ALL.test(name))) return null
  return [...new Set(names)].map(name => join(root, name)).filter(path => existsSync(path))
}
