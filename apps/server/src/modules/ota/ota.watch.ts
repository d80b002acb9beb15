import type { Database, SystemScope } from '../../lib/database/database.ts'
import { dropStaleFirmwareCommands } from '../commands/index.ts'
import * as jobs from './jobs.repo.ts'
import { eventsOf, insertEvents, type JobRow, type NewEvent, saveJobs } from './jobs.rows.ts'
import type { Happening } from './ota-machine.ts'
import { happen } from './readiness.ts'
import { rulesOf } from './reports.ts'

export interface Watch {
  /** What became of notices in the queues. @returns jobs changed */
  notices(now: number): Promise<number>
  /** Phases that took too long. @returns jobs changed */
  phases(now: number): Promise<number>
  /** Drops queued notices of updates that have ended. @returns how many */
  stale(): Promise<number>
}

const AT_ONCE = 500

/** The watchdog of updates. It works by rows alone, holds them while it does, and leaves those that another process holds. */
export function createWatch(deps: { database: Database }): Watch {
  const { database } = deps

  async function change<J extends JobRow>(
    scope: SystemScope,
    rows: readonly J[],
    now: number,
    happening: (job: J) => Happening | null,
  ): Promise<number> {
    if (rows.length === 0) return 0
    const rules = await rulesOf(scope, [...new Set(rows.map(row => row.campaignId))])
    const events: NewEvent[] = []
    for (const row of rows) {
      const what = happening(row)
      const outcome = what && happen(row, what, rules.get(row.campaignId)!, now)
      if (outcome) events.push(...eventsOf(row, outcome.noted, now))
      // Looked at once: what changes nothing does not come up again and again.
      else row.dueAt = null
    }
    await saveJobs(scope, rows)
    await insertEvents(scope, events)
    return rows.length
  }

  return {
    notices: now =>
      database.withSystemScope('ota', async scope =>
        change(scope, await jobs.toldJobs(scope, AT_ONCE), now, job => noticeHappening(job)),
      ),
    phases: now =>
      database.withSystemScope('ota', async scope =>
        change(scope, await jobs.lateJobs(scope, now, AT_ONCE), now, ({ online }) => ({ kind: 'timeout', online })),
      ),
    stale: () =>
      database.withSystemScope('ota', async scope => {
        const dropped = await dropStaleFirmwareCommands(scope, AT_ONCE)
        if (dropped.length > 0) scope.tell('commands.changed', { commands: dropped })
        return dropped.length
      }),
  }
}

function noticeHappening(job: JobRow & { commandError: string | null; commandMessage: string | null }): Happening {
  switch (job.commandState) {
    case 'sent':
    case 'delivered':
    case 'succeeded':
      return { kind: 'told' }
    case 'failed':
    case 'rejected':
    case 'timed_out':
      return {
        kind: 'notice_failed',
        code: job.commandError ?? `notice_${job.commandState}`,
        message: job.commandMessage,
      }
    case 'cancelled':
      // Somebody took it out of the device's queue: that is a failure of this attempt, or it would be back at once.
      return { kind: 'notice_failed', code: 'notice_cancelled', message: null }
    default:
      return { kind: 'notice_back' }
  }
}
