import { recordAudit } from '../../lib/audit.ts'
import type { Actor, Ctx, Locale } from '../../lib/context.ts'
import { systemContext } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { readLatestValues } from '../../lib/journal/latest-values.ts'
import { cancelFirmwareCommands, type FirmwareCommand, putFirmwareCommands } from '../commands/index.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import type { Inbox } from '../notifications/index.ts'
import { actorOf, mayDeploy } from './actors.ts'
import { changeJobs, takeNoticesBack } from './campaign-changes.ts'
import { tellOwner } from './campaign-notices.ts'
import { rateNow } from './campaign-views.ts'
import * as repo from './campaigns.repo.ts'
import { settleTrial } from './campaigns.service.ts'
import * as jobs from './jobs.repo.ts'
import { eventsOf, insertEvents, type JobRow, type NewEvent, saveJobs } from './jobs.rows.ts'
import type { NoticeMaker } from './notices.ts'
import { NOTICE_MS } from './notices.ts'
import { packagesOfModule } from './packages.repo.ts'
import { createReach } from './reach.ts'
import { happen, prepare, readinessOf } from './readiness.ts'
import { findProduct } from './settings.repo.ts'
import {
  hasBusyTargets,
  insertJobs,
  type NewTarget,
  nextTargets,
  type Take,
  type TargetQuery,
  targetVersions,
} from './targets.repo.ts'

export interface CampaignStepDeps {
  database: Database
  gateway: Pick<GatewayPort, 'wake'>
  inbox: Inbox
  notice: NoticeMaker
  /** The rights of a person now; null: he may no longer act. */
  currentActor(tenantId: string, actor: Actor): Promise<Actor | null>
}

/** Devices that join in one transaction, and that are looked at for a notice. */
const INTAKE = 1_000
const LOOKED_AT = 400
/** Notices of one transaction. */
const MOST_NOTICES = 200
const AGAIN_MS = { dynamic: 10_000, busy: 15_000 }
const WINDOW_SHUTS_MS = 5_000
/** How far the database's clock, which dates devices, may be ahead of ours. */
const CLOCKS_MS = 1_000

const VERBS = { paused: 'pause', stopped: 'stop', completed: 'complete' } as const

export type CampaignStep = (due: repo.CampaignRow, now: number) => Promise<void>

/**
 * One look at a campaign: its life, devices that join, devices that are told. Three transactions, each of which holds the
 * campaign's row and leaves nothing half done, so that a kill at any moment repeats nothing and loses nothing.
 */
export function createCampaignStep(deps: CampaignStepDeps): CampaignStep {
  const { database } = deps
  const systemOf = (row: repo.CampaignRow, now: number) => systemContext(row.tenantId, 'firmware', now)

  return async (due, now) => {
    const goesOn = await database.withTenant(systemOf(due, now), async scope => {
      const row = await repo.holdCampaign(scope, due.id, now)
      return row !== null && live(scope, row, now)
    })
    if (!goesOn) return
    const more = await intake(due, now)
    await database.withTenant(systemOf(due, now), async scope => {
      const row = await repo.holdCampaign(scope, due.id, now)
      if (row?.state === 'running') await tell(scope, row, now, more)
    })
  }

  /** Begins, ends and stops it. @returns whether it goes on */
  async function live(scope: TenantScope, row: repo.CampaignRow, now: number): Promise<boolean> {
    if (row.endAt !== null && row.endAt <= now) {
      await takeNoticesBack(scope, row.id, now)
      await changeJobs(scope, { campaignId: row.id, fits: 'unbegun' }, now, () => ({
        kind: 'cancelled',
        code: 'campaign_ended',
      }))
      await complete(scope, row, 'end_time', now)
      return false
    }
    if (row.packageState === 'disabled') {
      await takeNoticesBack(scope, row.id, now)
      await change(scope, row, 'paused', 'package_disabled', now)
      await tellOwner(scope, deps.inbox, row, 'package_disabled')
      return false
    }
    if (row.state === 'scheduled') {
      await repo.setState(scope, row.id, 'running', null, now)
      return true
    }
    const { autoStop } = row.plan
    if (autoStop) {
      const { ended, failed } = await repo.endsSince(scope, row.id, row.countedFrom)
      if (ended >= autoStop.afterDevices && failed * 100 > autoStop.failurePercent * ended) {
        await takeNoticesBack(scope, row.id, now)
        await change(scope, row, 'stopped', 'failure_rate', now, { failed, ended })
        await tellOwner(scope, deps.inbox, row, 'failure_rate', { failed, ended })
        return false
      }
    }
    return true
  }

  /** What it does by itself stands in the operation log like what people do. */
  async function change(
    scope: TenantScope,
    row: repo.CampaignRow,
    state: keyof typeof VERBS,
    reason: string,
    now: number,
    facts: Record<string, unknown> = {},
  ): Promise<void> {
    await repo.setState(scope, row.id, state, reason, now)
    await recordAudit(scope, systemOf(row, now), {
      action: `ota_campaign.${VERBS[state]}`,
      objectType: 'ota_campaign',
      objectId: row.id,
      objectName: row.name,
      before: { state: row.state },
      after: { state, reason, ...facts },
    })
  }

  async function complete(scope: TenantScope, row: repo.CampaignRow, reason: string, now: number): Promise<void> {
    await change(scope, row, 'completed', reason, now)
    if (row.kind === 'verification') {
      const counts = (await repo.countsOf(scope, [row.id])).get(row.id) ?? {}
      const good = counts.succeeded ?? 0
      const all = Object.values(counts).reduce((sum, n) => sum + n, 0)
      await settleTrial(scope, row, all > 0 && good === all, `${good}/${all}`)
    }
    await tellOwner(scope, deps.inbox, row, 'completed')
  }

  /** Devices that fit join, with the rights that its owner has now. @returns whether more are to come at once */
  async function intake(due: repo.CampaignRow, now: number): Promise<boolean> {
    if (!due.intakeOpen || (due.intakeAt !== null && due.intakeAt > now)) return false
    const stored = actorOf(due.actor)
    const actor = await deps.currentActor(due.tenantId, stored)
    const ctx: Ctx = {
      tenantId: due.tenantId,
      actor: actor ?? stored,
      locale: due.locale as Locale,
      requestId: due.id,
      now,
    }
    return database.withTenant(actor ? ctx : systemOf(due, now), async scope => {
      const row = await repo.holdCampaign(scope, due.id, now)
      if (row?.state !== 'running') return false
      if (!actor || !mayDeploy(actor)) {
        await change(scope, row, 'paused', 'owner_without_right', now)
        return false
      }
      const query: TargetQuery = {
        productId: row.productId,
        module: row.module,
        seed: row.id,
        scope: row.scope,
        madeBefore: row.dynamic ? null : row.createdAt + CLOCKS_MS,
      }
      const reach = await reachOf(scope, row)
      const versions = (await targetVersions(scope, query)).filter(({ version }) => reach(version).why === 'target')
      const take: Take = {
        campaignId: row.id,
        versions: versions.flatMap(({ version }) => (version === null ? [] : [version])),
        unknown: versions.some(({ version }) => version === null),
        supersede: row.plan.supersede,
      }
      const found = versions.length === 0 ? [] : await nextTargets(scope, query, take, INTAKE)
      if (found.length > 0) await join(scope, row, found, reach, now)
      if (found.length === INTAKE) return true
      const busy = versions.length > 0 && (await hasBusyTargets(scope, query, take))
      await repo.setIntake(scope, row.id, row.dynamic || busy, now + (row.dynamic ? AGAIN_MS.dynamic : AGAIN_MS.busy))
      return false
    })
  }

  async function reachOf(scope: TenantScope, row: repo.CampaignRow) {
    const product = await findProduct(scope, row.productId)
    return createReach({
      toVersion: row.version,
      orderNo: row.orderNo,
      packages: await packagesOfModule(scope, row.productId, row.module),
      verifiedOnly: row.kind !== 'verification' && product?.firmware.requireVerified === true,
      trial: row.kind === 'verification' ? row.packageId : null,
      allowDowngrade: row.plan.allowDowngrade,
      fromVersions: row.scope.fromVersions,
    })
  }

  async function join(
    scope: TenantScope,
    row: repo.CampaignRow,
    found: readonly NewTarget[],
    reach: ReturnType<typeof createReach>,
    now: number,
  ): Promise<void> {
    const taken = found.filter(target => target.openId !== null)
    if (taken.length > 0) {
      const changed = await cancelFirmwareCommands(
        scope,
        taken.flatMap(({ openCommand }) => (openCommand === null ? [] : [openCommand])),
      )
      scope.tell('commands.changed', { commands: changed })
      await changeJobs(scope, { ids: taken.flatMap(({ openId }) => openId ?? []) }, now, () => ({
        kind: 'superseded',
      }))
    }
    const made = await insertJobs(
      scope,
      { id: row.id, productId: row.productId, module: row.module, confirm: row.plan.confirm, now },
      found.map(({ id, num, version }) => {
        const steps = reach(version).steps!
        return {
          id: newId(now),
          deviceId: id,
          device: num,
          fromVersion: version,
          toVersion: row.version,
          steps,
          packageId: steps[0]!.packageId,
        }
      }),
    )
    const state = row.plan.confirm ? 'to_confirm' : 'pending'
    await insertEvents(
      scope,
      made.map(({ id, device }) => ({
        tenantId: row.tenantId,
        jobId: id,
        device,
        module: row.module,
        at: now,
        kind: 'created',
        state,
        percent: null,
        message: null,
        data: { campaign: row.name, version: row.version },
      })),
    )
  }

  /** Tells as many devices as the rate allows, and says when it is to be looked at again. */
  async function tell(scope: TenantScope, row: repo.CampaignRow, now: number, more: boolean): Promise<void> {
    const { plan } = row
    const { open, active } = await jobs.openCounts(scope, row.id, now)
    if (open === 0 && !row.intakeOpen && !row.dynamic) return complete(scope, row, 'ended', now)
    const counts = plan.rate.kind === 'exponential' ? (await repo.countsOf(scope, [row.id])).get(row.id) : undefined
    const perMinute = rateNow(plan, counts?.succeeded ?? 0)
    const room = Math.min(
      MOST_NOTICES,
      Math.max(1, Math.ceil(perMinute / 60)),
      plan.rate.maxActive === undefined ? Number.MAX_SAFE_INTEGER : plan.rate.maxActive - active,
    )
    const told = plan.delivery === 'pull' || room <= 0 ? 0 : await notify(scope, row, room, now)
    const idle = told === 0 && !more
    const pause = idle ? repo.IDLE_MS : told > 0 ? (told * 60_000) / perMinute : 0
    await repo.setNext(scope, row.id, now + Math.max(1, Math.ceil(pause)), idle)
  }

  /** @returns how many were told */
  async function notify(scope: TenantScope, row: repo.CampaignRow, room: number, now: number): Promise<number> {
    const waiting = await jobs.waitingJobs(scope, row.id, now, LOOKED_AT)
    if (waiting.length === 0) return 0
    const devices = waiting.map(job => job.device)
    const facts = await jobs.deviceFacts(scope, devices, row.module)
    const { plan } = row
    const asksValues = plan.preconditions.length > 0 || plan.window?.timeZoneProperty !== undefined
    const latest = asksValues ? await readLatestValues(database.telemetry, devices) : null
    const product = await findProduct(scope, row.productId)
    const input = {
      campaign: row,
      packages: await packagesOfModule(scope, row.productId, row.module),
      verifiedOnly: row.kind !== 'verification' && product?.firmware.requireVerified === true,
      companyZone: await jobs.companyZone(scope),
      now,
    }
    const rules = { timeouts: plan.timeouts, retries: plan.retries, live: true }
    const changed: JobRow[] = []
    const events: NewEvent[] = []
    const commands: FirmwareCommand[] = []
    for (const job of waiting) {
      if (commands.length >= room) break
      const device = facts.get(job.device)
      const ready = readinessOf(input, job, device, latest?.get(job.device))
      if (ready.kind === 'over') {
        const outcome = happen(job, ready.happening, rules, now)
        if (outcome) events.push(...eventsOf(job, outcome.noted, now))
      } else if (ready.kind === 'wait') {
        if (job.waitingFor !== ready.for) events.push(...eventsOf(job, [waitLine(ready.for, ready.nextAt)], now))
        job.waitingFor = ready.for
        job.nextAt = ready.nextAt
      } else {
        prepare(job, ready, device?.version ?? null)
        const ends = Math.min(now + NOTICE_MS, ready.until === null ? Infinity : ready.until - WINDOW_SHUTS_MS)
        const id = newId(now)
        commands.push({
          id,
          deviceId: job.deviceId,
          device: job.device,
          module: job.module,
          notice: deps.notice(job, ready.item, ready.downgrade, now),
          conditions: plan.preconditions,
          operatorId: row.ownerId,
          operatorName: row.ownerName,
          expiresAt: new Date(Math.max(ends, now + 1_000)),
        })
        job.commandId = id
        job.commandState = 'queued'
        job.waitingFor = 'offline'
        job.changedAt = now
      }
      changed.push(job)
    }
    await putFirmwareCommands(scope, commands)
    await saveJobs(scope, changed)
    await insertEvents(scope, events)
    if (commands.length > 0) {
      scope.afterCommit(() => deps.gateway.wake(commands.map(command => command.device)))
      scope.tell('commands.changed', { commands: commands.map(({ id, device }) => ({ id, device })) })
    }
    return commands.length
  }
}

function waitLine(what: string, until: number) {
  return {
    kind: 'waiting' as const,
    state: null,
    percent: null,
    message: null,
    data: { for: what, until: new Date(until).toISOString() },
  }
}
