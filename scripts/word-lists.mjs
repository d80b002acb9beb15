// Lists of words that the console shares with the server stand once, in packages/contracts/src/*.words.ts.
// node scripts/word-lists.mjs FOLDER looks at another tree.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import ts from 'typescript'

/** Shorter ones are alike by chance. */
const LEAST = 3

/**
 * A list of words of the contracts that is written a second time, in the console or beside its words. One in an order of
 * its own is the page's: which words there are its type says.
 * @param {string} root the repository
 * @returns {{ problems: string[], lists: number }}
 */
export function wordLists(root) {
  const problems = []
  const contracts = listsIn(join(root, 'packages/contracts/src'))
  const known = new Map()
  // Words first: where a list stands there, everybody else copies it.
  const inOrder = [...contracts].sort((a, b) => isWords(b.path) - isWords(a.path))
  for (const list of inOrder) {
    const name = list.words.join(' ')
    const first = known.get(name)
    if (!first) known.set(name, list)
    else if (isWords(first.path) || isWords(list.path)) problems.push(copied(root, list, first))
  }
  for (const list of listsIn(join(root, 'apps/web/src'))) {
    const first = known.get(list.words.join(' '))
    if (first) problems.push(copied(root, list, first))
  }
  // A reader that finds no list also finds no copy.
  if (known.size === 0) problems.push('no list was found')
  return { problems, lists: known.size }
}

const isWords = path => /\.words\.ts$/.test(path)
const copied = (root, list, first) =>
  `${relative(root, list.path)}:${list.line}: ${list.words.join(', ').slice(0, 80)} stands in ${relative(root, first.path)}`

/** Arrays of words written out in a folder's sources. */
function listsIn(folder) {
  const lists = []
  const walk = at => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name)
      if (entry.isDirectory()) walk(path)
      else if (/\.tsx?$/.test(entry.name) && !/\.test\.|testing|api-paths/.test(path)) lists.push(...listsOf(path))
    }
  }
  if (existsSync(folder)) walk(folder)
  return lists
}

function listsOf(path) {
  const text = readFileSync(path, 'utf8')
  // A file without the beginning of a list need not be understood.
  if (!/\[\s*(['"`]|\/[/*])/.test(text)) return []
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found = []
  const visit = node => {
    if (ts.isArrayLiteralExpression(node)) {
      const words = node.elements.map(each => (ts.isStringLiteralLike(each) ? each.text : null))
      if (words.length >= LEAST && !words.includes(null))
        found.push({ path, words, line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1 })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

if (process.argv[1] === import.meta.filename) {
  const { problems, lists } = wordLists(resolve(process.argv[2] ?? join(import.meta.dirname, '..')))
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  if (problems.length === 0) process.stdout.write(`${lists} lists\n`)
  process.exit(problems.length ? 1 : 0)
}
