// No promise may float: a rejection that nobody takes ends a process, and with it every device's connection.
// Reads types through the native compiler, so that a function that begins to return a promise is found at its callers.
// node scripts/floating-promises.mjs [--browser] FOLDER ... looks at other projects.
import { join } from 'node:path'
import { SyntaxKind } from 'typescript-native/unstable/ast'
import { SignatureKind, TypeFlags } from 'typescript-native/unstable/sync'
import { root } from './lib.mjs'
import { lookThrough, membersOf, printed } from './typed-files.mjs'

/**
 * What runs in a browser, where an unhandled rejection ends nothing and `lib/unhandled.ts` tells the person of it: there
 * `void` before a promise, or `async` before what is given, says that nobody waits. Without a word none may float.
 */
const BROWSER = ['apps/web'].map(project => join(root, project))

const VOID = 'void hides a promise; use inBackground(what, work), or wait for it'
const FLOATS = 'a promise floats; wait for it, end it with .catch(…), or use inBackground(what, work)'
const GIVEN = 'a promise is returned to somebody who does not wait for it; use inBackground(what, work)'
const TAKEN = 'a promise is taken for an answer, and is always a yes; wait for it'

/** These wait for what their function returns, although their types do not say so; `register` is Fastify's. */
const WAITING = new Set(['then', 'catch', 'finally', 'register'])

/** These take what their function returns for yes or no. */
const ASKING = new Set(['filter', 'find', 'findIndex', 'findLast', 'findLastIndex', 'some', 'every'])
const ANSWER = TypeFlags.Unknown | TypeFlags.Boolean | TypeFlags.BooleanLiteral

/**
 * The gate over promises that nobody waits for.
 * @param {string[]} browser folders of what runs in a browser
 */
export const floatingPromises = (browser = BROWSER) => ({
  name: 'no promise floats',
  look({ file, name, checker, problem }) {
    const isBrowser = browser.some(folder => name.startsWith(`${folder}/`))
    const isPromise = promiseTest(checker)
    const { statements, voids, functions, named, negated } = candidates(file, isBrowser)
    const types = typesOf(checker, [...statements, ...voids, ...functions.map(f => f.result), ...negated, ...named])
    const places = types.length
    const found = nodes => nodes.filter(() => isPromise(types.shift()))
    for (const node of found(statements)) problem(node, FLOATS)
    for (const node of found(voids)) problem(node, VOID)
    for (const { node, hides } of found(functions))
      if (isAsked(node)) {
        if (isGivenTo(checker, node, ANSWER)) problem(node, TAKEN)
      } else if (!hides && isGivenTo(checker, node, TypeFlags.Void)) problem(node, GIVEN)
    for (const node of found(negated)) problem(node, TAKEN)
    const returnsPromise = functionTest(checker, isPromise)
    for (const node of named) {
      if (!returnsPromise(types.shift())) continue
      if (isAsked(node)) {
        if (isGivenTo(checker, node, ANSWER)) problem(node, TAKEN)
      } else if (!isBrowser && !isWaitedFor(node) && isGivenTo(checker, node, TypeFlags.Void)) problem(node, GIVEN)
    }
    return places
  },
})

/**
 * What may float: calls that are statements, operands of `void`, what functions given to others return, and functions that
 * are given by their name. And what may be taken for an answer: operands of `!`.
 */
function candidates(file, isBrowser) {
  const statements = []
  const voids = []
  const functions = []
  const named = []
  const negated = []
  const visit = node => {
    if (node.kind === SyntaxKind.ExpressionStatement) {
      const inner = bare(node.expression)
      if (mayFloat(inner) && !isTaken(inner, isBrowser)) statements.push(inner)
    } else if (node.kind === SyntaxKind.VoidExpression) {
      if (!isBrowser) voids.push(bare(node.expression))
    } else if (node.kind === SyntaxKind.ArrowFunction || node.kind === SyntaxKind.FunctionExpression) {
      const isAsync = node.modifiers?.some(modifier => modifier.kind === SyntaxKind.AsyncKeyword) ?? false
      if (!isWaitedFor(node)) {
        // `async` says in a browser that nobody waits; to whom asks for yes or no it says nothing.
        if (isAsync && (!isBrowser || isAsked(node))) functions.push({ node, result: null, hides: isBrowser })
        else if (!isAsync && node.body.kind !== SyntaxKind.Block && !isTaken(bare(node.body), isBrowser))
          functions.push({ node, result: bare(node.body) })
      }
    } else if (node.kind === SyntaxKind.PrefixUnaryExpression && node.operator === SyntaxKind.ExclamationToken) {
      if (bare(node.operand).kind === SyntaxKind.CallExpression) negated.push(bare(node.operand))
    } else if (isName(node) && isGiven(node)) named.push(node)
    node.forEachChild(visit)
  }
  visit(file)
  return { statements, voids, functions, named, negated }
}

/** `save`, `this.save`, `this.save.bind(this)`. */
function isName(node) {
  return (
    node.kind === SyntaxKind.Identifier ||
    node.kind === SyntaxKind.PropertyAccessExpression ||
    (node.kind === SyntaxKind.CallExpression && methodOf(node) === 'bind')
  )
}

/** Whether it stands where it is handed to somebody: among arguments, as a property, or behind `on… =`. */
function isGiven(node) {
  const { parent } = node
  switch (parent?.kind) {
    case SyntaxKind.CallExpression:
    case SyntaxKind.NewExpression:
      return parent.arguments?.includes(node) ?? false
    case SyntaxKind.PropertyAssignment:
      return parent.initializer === node
    case SyntaxKind.BinaryExpression:
      return (
        parent.right === node &&
        parent.operatorToken.kind === SyntaxKind.EqualsToken &&
        parent.left.kind === SyntaxKind.PropertyAccessExpression &&
        parent.left.name.text.startsWith('on')
      )
    default:
      return false
  }
}

function isAsked(node) {
  const { parent } = node
  return parent.kind === SyntaxKind.CallExpression && parent.arguments[0] === node && ASKING.has(methodOf(parent))
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

/** Whether a type is that of a function that returns a promise, however it is called. */
function functionTest(checker, isPromise) {
  const known = new Map()
  return type => {
    if (!type || !(type.flags & TypeFlags.Object)) return false
    let answer = known.get(type.id)
    if (answer === undefined) {
      const signatures = checker.getSignaturesOfType(type, SignatureKind.Call)
      answer = signatures.length > 0 && signatures.every(each => isPromise(checker.getReturnTypeOfSignature(each)))
      known.set(type.id, answer)
    }
    return answer
  }
}

/** Whether a function stands where one is wanted whose result is of these kinds only. */
function isGivenTo(checker, node, kinds) {
  const wanted = checker.getContextualType(node)
  if (!wanted) return false
  const variants = wanted.isUnionType() ? membersOf(checker, wanted).filter(type => type !== 'promise') : [wanted]
  const results = variants.flatMap(type =>
    checker.getSignaturesOfType(type, SignatureKind.Call).map(signature => checker.getReturnTypeOfSignature(signature)),
  )
  return results.length > 0 && results.every(type => (type.flags & kinds) !== 0)
}

if (process.argv[1] === import.meta.filename) {
  const folders = process.argv.slice(2).filter(word => word !== '--browser')
  const browser = process.argv.includes('--browser') ? folders : []
  const gate = folders.length > 0 ? floatingPromises(browser) : floatingPromises()
  process.exit(printed(lookThrough([gate], folders)))
}
