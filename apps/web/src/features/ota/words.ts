import { FIRMWARE_STATES, OTA_JOB_STATES } from '@thingwright/contracts/firmware.words'

export { CAMPAIGN_KINDS, CAMPAIGN_STATES } from '@thingwright/contracts/firmware.words'

import type { CampaignState, FirmwareState, OtaJobState } from '@thingwright/contracts/firmware-schemas'
import type { OtaCampaignView } from '@thingwright/contracts/ota.contract'
import type { StatusKind } from '../../ui/status-tag.tsx'

export const PACKAGE_STATES = FIRMWARE_STATES
export const PACKAGE_KINDS = ['full', 'delta'] as const
/** In the order of a device's way. */
export const JOB_STATES = OTA_JOB_STATES

const PACKAGE_SIGN: Record<FirmwareState, StatusKind> = {
  unverified: 'neutral',
  verifying: 'processing',
  verified: 'success',
  verification_failed: 'error',
  disabled: 'disabled',
}
const CAMPAIGN_SIGN: Record<CampaignState, StatusKind> = {
  scheduled: 'never',
  running: 'processing',
  paused: 'warning',
  stopped: 'error',
  completed: 'success',
  cancelled: 'disabled',
}
const JOB_SIGN: Record<OtaJobState, StatusKind> = {
  to_confirm: 'warning',
  pending: 'never',
  notified: 'processing',
  downloading: 'processing',
  downloaded: 'processing',
  verified: 'processing',
  installing: 'processing',
  succeeded: 'success',
  failed: 'error',
  timed_out: 'error',
  rejected: 'error',
  cancelled: 'disabled',
  superseded: 'disabled',
}
export const signOfPackage = (state: FirmwareState): StatusKind => PACKAGE_SIGN[state]
export const signOfCampaign = (state: CampaignState): StatusKind => CAMPAIGN_SIGN[state]
export const signOfJob = (state: OtaJobState): StatusKind => JOB_SIGN[state]

/** What the states of devices come to: which are done well, badly, are out of it, on their way, or have yet to begin. */
export const SHARES = ['ok', 'bad', 'active', 'waiting', 'out'] as const
export type Share = (typeof SHARES)[number]

const SHARE_OF: Record<OtaJobState, Share> = {
  to_confirm: 'waiting',
  pending: 'waiting',
  notified: 'active',
  downloading: 'active',
  downloaded: 'active',
  verified: 'active',
  installing: 'active',
  succeeded: 'ok',
  failed: 'bad',
  timed_out: 'bad',
  rejected: 'bad',
  cancelled: 'out',
  superseded: 'out',
}
export const shareOf = (state: OtaJobState): Share => SHARE_OF[state]
export const isJobOpen = (state: OtaJobState): boolean => {
  const share = SHARE_OF[state]
  return share === 'active' || share === 'waiting'
}

export type Shares = Record<Share, number>

/** Devices of a campaign by share. States that are not known yet count as on their way. */
export function sharesOf(counts: Readonly<Record<string, number>>): Shares {
  const shares: Shares = { ok: 0, bad: 0, active: 0, waiting: 0, out: 0 }
  for (const [state, count] of Object.entries(counts)) shares[SHARE_OF[state as OtaJobState] ?? 'active'] += count
  return shares
}

/** Of a hundred, how many devices came to an end; rounded down, so that 100 means all. */
export function percentDone(total: number, shares: Shares): number {
  return total === 0 ? 0 : Math.floor(((total - shares.active - shares.waiting) / total) * 100)
}

/** Nothing more happens to it by itself. A paused campaign still has devices on their way. */
export function isCampaignOver({ state, counts }: Pick<OtaCampaignView, 'state' | 'counts'>): boolean {
  if (state === 'completed' || state === 'cancelled') return sharesOf(counts).active === 0
  return false
}

export const CAMPAIGN_ACTIONS = ['pause', 'resume', 'retry', 'rollback', 'cancel'] as const
export type CampaignAction = (typeof CAMPAIGN_ACTIONS)[number]

/** What may be done with a campaign as it stands. */
export function actionsOf({
  state,
  kind,
  counts,
}: Pick<OtaCampaignView, 'state' | 'kind' | 'counts'>): CampaignAction[] {
  const { bad, ok } = sharesOf(counts)
  const over = state === 'completed' || state === 'cancelled'
  return [
    ...(state === 'running' || state === 'scheduled' ? (['pause'] as const) : []),
    ...(state === 'paused' || state === 'stopped' ? (['resume'] as const) : []),
    ...(bad > 0 && state !== 'cancelled' ? (['retry'] as const) : []),
    ...(kind === 'rollout' && ok > 0 ? (['rollback'] as const) : []),
    ...(over ? [] : (['cancel'] as const)),
  ]
}

/** What may be done with one device's update. */
export function jobActionsOf(state: OtaJobState): ('confirm' | 'reject' | 'retry' | 'cancel' | 'refresh')[] {
  if (state === 'to_confirm') return ['confirm', 'reject']
  if (shareOf(state) === 'bad') return ['retry']
  if (!isJobOpen(state)) return []
  return state === 'installing' ? ['refresh'] : ['refresh', 'cancel']
}
