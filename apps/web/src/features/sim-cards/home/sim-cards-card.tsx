import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { Figures } from '../../../ui/home-card/figures.tsx'
import { HomeCardFrame } from '../../../ui/home-card/home-card.tsx'
import { addressOf, sizeText } from '../hooks.ts'

const HEIGHT = 150

/** SIM cards by state, those near the end of their plans, and what all of them used this month, on the overview. */
export function SimCardsCard() {
  const { t } = useTranslation('sim-cards')
  const may = useMay('simCards.counts')
  const cmcc = useRead('simCards.counts', { query: { carrier: 'cmcc' } }, { enabled: may })
  const all = useRead('simCards.counts', {}, { enabled: may })
  // The carrier with more cards is where a figure of both leads to.
  const page = addressOf((cmcc.data?.total ?? 0) * 2 >= (all.data?.total ?? 0) ? 'cmcc' : 'ctcc')
  return (
    <HomeCardFrame
      title={t('homeCard.title')}
      link={{ to: page, label: t('homeCard.all') }}
      of="simCards.counts"
      read={all}
      height={HEIGHT}
      isEmpty={data => data.total === 0}
      empty={t('homeCard.empty')}
    >
      {({ total, states, online, over80, monthKb }) => (
        <Figures
          items={[
            { key: 'total', label: t('homeCard.total'), value: formatNumber(total), to: page },
            {
              key: 'active',
              label: t('states.active'),
              value: formatNumber(states.active ?? 0),
              to: `${page}?state=active`,
            },
            { key: 'online', label: t('homeCard.online'), value: formatNumber(online) },
            {
              key: 'stopped',
              label: t('states.stopped'),
              value: formatNumber(states.stopped ?? 0),
              to: `${page}?state=stopped`,
              ...((states.stopped ?? 0) > 0 ? { tone: 'danger' as const } : {}),
            },
            {
              key: 'over80',
              label: t('homeCard.over80'),
              value: formatNumber(over80),
              to: `${page}?usage=over80`,
              ...(over80 > 0 ? { tone: 'warning' as const } : {}),
            },
            { key: 'month', label: t('homeCard.month'), value: sizeText(monthKb) },
          ]}
        />
      )}
    </HomeCardFrame>
  )
}
