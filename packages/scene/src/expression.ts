import type { Scalar } from './scene.ts'

/**
 * Expressions of bindings: numbers, texts, `true`, `false`, `null`, values of devices as `role.point`, `+ - * / %`,
 * comparisons, `&& || !`, `a ? b : c` and the functions below. A small language of its own: nothing of it is ever handed
 * to JavaScript.
 */
export type Expression =
  | { op: 'value'; value: Scalar }
  | { op: 'point'; role: string; point: string }
  | { op: 'not' | 'minus'; of: Expression }
  | { op: BinaryOperator; left: Expression; right: Expression }
  | { op: 'if'; test: Expression; then: Expression; otherwise: Expression }
  | { op: 'call'; fn: FunctionName; args: Expression[] }

const BINARY = ['||', '&&', '==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%'] as const
type BinaryOperator = (typeof BINARY)[number]
const STRENGTH: Record<BinaryOperator, number> = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
}

/** Functions with the least and the largest number of their arguments. */
export const FUNCTIONS = {
  abs: [1, 1],
  round: [1, 2],
  floor: [1, 1],
  ceil: [1, 1],
  sqrt: [1, 1],
  min: [1, 20],
  max: [1, 20],
  clamp: [3, 3],
  bit: [2, 2],
  text: [1, 2],
  join: [1, 20],
  or: [2, 2],
} as const satisfies Record<string, readonly [number, number]>
export type FunctionName = keyof typeof FUNCTIONS

export const MAX_EXPRESSION = 500
const MAX_DEPTH = 40
/** Parts of a value, one inside the other. */
export const MAX_PARTS = 3

/** Why an expression cannot be read, and where (counted from 0). */
export class ExpressionError extends Error {
  constructor(
    readonly reason: 'too_long' | 'too_deep' | 'character' | 'unexpected' | 'end' | 'function' | 'arguments' | 'number',
    readonly at: number,
    readonly what = '',
  ) {
    super(`${reason} at ${at} ${what}`)
  }
}

interface Token {
  kind: 'number' | 'text' | 'name' | 'sign' | 'end'
  text: string
  at: number
}

const SIGNS = ['||', '&&', '==', '!=', '<=', '>=', '<', '>', '+', '-', '*', '/', '%', '!', '?', ':', '(', ')', ',', '.']
const SPACE = /\s/
const DIGIT = /[0-9]/
const NAME_START = /[\p{L}_]/u
const NAME = /[\p{L}\p{N}_]/u

function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < source.length) {
    const sign = source[at]!
    if (SPACE.test(sign)) {
      at++
      continue
    }
    const from = at
    if (DIGIT.test(sign)) {
      while (at < source.length && /[0-9.eE]/.test(source[at]!)) {
        if (/[eE]/.test(source[at]!) && /[+-]/.test(source[at + 1] ?? '')) at++
        at++
      }
      const text = source.slice(from, at)
      if (!Number.isFinite(Number(text))) throw new ExpressionError('number', from, text)
      tokens.push({ kind: 'number', text, at: from })
    } else if (sign === '"' || sign === "'") {
      at = source.indexOf(sign, from + 1)
      if (at === -1) throw new ExpressionError('end', source.length)
      tokens.push({ kind: 'text', text: source.slice(from + 1, at), at: from })
      at++
    } else if (NAME_START.test(sign)) {
      while (at < source.length && NAME.test(source[at]!)) at++
      tokens.push({ kind: 'name', text: source.slice(from, at), at: from })
    } else {
      const found = SIGNS.find(each => source.startsWith(each, at))
      if (!found) throw new ExpressionError('character', at, sign)
      tokens.push({ kind: 'sign', text: found, at: from })
      at += found.length
    }
  }
  tokens.push({ kind: 'end', text: '', at: source.length })
  return tokens
}

const WORDS: Record<string, Scalar> = { true: true, false: false, null: null }

/** @throws ExpressionError */
export function parseExpression(source: string): Expression {
  if (source.length > MAX_EXPRESSION) throw new ExpressionError('too_long', MAX_EXPRESSION)
  const tokens = tokensOf(source)
  let place = 0
  const peek = () => tokens[place]!
  const isSign = (text: string) => peek().kind === 'sign' && peek().text === text
  const unexpected = (): never => {
    const token = peek()
    throw new ExpressionError(token.kind === 'end' ? 'end' : 'unexpected', token.at, token.text)
  }
  const take = (text: string) => {
    if (!isSign(text)) unexpected()
    place++
  }

  function choice(depth: number): Expression {
    if (depth > MAX_DEPTH) throw new ExpressionError('too_deep', peek().at)
    const test = binary(1, depth)
    if (!isSign('?')) return test
    place++
    const then = choice(depth + 1)
    take(':')
    return { op: 'if', test, then, otherwise: choice(depth + 1) }
  }

  function binary(least: number, depth: number): Expression {
    let left = unary(depth)
    for (;;) {
      const token = peek()
      const op = token.kind === 'sign' ? BINARY.find(each => each === token.text) : undefined
      if (!op || STRENGTH[op] < least) return left
      place++
      left = { op, left, right: binary(STRENGTH[op] + 1, depth + 1) }
    }
  }

  function unary(depth: number): Expression {
    if (depth > MAX_DEPTH) throw new ExpressionError('too_deep', peek().at)
    for (const [text, op] of [
      ['!', 'not'],
      ['-', 'minus'],
    ] as const)
      if (isSign(text)) {
        place++
        return { op, of: unary(depth + 1) }
      }
    return single(depth)
  }

  function single(depth: number): Expression {
    const token = peek()
    if (token.kind === 'number' || token.kind === 'text') {
      place++
      return { op: 'value', value: token.kind === 'number' ? Number(token.text) : token.text }
    }
    if (isSign('(')) {
      place++
      const inner = choice(depth + 1)
      take(')')
      return inner
    }
    if (token.kind !== 'name') return unexpected()
    place++
    if (isSign('(')) return call(token, depth)
    if (Object.hasOwn(WORDS, token.text)) return { op: 'value', value: WORDS[token.text]! }
    take('.')
    // `pump.level`, and parts of a value that has some: `pump.pos.lat`.
    const steps = [name()]
    while (isSign('.') && steps.length <= MAX_PARTS) {
      place++
      steps.push(name())
    }
    return { op: 'point', role: token.text, point: steps.join('.') }
  }

  function name(): string {
    const token = peek()
    if (token.kind !== 'name') return unexpected()
    place++
    return token.text
  }

  function call({ text, at }: Token, depth: number): Expression {
    if (!Object.hasOwn(FUNCTIONS, text)) throw new ExpressionError('function', at, text)
    const fn = text as FunctionName
    take('(')
    const args: Expression[] = []
    if (!isSign(')')) {
      args.push(choice(depth + 1))
      while (isSign(',')) {
        place++
        args.push(choice(depth + 1))
      }
    }
    take(')')
    const [least, most] = FUNCTIONS[fn]
    if (args.length < least || args.length > most) throw new ExpressionError('arguments', at, text)
    return { op: 'call', fn, args }
  }

  const whole = choice(0)
  if (peek().kind !== 'end') unexpected()
  return whole
}

/** The values of devices that it asks for. */
export function pointsOf(expression: Expression): { role: string; point: string }[] {
  switch (expression.op) {
    case 'value':
      return []
    case 'point':
      return [{ role: expression.role, point: expression.point }]
    case 'not':
    case 'minus':
      return pointsOf(expression.of)
    case 'if':
      return [expression.test, expression.then, expression.otherwise].flatMap(pointsOf)
    case 'call':
      return expression.args.flatMap(pointsOf)
    default:
      return [expression.left, expression.right].flatMap(pointsOf)
  }
}

/** The property that a point names: `pos` of `pos.lat`. */
export const propertyOf = (point: string): string => point.split('.', 1)[0]!

/** What a point names of the value of its property: `pos.lat` is the part `lat` of it. Nothing that is not its own. */
export function partOfValue(value: unknown, point: string): unknown {
  let found = value
  for (const step of point.split('.').slice(1)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = (found as Record<string, unknown>)[step]
  }
  return found
}

type Look = (role: string, point: string) => unknown

/** @param look the value of a device, undefined when there is none. @returns null where something that it needs is missing */
export function evaluate(expression: Expression, look: Look): Scalar {
  switch (expression.op) {
    case 'value':
      return expression.value
    case 'point':
      return scalarOf(look(expression.role, expression.point))
    case 'not': {
      const of = evaluate(expression.of, look)
      return of === null ? null : !truthOf(of)
    }
    case 'minus':
      return number(evaluate(expression.of, look), n => -n)
    case 'if':
      return evaluate(truthOf(evaluate(expression.test, look)) ? expression.then : expression.otherwise, look)
    case 'call':
      return called(expression.fn, expression.args, look)
    case '&&':
      return truthOf(evaluate(expression.left, look)) && truthOf(evaluate(expression.right, look))
    case '||':
      return truthOf(evaluate(expression.left, look)) || truthOf(evaluate(expression.right, look))
    default:
      return joined(expression.op, evaluate(expression.left, look), evaluate(expression.right, look))
  }
}

/** A value of a device as expressions know it: what is no scalar is nothing. */
export function scalarOf(value: unknown): Scalar {
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean' ? value : null
}

/** Texts of devices that mean no are no. */
export function truthOf(value: Scalar): boolean {
  if (typeof value === 'string') return value !== '' && value !== '0' && value.toLowerCase() !== 'false'
  return Boolean(value)
}

/** A number, as a gauge reads it; null where there is none. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string' || value.trim() === '') return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

function number(value: Scalar, of: (n: number) => number): number | null {
  const n = numberOf(value)
  if (n === null) return null
  const result = of(n)
  return Number.isFinite(result) ? result : null
}

function joined(op: Exclude<BinaryOperator, '&&' | '||'>, left: Scalar, right: Scalar): Scalar {
  if (op === '==') return same(left, right)
  if (op === '!=') return !same(left, right)
  if (left === null || right === null) return null
  if (op === '+' && (typeof left === 'string' || typeof right === 'string')) return `${left}${right}`.slice(0, 4_000)
  const a = numberOf(left)
  const b = numberOf(right)
  if (a === null || b === null) return null
  switch (op) {
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    case '>=':
      return a >= b
    case '+':
      return finite(a + b)
    case '-':
      return finite(a - b)
    case '*':
      return finite(a * b)
    case '/':
      return finite(a / b)
    case '%':
      return finite(a % b)
  }
}

const finite = (n: number) => (Number.isFinite(n) ? n : null)

/** `1`, `"1"` and `true` are the same to a person who binds a switch. */
export function same(left: Scalar, right: Scalar): boolean {
  if (left === right) return true
  if (left === null || right === null) return false
  const a = numberOf(left)
  const b = numberOf(right)
  return a !== null && b !== null ? a === b : String(left) === String(right)
}

function called(fn: FunctionName, args: readonly Expression[], look: Look): Scalar {
  const values = args.map(arg => evaluate(arg, look))
  const [first = null, second = null, third = null] = values
  switch (fn) {
    case 'or':
      return first ?? second
    case 'join':
      return values
        .map(value => value ?? '')
        .join('')
        .slice(0, 4_000)
    case 'text': {
      const digits = numberOf(second)
      const n = numberOf(first)
      return n === null || digits === null ? String(first ?? '') : n.toFixed(placesOf(digits))
    }
    case 'round': {
      const places = 10 ** placesOf(numberOf(second) ?? 0)
      return number(first, n => Math.round(n * places) / places)
    }
    case 'abs':
    case 'floor':
    case 'ceil':
    case 'sqrt':
      return number(first, Math[fn])
    case 'bit': {
      const at = numberOf(second)
      return at === null ? null : number(first, n => Math.floor(Math.abs(n) / 2 ** at) % 2)
    }
    case 'clamp': {
      const least = numberOf(second)
      const most = numberOf(third)
      return least === null || most === null ? null : number(first, n => Math.min(most, Math.max(least, n)))
    }
    case 'min':
    case 'max': {
      const numbers = values.map(numberOf)
      return numbers.some(n => n === null) ? null : Math[fn](...(numbers as number[]))
    }
  }
}

const placesOf = (digits: number) => Math.min(10, Math.max(0, Math.trunc(digits)))
