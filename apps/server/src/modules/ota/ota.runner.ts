import type { Database } from '../../lib/database/database.ts'
import type { Logger } from '../../lib/log.ts'
import type { CampaignStep } from './campaign.steps.ts'
import * as repo from './campaigns.repo.ts'
import type { Watch } from './ota.watch.ts'

export interface OtaRunner {
  start(): void
  /** Something may be due. */
  wake(): void
  stop(): Promise<void>
  /** Everything that is due now, once. @returns whether there was anything */
  step(): Promise<boolean>
}

const POLL_MS = 1_000
const TROUBLE_MS = 5_000
const STALE_EVERY_MS = 30_000
/** Changes are looked for this much further back than the last look. */
const OVERLAP_MS = 5_000
const SWEEP_EVERY_MS = 10 * 60_000
/**
 * After a start nothing counts as late for so long: a phase may have run out because the platform was down.
 * Devices come back within a minute, and what they said before is read by then.
 */
const LISTENING_MS = 60_000
/** Campaigns looked at in one step, so that the watchdog has its turn too. */
const CAMPAIGNS = 50

/**
 * Drives campaigns and updates by their rows: any number of processes may run it, and whatever one had not committed when
 * it died another one does.
 */
export function createOtaRunner(deps: {
  database: Database
  campaign: CampaignStep
  watch: Watch
  /** Removes files that belong to nothing. */
  sweep(now: number): Promise<unknown>
  now(): number
  logger: Logger
  pollMs?: number
}): OtaRunner {
  const { database, logger, watch } = deps
  let timer: NodeJS.Timeout | null = null
  let soon: NodeJS.Timeout | null = null
  let running: Promise<void> | null = null
  let again = false
  let stopping = false
  let lookedAt = 0
  let staleAt = 0
  let sweptAt = 0
  /** Nothing is late before; a runner that is only stepped has no start. */
  let judgesFrom = 0

  async function step(): Promise<boolean> {
    let changed = await watch.notices(deps.now())
    if (deps.now() >= judgesFrom) changed += await watch.phases(deps.now())
    let worked = changed > 0
    const stirredAt = deps.now()
    await database.withSystemScope('ota', scope => repo.stir(scope, lookedAt, stirredAt))
    // A transaction may have taken its time from its clock a while before it was committed.
    lookedAt = stirredAt - OVERLAP_MS
    for (let n = 0; n < CAMPAIGNS && !stopping; n++) {
      const now = deps.now()
      const due = await database.withSystemScope('ota', scope => repo.dueCampaign(scope, now))
      if (!due) break
      worked = true
      try {
        await deps.campaign(due, now)
      } catch (error) {
        // One campaign in trouble does not stand in the way of the others.
        logger.warn({ err: error, campaign: due.id }, 'a firmware campaign could not go on; trying again')
        await database.withSystemScope('ota', scope => repo.setNext(scope, due.id, now + TROUBLE_MS))
      }
    }
    if (deps.now() - staleAt >= STALE_EVERY_MS) {
      staleAt = deps.now()
      await watch.stale()
    }
    if (deps.now() - sweptAt >= SWEEP_EVERY_MS) {
      sweptAt = deps.now()
      await deps.sweep(sweptAt)
    }
    return worked
  }

  /** Between two parts of a campaign its rate is shorter than the poll. */
  async function scheduleNext(): Promise<void> {
    const at = await database.withSystemScope('ota', scope => repo.nextDueAt(scope))
    if (at === null || stopping) return
    const wait = at - deps.now()
    if (wait >= (deps.pollMs ?? POLL_MS)) return
    if (soon) clearTimeout(soon)
    soon = setTimeout(run, Math.max(5, wait))
    soon.unref()
  }

  function run(): void {
    if (stopping || timer === null) return
    if (running) {
      again = true
      return
    }
    running = (async () => {
      do {
        again = false
        if (await step()) await scheduleNext()
      } while (again && !stopping)
    })()
      .catch((error: unknown) => logger.warn({ err: error }, 'firmware campaigns could not go on; trying again'))
      .finally(() => {
        running = null
      })
  }

  return {
    start() {
      judgesFrom = deps.now() + LISTENING_MS
      timer = setInterval(run, deps.pollMs ?? POLL_MS)
      timer.unref()
      run()
    },
    wake: run,
    async stop() {
      stopping = true
      if (timer) clearInterval(timer)
      if (soon) clearTimeout(soon)
      await running
    },
    step,
  }
}
