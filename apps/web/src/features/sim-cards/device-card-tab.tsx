import type { CardAction, SimCardView } from '@thingwright/contracts/sim-cards.contract'
import { Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { DeviceTabProps } from '../../lib/device-tabs.ts'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { CardActions, type CardAsk } from './card-actions.tsx'
import { CardAsked } from './card-asked.tsx'
import { CardCheck } from './card-check.tsx'
import { CardFacts } from './card-facts.tsx'
import { CardHistory } from './card-history.tsx'
import { CardUsage } from './card-usage.tsx'
import { DeviceTraffic } from './device-traffic.tsx'
import { addressOf } from './hooks.ts'
import css from './sim-cards.module.css'

const REFRESH_MS = 5_000

/** The card in a device: what the carrier says of it, its usage, its check and its history. */
export function DeviceCardTab({ deviceId }: DeviceTabProps) {
  const { t } = useTranslation('sim-cards')
  const allowed = useMay('simCards.list')
  const query = useRead(
    'simCards.list',
    { query: { deviceId, limit: 1 } },
    { enabled: allowed, refetchInterval: REFRESH_MS },
  )
  const card = query.data?.items[0]
  if (!allowed) return <DeviceTraffic deviceId={deviceId} />
  if (query.isError && !card) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  if (query.isPending) return <Skeleton active paragraph={{ rows: 8 }} />
  if (!card)
    return (
      <EmptyState
        title={t('noCard')}
        description={t('noCardText')}
        action={<Link to={`${addressOf('cmcc')}?bound=no`}>{t('toCards')}</Link>}
      />
    )
  return <DeviceCard card={card} />
}

function DeviceCard({ card }: { card: SimCardView }) {
  const { t } = useTranslation('sim-cards')
  const [asking, setAsking] = useState<CardAsk | null>(null)
  return (
    <div className={css.stack} data-testid="device-sim-card">
      <Panel title={card.iccid}>
        <div className={css.stack}>
          <CardActions card={card} onAsk={setAsking} />
          <CardFacts card={card} />
        </div>
      </Panel>
      <Panel title={t('detail.check')}>
        <CardCheck card={card} onAct={(action: CardAction) => setAsking(action)} />
      </Panel>
      <Panel title={t('detail.usage')}>
        <CardUsage card={card} />
      </Panel>
      <Panel title={t('detail.history')}>
        <CardHistory card={card} />
      </Panel>
      <CardAsked card={card} asked={asking} onClose={() => setAsking(null)} />
    </div>
  )
}
