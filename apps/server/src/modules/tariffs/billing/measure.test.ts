import { describe, expect, it } from 'vitest'
import fc from '../../../lib/testing/fast-check.ts'
import { instantOf } from '../../../lib/zoned-time.ts'
import type { DeclaredReset, Reading } from './intervals.ts'
import { type Measured, type MeasureInput, measure } from './measure.ts'
import { priceOf } from './price.ts'
import { problemsOf } from './rates.ts'
import { decimal, decimalText } from './ratio.ts'
import { type Rates, type TariffVersion, timelineOf } from './timeline.ts'

const QUARTER = 15 * 60_000
const HOUR = 4 * QUARTER
const BANDS = [
  { name: 'peak', price: '1.2345' },
  { name: 'flat', price: '0.6789' },
  { name: 'valley', price: '0.3021' },
]
const TIME_OF_USE: Rates = {
  kind: 'time_of_use',
  bands: BANDS,
  spans: [
    { weekdays: [1, 2, 3, 4, 5], from: '08:00', to: '11:30', band: 0 },
    { weekdays: [1, 2, 3, 4, 5, 6, 7], from: '18:15', to: '21:00', band: 0 },
    { weekdays: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '02:30', band: 2 },
    { weekdays: [6, 7], from: '02:30', to: '07:00', band: 2 },
  ],
  otherwise: 1,
}
const always = (rates: Rates): TariffVersion[] => [{ id: 'v', validFrom: '2020-01-01', validTo: null, rates }]

/** A year of a meter: what went through each quarter of an hour in thousandths, and what was read of it. */
interface Year {
  zone: string
  used: number[]
  readings: Reading[]
  resets: DeclaredReset[]
}

function yearOf(zone: string, seed: readonly number[], gaps: readonly [number, number][], exchanges: number[]): Year {
  const from = instantOf(zone, 2026, 1, 1)
  const to = instantOf(zone, 2027, 1, 1)
  const count = (to - from) / QUARTER
  const used: number[] = []
  const readings: Reading[] = []
  const resets: DeclaredReset[] = []
  let register = 99_950_000
  const text = (thousandths: number) => String(thousandths / 1000)
  for (let i = 0; i <= count; i++) {
    const t = from + i * QUARTER
    if (exchanges.includes(i)) {
      // Five minutes before this reading the register was exchanged.
      resets.push({ t: t - 300_000, finalValue: text(register), startValue: '7.5' })
      register = 7_500
    }
    if (i > 0) {
      const more = seed[(i * 7 + (i % 13)) % seed.length]!
      used.push(more)
      register += more
      if (register >= 100_000_000) register -= 100_000_000
    }
    if (!gaps.some(([start, length]) => i > start && i < start + length)) readings.push({ t, v: text(register) })
  }
  return { zone, used, readings, resets }
}

/** Month by month, each where the one before ended. */
function billed({ zone, readings, resets }: Year, rates: Rates, gaps: 'estimate' | 'open' = 'estimate') {
  let start: Reading | null = null
  const amounts: number[] = []
  let through = 0
  for (let month = 1; month <= 12; month++) {
    const [from, to] = [instantOf(zone, 2026, month, 1), instantOf(zone, 2026, month + 1, 1)]
    const input: MeasureInput = {
      readings,
      rules: { rollover: '100000', gapMs: HOUR, resets },
      gaps,
      start,
      from,
      to,
      factor: '1',
    }
    const result: Measured = measure(input, timelineOf(always(rates), zone, start?.t ?? from, to))
    if (!result.ok) throw new Error(result.why)
    start = result.to
    amounts.push(priceOf(result.used, always(rates)).amountFen)
    through += Number(decimalText(result.total, 9))
  }
  return { amounts, through }
}

/** The same by going through every quarter of an hour with the words of the zone's calendar. */
function slowly({ zone, readings, used }: Year): number[] {
  const words = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    month: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const first = readings[0]!.t
  const read = new Set(readings.map(({ t }) => (t - first) / QUARTER))
  // A common multiple of all lengths of gaps: parts of a gap are whole numbers of this.
  const PARTS = 1_441_440n * 97n
  const sums = new Map<string, bigint>()
  for (let at = 0; at < used.length; ) {
    let end = at + 1
    while (!read.has(end)) end++
    const through = BigInt(used.slice(at, end).reduce((sum, one) => sum + one, 0))
    const length = BigInt(end - at)
    if (PARTS % length !== 0n) throw new Error(`no part of ${length}`)
    for (; at < end; at++) {
      const said = Object.fromEntries(words.formatToParts(first + at * QUARTER).map(({ type, value }) => [type, value]))
      const time = `${said.hour}:${said.minute}`
      const weekend = said.weekday === 'Sat' || said.weekday === 'Sun'
      let band = 1
      if (!weekend && time >= '08:00' && time < '11:30') band = 0
      if (time >= '18:15' && time < '21:00') band = 0
      if (time < '02:30') band = 2
      if (weekend && time >= '02:30' && time < '07:00') band = 2
      const key = `${said.month} ${band}`
      sums.set(key, (sums.get(key) ?? 0n) + (through * PARTS) / length)
    }
  }
  const prices = [12_345n, 6_789n, 3_021n]
  return Array.from({ length: 12 }, (_, month) =>
    prices.reduce((fen, price, band) => {
      // Thousandths of a unit times ten-thousandths of a yuan: 10^7 of them are a yuan, 10^5 a fen.
      const worth = (sums.get(`${month + 1} ${band}`) ?? 0n) * price
      const one = PARTS * 100_000n
      return fen + Number((worth * 2n + one) / (one * 2n))
    }, 0),
  )
}
describe('a year of readings every 15 minutes', () => {
  it('with resets, a roll-over and gaps comes to the fen to what a slow calculation says', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('Asia/Shanghai', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'),
        fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 40, maxLength: 90 }),
        fc.array(fc.tuple(fc.integer({ min: 10, max: 34_000 }), fc.constantFrom(2, 3, 6, 8, 22, 97, 288)), {
          maxLength: 8,
        }),
        fc.array(fc.integer({ min: 20, max: 34_900 }), { maxLength: 3 }),
        (zone, seed, drawn, exchanges) => {
          const gaps = apart(drawn)
          const clear = exchanges.filter(i => !gaps.some(([from, length]) => i >= from && i <= from + length + 1))
          const year = yearOf(zone, seed, gaps, clear)
          const { amounts, through } = billed(year, TIME_OF_USE)
          expect(amounts).toEqual(slowly(year))
          const all = year.used.reduce((sum, one) => sum + one, 0) / 1000
          expect(Math.abs(through - all)).toBeLessThan(1e-5)
        },
      ),
      { numRuns: 6 },
    )
  }, 60_000)
})

/** Gaps that do not touch each other. */
function apart(drawn: readonly (readonly [number, number])[]): [number, number][] {
  const gaps: [number, number][] = []
  for (const [from, length] of [...drawn].sort((a, b) => a[0] - b[0])) {
    const last = gaps.at(-1)
    if (!last || from > last[0] + last[1] + 2) gaps.push([from, length])
  }
  return gaps
}

const DAY0 = instantOf('Asia/Shanghai', 2026, 3, 1)
const one = (over: Partial<MeasureInput>): MeasureInput => ({
  readings: [],
  rules: { rollover: null, gapMs: 24 * HOUR, resets: [] },
  gaps: 'estimate',
  start: null,
  from: DAY0,
  to: instantOf('Asia/Shanghai', 2026, 4, 1),
  factor: '1',
  ...over,
})
const read = (hours: number, v: string): Reading => ({ t: DAY0 + hours * HOUR, v })
const flat = always({ kind: 'fixed', price: '1' })
const run = (input: MeasureInput, versions = flat) =>
  measure(input, timelineOf(versions, 'Asia/Shanghai', Math.min(input.start?.t ?? input.from, input.from), input.to))

describe('a register that falls', () => {
  const fallen = [read(0, '500'), read(1, '510'), read(2, '400'), read(3, '410')]
  it('is refused with its readings, and never guessed', () => {
    expect(run(one({ readings: fallen }))).toMatchObject({
      ok: false,
      why: 'fell',
      interval: { from: { v: '510' }, to: { v: '400' } },
    })
    const wide = { rollover: '100000', gapMs: 24 * HOUR, resets: [] }
    expect(run(one({ readings: fallen, rules: wide }))).toMatchObject({ ok: false, why: 'fell' })
  })
  it('counts as a roll-over within a tenth of the register', () => {
    const rules = { rollover: '100000', gapMs: 24 * HOUR, resets: [] }
    const result = run(one({ readings: [read(0, '99990'), read(1, '12.5')], rules }))
    expect(result).toMatchObject({ ok: true, marks: [{ kind: 'rollover', quantity: '22.5' }] })
  })
  it('counts where a reset was declared, and not where what was declared contradicts the readings', () => {
    const declared = (finalValue: string) => ({
      rollover: null,
      gapMs: 24 * HOUR,
      resets: [{ t: DAY0 + 1.5 * HOUR, finalValue, startValue: '395' }],
    })
    const result = run(one({ readings: fallen, rules: declared('512') }))
    // 10 before, 2 until the exchange, 5 after it, 10 in the last hour
    expect(result.ok && decimalText(result.total, 3)).toBe('27')
    expect(run(one({ readings: fallen, rules: declared('505') }))).toMatchObject({ ok: false, why: 'fell' })
  })
})

describe('gaps', () => {
  const gap = [read(0, '0'), read(1, '1'), read(101, '101'), read(102, '103')]
  it('are spread evenly and marked, or left open, as the meter says', () => {
    const rules = { rollover: null, gapMs: 2 * HOUR, resets: [] }
    const spread = run(one({ readings: gap, rules }))
    expect(spread).toMatchObject({ ok: true, marks: [{ kind: 'estimate', quantity: '100' }] })
    expect(spread.ok && decimalText(spread.used[0]!.estimated, 3)).toBe('100')
    const left = run(one({ readings: gap, rules, gaps: 'open' }))
    expect(left.ok && [decimalText(left.total, 3), decimalText(left.open, 3)]).toEqual(['3', '100'])
  })
  it('end a bill at the last reading where nothing later is known; the next one goes on there', () => {
    const first = run(one({ readings: [read(0, '0'), read(100, '50')] }))
    expect(first).toMatchObject({ ok: true, to: read(100, '50') })
    const next = run(one({ readings: [read(100, '50'), read(1000, '950')], start: first.ok ? first.to : null }))
    // Hour 743 is where March ends in this bill: 643 of the 900 hours.
    expect(next).toMatchObject({ ok: true, from: { v: '50' }, to: { v: '694', t: DAY0 + 744 * HOUR } })
  })
})

describe('prices', () => {
  it('by steps go on counting where the month was', () => {
    const rates: Rates = {
      kind: 'steps',
      steps: [
        { upTo: '100', price: '0.5' },
        { upTo: '200', price: '0.75' },
        { upTo: null, price: '1' },
      ],
    }
    const used = [{ version: 0, band: 0, quantity: decimal('180'), estimated: decimal('10') }]
    expect(priceOf(used, always(rates), decimal('90')).lines).toMatchObject([
      { name: '1', quantity: '10', estimated: '10', amountFen: 500 },
      { name: '2', quantity: '100', estimated: '0', amountFen: 7_500 },
      { name: '3', quantity: '70', amountFen: 7_000 },
    ])
  })
  it('round each line once, halves up, and say what no version has a price for', () => {
    const used = [
      { version: 0, band: 0, quantity: decimal('0.005'), estimated: decimal('0') },
      { version: -1, band: 0, quantity: decimal('3'), estimated: decimal('0') },
    ]
    const { amountFen, unpriced } = priceOf(used, flat)
    expect([amountFen, decimalText(unpriced, 3)]).toEqual([1, '3'])
  })
  it('are refused when steps are out of order, spans overlap, or a price is below nothing', () => {
    const steps = (...ends: (string | null)[]): Rates => ({
      kind: 'steps',
      steps: ends.map(upTo => ({ upTo, price: '1' })),
    })
    expect(problemsOf(steps('200', '100', null))).toEqual([{ field: 'steps/1/upTo', why: 'steps_order' }])
    expect(problemsOf(steps('200', '300'))).toEqual([{ field: 'steps/1/upTo', why: 'steps_end' }])
    expect(problemsOf({ kind: 'fixed', price: '-1' })).toEqual([{ field: 'price', why: 'price' }])
    expect(problemsOf(TIME_OF_USE)).toEqual([])
    const twice = { weekdays: [1], from: '10:00', to: '12:00', band: 0 }
    expect(problemsOf({ ...TIME_OF_USE, spans: [...TIME_OF_USE.spans, twice] })).toEqual([
      { field: 'spans/4/from', why: 'span_overlap' },
    ])
  })
})

describe('an hour that comes twice, or not at all', () => {
  const nights = always({
    kind: 'time_of_use',
    bands: BANDS,
    spans: [{ weekdays: [7], from: '01:30', to: '02:30', band: 0 }],
    otherwise: 1,
  })
  const lengths = (month: number, day: number) => {
    const [from, to] = [instantOf('Europe/Berlin', 2026, month, day), instantOf('Europe/Berlin', 2026, month, day + 1)]
    return timelineOf(nights, 'Europe/Berlin', from, to).map(({ band, from: a, to: b }) => [band, (b - a) / 60_000])
  }
  it('has the price of its clock time', () => {
    // 29 March: 02:00 to 03:00 is left out. 25 October: 02:00 to 03:00 comes twice.
    expect(lengths(3, 29)).toEqual([
      [1, 90],
      [0, 30],
      [1, 21 * 60],
    ])
    expect(lengths(10, 25)).toEqual([
      [1, 90],
      [0, 60],
      [1, 30],
      [0, 30],
      [1, 21 * 60 + 30],
    ])
  })
})
