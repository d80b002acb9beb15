import type { Database } from '../../lib/database/database.ts'
import type { Logger } from '../../lib/log.ts'
import { LONG_STEP, SHORT_STEP } from './fleet-cells.ts'
import * as repo from './samples.repo.ts'

const SHORT_MS = SHORT_STEP * 1_000
const HOUR_MS = LONG_STEP * 1_000
/** Counts of messages reach their table within seconds; an hour that ended is looked at again for so long. */
const LATE_MS = 2 * SHORT_MS
/**
 * Between two looks at all companies; longer where one took long, so that it is a hundredth of the work, but never so
 * long that a short step could pass unseen.
 */
const EVERY_MS = 60_000
const EVERY_AT_MOST_MS = SHORT_MS / 2
const AT_LEAST_TIMES = 100
/** A fleet of so few devices is looked at whenever somebody asks for it, at most once in this time. */
const SMALL_FLEET = 1_000
const SMALL_EVERY_MS = 5_000

export interface SamplerDeps {
  database: Database
  logger: Logger
  now(): number
}

export interface Sampler {
  start(): void
  stop(): Promise<void>
  /** Takes the sample of every company that has devices; one that fails leaves the others standing. */
  sampleAll(): Promise<void>
  /** Takes the sample of one. */
  sample(tenantId: string): Promise<void>
  /** Somebody looks at this company: a small fleet is looked at now, so that who just began need not wait for the next turn. */
  refresh(tenantId: string): Promise<void>
}

/** Takes samples of all fleets beside requests, one company after the other. */
export function createSampler({ database, logger, now }: SamplerDeps): Sampler {
  let timer: NodeJS.Timeout | null = null
  let running: Promise<unknown> | null = null
  let stopping = false
  const asked = new Map<string, { at: number; done: Promise<void> }>()

  async function sample(tenantId: string): Promise<void> {
    const at = now()
    const hour = at - (at % HOUR_MS)
    await database.withSystemScope('maintenance', async scope => {
      if (!(await repo.holdCompany(scope, tenantId))) return
      await repo.addCells(scope, tenantId)
      if (at - hour < LATE_MS)
        await repo.takeSample(scope, { tenantId, step: hour - SHORT_MS, hour: hour - HOUR_MS, current: false })
      await repo.takeSample(scope, { tenantId, step: at - (at % SHORT_MS), hour, current: true })
    })
  }

  async function sampleAll(): Promise<void> {
    const companies = await database.withSystemScope('maintenance', scope => repo.companiesWithDevices(scope))
    for (const tenantId of companies) {
      if (stopping) return
      // What is wrong with one fleet must not cost those behind it their figures.
      await sample(tenantId).catch((error: unknown) =>
        logger.warn({ err: error, tenantId }, 'the sample of a fleet could not be taken; trying again'),
      )
    }
  }

  async function takeSmall(tenantId: string): Promise<void> {
    try {
      const size = await database.withSystemScope('maintenance', scope => repo.fleetSize(scope, tenantId))
      if (size <= SMALL_FLEET) await sample(tenantId)
    } catch (error) {
      logger.warn({ err: error, tenantId }, 'the sample of a small fleet could not be taken; the next turn takes it')
    }
  }

  function refresh(tenantId: string): Promise<void> {
    const at = now()
    const last = asked.get(tenantId)
    if (last && at - last.at < SMALL_EVERY_MS) return last.done
    for (const [other, { at: then }] of asked) if (at - then >= SMALL_EVERY_MS) asked.delete(other)
    const done = takeSmall(tenantId)
    asked.set(tenantId, { at, done })
    return done
  }

  function turn(): void {
    const began = performance.now()
    running = sampleAll()
      .catch((error: unknown) => logger.warn({ err: error }, 'companies with devices could not be read; trying again'))
      .finally(() => {
        running = null
        if (stopping) return
        const took = performance.now() - began
        timer = setTimeout(turn, Math.min(EVERY_AT_MOST_MS, Math.max(EVERY_MS, took * AT_LEAST_TIMES)))
        timer.unref()
      })
  }

  return {
    start: turn,
    async stop() {
      stopping = true
      if (timer) clearTimeout(timer)
      await running
    },
    sample,
    refresh,
    sampleAll,
  }
}
