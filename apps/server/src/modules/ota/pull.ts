import { systemContext } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { readLatestValues } from '../../lib/journal/latest-values.ts'
import { sql } from '../../lib/sql/statement.ts'
import { cancelFirmwareCommands } from '../commands/index.ts'
import { findCampaign } from './campaigns.repo.ts'
import * as jobs from './jobs.repo.ts'
import { eventsOf, insertEvents, saveJobs } from './jobs.rows.ts'
import type { NoticeMaker } from './notices.ts'
import { isUnderWay } from './ota-machine.ts'
import { packagesOfModule } from './packages.repo.ts'
import { happen, prepare, prepareAgain, readinessOf } from './readiness.ts'
import { findProduct } from './settings.repo.ts'

const CREATE_PULL = sql<{
  id: string
  tenantId: string
}>`select id, tenant_id as "tenantId" from ota_jobs where device = $1 and module = $2 and finished_at is null`

/**
 * What a device that asks by itself is to install. It is told by the answer: a job that waits becomes `notified`, one
 * that is under way is told the same again, because the device may have lost it with its power.
 * @returns null: nothing, or not now
 */
export function createPull(deps: {
  database: Database
  notice: NoticeMaker
  now(): number
}): (device: number, module: string) => Promise<Record<string, unknown> | null> {
  const { database } = deps

  async function open(scope: TenantScope, id: string): Promise<Record<string, unknown> | null> {
    const now = deps.now()
    // A notice that waits in the queue would come after this answer: commands before jobs, as everywhere.
    const changed = await cancelFirmwareCommands(scope, await jobs.queuedNotices(scope, { ids: [id] }))
    if (changed.length > 0) scope.tell('commands.changed', { commands: changed })
    const [job] = await jobs.holdJobs(scope, { ids: [id], open: '1' })
    const campaign = job && (await findCampaign(scope, job.campaignId))
    if (!job || !campaign || job.state === 'to_confirm') return null
    const packages = await packagesOfModule(scope, job.productId, job.module)
    const rules = { timeouts: campaign.plan.timeouts, retries: campaign.plan.retries, live: true }
    if (isUnderWay(job.state)) {
      const item = packages.find(each => each.id === job.packageId)
      if (!item || item.state === 'disabled') return null
      return { ...deps.notice(job, item, campaign.plan.allowDowngrade, now) }
    }
    const isWaiting = job.commandId !== null && !changed.some(each => each.id === job.commandId)
    if (campaign.state !== 'running' || (job.waitingFor === 'backoff' && job.nextAt > now)) {
      if (changed.length > 0) {
        happen(job, { kind: 'notice_back' }, rules, now)
        await saveJobs(scope, [job])
      }
      return null
    }
    const facts = (await jobs.deviceFacts(scope, [job.device], job.module)).get(job.device)
    const product = await findProduct(scope, job.productId)
    const ready = readinessOf(
      {
        campaign,
        packages,
        verifiedOnly: campaign.kind !== 'verification' && product?.firmware.requireVerified === true,
        companyZone: await jobs.companyZone(scope),
        now,
      },
      job,
      facts,
      (await readLatestValues(database.telemetry, [job.device])).get(job.device),
    )
    if (ready.kind === 'ready') {
      // The notice that is on its way to it counts: the same attempt, the same address. One that waited in the queue was
      // taken back for this answer, which stands for it.
      if (job.commandId === null) prepare(job, ready, facts?.version ?? null)
      else if (!isWaiting) prepareAgain(job, ready)
      const outcome = happen(job, { kind: 'told' }, rules, now)
      await saveJobs(scope, [job])
      if (outcome) await insertEvents(scope, eventsOf(job, outcome.noted, now))
      return { ...deps.notice(job, ready.item, ready.downgrade, now) }
    }
    if (changed.length > 0) happen(job, { kind: 'notice_back' }, rules, now)
    if (ready.kind === 'over') {
      const outcome = happen(job, ready.happening, rules, now)
      if (outcome) await insertEvents(scope, eventsOf(job, outcome.noted, now))
    } else {
      job.waitingFor = ready.for
      job.nextAt = ready.nextAt
    }
    await saveJobs(scope, [job])
    return null
  }

  return async (device, module) => {
    const found = await database.withSystemScope('ota', async scope => {
      const { rows } = await scope.run(CREATE_PULL, [device, module])
      return rows[0] ?? null
    })
    if (!found) return null
    return database.withTenant(systemContext(found.tenantId, 'firmware', deps.now()), scope => open(scope, found.id))
  }
}
