// No promise may float: a rejection that nobody takes ends a process, and with it every device's connection.
// Reads types through the native compiler, so that a function that begins to return a promise is found at its callers.
import { join, relative } from 'node:path'
import { SyntaxKind } from 'typescript-native/unstable/ast'
import { API, SignatureKind, TypeFlags } from 'typescript-native/unstable/sync'
import { root } from './lib.mjs'

const PROJECTS = ['apps/server', 'apps/web', 'packages/device-sdk', 'tools', 'e2e']
/**
 * What runs in a browser, where an unhandled rejection ends nothing and `lib/unhandled.ts` tells the person of it: there
 * `void` before a promise, or `async` before what is given, says that nobody waits. Without a word none may float.
 */
const BROWSER = ['apps/web']

const VOID = 'void hides a promise; use inBackground(what, work), or wait for it'
const FLOATS = 'a promise floats; wait for it, end it with .catch(…), or use inBackground(what, work)'
const GIVEN = 'a promise is returned to somebody who does not wait for it; use inBackground(what, work)'

/** These wait for what their function returns, although their types do not say so. */
const WAITING = new Set(['then', 'catch', 'finally'])

/**
 * Finds promises that nobody waits for in the projects of some folders.
 * @returns lines `file:line: what is wrong`, and how many places were looked at
 */
export function floatingPromises(
  folders = PROJECTS.map(project => join(root, project)),
  base = root,
  browser = BROWSER.map(project => join(root, project)),
) {
  const api = new API({ cwd: root })
  try {
    const snapshot = api.updateSnapshot({ openProjects: folders.map(folder => join(folder, 'tsconfig.json')) })
    const problems = []
    let places = 0
    for (const project of snapshot.getProjects()) {
      const isPromise = promiseTest(project.checker)
      for (const name of project.rootFiles) {
        const file = /\.tsx?$/.test(name) && project.program.getSourceFile(name)
        if (!file) continue
        const isBrowser = browser.some(folder => name.startsWith(`${folder}/`))
        const { statements, voids, functions } = candidates(file, isBrowser)
        const types = typesOf(project.checker, [...statements, ...voids, ...functions.map(f => f.result)])
        places += types.length
        const at = (node, text) => {
          const line = file.text.slice(0, node.getStart(file)).split('\n').length
          problems.push(`${relative(base, name)}:${line}: ${text}`)
        }
        const found = nodes => nodes.filter(() => isPromise(types.shift()))
        for (const node of found(statements)) at(node, FLOATS)
        for (const node of found(voids)) at(node, VOID)
        for (const { node } of found(functions)) if (isGivenToVoid(project.checker, node)) at(node, GIVEN)
      }
    }
    return { problems: problems.sort(), places }
  } finally {
    api.close()
  }
}

/** What may float: calls that are statements, operands of `void`, and what functions given to others return. */
function candidates(file, isBrowser) {
  const statements = []
  const voids = []
  const functions = []
  const visit = node => {
    if (node.kind === SyntaxKind.ExpressionStatement) {
      const inner = bare(node.expression)
      if (mayFloat(inner) && !isTaken(inner, isBrowser)) statements.push(inner)
    } else if (node.kind === SyntaxKind.VoidExpression) {
      if (!isBrowser) voids.push(bare(node.expression))
    } else if (node.kind === SyntaxKind.ArrowFunction || node.kind === SyntaxKind.FunctionExpression) {
      const isAsync = node.modifiers?.some(modifier => modifier.kind === SyntaxKind.AsyncKeyword) ?? false
      if (!isWaitedFor(node)) {
        if (isAsync && !isBrowser) functions.push({ node, result: null })
        else if (!isAsync && node.body.kind !== SyntaxKind.Block && !isTaken(bare(node.body), isBrowser))
          functions.push({ node, result: bare(node.body) })
      }
    }
    node.forEachChild(visit)
  }
  visit(file)
  return { statements, voids, functions }
}

function bare(node) {
  return node.kind === SyntaxKind.ParenthesizedExpression ? bare(node.expression) : node
}

/** An assignment keeps its promise for somebody; what else makes one is a call. */
function mayFloat(node) {
  switch (node.kind) {
    case SyntaxKind.CallExpression:
    case SyntaxKind.NewExpression:
    case SyntaxKind.ConditionalExpression:
      return true
    case SyntaxKind.BinaryExpression:
      return [
        SyntaxKind.AmpersandAmpersandToken,
        SyntaxKind.BarBarToken,
        SyntaxKind.QuestionQuestionToken,
        SyntaxKind.CommaToken,
      ].includes(node.operatorToken.kind)
    default:
      return false
  }
}

function methodOf(call) {
  return call.kind === SyntaxKind.CallExpression && call.expression.kind === SyntaxKind.PropertyAccessExpression
    ? call.expression.name.text
    : null
}

/** `work.catch(…)`: whoever wrote this has thought of the failure. In a browser `work.then(…, …)` is enough. */
function isTaken(node, isBrowser) {
  const method = methodOf(node)
  if (method === 'finally') return isTaken(bare(node.expression.expression), isBrowser)
  if (method === 'then' && isBrowser && node.arguments.length === 2) return true
  return method === 'catch' && node.arguments.length > 0
}

function isWaitedFor(node) {
  const parent = node.parent
  return methodOf(parent) !== null && parent.arguments.includes(node) && WAITING.has(methodOf(parent))
}

/** Types in one question; null stands for what an async function returns, which needs no asking. */
function typesOf(checker, nodes) {
  const asked = nodes.filter(node => node !== null)
  const types = asked.length > 0 ? [...checker.getTypeAtLocation(asked)] : []
  return nodes.map(node => (node === null ? 'promise' : types.shift()))
}

/** Whether a type, or one that it may be, has both `then` and `catch`: a reply of Fastify that can be awaited has not. */
function promiseTest(checker) {
  const known = new Map()
  const test = type => {
    if (type === undefined) return false
    if (type === 'promise') return true
    if (type.isUnionType()) return membersOf(checker, type).some(test)
    if (!(type.flags & (TypeFlags.Object | TypeFlags.Intersection))) return false
    let answer = known.get(type.id)
    if (answer === undefined) {
      answer = ['then', 'catch'].every(name => checker.getPropertyOfType(type, name) !== undefined)
      known.set(type.id, answer)
    }
    return answer
  }
  return test
}

/** The compiler's interface cannot hand out a union with a tuple in it: then its text says whether a promise is there. */
function membersOf(checker, type) {
  try {
    return type.getTypes()
  } catch {
    return /\bPromise</.test(checker.typeToString(type)) ? ['promise'] : []
  }
}

/** Whether a function stands where one is wanted that returns nothing. */
function isGivenToVoid(checker, node) {
  const wanted = checker.getContextualType(node)
  if (!wanted) return false
  const variants = wanted.isUnionType() ? membersOf(checker, wanted).filter(type => type !== 'promise') : [wanted]
  const results = variants.flatMap(type =>
    checker.getSignaturesOfType(type, SignatureKind.Call).map(signature => checker.getReturnTypeOfSignature(signature)),
  )
  return results.length > 0 && results.every(type => (type.flags & TypeFlags.Void) !== 0)
}

if (process.argv[1] === import.meta.filename) {
  const folders = process.argv.slice(2).filter(word => word !== '--browser')
  const browser = process.argv.includes('--browser') ? folders : []
  const { problems } = folders.length > 0 ? floatingPromises(folders, folders[0], browser) : floatingPromises()
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  process.exit(problems.length > 0 ? 1 : 0)
}
