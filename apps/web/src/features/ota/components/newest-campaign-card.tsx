import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { every } from '../../../lib/every.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { HomeCardFrame } from '../../../ui/home-card/home-card.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { campaignAddress, FIRMWARE } from '../addresses.ts'
import { SHARES, sharesOf } from '../words.ts'
import { CampaignState, reasonText } from './campaign-state.tsx'
import css from './components.module.css'
import { ShareBar } from './share-bar.tsx'

const HEIGHT = 208
const REREAD_MS = 10_000

/** The campaign that was made last, on the overview. */
export function NewestCampaignCard() {
  const { t } = useTranslation('ota')
  const read = useRead(
    'otaCampaigns.list',
    { query: { limit: 1 } },
    { enabled: useMay('otaCampaigns.list'), refetchInterval: every(REREAD_MS) },
  )
  const newest = read.data?.items[0]
  return (
    <HomeCardFrame
      title={t('homeCard.title')}
      note={newest && `${newest.packageName} ${newest.version}`}
      link={{ to: newest ? campaignAddress(newest.id) : FIRMWARE, label: t('homeCard.details') }}
      of="otaCampaigns.list"
      read={read}
      height={HEIGHT}
      isEmpty={data => data.items.length === 0}
      empty={t('homeCard.empty')}
    >
      {({ items: [campaign] }) => {
        if (!campaign) return null
        const shares = sharesOf(campaign.counts)
        return (
          <div className={css.newest}>
            <p className={css.newestHead}>
              <CampaignState of={campaign} />
              <TimeText value={campaign.startedAt ?? campaign.createdAt} />
            </p>
            <p className={css.newestName} title={campaign.name}>
              <Link to={campaignAddress(campaign.id)}>{campaign.name}</Link>
            </p>
            <ShareBar counts={campaign.counts} total={campaign.total} wide />
            <dl>
              {SHARES.map(share => (
                <div key={share}>
                  <dt>{t(`share.${share}`)}</dt>
                  <dd>{formatNumber(shares[share])}</dd>
                </div>
              ))}
            </dl>
            {campaign.stateReason && <p className={css.newestNote}>{reasonText(t, campaign.stateReason)}</p>}
          </div>
        )
      }}
    </HomeCardFrame>
  )
}
