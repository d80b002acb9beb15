import type { ProductDetail } from '@thingwright/contracts/products.contract'
import type { ModelVersionView } from '@thingwright/contracts/thing-models.contract'
import { Button, Drawer, Select, Skeleton } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { usePages } from '../../../lib/server-state/use-pages.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn, RowAction } from '../../../ui/list-page/list-types.ts'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../products.module.css'
import { ChangeList } from './change-list.tsx'
import { PublishDrawer } from './publish-drawer.tsx'

/** Published versions, newest first: who, when and why; any two compared, any one taken up again. */
export function ModelVersions({ product, editable }: { product: ProductDetail; editable: boolean }) {
  const { t } = useTranslation('products')
  const [comparing, setComparing] = useState<{ from: string; to: string } | null>(null)
  const [restoring, setRestoring] = useState<number | null>(null)
  const query = usePages('thingModels.versions', { params: { id: product.id }, query: { limit: 50 } })
  const rows = useMemo(() => (query.data?.pages ?? []).flatMap(page => page.items), [query.data])
  const columns = useMemo<ListColumn<ModelVersionView>[]>(
    () => [
      {
        key: 'number',
        title: t('version'),
        width: 148,
        render: row => (
          <span className={css.versionCell}>
            {t('versionNumber', { number: row.number })}
            {row.current && <StatusTag kind="success">{t('versionCurrent')}</StatusTag>}
          </span>
        ),
      },
      {
        key: 'note',
        title: t('versionNote'),
        minWidth: 200,
        render: row => {
          const words = [
            row.restoredFrom === null ? '' : t('versionRestored', { number: row.restoredFrom }),
            row.note,
          ].filter(Boolean)
          return words.length === 0 ? '–' : <span title={words.join(' ')}>{words.join(' · ')}</span>
        },
      },
      {
        key: 'size',
        title: t('versionSize'),
        width: 200,
        rank: 1,
        render: row => t('versionCounts', { properties: row.properties, events: row.events, services: row.services }),
      },
      { key: 'by', title: t('versionBy'), width: 120, render: row => row.publishedBy ?? '–' },
      {
        key: 'at',
        title: t('versionAt'),
        width: 176,
        render: row => <TimeText value={row.publishedAt} mode="absolute" />,
      },
    ],
    [t],
  )
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  if (query.data && rows.length === 0)
    return <EmptyState title={t('versionsEmpty')} description={t('versionsEmptyText')} />
  const actions = (row: ModelVersionView): RowAction[] => [
    {
      key: 'compare',
      label: t('versionCompare'),
      onClick: () => setComparing({ from: String(row.number), to: row.current ? 'draft' : 'published' }),
    },
    ...(editable && !row.current
      ? [{ key: 'restore', label: t('restore'), onClick: () => setRestoring(row.number) }]
      : []),
  ]
  return (
    <>
      <DataTable
        label={t('versionsTab')}
        columns={columns}
        rows={rows}
        rowKey={row => String(row.number)}
        actions={actions}
        skeleton={query.data ? 0 : 3}
      />
      {query.hasNextPage && (
        <div className={css.inset}>
          <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t('versionsMore')}
          </Button>
        </div>
      )}
      {comparing && (
        <CompareDrawer productId={product.id} versions={rows} start={comparing} onClose={() => setComparing(null)} />
      )}
      {restoring !== null && <PublishDrawer product={product} restore={restoring} onClose={() => setRestoring(null)} />}
    </>
  )
}

function CompareDrawer({
  productId,
  versions,
  start,
  onClose,
}: {
  productId: string
  versions: readonly ModelVersionView[]
  start: { from: string; to: string }
  onClose: () => void
}) {
  const { t } = useTranslation('products')
  const [pair, setPair] = useState(start)
  const compared = useRead('thingModels.compare', { params: { id: productId }, query: pair }, { gcTime: 0 })
  const options = [
    { value: 'draft', label: t('versionDraft') },
    { value: 'published', label: t('versionPublished') },
    ...versions.map(({ number }) => ({ value: String(number), label: t('versionNumber', { number }) })),
  ]
  return (
    <Drawer open size={720} title={t('compareTitle')} onClose={onClose}>
      <div className={css.compareBar}>
        <Select
          aria-label={t('compareFrom')}
          value={pair.from}
          options={options}
          onChange={(from: string) => setPair(now => ({ ...now, from }))}
        />
        <span aria-hidden="true">→</span>
        <Select
          aria-label={t('compareTo')}
          value={pair.to}
          options={options}
          onChange={(to: string) => setPair(now => ({ ...now, to }))}
        />
        <Button onClick={() => setPair(({ from, to }) => ({ from: to, to: from }))}>{t('compareSwap')}</Button>
      </div>
      {compared.isError ? (
        <ErrorState error={compared.error} onRetry={() => void compared.refetch()} />
      ) : !compared.data ? (
        <Skeleton active />
      ) : compared.data.changes.length === 0 ? (
        <EmptyState title={t('compareSame')} />
      ) : (
        <>
          <ChangeList
            changes={compared.data.changes.map(change => ({
              ...change,
              attributes: Object.keys({ ...change.before, ...change.after }).filter(
                key => JSON.stringify(change.before?.[key]) !== JSON.stringify(change.after?.[key]),
              ),
              breaking: Array.isArray(change.detail.breaking) ? (change.detail.breaking as string[]) : [],
            }))}
          />
          {compared.data.changes
            .filter(change => change.kind === 'changed')
            .map(change => (
              <details key={`${change.of}/${change.identifier}`} className={css.sideBySide}>
                <summary>
                  <code>{change.identifier}</code>
                </summary>
                <div>
                  <pre>{JSON.stringify(change.before, null, 2)}</pre>
                  <pre>{JSON.stringify(change.after, null, 2)}</pre>
                </div>
              </details>
            ))}
        </>
      )}
    </Drawer>
  )
}
