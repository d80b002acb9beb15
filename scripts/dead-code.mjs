// What nobody uses: files, exports, packages; and packages that stand on the wrong side of dependencies and
// devDependencies. Reads knip.json. node scripts/dead-code.mjs FOLDER looks at another tree.
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { root } from './lib.mjs'

/** Kinds of knip's report and what they mean. */
const WORDS = {
  files: () => 'nobody imports it',
  dependencies: name => `${name} is not used`,
  devDependencies: name => `${name} is not used`,
  optionalPeerDependencies: name => `${name} is not declared`,
  unlisted: name => `${name} is not declared`,
  unresolved: name => `${name} is not there`,
  exports: name => `${name} is exported and not used`,
  nsExports: name => `${name} is exported and not used`,
}

/** Without the tests. */
const PRODUCTION = {
  dependencies: name => `${name} is used by tests only`,
  unlisted: name => `${name} is used in production`,
}

function knip(folder, args) {
  return new Promise((done, failed) => {
    const child = spawn(
      process.execPath,
      [join(root, 'node_modules/knip/bin/knip.js'), '--no-progress', '--reporter=json', '--no-exit-code', ...args],
      { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let out = ''
    let err = ''
    child.stdout.on('data', data => {
      out += data
    })
    child.stderr.on('data', data => {
      err += data
    })
    child.on('error', failed)
    child.on('close', () => {
      try {
        done(JSON.parse(out).issues)
      } catch {
        failed(new Error(`knip did not answer: ${err || out}`.slice(0, 2000)))
      }
    })
  })
}

function linesOf(issues, words) {
  return issues.flatMap(({ file, ...kinds }) =>
    Object.entries(kinds).flatMap(([kind, found]) =>
      words[kind] && Array.isArray(found) ? found.map(item => `${file}: ${words[kind](item.name ?? item)}`) : [],
    ),
  )
}

/**
 * @param {string} folder the repository
 * @returns {Promise<string[]>} what nobody uses, a line each
 */
export async function deadCode(folder) {
  const [all, production] = await Promise.all([
    knip(folder, []),
    knip(folder, ['--production', '--strict', '--include=dependencies,unlisted']),
  ])
  const lines = linesOf(all, WORDS)
  const unused = new Set(lines)
  // Only what is started or served has a production.
  for (const line of linesOf(production, PRODUCTION))
    if (/^(apps|packages)\//.test(line) && !unused.has(line.replace('is used by tests only', 'is not used')))
      lines.push(line)
  return lines.sort()
}

if (process.argv[1] === import.meta.filename) {
  const lines = await deadCode(resolve(process.argv[2] ?? '.'))
  for (const line of lines) process.stdout.write(`${line}\n`)
  process.exit(lines.length ? 1 : 0)
}
