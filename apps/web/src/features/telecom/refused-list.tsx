import { Button, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { usePages } from '../../lib/server-state/use-pages.ts'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import css from './telecom.module.css'

/** What came to the address of a key and was not taken, with the reason. */
export function RefusedList({ id }: { id: string }) {
  const { t } = useTranslation('telecom')
  const refused = usePages('telecom.refused', { params: { id }, query: { limit: 20 } })
  const items = refused.data?.pages.flatMap(page => page.items) ?? []
  if (refused.isError && items.length === 0)
    return <ErrorState error={refused.error} onRetry={() => void refused.refetch()} />
  if (refused.isPending) return <Skeleton active />
  if (items.length === 0) return <EmptyState title={t('refusedEmpty')} description={t('refusedEmptyText')} />
  return (
    <div className={css.stack}>
      <p className={css.quiet}>{t('refusedText')}</p>
      <ol className={css.steps}>
        {items.map(item => (
          <li key={item.id} className={css.step}>
            <span>
              <StatusTag kind="warning">{t(`refusals.${item.reason}`)}</StatusTag> <span dir="auto">{item.detail}</span>
            </span>
            <span className={css.quiet}>
              {t('refusedFrom', { source: item.source, count: item.count, many: item.count })} ·{' '}
              <TimeText value={item.lastAt} />
            </span>
            {item.excerpt && (
              // Long excerpts scroll: the keyboard must reach them.
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
              <section className={css.excerpt} tabIndex={0} aria-label={t('excerpt')} dir="ltr">
                {item.excerpt}
              </section>
            )}
          </li>
        ))}
      </ol>
      {refused.hasNextPage && (
        <Button loading={refused.isFetchingNextPage} onClick={() => void refused.fetchNextPage()}>
          {t('more')}
        </Button>
      )}
    </div>
  )
}
