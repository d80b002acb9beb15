import type { SimCardView } from '@thingwright/contracts/sim-cards.contract'
import { Segmented, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../lib/server-state/use-read.ts'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { sizeText } from './hooks.ts'
import css from './sim-cards.module.css'

/** What a card used by day or by month. */
export function CardUsage({ card }: { card: SimCardView }) {
  const { t } = useTranslation('sim-cards')
  const [by, setBy] = useState<'day' | 'month'>('day')
  const query = useRead('simCards.usage', { params: { id: card.id }, query: { by } })
  const items = query.data?.items ?? []
  const most = Math.max(1, ...items.map(({ kb }) => kb ?? 0))
  return (
    <div className={css.stack}>
      <Segmented
        value={by}
        onChange={value => setBy(value as 'day' | 'month')}
        options={[
          { value: 'day', label: t('byDay') },
          { value: 'month', label: t('byMonth') },
        ]}
      />
      {query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Skeleton active />
      ) : items.length === 0 ? (
        <EmptyState title={t('usageEmpty')} description={t('usageEmptyText')} />
      ) : (
        <ul className={css.bars} aria-label={t('usage')}>
          {items.map(({ at, kb }) => (
            <li key={at} className={css.bar}>
              <span>{at}</span>
              <span className={css.track}>
                <span className={css.fill} style={{ width: `${Math.round(((kb ?? 0) / most) * 100)}%` }} />
              </span>
              <span>{sizeText(kb)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
