// What the documents name must be there: files that they link to, decisions by number. Decisions are counted without
// holes, and their index names each. node scripts/references.mjs FOLDER looks at another tree.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const SKIPPED = ['node_modules', 'dist', 'data', 'results', '.git', '.tsbuild']

function documents(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    if (SKIPPED.includes(entry.name)) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return documents(path)
    return entry.name.endsWith('.md') ? [path] : []
  })
}

/** Code that names a decision. Not migrations, which nobody edits: they keep the numbers of their time. */
function sources(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    if (SKIPPED.includes(entry.name) || entry.name === 'migrations') return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return sources(path)
    return /\.(tsx?|m[jt]s|css|sql)$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) ? [path] : []
  })
}

/**
 * The decisions by their numbers: 1, 2, 3 … without a hole, each under its own number and once in the index.
 * @param {string[]} problems what is wrong is added to them
 * @returns {Map<number, string>} number → file
 */
function numberedDecisions(root, problems) {
  const folder = join(root, 'docs/adr')
  const decisions = new Map()
  for (const name of readdirSync(folder).sort()) {
    const number = Number(/^(\d{4})-[a-z0-9-]+\.md$/.exec(name)?.[1])
    if (Number.isNaN(number)) {
      if (name !== 'README.md') problems.push(`docs/adr/${name}: a decision is named like 0001-some-words.md`)
    } else if (decisions.has(number))
      problems.push(`docs/adr/${name}: there are two decisions with the number ${number}`)
    else decisions.set(number, name)
  }
  const last = Math.max(0, ...decisions.keys())
  for (let number = 1; number <= last; number += 1)
    if (!decisions.has(number)) problems.push(`docs/adr: there is no decision ${number}, and there is one ${last}`)
  const index = join(folder, 'README.md')
  const rows = existsSync(index) ? readFileSync(index, 'utf8').split('\n') : []
  for (const [number, name] of decisions) {
    const [, title] = new RegExp(`^# ${number}\\. (.+)`).exec(readFileSync(join(folder, name), 'utf8')) ?? []
    if (title === undefined) problems.push(`docs/adr/${name}: its title does not begin with "# ${number}. "`)
    else if (!rows.includes(`| ${number} | [${title}](${name}) |`))
      problems.push(`docs/adr/README.md: no row | ${number} | [${title}](${name}) |`)
  }
  return decisions
}

/**
 * @param {string} root the repository
 * @returns {{ problems: string[], links: number }}
 */
export function deadReferences(root) {
  const problems = []
  let links = 0
  const decisions = numberedDecisions(root, problems)
  const named = (text, where) => {
    for (const [words, number] of text.matchAll(/\bADR (\d+)/g)) {
      links += 1
      if (!decisions.has(Number(number))) problems.push(`${where}: there is no ${words}`)
    }
    for (const [words, number, rest] of text.matchAll(/\badr\/(\d{4})(-[a-z0-9-]+\.md)?/g)) {
      links += 1
      const name = decisions.get(Number(number))
      if (name === undefined || (rest && name !== number + rest)) problems.push(`${where}: ${words} is not there`)
    }
  }
  for (const part of ['apps', 'packages', 'tools', 'e2e', 'scripts'])
    for (const file of sources(join(root, part))) named(readFileSync(file, 'utf8'), relative(root, file))
  for (const file of documents(root)) {
    const text = readFileSync(file, 'utf8').replace(/^(```|~~~)[\s\S]*?^\1/gm, '')
    const where = relative(root, file)
    for (const [, target] of text.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)) {
      if (/^([a-z][a-z0-9+.-]*:|#|\/)/i.test(target)) continue
      links += 1
      if (!existsSync(join(dirname(file), decodeURIComponent(target.split('#')[0]))))
        problems.push(`${where}: ${target} is not there`)
    }
    named(text.replace(/\]\([^)]*\)/g, ']'), where)
  }
  // A look that finds no link also finds no dead one.
  if (links === 0) problems.push('no references were found')
  return { problems, links }
}

if (process.argv[1] === import.meta.filename) {
  const { problems } = deadReferences(resolve(process.argv[2] ?? '.'))
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  process.exit(problems.length ? 1 : 0)
}
