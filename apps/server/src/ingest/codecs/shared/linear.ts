/** Value ↔ raw number of the wire: value = raw · scale + offset. */
export interface Linear {
  /** @param raw finite */
  toValue(raw: number): number
  /** Not rounded. */
  toRaw(value: number): number
  readonly plain: boolean
}

const PLAIN: Linear = { toValue: raw => raw, toRaw: value => value, plain: true }

/**
 * Compiles scale and offset. A scale that is one over a whole number divides, so that 215 · 0.1 is 21.5 and 3 · 0.1 is
 * 0.3; other results lose the noise behind their fifteenth digit.
 */
export function linear(scale = 1, offset = 0): Linear {
  if (scale === 1 && offset === 0) return PLAIN
  const inverse = Math.round(1 / scale)
  if (offset === 0 && Number.isSafeInteger(inverse) && 1 / inverse === scale)
    return { toValue: raw => raw / inverse, toRaw: value => clean(value * inverse), plain: false }
  return {
    toValue: raw => clean(raw * scale + offset),
    toRaw: value => clean((value - offset) / scale),
    plain: false,
  }
}

function clean(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(15))
}
