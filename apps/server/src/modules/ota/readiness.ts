import type { Reading } from '../../lib/journal/latest-values.ts'
import { interlocked } from '../commands/index.ts'
import type { CampaignRow } from './campaigns.repo.ts'
import type { DeviceFacts } from './jobs.repo.ts'
import type { JobRow } from './jobs.rows.ts'
import { type Happening, step as machine, NO_DELTA } from './ota-machine.ts'
import { type PlanStep, planPath } from './ota-plan.ts'
import { readZone, windowAt } from './ota-window.ts'
import type { PackageRow } from './packages.repo.ts'
import { usable } from './reach.ts'
import { isSameVersion, versionKey } from './version-key.ts'

/** Whether a waiting job may be told now. */
export type Readiness =
  | { kind: 'ready'; item: PackageRow; steps: PlanStep[]; step: number; downgrade: boolean; until: number | null }
  | { kind: 'wait'; for: 'window' | 'precondition'; nextAt: number }
  /** It needs nothing more, or can get nothing. */
  | { kind: 'over'; happening: Happening }

/** Conditions that do not hold are asked again after so long. */
const ASK_AGAIN_MS = 30_000

export interface ReadinessInput {
  campaign: CampaignRow
  /** All packages of the module. */
  packages: readonly PackageRow[]
  verifiedOnly: boolean
  companyZone: string
  now: number
}

/** Asks everything that stands before a notice: the device as it is now, the window by its clock, conditions, the way. */
export function readinessOf(
  input: ReadinessInput,
  job: JobRow,
  device: DeviceFacts | undefined,
  latest: ReadonlyMap<string, Reading> | undefined,
): Readiness {
  const { campaign, now } = input
  const { plan } = campaign
  if (!device || device.lifecycle === 'recycled' || device.lifecycle === 'disabled')
    return { kind: 'over', happening: { kind: 'cancelled', code: 'device_unavailable' } }
  if (device.version !== null && isSameVersion(device.version, job.toVersion))
    return {
      kind: 'over',
      happening:
        job.attempt === 0 ? { kind: 'cancelled', code: 'already_there' } : { kind: 'inform', version: device.version },
    }
  let until: number | null = null
  if (plan.window) {
    const at = windowAt(plan.window, zoneOf(plan.window, device, latest) ?? input.companyZone, now)
    if (!at.open) return { kind: 'wait', for: 'window', nextAt: at.nextMs }
    until = at.untilMs
  }
  if (interlocked(plan.preconditions, latest, now))
    return { kind: 'wait', for: 'precondition', nextAt: now + ASK_AGAIN_MS }
  const packages = usable({
    packages: input.packages,
    verifiedOnly: input.verifiedOnly,
    trial: campaign.kind === 'verification' ? campaign.packageId : null,
    toVersion: job.toVersion,
  })
  // A device that cannot make anything of differences said so: it gets the whole.
  const taken = job.errorCode === NO_DELTA ? packages.filter(each => each.kind === 'full') : packages
  const way = planPath(taken, device.version, job.toVersion)
  const item = way && packages.find(each => each.id === way[0]?.packageId)
  if (!way || !item)
    return { kind: 'over', happening: { kind: 'notice_failed', code: 'no_path', message: device.version } }
  const orders = new Map(input.packages.map(each => [versionKey(each.version), each.orderNo]))
  const from = device.version === null ? undefined : orders.get(versionKey(device.version))
  return {
    kind: 'ready',
    item,
    // Steps of the chain that are done stay in front of the new ones.
    steps: [...job.steps.slice(0, job.step - 1), ...way],
    step: job.step,
    downgrade: plan.allowDowngrade && (from === undefined || from > item.orderNo),
    until,
  }
}

function zoneOf(
  window: NonNullable<CampaignRow['plan']['window']>,
  device: DeviceFacts,
  latest: ReadonlyMap<string, Reading> | undefined,
): string | null {
  if (window.timeZone) return readZone(window.timeZone)
  const tag = device.tags.find(each => each.startsWith('tz:'))
  const tagged = tag === undefined ? null : readZone(tag.slice(3))
  if (tagged) return tagged
  return window.timeZoneProperty ? readZone(latest?.get(window.timeZoneProperty)?.[0]) : null
}

/** Makes a job ready for its next notice: the way it goes from here, and one attempt more. */
export function prepare(job: JobRow, ready: Readiness & { kind: 'ready' }, fromVersion: string | null): void {
  if (job.attempt === 0) job.fromVersion = fromVersion
  prepareAgain(job, ready)
  job.attempt += 1
}

/** The way it goes from here, for a notice in place of one that never left: no attempt more. */
export function prepareAgain(job: JobRow, ready: Readiness & { kind: 'ready' }): void {
  job.steps = ready.steps
  job.step = ready.step
  job.packageId = ready.item.id
}

/** The machine's word on a job, put into its row. @returns lines for its time line; null: nothing happened */
export function happen(
  job: JobRow,
  happening: Happening,
  rules: Parameters<typeof machine>[2],
  now: number,
): ReturnType<typeof machine> {
  const outcome = machine(job, happening, rules, now)
  if (outcome) {
    Object.assign(job, outcome.job)
    job.packageId = job.steps[job.step - 1]?.packageId ?? job.packageId
  }
  return outcome
}
