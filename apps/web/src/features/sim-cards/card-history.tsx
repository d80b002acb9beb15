import type { SimCardView } from '@thingwright/contracts/sim-cards.contract'
import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { personName } from '../../lib/person-name.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { OPERATION_KIND } from './hooks.ts'
import css from './sim-cards.module.css'

const REFRESH_MS = 5_000

/** What was asked of the carrier for a card, and what happened to it. */
export function CardHistory({ card }: { card: SimCardView }) {
  const { t } = useTranslation('sim-cards')
  const operations = useRead(
    'simCards.operations',
    { query: { cardId: card.id, limit: 20 } },
    { refetchInterval: REFRESH_MS },
  )
  const events = useRead('simCards.events', { params: { id: card.id }, query: { limit: 50 } }, {})
  const failed = operations.error ?? events.error
  if (failed)
    return <ErrorState error={failed} onRetry={() => void Promise.all([operations.refetch(), events.refetch()])} />
  if (!operations.data || !events.data) return <Skeleton active />
  if (operations.data.items.length + events.data.items.length === 0)
    return <EmptyState title={t('historyEmpty')} description={t('historyEmptyText')} />
  const stateWord = (value: string | null) => (value === null ? '–' : t(`states.${value as SimCardView['state']}`))
  return (
    <div className={css.stack}>
      {operations.data.items.length > 0 && (
        <>
          <h3>{t('operations')}</h3>
          <ol className={css.steps}>
            {operations.data.items.map(item => (
              <li key={item.id} className={css.step}>
                <span>
                  <StatusTag kind={OPERATION_KIND[item.state]}>
                    {t(`actions.${item.action}`)} · {t(`operationStates.${item.state}`)}
                  </StatusTag>{' '}
                  <span className={css.quiet}>
                    {[personName(item.byName, ''), item.carrierNo, item.code, item.reason].filter(Boolean).join(' · ')}
                  </span>
                </span>
                <TimeText value={item.createdAt} />
              </li>
            ))}
          </ol>
        </>
      )}
      {events.data.items.length > 0 && (
        <>
          <h3>{t('events')}</h3>
          <ol className={css.steps}>
            {events.data.items.map(item => (
              <li key={item.id} className={css.step}>
                <span dir="auto">
                  {item.kind === 'state'
                    ? t('event.state', { from: stateWord(item.from), to: stateWord(item.to), raw: item.text })
                    : item.kind === 'alert'
                      ? t(`alerts.${item.to}`)
                      : t(`event.${item.kind}`, { from: item.from ?? '–', to: item.to ?? '–' })}
                </span>
                <TimeText value={item.at} />
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  )
}
