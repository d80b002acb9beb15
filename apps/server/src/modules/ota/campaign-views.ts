import type { OtaCampaignView, OtaJobEvent, OtaJobView } from '@thingwright/contracts/ota.contract'
import type { CampaignRow, Counts, Plan } from './campaigns.repo.ts'
import type { EventRow, ShownJob } from './jobs.repo.ts'
import { isEnd } from './ota-machine.ts'

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
/** Devices of a scope that are shown by id. */
const SHOWN_IDS = 100

/** Devices a minute at this moment: an exponential rate has grown with the successes. */
export function rateNow({ rate }: Plan, succeeded: number): number {
  if (rate.kind === 'constant') return rate.perMinute
  const steps = Math.floor(succeeded / (rate.everySucceeded ?? 10))
  return Math.min(rate.perMinute * (rate.factor ?? 2) ** Math.min(steps, 64), rate.maxPerMinute ?? 60_000)
}

export function failedOf(counts: Counts): { ended: number; failed: number } {
  const failed = (counts.failed ?? 0) + (counts.timed_out ?? 0) + (counts.rejected ?? 0)
  return { failed, ended: failed + (counts.succeeded ?? 0) }
}

export function toCampaignView(row: CampaignRow, counts: Counts): OtaCampaignView {
  const { plan } = row
  const { ended, failed } = failedOf(counts)
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    state: row.state,
    stateReason: row.stateReason,
    productId: row.productId,
    productName: row.productName,
    packageId: row.packageId,
    packageName: row.packageName,
    module: row.module,
    version: row.version,
    scope: { ...row.scope, ...(row.scope.deviceIds ? { deviceIds: row.scope.deviceIds.slice(0, SHOWN_IDS) } : {}) },
    method: row.dynamic ? 'dynamic' : 'static',
    delivery: plan.delivery,
    confirm: plan.confirm,
    rate: plan.rate,
    window: plan.window,
    preconditions: plan.preconditions,
    timeouts: plan.timeouts,
    retries: plan.retries,
    autoStop: plan.autoStop,
    supersede: plan.supersede,
    allowDowngrade: plan.allowDowngrade,
    startAt: iso(row.startAt),
    endAt: iso(row.endAt),
    total: Object.values(counts).reduce((sum, n) => sum + n, 0),
    counts: counts as Record<string, number>,
    failurePercent: ended === 0 ? null : Math.round((failed * 1000) / ended) / 10,
    ratePerMinute: Math.round(rateNow(plan, counts.succeeded ?? 0) * 10) / 10,
    ofCampaign: row.ofCampaign,
    ownerName: row.ownerName,
    revision: row.revision,
    createdAt: iso(row.createdAt)!,
    startedAt: iso(row.startedAt),
    endedAt: iso(row.endedAt),
  }
}

export function toJobView(row: ShownJob): OtaJobView {
  return {
    id: row.id,
    campaignId: row.campaignId,
    campaignName: row.campaignName,
    campaignKind: row.campaignKind,
    productId: row.productId,
    deviceId: row.deviceId,
    deviceNo: row.deviceNo,
    deviceName: row.deviceName,
    module: row.module,
    fromVersion: row.fromVersion,
    toVersion: row.toVersion,
    step: row.step,
    steps: [...row.steps],
    state: row.state,
    percent: row.percent,
    waitingFor: waitingFor(row),
    attempt: row.attempt,
    errorCode: row.errorCode,
    message: row.message,
    commandId: row.commandId,
    createdAt: row.createdAt.toISOString(),
    notifiedAt: iso(row.notifiedAt),
    changedAt: iso(row.changedAt)!,
    dueAt: isEnd(row.state) ? null : iso(row.dueAt),
    nextAt: row.state === 'pending' && row.commandId === null ? iso(row.nextAt) : null,
    finishedAt: iso(row.finishedAt),
  }
}

function waitingFor(row: ShownJob): OtaJobView['waitingFor'] {
  if (row.state !== 'pending') return null
  if (row.campaignState === 'paused' || row.campaignState === 'stopped') return 'paused'
  // The notice is made and lies in the queue: the device is not there to take it.
  if (row.commandId !== null) return 'offline'
  return (row.waitingFor as OtaJobView['waitingFor']) ?? 'turn'
}

export function toEvent(row: EventRow): OtaJobEvent {
  return { ...row, kind: row.kind as OtaJobEvent['kind'], at: row.at.toISOString() }
}
