import type { Generator } from '../generator/generator.ts'
import { measure, type Target, type Window } from './window.ts'

export interface Step extends Window {
  sustained: boolean
  why: string
}

export interface LadderOptions {
  rates: number[]
  warmSeconds: number
  seconds: number
  onStep(step: Step): void
}

/** Backlog that a rate may have, seconds of load. */
const BACKLOG_SECONDS = 0.5
/** Longest publish → PUBACK at the 99th percentile, ms. */
const PUBACK_P99_MS = 1_000
/** A generator that gets no CPU offers another load than it should, ms. */
const GENERATOR_LATE_MS = 500
/** A consumer that is this far behind when the load ends does not keep up, seconds of load; some write every 15 s. */
const CONSUMER_SECONDS = 20

/** Climbs until a rate is twice not sustained, then tries the middle of the last interval. */
export async function climb(generator: Generator, target: Target, options: LadderOptions): Promise<Step[]> {
  const steps: Step[] = []
  const step = async (rate: number) => {
    const result = judge(await measure(generator, target, { ...options, rate }))
    steps.push(result)
    options.onStep(result)
    return result
  }
  let best = 0
  for (const rate of options.rates) {
    // A second try: a neighbour on the machine may have spoilt the first.
    if ((await step(rate)).sustained || (await step(rate)).sustained) {
      best = rate
      continue
    }
    const middle = Math.round((best + rate) / 2 / 500) * 500
    if (best > 0 && middle > best && middle < rate) await step(middle)
    break
  }
  return steps
}

/** Whether the rate could have gone on for ever. */
export function judge(window: Window): Step {
  const { rate, backlog, pubackMs, consumerLag, sent, acknowledged, problems } = window
  const reasons: string[] = []
  if (problems.length > 0) reasons.push(problems[0]!)
  if (acknowledged < sent * 0.98) reasons.push('acknowledges less than it gets')
  if (backlog[1] > rate * BACKLOG_SECONDS) reasons.push('backlog grows')
  if ((pubackMs.p99 ?? 0) > PUBACK_P99_MS) reasons.push(`PUBACK p99 above ${PUBACK_P99_MS} ms`)
  if (window.generatorLateMs > GENERATOR_LATE_MS) reasons.push('the generator itself was late')
  if (window.drainMs === null) reasons.push('messages were never acknowledged')
  if ((consumerLag ?? 0) > rate * CONSUMER_SECONDS) reasons.push('a consumer falls behind')
  return { ...window, sustained: reasons.length === 0, why: reasons.join(', ') }
}

/** The highest rate that was sustained; 0 when none was. */
export function bestRate(steps: readonly Step[]): number {
  return Math.max(0, ...steps.filter(s => s.sustained).map(s => s.rate))
}
