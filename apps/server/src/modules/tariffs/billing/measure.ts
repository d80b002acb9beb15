import { type Interval, intervalsOf, type MeterRules, quantityOf, type Reading } from './intervals.ts'
import { add, decimal, decimalText, isZero, multiply, type Ratio, Sum, share, subtract } from './ratio.ts'
import type { Stretch } from './timeline.ts'

/** Places of a register value that was worked out for the edge of a period. */
const EDGE_PLACES = 9

export interface MeasureInput {
  /** In order, each time once; those around the edges of the period included. */
  readings: readonly Reading[]
  rules: MeterRules
  /** Estimate: a gap is spread evenly over its time. Open: it is not billed. */
  gaps: 'estimate' | 'open'
  /** Where the last bill ended, or what the register showed when the customer began; null: the first reading counts. */
  start: Reading | null
  /** Begin and end of the period, epoch ms. */
  from: number
  to: number
  factor: string
}

/** An interval that a customer should be shown. */
export interface Mark {
  kind: 'rollover' | 'reset' | 'estimate' | 'open'
  from: number
  to: number
  quantity: string
}

/** What went through at one price. */
export interface Used {
  version: number
  band: number
  quantity: Ratio
  /** Of it by estimate. */
  estimated: Ratio
}

export type Measured =
  | { ok: true; from: Reading; to: Reading; used: Used[]; open: Ratio; total: Ratio; marks: Mark[] }
  | { ok: false; why: 'no_readings' }
  /** The register fell, and neither a roll-over nor a declared reset says why. */
  | { ok: false; why: 'fell'; interval: Interval }

/**
 * What went through a meter in a period, by price. It ends at the end of the period where a reading after it is known,
 * else at the last reading: what comes later is in the next bill, so nothing is billed twice and nothing is left out.
 * @param stretches the timeline from the start to the end of the period, or longer
 */
export function measure(input: MeasureInput, stretches: readonly Stretch[]): Measured {
  const span = edgesOf(input)
  if (!span) return { ok: false, why: 'no_readings' }
  const intervals = intervalsOf(span, input.rules)
  const fall = intervals.find(({ kind }) => kind === 'refused')
  if (fall) return { ok: false, why: 'fell', interval: fall }
  const factor = decimal(input.factor)
  const sums = new Map<string, { version: number; band: number; sum: Sum; estimated: Sum }>()
  const marks: Mark[] = []
  const open = new Sum()
  const put = (stretch: Stretch, quantity: Ratio, estimated: boolean) => {
    const key = `${stretch.version} ${stretch.band}`
    const known = sums.get(key) ?? {
      version: stretch.version,
      band: stretch.band,
      sum: new Sum(),
      estimated: new Sum(),
    }
    sums.set(key, known)
    known.sum.add(quantity)
    if (estimated) known.estimated.add(quantity)
  }
  let place = stretches.findIndex(({ to }) => to > span[0]!.t)
  /** Plain intervals are added up as one: the register at the end of a stretch less that at its begin. */
  let begin = decimal(span[0]!.v)
  const flush = (value: Ratio) => {
    const quantity = subtract(value, begin)
    if (!isZero(quantity)) put(stretches[place]!, quantity, false)
    begin = value
  }
  for (const interval of intervals) {
    const { from, to } = interval
    const plain = interval.kind === 'measured' && !interval.gap
    if (!plain) {
      flush(decimal(from.v))
      const quantity = quantityOf(interval, input.rules)
      if (interval.gap && input.gaps === 'open') {
        open.add(quantity)
        marks.push(markOf('open', interval, quantity, factor))
      } else {
        if (interval.kind !== 'measured')
          marks.push(markOf(interval.kind as 'reset' | 'rollover', interval, quantity, factor))
        if (interval.gap) marks.push(markOf('estimate', interval, quantity, factor))
      }
      spread(interval, quantity)
      begin = decimal(to.v)
      continue
    }
    while (stretches[place]!.to < to.t) {
      const edge = stretches[place]!.to
      const from1 = decimal(from.v)
      flush(add(from1, share(subtract(decimal(to.v), from1), edge - from.t, to.t - from.t)))
      place++
    }
    if (stretches[place]!.to === to.t && place + 1 < stretches.length) {
      flush(decimal(to.v))
      place++
    }
  }
  flush(decimal(span.at(-1)!.v))

  /** Evenly over the time of the interval, by the prices that held in it. */
  function spread({ from, to, gap }: Interval, quantity: Ratio): void {
    const counts = !(gap && input.gaps === 'open')
    for (let at = from.t; at < to.t; ) {
      const end = Math.min(stretches[place]!.to, to.t)
      if (counts) put(stretches[place]!, share(quantity, end - at, to.t - from.t), gap)
      at = end
      if (stretches[place]!.to === end && place + 1 < stretches.length) place++
    }
  }

  const used = [...sums.values()].map(({ version, band, sum, estimated }) => ({
    version,
    band,
    quantity: multiply(sum.total(), factor),
    estimated: multiply(estimated.total(), factor),
  }))
  const total = new Sum()
  for (const { quantity } of used) total.add(quantity)
  return {
    ok: true,
    from: span[0]!,
    to: span.at(-1)!,
    used: used.sort((a, b) => a.version - b.version || a.band - b.band),
    open: multiply(open.total(), factor),
    total: total.total(),
    marks,
  }
}

const markOf = (kind: Mark['kind'], { from, to }: Interval, quantity: Ratio, factor: Ratio): Mark => ({
  kind,
  from: from.t,
  to: to.t,
  quantity: decimalText(multiply(quantity, factor), 6),
})

/** The readings of the period, with one at its begin and one at its end where these can be worked out; null: too few. */
function edgesOf(input: MeasureInput): Reading[] | null {
  const { readings, start, rules } = input
  const after = readings.findIndex(({ t }) => t >= input.to)
  const inside = readings.slice(0, after === -1 ? undefined : after)
  const all = start ? [start, ...inside.filter(({ t }) => t > start.t)] : begun(inside, input)
  const next = after === -1 ? undefined : readings[after]
  const last = all.at(-1)
  if (!last) return null
  if (next && next.t > last.t) {
    if (next.t === input.to) all.push(next)
    else {
      const [interval] = intervalsOf([last, next], rules)
      if (interval!.kind === 'refused') return [...all, next]
      const known = interval!.kind === 'measured' && !(interval!.gap && input.gaps === 'open')
      if (known && last.t < input.to) all.push(between(last, next, input.to))
    }
  }
  return all.length < 2 ? null : all
}

/** Of the first bill: from the begin of the period where a reading before it is known. */
function begun(inside: readonly Reading[], { from, rules, gaps }: MeasureInput): Reading[] {
  const first = inside.findIndex(({ t }) => t >= from)
  if (first === -1) return []
  const later = inside.slice(first)
  const before = first > 0 ? inside[first - 1]! : null
  if (!before || later[0]!.t === from) return later
  const [interval] = intervalsOf([before, later[0]!], rules)
  const known = interval!.kind === 'measured' && !(interval!.gap && gaps === 'open')
  return known ? [between(before, later[0]!, from), ...later] : later
}

function between(a: Reading, b: Reading, t: number): Reading {
  const from = decimal(a.v)
  return { t, v: decimalText(add(from, share(subtract(decimal(b.v), from), t - a.t, b.t - a.t)), EDGE_PLACES) }
}
