import { Drawer, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../lib/api/api-error.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { TabBar } from '../../ui/tab-bar.tsx'
import { CardActions, type CardAsk } from './card-actions.tsx'
import { CardAsked } from './card-asked.tsx'
import { CardCheck } from './card-check.tsx'
import { CardFacts } from './card-facts.tsx'
import { CardHistory } from './card-history.tsx'
import { CardUsage } from './card-usage.tsx'
import css from './sim-cards.module.css'

const TABS = ['facts', 'usage', 'check', 'history'] as const
const REFRESH_MS = 5_000

/** One card: what the carrier says of it, its usage, why it passes no data, and what happened to it. */
export function CardDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('sim-cards')
  const query = useRead('simCards.get', { params: { id } }, { refetchInterval: REFRESH_MS })
  const [tab, setTab] = useState<string>('facts')
  const [asking, setAsking] = useState<CardAsk | null>(null)
  const card = query.data
  const gone = query.error instanceof ApiError && query.error.status === 404
  return (
    <>
      <Drawer
        open
        size={640}
        mask={false}
        onClose={onClose}
        title={card ? card.iccid : t('card')}
        footer={card && <CardActions card={card} onAsk={setAsking} />}
      >
        {gone ? (
          <EmptyState title={t('gone')} description={t('goneText')} />
        ) : query.isError && !card ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : !card ? (
          <Skeleton active paragraph={{ rows: 10 }} />
        ) : (
          <div className={css.stack} data-testid="sim-card">
            <TabBar
              label={t('card')}
              items={TABS.map(key => ({ key, label: t(`detail.${key}`) }))}
              active={tab}
              onChange={setTab}
            />
            {tab === 'facts' && <CardFacts card={card} />}
            {tab === 'usage' && <CardUsage card={card} />}
            {tab === 'check' && <CardCheck card={card} onAct={setAsking} />}
            {tab === 'history' && <CardHistory card={card} />}
          </div>
        )}
      </Drawer>
      {card && <CardAsked card={card} asked={asking} onClose={() => setAsking(null)} />}
    </>
  )
}
