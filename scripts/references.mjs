// What the documents name must be there: files that they link to, decisions by number. node scripts/references.mjs FOLDER
// looks at another tree.
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

/**
 * @param {string} root the repository
 * @returns {{ problems: string[], links: number }}
 */
export function deadReferences(root) {
  const problems = []
  let links = 0
  const decisions = new Set()
  for (const name of readdirSync(join(root, 'docs/adr'))) {
    const number = Number(/^(\d{4})-[a-z0-9-]+\.md$/.exec(name)?.[1])
    if (Number.isNaN(number)) {
      if (name !== 'README.md') problems.push(`docs/adr/${name}: a decision is named like 0001-some-words.md`)
    } else if (decisions.has(number))
      problems.push(`docs/adr/${name}: there are two decisions with the number ${number}`)
    else decisions.add(number)
  }
  for (const file of documents(root)) {
    const text = readFileSync(file, 'utf8').replace(/^(```|~~~)[\s\S]*?^\1/gm, '')
    const where = relative(root, file)
    for (const [, target] of text.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)) {
      if (/^([a-z][a-z0-9+.-]*:|#|\/)/i.test(target)) continue
      links += 1
      if (!existsSync(join(dirname(file), decodeURIComponent(target.split('#')[0]))))
        problems.push(`${where}: ${target} is not there`)
    }
    for (const [named, number] of text.matchAll(/\bADR (\d+)/g)) {
      links += 1
      if (!decisions.has(Number(number))) problems.push(`${where}: there is no ${named}`)
    }
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
