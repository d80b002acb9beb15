import { systemContext } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { isAppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import { authoriseDevices } from '../devices/index.ts'
import * as repo from './command-schedules.repo.ts'
import type { CommandIntake } from './commands.intake.ts'

export interface ScheduleRunnerDeps {
  database: Database
  intake: CommandIntake
  gateway: Pick<GatewayPort, 'wake'>
  now(): number
  logger: Logger
}

export interface ScheduleRunner {
  start(): void
  stop(): Promise<void>
  /** Every slot that is due, once. @returns commands made */
  tick(): Promise<number>
}

const TICK_MS = 1_000
const AT_ONCE = 20
const SWEEP_MS = 600_000
/** Hours for which ended periodic reads are kept. */
const KEPT_HOURS = 24
const SWEEP_ROWS = 5_000

/** Sends templates every so often, slot after slot, so that a fleet's answers do not come in one moment. */
export function createScheduleRunner(deps: ScheduleRunnerDeps): ScheduleRunner {
  const { database, logger } = deps
  let timers: NodeJS.Timeout[] = []
  let running: Promise<unknown> | null = null

  async function slot(id: string, tenantId: string): Promise<number> {
    const ctx = systemContext(tenantId, 'schedule', deps.now())
    return database.withTenant({ tenantId }, async scope => {
      const schedule = await repo.holdSchedule(scope, id)
      if (!schedule) return 0
      const found = await repo.slotDevices(scope, schedule)
      const free = new Map(found.filter(device => !device.open).map(device => [device.id, device.subAddress]))
      const { devices } = await authoriseDevices(scope, [...free.keys()])
      let made: { device: number; id: string }[] = []
      let errorCode: string | null = null
      try {
        made = await deps.intake.putTemplate(
          scope,
          ctx,
          {
            id: schedule.productId,
            templateId: schedule.templateId,
            params: schedule.params,
            expiresAt: new Date(ctx.now + schedule.everySeconds * 1000).toISOString(),
          },
          devices.map(device => ({ ...device, subAddress: free.get(device.id) ?? null })),
          { source: 'schedule', scheduleId: id },
        )
      } catch (error) {
        // The template or the model changed under it: said beside the periodic read, tried again with the next slot.
        if (!isAppError(error)) throw error
        errorCode = error.code
      }
      await repo.advance(scope, schedule, { sent: made.length, skipped: found.length - free.size, errorCode })
      scope.afterCommit(() => {
        if (made.length === 0) return
        deps.gateway.wake(made.map(row => row.device))
        database.news.tell('commands.changed', {
          commands: made.map(({ device, id: command }) => ({ device, id: command })),
        })
      })
      return made.length
    })
  }

  async function tick(): Promise<number> {
    const due = await database.withSystemScope('commands-sweep', scope => repo.dueSchedules(scope, AT_ONCE))
    let made = 0
    for (const { id, tenantId } of due) made += await slot(id, tenantId)
    return made
  }

  async function sweep(): Promise<void> {
    for (;;) {
      const gone = await database.withSystemScope('commands-sweep', scope =>
        repo.deleteOldReads(scope, KEPT_HOURS, SWEEP_ROWS),
      )
      if (gone < SWEEP_ROWS) return
    }
  }

  function every(ms: number, work: () => Promise<unknown>): void {
    const timer = setInterval(() => {
      running ??= work()
        .catch((error: unknown) => logger.warn({ err: error }, 'periodic reads could not go on; trying again'))
        .finally(() => {
          running = null
        })
    }, ms)
    timer.unref()
    timers.push(timer)
  }

  return {
    start() {
      every(TICK_MS, tick)
      every(SWEEP_MS, sweep)
    },
    async stop() {
      for (const timer of timers) clearInterval(timer)
      timers = []
      await running
    },
    tick,
  }
}
