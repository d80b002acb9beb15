import type { TenantScope } from '../../lib/database/database.ts'
import { cancelFirmwareCommands } from '../commands/index.ts'
import * as jobs from './jobs.repo.ts'
import { eventsOf, insertEvents, type NewEvent, saveJobs } from './jobs.rows.ts'
import { type Happening, step } from './ota-machine.ts'
import { rulesOf } from './reports.ts'

/**
 * Takes the notices of a campaign that wait for their devices out of the queues; their jobs wait for their turn again.
 * Commands first, jobs after them, as everywhere: two that change both in different orders would wait for each other.
 */
export async function takeNoticesBack(scope: TenantScope, campaignId: string, now: number): Promise<void> {
  const ids = await jobs.queuedNotices(scope, { campaignId })
  const changed = await cancelFirmwareCommands(scope, ids)
  const back = new Set(changed.map(each => each.id))
  if (back.size > 0) scope.tell('commands.changed', { commands: changed })
  // A job whose notice was sent at this very moment stays told.
  await changeJobs(scope, { campaignId, notices: [...back] }, now, () => ({ kind: 'notice_back' }))
}

/**
 * Lets something happen to all jobs that a selector leaves.
 * @returns how many it changed
 */
export async function changeJobs(
  scope: TenantScope,
  selector: jobs.JobSelector,
  now: number,
  happening: (job: { state: string }) => Happening | null,
): Promise<number> {
  const rows = await jobs.holdJobs(scope, selector)
  if (rows.length === 0) return 0
  const rules = await rulesOf(scope, [...new Set(rows.map(row => row.campaignId))])
  // A job of a device that has another update by now cannot be opened again.
  const reopened = rows.filter(row => row.finishedAt !== null)
  const busy = reopened.length > 0 ? await jobs.busyDevices(scope, reopened) : new Set<string>()
  const events: NewEvent[] = []
  const changed = []
  for (const row of rows) {
    const what = happening(row)
    const key = `${row.device}/${row.module}`
    if (!what || (what.kind === 'again' && busy.has(key))) continue
    const outcome = step(row, what, rules.get(row.campaignId)!, now)
    if (!outcome) continue
    if (what.kind === 'again') busy.add(key)
    Object.assign(row, outcome.job)
    events.push(...eventsOf(row, outcome.noted, now))
    changed.push(row)
  }
  await saveJobs(scope, changed)
  await insertEvents(scope, events)
  return changed.length
}
