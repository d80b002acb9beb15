import type { Used } from './measure.ts'
import { add, compare, decimal, decimalText, isZero, multiply, type Ratio, rounded, subtract, ZERO } from './ratio.ts'
import type { TariffVersion } from './timeline.ts'

/** Places of quantities on a statement. */
export const QUANTITY_PLACES = 6

export interface BillLine {
  versionId: string
  kind: 'fixed' | 'step' | 'band'
  /** Number of the step, from 1, or the name of the band. */
  name: string
  quantity: string
  estimated: string
  /** Yuan for one unit. */
  price: string
  amountFen: number
}

export interface Bill {
  lines: BillLine[]
  amountFen: number
  /** Used at times for which the tariff has no price. */
  unpriced: Ratio
}

/**
 * Prices what went through in a month. Each line is worked out exactly and rounded once, to the nearest fen, halves up;
 * the amount is the sum of the lines.
 * @param before what was used in the month before this, for steps
 */
export function priceOf(used: readonly Used[], versions: readonly TariffVersion[], before: Ratio = ZERO): Bill {
  const lines: BillLine[] = []
  let unpriced = ZERO
  let position = before
  for (const { version, band, quantity, estimated } of used) {
    if (isZero(quantity)) continue
    const tariff = versions[version]
    if (!tariff) {
      unpriced = add(unpriced, quantity)
      continue
    }
    const { id: versionId, rates } = tariff
    if (rates.kind === 'fixed')
      lines.push(lineOf({ versionId, kind: 'fixed', name: '', price: rates.price }, quantity, estimated))
    else if (rates.kind === 'time_of_use') {
      const { name, price } = rates.bands[band]!
      lines.push(lineOf({ versionId, kind: 'band', name, price }, quantity, estimated))
    } else {
      let rest = quantity
      let guessed = estimated
      rates.steps.forEach(({ upTo, price }, at) => {
        if (isZero(rest)) return
        const room = upTo === null ? rest : subtract(decimal(upTo), position)
        if (compare(room, ZERO) <= 0) return
        const here = compare(room, rest) < 0 ? room : rest
        const guess = compare(guessed, here) < 0 ? guessed : here
        lines.push(lineOf({ versionId, kind: 'step', name: String(at + 1), price }, here, guess))
        rest = subtract(rest, here)
        guessed = subtract(guessed, guess)
        position = add(position, here)
      })
      continue
    }
    position = add(position, quantity)
  }
  return { lines, amountFen: lines.reduce((sum, line) => sum + line.amountFen, 0), unpriced }
}

function lineOf(
  head: Pick<BillLine, 'versionId' | 'kind' | 'name' | 'price'>,
  quantity: Ratio,
  estimated: Ratio,
): BillLine {
  const fen = rounded(multiply(multiply(quantity, decimal(head.price)), { n: 100n, d: 1n }))
  return {
    ...head,
    quantity: decimalText(quantity, QUANTITY_PLACES),
    estimated: decimalText(estimated, QUANTITY_PLACES),
    amountFen: Number(fen),
  }
}
