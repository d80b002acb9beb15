import type { OtaCampaignView } from '@thingwright/contracts/ota.contract'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { signOfCampaign } from '../words.ts'

/** Reasons that there are words for; another one is shown as it is. */
const REASONS: ReadonlySet<string> = new Set([
  'failure_rate',
  'package_disabled',
  'owner_without_right',
  'by_person',
  'ended',
  'end_time',
  'rolled_back',
])

/** Why a campaign is in its state, in words; empty when nothing is known. */
export function reasonText(t: TFunction<'ota'>, reason: string | null): string {
  if (reason === null || reason === '') return ''
  return REASONS.has(reason) ? t(`reason.${reason}`) : reason
}

/** State of a campaign with its reason on hover. */
export function CampaignState({ of }: { of: Pick<OtaCampaignView, 'state' | 'stateReason'> }) {
  const { t } = useTranslation('ota')
  return (
    <StatusTag kind={signOfCampaign(of.state)} title={reasonText(t, of.stateReason)}>
      {t(`campaignState.${of.state}`)}
    </StatusTag>
  )
}
