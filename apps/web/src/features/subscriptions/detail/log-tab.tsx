import type { DeliveryLogItem, SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { Button, Drawer, Segmented } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { call } from '../../../lib/api-client.ts'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { usePages } from '../../../lib/server-state/use-pages.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { MonoBox } from '../mono-box.tsx'
import { shownBody } from '../payload-text.ts'
import css from '../subscriptions.module.css'
import { kindOfResult, reasonText } from '../words.ts'
import { ExportButton } from './export-button.tsx'

const PAGE = 50
const EVERY = 3000

/** Every try, newest first, running along while one looks at its head. */
export function LogTab({ view }: { view: SubscriptionView }) {
  const { t } = useTranslation('subscriptions')
  const cache = useCache()
  const [params, setParams] = useSearchParams()
  const failed = params.get('failed') === '1'
  const [shown, setShown] = useState<DeliveryLogItem | null>(null)
  const input = { params: { id: view.id }, query: { limit: PAGE, ...(failed ? { failed: '1' as const } : {}) } }
  const log = usePages('subscriptions.log', input, {
    refetchInterval: query => ((query.state.data?.pages.length ?? 0) > 1 ? false : EVERY),
  })
  const rows = useMemo(() => (log.data?.pages ?? []).flatMap(page => page.items), [log.data])
  const columns = useMemo<ListColumn<DeliveryLogItem>[]>(
    () => [
      {
        key: 'at',
        title: t('time'),
        width: 204,
        render: row => <span className={css.number}>{formatDateTime(row.at, { millis: true })}</span>,
        csv: row => formatDateTime(row.at, { millis: true }),
      },
      {
        key: 'result',
        title: t('result'),
        width: 112,
        render: row => <StatusTag kind={kindOfResult(row.result)}>{t(`delivery.${row.result}`)}</StatusTag>,
        csv: row => row.result,
      },
      {
        key: 'items',
        title: t('items'),
        width: 104,
        align: 'right',
        render: row => (
          <span title={row.skipped > 0 ? t('skippedHelp', { count: row.skipped }) : undefined}>
            {formatNumber(row.items)}
            {row.skipped > 0 && <small className={css.quiet}> +{formatNumber(row.skipped)}</small>}
          </span>
        ),
        csv: row => row.items,
      },
      {
        key: 'attempt',
        title: t('attempt'),
        width: 80,
        rank: 2,
        align: 'right',
        render: row => row.attempt,
        csv: row => row.attempt,
      },
      {
        key: 'status',
        title: t('statusCode'),
        width: 80,
        rank: 3,
        align: 'right',
        render: row => row.status ?? '–',
        csv: row => row.status,
      },
      {
        key: 'latency',
        title: t('latency'),
        width: 96,
        rank: 1,
        align: 'right',
        render: row => (row.latencyMs === null ? '–' : formatNumber(row.latencyMs, { unit: 'ms' })),
        csv: row => row.latencyMs,
      },
      {
        key: 'why',
        title: t('why'),
        minWidth: 200,
        render: row => {
          const words = whyOf(row, t)
          return <span title={words}>{words || '–'}</span>
        },
        csv: row => [row.reason, row.detail].filter(Boolean).join(' '),
      },
    ],
    [t],
  )
  const choose = (next: string) =>
    setParams(
      before => {
        const changed = new URLSearchParams(before)
        if (next === 'failed') changed.set('failed', '1')
        else changed.delete('failed')
        return changed
      },
      { replace: true, preventScrollReset: true },
    )
  return (
    <Panel
      title={t('tabs.log')}
      hint={t('logHint')}
      flush
      actions={
        <>
          <Segmented
            aria-label={t('result')}
            value={failed ? 'failed' : 'all'}
            options={[
              { value: 'all', label: t('allTries') },
              { value: 'failed', label: t('failedTries') },
            ]}
            onChange={choose}
          />
          <Button
            loading={log.isRefetching && (log.data?.pages.length ?? 0) > 1}
            onClick={() => {
              // From the head again: pages further back are read when asked for.
              cache.firstPage('subscriptions.log', input)
              void log.refetch()
            }}
          >
            {t('refresh')}
          </Button>
          <ExportButton
            name={`${view.name}-deliveries`}
            columns={columns}
            fetchPage={({ cursor }, signal) =>
              call('subscriptions.log', {
                params: { id: view.id },
                query: {
                  limit: 100,
                  ...(cursor === undefined ? {} : { cursor }),
                  ...(failed ? { failed: '1' as const } : {}),
                },
                signal,
              })
            }
          />
        </>
      }
    >
      {log.isError && !log.data ? (
        <ErrorState error={log.error} onRetry={() => void log.refetch()} />
      ) : !log.isPending && rows.length === 0 ? (
        failed ? (
          <EmptyState title={t('noFailures')} onClear={() => choose('all')} />
        ) : (
          <EmptyState title={t('noLog')} description={t('noLogText')} />
        )
      ) : (
        <DataTable
          label={t('tabs.log')}
          columns={columns}
          rows={rows}
          rowKey={row => row.id}
          density="dense"
          actions={row => [{ key: 'show', label: t('details'), onClick: () => setShown(row) }]}
          actionsWidth={80}
          skeleton={log.isPending ? 8 : 0}
        />
      )}
      {log.hasNextPage && (
        <div className={css.moreRow}>
          <Button loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            {t('loadMore')}
          </Button>
        </div>
      )}
      {shown && <TryDrawer item={shown} onClose={() => setShown(null)} />}
    </Panel>
  )
}

function whyOf(row: DeliveryLogItem, t: Parameters<typeof reasonText>[1]): string {
  return [reasonText(row.reason, t), row.detail].filter(Boolean).join(' · ')
}

function TryDrawer({ item, onClose }: { item: DeliveryLogItem; onClose: () => void }) {
  const { t } = useTranslation('subscriptions')
  const why = whyOf(item, t)
  return (
    <Drawer open size={720} title={t('tryTitle')} onClose={onClose}>
      <div className={css.column}>
        <Facts
          items={[
            { label: t('time'), value: formatDateTime(item.at, { millis: true }) },
            {
              label: t('result'),
              value: <StatusTag kind={kindOfResult(item.result)}>{t(`delivery.${item.result}`)}</StatusTag>,
            },
            { label: t('attempt'), value: formatNumber(item.attempt) },
            { label: t('items'), value: formatNumber(item.items) },
            { label: t('statusCode'), value: item.status === null ? '–' : String(item.status) },
            {
              label: t('latency'),
              value: item.latencyMs === null ? '–' : formatNumber(item.latencyMs, { unit: 'ms' }),
            },
            ...(why ? [{ label: t('why'), value: why, wide: true }] : []),
            ...(item.firstItemId
              ? [{ label: t('firstItem'), value: <CopyId value={item.firstItemId} />, wide: true }]
              : []),
          ]}
        />
        {item.body !== null && <MonoBox label={t('sent')} text={shownBody(item.body)} copied={item.body} />}
        {item.answer !== null && item.answer !== '' && (
          <MonoBox label={t('answered')} text={shownBody(item.answer)} copied={item.answer} />
        )}
      </div>
    </Drawer>
  )
}
