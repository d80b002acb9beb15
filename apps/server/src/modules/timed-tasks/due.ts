import { nextRuns, type Run, type Schedule, type Surroundings } from '@thingwright/schedules'

/** A run that begins so late at most is in time: a restart, or a busy minute. Ms. */
export const IN_TIME_MS = 60_000
/** Runs that are counted of those that were missed. */
const COUNTED = 1_000
/** Most tasks are due once: few runs are worked out at first, more where those do not reach until now. */
const LOOKS = [3, 60, COUNTED]

export interface DueTask {
  schedule: Schedule
  /** Epoch ms of the run that is due. */
  due: number
  misfire: 'skip' | 'once'
  misfireMinutes: number
}

export interface Decision {
  /** What is run now, in order. */
  run: Run[]
  /** What is left out, when nothing is run in its place: its first moment. */
  leftOut: Run | null
  /** How many were due before that and are not run. */
  missed: number
  /** Epoch ms; null: nothing more comes. */
  next: number | null
}

/**
 * What is to be done for a task whose run is due: runs that are in time are run; of those that were missed while the
 * server was down only the last one is run, if its task says so and it is not too late: missed runs never make a burst.
 * @param now epoch ms
 */
export function decide(
  { schedule, due, misfire, misfireMinutes }: DueTask,
  now: number,
  around: Surroundings,
): Decision {
  const window = misfire === 'once' ? Math.max(IN_TIME_MS, misfireMinutes * 60_000) : IN_TIME_MS
  const from = Math.max(due, now - window)
  const { runs: near, next } = runsUntil(schedule, from - 1, now, around)
  const inTime = near.filter(({ at }) => at >= now - IN_TIME_MS)
  const isDense = schedule.kind === 'interval' || schedule.kind === 'cron'
  const run = inTime.length > 0 && !isDense ? inTime : near.slice(-1)
  const all = from > due ? runsUntil(schedule, due - 1, now, around).runs : near
  const missed = Math.max(0, all.length - run.length)
  return {
    run,
    leftOut: run.length === 0 ? (all[0] ?? { at: due }) : null,
    missed,
    next,
  }
}

/** The runs after a moment until now, at most {@link COUNTED}, and the first one after now. */
function runsUntil(
  schedule: Schedule,
  after: number,
  now: number,
  around: Surroundings,
): { runs: Run[]; next: number | null } {
  for (const count of LOOKS) {
    const found = nextRuns(schedule, after, count, around)
    const next = found.find(({ at }) => at > now)
    const isAll = next !== undefined || found.length < count
    if (isAll) return { runs: found.filter(({ at }) => at <= now), next: next?.at ?? null }
    if (count === COUNTED) return { runs: found, next: nextRuns(schedule, now, 1, around)[0]?.at ?? null }
  }
  return { runs: [], next: null }
}

/** Whether a schedule goes by the sun. */
export function needsSun(schedule: Schedule): boolean {
  return (
    schedule.kind === 'sun' ||
    (schedule.kind === 'pair' && (typeof schedule.on === 'object' || typeof schedule.off === 'object'))
  )
}
