import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { Figures } from '../../../ui/home-card/figures.tsx'
import { HomeCardFrame } from '../../../ui/home-card/home-card.tsx'
import { USERS } from '../addresses.ts'

const HEIGHT = 150

/** End users of the company: all, active within 7 days, and those whose accounts need something, on the overview. */
export function CustomersCard() {
  const { t } = useTranslation('end-users')
  const read = useRead('endUsers.counts', {}, { enabled: useMay('endUsers.counts') })
  return (
    <HomeCardFrame
      title={t('homeCard.title')}
      link={{ to: USERS, label: t('homeCard.all') }}
      of="endUsers.counts"
      read={read}
      height={HEIGHT}
      isEmpty={data => data.total === 0}
      empty={t('homeCard.empty')}
    >
      {({ total, active7d, invited, frozen, expired, expiring30d }) => (
        <Figures
          items={[
            { key: 'total', label: t('homeCard.total'), value: formatNumber(total), to: USERS },
            { key: 'active7d', label: t('homeCard.active7d'), value: formatNumber(active7d) },
            {
              key: 'invited',
              label: t('homeCard.invited'),
              value: formatNumber(invited),
              to: `${USERS}?state=invited`,
            },
            {
              key: 'expiring',
              label: t('homeCard.expiring'),
              value: formatNumber(expiring30d),
              to: `${USERS}?sort=expiresAt`,
              ...(expiring30d > 0 ? { tone: 'warning' as const } : {}),
            },
            {
              key: 'expired',
              label: t('homeCard.expired'),
              value: formatNumber(expired),
              to: `${USERS}?state=expired`,
              ...(expired > 0 ? { tone: 'danger' as const } : {}),
            },
            {
              key: 'frozen',
              label: t('homeCard.frozen'),
              value: formatNumber(frozen),
              to: `${USERS}?state=frozen`,
            },
          ]}
        />
      )}
    </HomeCardFrame>
  )
}
