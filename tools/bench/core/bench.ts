/** S: a check that takes a minute or two; M: the figures that are published. */
export type Size = 'S' | 'M'

export interface BenchOptions {
  size: Size
  /** Folder for CPU profiles of the server's Node processes under load (`ingest`); null: none. */
  profile: string | null
  say(line: string): void
}

/** A figure that was promised, and what was seen. */
export interface Goal {
  what: string
  goal: string
  seen: string
  met: boolean
}

export interface BenchTable {
  title: string
  head: string[]
  rows: (string | number | null)[][]
}

export interface BenchReport {
  tables: BenchTable[]
  goals: Goal[]
  /** How it was measured where a reader could take it for something else, and what was not run. */
  notes: string[]
  /** Versions of other programs that took part. */
  versions: Record<string, string>
  /** Everything measured, for programs. */
  data: Record<string, unknown>
}

export interface Bench {
  name: string
  summary: string
  run(options: BenchOptions): Promise<BenchReport>
}

/** A goal with an upper bound. */
export function atMost(what: string, seen: number | null, bound: number, unit: string): Goal {
  return {
    what,
    goal: `<= ${bound} ${unit}`,
    seen: seen === null ? '-' : `${seen} ${unit}`,
    met: seen !== null && seen <= bound,
  }
}

/** A goal with a lower bound. */
export function atLeast(what: string, seen: number | null, bound: number, unit: string): Goal {
  return {
    what,
    goal: `>= ${bound} ${unit}`,
    seen: seen === null ? '-' : `${seen} ${unit}`,
    met: seen !== null && seen >= bound,
  }
}

/** Waits between two readings of a steady state. */
export function seconds(count: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, count * 1000))
}

/** Asks again until the condition holds. @returns whether it did within the time */
export async function until(condition: () => boolean | Promise<boolean>, ms: number, everyMs = 20): Promise<boolean> {
  const deadline = performance.now() + ms
  while (!(await condition())) {
    if (performance.now() > deadline) return false
    await new Promise(resolve => setTimeout(resolve, everyMs))
  }
  return true
}
