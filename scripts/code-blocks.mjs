// Code that people copy, out of the documents and out of the console, is run by a test as it stands there, or
// it is said why not: in the fence of the document (```sh run=tools/x.test.ts, ```text shown=a drawing), and for command
// lines between backticks, articles of the assistant and the console in docs/code-blocks.json. What nobody runs is wrong one day, and the first to see it is a newcomer.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'

const TABLE = 'docs/code-blocks.json'
const LEFT_OUT = new Set(['node_modules', 'dist', 'data', 'results', '.git', '.tsbuild'])
const CONSOLE = 'apps/web/src'
/** Programs whose command lines in the middle of a text are there to be copied. */
const INLINE = /`((?:curl|mosquitto_\w+|openssl|psql|nc|coap-client|wscat|npx|claude) [^`\n]+)`/g
/** What the console draws code with. */
const BOX = /<(?:CodeBox|CodeBlock|pre)\b/g

function filesUnder(root, folder, fits) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = folder ? `${folder}/${entry.name}` : entry.name
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : filesUnder(root, path, fits)
    return fits(path) ? [path] : []
  })
}

/** What stands in a document to be copied: blocks between ``` and command lines between backticks. */
export function codeIn(text) {
  const found = []
  const rest = text.replace(/^ *```([^\n]*)\n([\s\S]*?)^ *```/gm, (_, language, code) => {
    const [, word, key, value] = /^(.*?) ?\b(run|shown)=(.*)$/.exec(language.trim()) ?? [null, language.trim()]
    found.push({ language: word, code, ...(key ? { entry: { [key]: value } } : {}) })
    return ''
  })
  for (const [, code] of rest.matchAll(INLINE)) found.push({ language: 'inline', code })
  return found
}

/** What an entry of the table says is true: exactly one of `run` and `shown`, and the test knows of the file. */
function wrongWith(root, path, { run, shown, ...rest }) {
  const others = Object.keys(rest).filter(key => key !== 'begins' && key !== 'boxes')
  if (others.length > 0) return `${others.join(', ')} means nothing`
  if ((run === undefined) === (shown === undefined)) return 'either "run" or "shown"'
  if (run === undefined) return shown.trim() ? null : 'without a reason'
  if (!existsSync(join(root, run))) return `${run} does not exist`
  // One README is like another: those are named with their folder.
  const name = path.replace(/^.*\/(?!README)/, '').replace(/^(?:.*\/)?([^/]+\/README)/, '$1')
  const stem = name.replace(/\.\w+$/, '')
  return readFileSync(join(root, run), 'utf8').includes(stem) ? null : `${run} does not name ${stem}`
}

/**
 * Holds the documents and the console under a root against the table.
 * @returns a line for each piece of code that is not in it, each entry that is wrong, and how many pieces there are
 */
export function codeBlocks(root) {
  const { documents, console: boxes } = JSON.parse(readFileSync(join(root, TABLE), 'utf8'))
  const problems = []
  let pieces = 0
  const left = new Map(Object.entries(documents).map(([path, entries]) => [path, [...entries]]))
  for (const path of filesUnder(root, '', name => name.endsWith('.md'))) {
    const entries = left.get(path) ?? []
    for (const { code, entry } of codeIn(readFileSync(join(root, path), 'utf8'))) {
      pieces += 1
      if (entry) {
        const wrong = wrongWith(root, path, entry)
        if (wrong) problems.push(`${path}: ${JSON.stringify(code.split('\n')[0].slice(0, 40))}: ${wrong}`)
        continue
      }
      const at = entries.findIndex(({ begins }) => code.startsWith(begins))
      if (at < 0) problems.push(`${path}: no test runs ${JSON.stringify(code.split('\n')[0].slice(0, 80))}`)
      else {
        const wrong = wrongWith(root, path, entries.splice(at, 1)[0])
        if (wrong) problems.push(`${path}: ${JSON.stringify(code.split('\n')[0].slice(0, 40))}: ${wrong}`)
      }
    }
  }
  for (const [path, entries] of left)
    for (const { begins } of entries) problems.push(`${path}: nothing begins with ${JSON.stringify(begins)}`)

  const expected = new Map(Object.entries(boxes))
  for (const path of filesUnder(root, CONSOLE, name => name.endsWith('.tsx') && !name.endsWith('.test.tsx'))) {
    const count = readFileSync(join(root, path), 'utf8').match(BOX)?.length ?? 0
    if (count === 0) continue
    pieces += count
    const short = path.slice(CONSOLE.length + 1)
    const entry = expected.get(short)
    expected.delete(short)
    if (!entry) problems.push(`${path}: no test runs what its ${count} boxes of code show`)
    else if (entry.boxes !== count) problems.push(`${path}: ${count} boxes of code, ${entry.boxes} in the table`)
    else {
      const wrong = wrongWith(root, path, entry)
      if (wrong) problems.push(`${path}: ${wrong}`)
    }
  }
  for (const path of expected.keys()) problems.push(`${CONSOLE}/${path}: has no box of code`)
  return { problems, pieces }
}

if (process.argv[1] === import.meta.filename) {
  const { problems } = codeBlocks(
    resolve(process.argv[2] ?? '.')
      .split(sep)
      .join('/'),
  )
  for (const line of problems) process.stdout.write(`${line}\n`)
  process.exit(problems.length ? 1 : 0)
}
