/** Exact fractions: quantities and prices are decimals, parts of intervals are fractions of them. The divisor is above 0. */
export interface Ratio {
  readonly n: bigint
  readonly d: bigint
}

export const ZERO: Ratio = { n: 0n, d: 1n }

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i

/** A decimal as text, also as JavaScript prints numbers (`1e-7`); null: it is none. */
export function ratioOf(text: string): Ratio | null {
  const match = DECIMAL.exec(text)
  if (!match) return null
  const [, sign, whole, part = '', power = '0'] = match
  const digits = BigInt(`${whole}${part}`)
  const places = part.length - Number(power)
  const n = sign === '-' ? -digits : digits
  return places > 0 ? { n, d: 10n ** BigInt(places) } : { n: n * 10n ** BigInt(-places), d: 1n }
}

/** The same for what is known to be a decimal. @throws Error otherwise */
export function decimal(text: string): Ratio {
  const found = ratioOf(text)
  if (!found) throw new Error(`not a decimal: ${text}`)
  return found
}

export const add = (a: Ratio, b: Ratio): Ratio =>
  a.d === b.d ? { n: a.n + b.n, d: a.d } : { n: a.n * b.d + b.n * a.d, d: a.d * b.d }
export const subtract = (a: Ratio, b: Ratio): Ratio => add(a, { n: -b.n, d: b.d })
export const multiply = (a: Ratio, b: Ratio): Ratio => ({ n: a.n * b.n, d: a.d * b.d })
/** A part of it: `part` of `whole`, both whole numbers (milliseconds). */
export const share = (a: Ratio, part: number, whole: number): Ratio => ({
  n: a.n * BigInt(part),
  d: a.d * BigInt(whole),
})
/** Below 0, 0 or above 0, as a is less than, equal to or more than b. */
export const compare = (a: Ratio, b: Ratio): number => {
  const difference = a.n * b.d - b.n * a.d
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
export const isZero = (a: Ratio): boolean => a.n === 0n

/** The nearest whole number; halves go away from 0. */
export function rounded(a: Ratio): bigint {
  const { n, d } = a
  const twice = (n < 0n ? -n : n) * 2n + d
  const whole = twice / (d * 2n)
  return n < 0n ? -whole : whole
}

/** With at most so many places, rounded as above, without zeros at the end: `12.5`. */
export function decimalText(a: Ratio, places: number): string {
  const scale = 10n ** BigInt(places)
  const whole = rounded({ n: a.n * scale, d: a.d })
  const digits = (whole < 0n ? -whole : whole).toString().padStart(places + 1, '0')
  const before = digits.slice(0, digits.length - places)
  const after = digits.slice(digits.length - places).replace(/0{1,40}$/, '')
  return `${whole < 0n ? '-' : ''}${before}${after === '' ? '' : `.${after}`}`
}

/** Adds many fractions whose divisors are mostly the same: each divisor is summed up on its own until the end. */
export class Sum {
  private readonly parts = new Map<bigint, bigint>()

  add({ n, d }: Ratio): void {
    this.parts.set(d, (this.parts.get(d) ?? 0n) + n)
  }

  total(): Ratio {
    let total = ZERO
    for (const [d, n] of this.parts) if (n !== 0n) total = add(total, { n, d })
    return total
  }
}
