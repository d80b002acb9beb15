// What pages of the console do at the server goes through useAct and useWork (ADR 43): no keys of the cache made by
// hand, no catch that only shows the notice which these show anyway.
// node scripts/actions.mjs FOLDER looks at another tree.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import ts from 'typescript'

/** Where keys are made, and the cache itself. */
const OWN = /^apps\/web\/src\/lib\/(server-state\/|query-client\.ts$)/
/** What stands on a page; those of app/pages stand outside the console's frame, where there is no cache. */
const PAGES = /^apps\/web\/src\/(features|ui|app(?!\/pages))\//
const KEY_MAKERS = /\bkeyOf\b|\bkeyTouched\b/
const KEY_FIELDS = new Set(['queryKey', 'mutationKey'])

/**
 * @param {string} root the repository
 * @returns {{ problems: string[], actions: number }} actions: how many there are
 */
export function actions(root) {
  const problems = []
  let count = 0
  for (const path of sources(join(root, 'apps/web/src'))) {
    const name = relative(root, path).replaceAll('\\', '/')
    if (OWN.test(name)) continue
    const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
    const say = (node, text) =>
      problems.push(`${name}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${text}`)
    const visit = node => {
      if (isNamedCall(node, 'useAct')) count += 1
      if (makesKey(node)) say(node, 'a key made by hand: useRead, useAct and useCache know an answer by its operation')
      if (PAGES.test(name)) {
        if (onlyShows(node)) say(node, 'a catch that only shows the notice: run of useAct, or attempt of useWork, does')
        if (isNamedCall(node, 'attempt') && isSingle(node.arguments[0]))
          say(node, 'one operation: useAct knows whether it is on its way and what it touches')
      }
      ts.forEachChild(node, visit)
    }
    visit(file)
  }
  // A reader that finds no action also finds no fault.
  if (count === 0) problems.push('no action was found')
  return { problems, actions: count }
}

const nameOf = node => (ts.isIdentifier(node) ? node.text : ts.isPropertyAccessExpression(node) ? node.name.text : '')
const isNamedCall = (node, name) => ts.isCallExpression(node) && nameOf(node.expression) === name
const isFunction = node => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node))

function makesKey(node) {
  if (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node))
    return KEY_FIELDS.has(node.name.getText())
  if (!ts.isImportDeclaration(node) || !/\/server-state\/keys\.ts$/.test(node.moduleSpecifier.text)) return false
  return KEY_MAKERS.test(node.importClause?.getText() ?? '')
}

/** `.catch(showError)`, `.then(done, showError)`, `catch (error) { showError(error) }`. */
function onlyShows(node) {
  if (ts.isCatchClause(node)) return showsAlone(node.block.statements)
  if (isNamedCall(node, 'catch')) return isShow(node.arguments[0])
  return isNamedCall(node, 'then') && node.arguments.length > 1 && isShow(node.arguments[1])
}

function isShow(handler) {
  if (!handler) return false
  if (ts.isIdentifier(handler)) return handler.text === 'showError'
  if (!isFunction(handler)) return false
  return ts.isBlock(handler.body) ? showsAlone(handler.body.statements) : isNamedCall(handler.body, 'showError')
}

/** Shows it, and at most says that nothing came of it. */
function showsAlone(statements) {
  const [first, second, ...more] = statements
  if (!first || more.length > 0 || !ts.isExpressionStatement(first) || !isNamedCall(first.expression, 'showError'))
    return false
  return second === undefined || (ts.isReturnStatement(second) && isNothing(second.expression))
}

const isNothing = value =>
  value === undefined ||
  value.kind === ts.SyntaxKind.NullKeyword ||
  (ts.isIdentifier(value) && value.text === 'undefined')

/** A function that waits once, for one operation that stands there by name. */
function isSingle(work) {
  if (!isFunction(work)) return false
  const calls = []
  let waits = 0
  let others = 0
  const visit = node => {
    if (ts.isAwaitExpression(node)) waits += 1
    if (isNamedCall(node, 'call')) calls.push(node)
    if (isFunction(node) || ts.isIterationStatement(node, false)) others += 1
    ts.forEachChild(node, visit)
  }
  visit(work.body)
  return calls.length === 1 && waits <= 1 && others === 0 && ts.isStringLiteralLike(calls[0].arguments[0] ?? work)
}

/** The sources of a folder, without tests. */
function sources(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'testing' ? [] : sources(path)
    return /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) ? [path] : []
  })
}

if (process.argv[1] === import.meta.filename) {
  const { problems, actions: count } = actions(resolve(process.argv[2] ?? join(import.meta.dirname, '..')))
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  if (problems.length === 0) process.stdout.write(`${count} actions\n`)
  process.exit(problems.length ? 1 : 0)
}
