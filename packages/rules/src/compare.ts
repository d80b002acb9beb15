import type { Comparison, NumberOperator, Scalar } from './rule.ts'

/** Whether a value stands so to what it is held against; null: it cannot be told (a text above a number). */
export type Test = (value: unknown, against: unknown) => boolean | null

const ORDER: Record<NumberOperator, (a: number, b: number) => boolean> = {
  gt: (a, b) => a > b,
  gte: (a, b) => a >= b,
  lt: (a, b) => a < b,
  lte: (a, b) => a <= b,
}

/** The order of two numbers. */
export function ordered(op: NumberOperator): (a: number, b: number) => boolean {
  return ORDER[op]
}

/** Makes a comparison once, so that a value costs one call. `against` is asked for only where no value is written down. */
export function compileComparison(comparison: Comparison): Test {
  const { op, value, low = 0, high = 0, decimals } = comparison
  switch (op) {
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const test = ORDER[op]
      if (typeof value === 'number') return given => (typeof given === 'number' ? test(given, value) : null)
      return (given, against) =>
        typeof given === 'number' && typeof against === 'number' ? test(given, against) : null
    }
    case 'between':
      return given => (typeof given === 'number' ? given >= low && given <= high : null)
    case 'outside':
      return given => (typeof given === 'number' ? given < low || given > high : null)
    case 'eq':
      return value === undefined
        ? (given, against) => isScalar(against) && equals(given, against, decimals)
        : given => equals(given, value, decimals)
    case 'ne':
      return value === undefined
        ? (given, against) => isScalar(against) && !equals(given, against, decimals)
        : given => !equals(given, value, decimals)
    case 'starts':
      return given => (typeof given === 'string' ? given.startsWith(String(value)) : null)
    case 'ends':
      return given => (typeof given === 'string' ? given.endsWith(String(value)) : null)
    case 'contains':
      return given => (typeof given === 'string' ? given.includes(String(value)) : null)
    case 'in':
    case 'not_in': {
      const values = comparison.values ?? []
      const wanted = op === 'in'
      return given => values.some(one => equals(given, one, decimals)) === wanted
    }
  }
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
}

/** A switch says `true` or `1`, as its product has it: both mean the same. */
function equals(a: unknown, b: Scalar, decimals: number | undefined): boolean {
  if (typeof b === 'boolean' && typeof a === 'number') return a === (b ? 1 : 0)
  if (decimals !== undefined && typeof a === 'number' && typeof b === 'number')
    return Number(a.toFixed(decimals)) === Number(b.toFixed(decimals))
  return a === b
}
