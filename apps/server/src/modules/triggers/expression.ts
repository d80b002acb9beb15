/**
 * A number worked out of the values that caused a trigger: `values.temperature * 2 + 1`, with + - * / %, brackets,
 * min, max, round, floor, ceil and abs.
 */
export function evaluate(text: string, values: Readonly<Record<string, unknown>>): number {
  const parser = new Parser(text, values)
  const result = parser.sum()
  parser.end()
  if (!Number.isFinite(result)) throw new ExpressionError(text)
  return result
}

/** It cannot be read, or names what is not there. */
export class ExpressionError extends Error {
  constructor(readonly at: string) {
    super(`cannot be worked out: ${at}`)
  }
}

const FUNCTIONS: Record<string, (...args: number[]) => number> = {
  min: Math.min,
  max: Math.max,
  round: Math.round,
  floor: Math.floor,
  ceil: Math.ceil,
  abs: Math.abs,
}
const TOKEN = /\s*(?:(\d+(?:\.\d+)?(?:e[+-]?\d+)?)|(values\.[A-Za-z_]\w{0,63}|[a-z]+)|([-+*/%(),]))/iy
const MAX_LENGTH = 256
const MAX_DEPTH = 20

class Parser {
  private at = 0
  private depth = 0

  constructor(
    private readonly text: string,
    private readonly values: Readonly<Record<string, unknown>>,
  ) {
    if (text.length > MAX_LENGTH) this.fail()
  }

  sum(): number {
    if (++this.depth > MAX_DEPTH) this.fail()
    let left = this.product()
    for (let sign = this.sign('+-'); sign; sign = this.sign('+-')) {
      const right = this.product()
      left = sign === '+' ? left + right : left - right
    }
    this.depth--
    return left
  }

  end(): void {
    if (this.text.slice(this.at).trim() !== '') this.fail()
  }

  private product(): number {
    let left = this.factor()
    for (let sign = this.sign('*/%'); sign; sign = this.sign('*/%')) {
      const right = this.factor()
      left = sign === '*' ? left * right : sign === '/' ? left / right : left % right
    }
    return left
  }

  private factor(): number {
    if (++this.depth > MAX_DEPTH) this.fail()
    const value = this.operand()
    this.depth--
    return value
  }

  private operand(): number {
    const [, number, name, sign] = this.take() ?? this.fail()
    if (number !== undefined) return Number(number)
    if (sign === '-') return -this.factor()
    if (sign === '(') {
      const inner = this.sum()
      if (!this.sign(')')) this.fail()
      return inner
    }
    if (name?.startsWith('values.')) {
      const key = name.slice('values.'.length)
      const value = Object.hasOwn(this.values, key) ? this.values[key] : undefined
      if (typeof value === 'boolean') return value ? 1 : 0
      return typeof value === 'number' ? value : this.fail()
    }
    const call = name !== undefined && Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined
    if (!call || !this.sign('(')) return this.fail()
    const args = [this.sum()]
    while (this.sign(',')) args.push(this.sum())
    if (!this.sign(')')) this.fail()
    return call(...args)
  }

  private sign(wanted: string): string | null {
    const before = this.at
    const sign = this.take()?.[3]
    if (sign !== undefined && wanted.includes(sign)) return sign
    this.at = before
    return null
  }

  private take(): RegExpExecArray | null {
    TOKEN.lastIndex = this.at
    const found = TOKEN.exec(this.text)
    if (found) this.at = TOKEN.lastIndex
    return found
  }

  private fail(): never {
    throw new ExpressionError(this.text.slice(0, 64))
  }
}
