import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { Figures } from '../../../ui/home-card/figures.tsx'
import { HomeCardFrame } from '../../../ui/home-card/home-card.tsx'

const HEIGHT = 90
const PAGE = '/manage/ezviz'

/** Cameras by state, on the overview. */
export function CamerasCard() {
  const { t } = useTranslation('video')
  const read = useRead('videoChannels.counts', {}, { enabled: useMay('videoChannels.counts') })
  return (
    <HomeCardFrame
      title={t('homeCard.title')}
      link={{ to: PAGE, label: t('homeCard.all') }}
      of="videoChannels.counts"
      read={read}
      height={HEIGHT}
      isEmpty={data => data.total === 0}
      empty={t('homeCard.empty')}
    >
      {({ total, online, offline }) => (
        <Figures
          items={[
            { key: 'total', label: t('homeCard.total'), value: formatNumber(total), to: PAGE },
            {
              key: 'online',
              label: t('homeCard.online'),
              value: formatNumber(online),
              to: `${PAGE}?state=online`,
            },
            {
              key: 'offline',
              label: t('homeCard.offline'),
              value: formatNumber(offline),
              to: `${PAGE}?state=offline`,
              ...(offline > 0 ? { tone: 'danger' as const } : {}),
            },
          ]}
        />
      )}
    </HomeCardFrame>
  )
}
