import { compare, ratioOf, ZERO } from './ratio.ts'
import { minuteOfDay, type Rates } from './timeline.ts'

export interface RatesProblem {
  /** Path of the field: `steps/1/upTo`. */
  field: string
  why: 'price' | 'steps_order' | 'steps_end' | 'band' | 'band_name' | 'span_times' | 'span_overlap'
}

type Report = (field: string, why: RatesProblem['why']) => void

/** What is wrong with prices that came in; empty: nothing. */
export function problemsOf(rates: Rates): RatesProblem[] {
  const problems: RatesProblem[] = []
  const report: Report = (field, why) => void problems.push({ field, why })
  const prices =
    rates.kind === 'fixed'
      ? [['price', rates.price] as const]
      : (rates.kind === 'steps' ? rates.steps : rates.bands).map(
          ({ price }, at) => [`${rates.kind === 'steps' ? 'steps' : 'bands'}/${at}/price`, price] as const,
        )
  for (const [field, price] of prices) {
    const value = ratioOf(price)
    if (!value || compare(value, ZERO) < 0) report(field, 'price')
  }
  if (rates.kind === 'steps') checkSteps(rates, report)
  if (rates.kind === 'time_of_use') checkTimes(rates, report)
  return problems
}

function checkSteps({ steps }: Extract<Rates, { kind: 'steps' }>, report: Report): void {
  let last = ZERO
  for (const [at, { upTo }] of steps.entries()) {
    const field = `steps/${at}/upTo`
    if ((upTo === null) !== (at === steps.length - 1)) report(field, 'steps_end')
    else if (upTo !== null) {
      const end = ratioOf(upTo)
      if (end && compare(end, last) > 0) last = end
      else report(field, 'steps_order')
    }
  }
}

function checkTimes({ bands, spans, otherwise }: Extract<Rates, { kind: 'time_of_use' }>, report: Report): void {
  const names = new Set<string>()
  for (const [at, { name }] of bands.entries()) {
    if (names.has(name.trim())) report(`bands/${at}/name`, 'band_name')
    names.add(name.trim())
  }
  if (!bands[otherwise]) report('otherwise', 'band')
  const taken: { weekday: number; from: number; to: number }[] = []
  for (const [at, span] of spans.entries()) {
    const [from, to] = [minuteOfDay(span.from), minuteOfDay(span.to)]
    if (!bands[span.band]) report(`spans/${at}/band`, 'band')
    if (from >= to || to > 1440) {
      report(`spans/${at}/to`, 'span_times')
      continue
    }
    if (taken.some(o => span.weekdays.includes(o.weekday) && from < o.to && o.from < to))
      report(`spans/${at}/from`, 'span_overlap')
    taken.push(...span.weekdays.map(weekday => ({ weekday, from, to })))
  }
}
