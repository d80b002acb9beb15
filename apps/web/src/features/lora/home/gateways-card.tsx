import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { Figures } from '../../../ui/home-card/figures.tsx'
import { HomeCardFrame } from '../../../ui/home-card/home-card.tsx'

const HEIGHT = 90
const PAGE = '/ChirpStack/Gateways'

/** LoRaWAN gateways by state, on the overview. */
export function GatewaysCard() {
  const { t } = useTranslation('lora')
  const read = useRead('loraGateways.counts', {}, { enabled: useMay('loraGateways.counts') })
  return (
    <HomeCardFrame
      title={t('homeCard.title')}
      link={{ to: PAGE, label: t('homeCard.all') }}
      of="loraGateways.counts"
      read={read}
      height={HEIGHT}
      isEmpty={data => data.total === 0}
      empty={t('homeCard.empty')}
    >
      {({ online, offline, neverSeen }) => (
        <Figures
          items={[
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
            {
              key: 'neverSeen',
              label: t('homeCard.neverSeen'),
              value: formatNumber(neverSeen),
              to: `${PAGE}?state=never_seen`,
            },
          ]}
        />
      )}
    </HomeCardFrame>
  )
}
