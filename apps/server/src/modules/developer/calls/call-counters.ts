import { type StatsRow, WIDTHS } from './calls.repo.ts'
import { DURATION_BOUNDS, stepOf } from './durations.ts'

interface Counter {
  keyId: string
  tenantId: string
  route: string
  /** Epoch ms at which its step of time began. */
  began: number
  calls: number
  errors: number
  limited: number
  durations: number[]
}

/** Counts by key, route and step of time. */
export type Counters = Map<string, Counter>

const FINEST_MS = WIDTHS[0].seconds * 1000

export interface CountedCall {
  keyId: string
  tenantId: string
  contract: { method: string; path: string }
  status: number
  durationMs: number
}

/** Counts one call. @param at epoch ms */
export function countCall(counters: Counters, call: CountedCall, at: number): void {
  const began = at - (at % FINEST_MS)
  const { method, path } = call.contract
  const name = `${began} ${call.keyId} ${method} ${path}`
  let counter = counters.get(name)
  if (!counter) {
    counter = {
      keyId: call.keyId,
      tenantId: call.tenantId,
      route: `${method} ${path}`,
      began,
      calls: 0,
      errors: 0,
      limited: 0,
      durations: new Array<number>(DURATION_BOUNDS.length).fill(0),
    }
    counters.set(name, counter)
  }
  counter.calls++
  if (call.status >= 400) counter.errors++
  if (call.status === 429) counter.limited++
  counter.durations[stepOf(call.durationMs)]!++
}

type Sums = Pick<Counter, 'calls' | 'errors' | 'limited' | 'durations'>

function add(to: Sums, more: Sums): void {
  to.calls += more.calls
  to.errors += more.errors
  to.limited += more.limited
  for (const [step, count] of more.durations.entries()) to.durations[step]! += count
}

/** Adds counts that could not be written to those that came meanwhile; what began before `oldest` is given up. */
export function putBack(counters: Counters, taken: Counters, oldest: number): void {
  for (const [name, counter] of taken) {
    if (counter.began < oldest) continue
    const there = counters.get(name)
    if (there) add(there, counter)
    else counters.set(name, counter)
  }
}

/** The counts as rows of every width. */
export function statsRows(counters: Counters): StatsRow[] {
  const rows = new Map<string, StatsRow>()
  for (const counter of counters.values())
    for (const { seconds } of WIDTHS) {
      const bucket = new Date(counter.began - (counter.began % (seconds * 1000))).toISOString()
      const name = `${counter.keyId} ${seconds} ${bucket} ${counter.route}`
      const row = rows.get(name)
      // Two steps of five minutes in one hour.
      if (row) add(row, counter)
      else {
        const { keyId, tenantId, route, calls, errors, limited, durations } = counter
        rows.set(name, {
          key_id: keyId,
          tenant_id: tenantId,
          width: seconds,
          bucket,
          route,
          calls,
          errors,
          limited,
          durations: [...durations],
        })
      }
    }
  return [...rows.values()]
}
