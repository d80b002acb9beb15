import type { OtaCampaignView } from '@thingwright/contracts/ota.contract'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { personName } from '../../../lib/person-name.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts } from '../../../ui/panel.tsx'
import { planFacts } from '../components/plan-facts.tsx'
import css from '../ota.module.css'
import own from './campaigns.module.css'

/** How a campaign goes about it, as it stands now. */
export function CampaignPlan({ of }: { of: OtaCampaignView }) {
  const { t } = useTranslation('ota')
  const { devices, way, safety } = planFacts(t, of)
  const about = [
    { label: t('campaignKindTitle'), value: t(`campaignKind.${of.kind}`) },
    { label: t('createdBy'), value: <span dir="auto">{personName(of.ownerName)}</span> },
    { label: t('createdAt'), value: formatDateTime(of.createdAt) },
    { label: t('id'), value: <CopyId value={of.id} /> },
  ]
  return (
    <div className={own.plan}>
      {(
        [
          ['about', about],
          ['devices', devices],
          ['way', way],
          ['safety', safety],
        ] as const
      ).map(([key, facts]) => (
        <section key={key}>
          <h3 className={css.heading}>{t(`steps.${key}`)}</h3>
          <Facts items={[...facts]} />
        </section>
      ))}
    </div>
  )
}
