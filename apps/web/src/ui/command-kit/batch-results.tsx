import { API_PATHS } from '@thingwright/contracts/api-paths'
import type { BatchItemState, CommandBatchItem } from '@thingwright/contracts/command-batches.contract'
import { BATCH_ITEM_STATES } from '@thingwright/contracts/commands.words'
import { Button, Drawer, Progress } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../lib/api-client.ts'
import { every } from '../../lib/every.ts'
import { formatNumber } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { usePages } from '../../lib/server-state/use-pages.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { useWork } from '../../lib/server-state/use-work.ts'
import { LazySelect } from '../lazy-select/lazy-select.tsx'
import { DataTable } from '../list-page/data-table.tsx'
import type { ListColumn } from '../list-page/list-types.ts'
import { serverExport } from '../list-page/server-export.ts'
import { MenuButton } from '../popup/menu-button.tsx'
import { EmptyState, ErrorState } from '../states.tsx'
import { StatusTag } from '../status-tag.tsx'
import { TimeText } from '../time-text.tsx'
import { isOver, kindOfItem, sumOf } from './batch-words.ts'
import { CommandAskHost } from './command-ask.tsx'
import css from './command-kit.module.css'
import { sendGuarded } from './send-guarded.ts'

const POLL_MS = 1_500

/** What became of each device of a batch command, while it runs and afterwards. */
export function BatchResults({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('command-kit')
  const mayCommand = useMay('commandBatches.cancel')
  const [shown, setShown] = useState(id)
  const [state, setState] = useState<BatchItemState | null>(null)
  const batch = useRead(
    'commandBatches.get',
    { params: { id: shown } },
    { refetchInterval: query => every(query.state.data && isOver(query.state.data) ? false : POLL_MS)(query) },
  )
  const over = batch.data ? isOver(batch.data) : false
  const items = usePages(
    'commandBatches.items',
    { params: { id: shown }, query: { limit: 50, ...(state ? { state } : {}) } },
    { refetchInterval: every(over ? false : POLL_MS * 2) },
  )
  const columns = useMemo<ListColumn<CommandBatchItem>[]>(
    () => [
      {
        key: 'device',
        title: t('device'),
        minWidth: 160,
        render: item => <span title={item.deviceNo}>{item.deviceName || item.deviceNo || item.deviceId}</span>,
      },
      {
        key: 'state',
        title: t('state'),
        width: 136,
        render: item => <StatusTag kind={kindOfItem(item.state)}>{t(`itemState.${item.state}`)}</StatusTag>,
      },
      {
        key: 'reason',
        title: t('reason'),
        minWidth: 180,
        render: item => <span title={item.message ?? ''}>{item.message ?? '–'}</span>,
      },
      { key: 'at', title: t('finishedAt'), width: 132, render: item => <TimeText value={item.finishedAt} /> },
    ],
    [t],
  )
  const { attempt, pending: sending } = useWork({ touches: ['commandBatches'] })
  const cancel = useAct('commandBatches.cancel', {
    done: after => {
      notify.success(t('stopped'))
      setShown(after.id)
    },
  })
  const busy = sending || cancel.pending
  const retry = () =>
    attempt(async () => {
      // Twice, where the person is asked for more before.
      const after = await sendGuarded(answers => call('commandBatches.retry', { params: { id: shown }, body: answers }))
      setShown(after.id)
    })
  const rows = (items.data?.pages ?? []).flatMap(page => page.items)
  const sum = batch.data ? sumOf(batch.data) : { ok: 0, bad: 0, cancelled: 0, open: 0 }
  const total = batch.data?.total ?? 0
  const exportAs = (format: 'csv' | 'xlsx') =>
    void attempt(() =>
      serverExport(
        API_PATHS['commandBatches.export'][1].replace('{id}', shown),
        format,
        { limit: 0, filters: state ? { state } : {} },
        batch.data?.name ?? 'batch',
      ),
    )
  return (
    <Drawer
      open
      size={720}
      title={batch.data?.name ?? t('batchResults')}
      onClose={onClose}
      footer={
        <div className={css.foot}>
          <MenuButton
            className={css.menuButton}
            align="start"
            items={[
              { key: 'csv', label: 'CSV', onSelect: () => exportAs('csv') },
              { key: 'xlsx', label: 'XLSX', onSelect: () => exportAs('xlsx') },
            ]}
          >
            {t('exportResult')}
          </MenuButton>
          <span className={css.grow} />
          {mayCommand && batch.data && sum.open > 0 && batch.data.state !== 'cancelling' && (
            <Button danger loading={busy} onClick={() => void cancel.run({ params: { id: shown } })}>
              {t('stop')}
            </Button>
          )}
          {mayCommand && sum.bad > 0 && (
            <Button loading={busy} onClick={() => void retry()}>
              {t('retryFailed')} · {formatNumber(sum.bad)}
            </Button>
          )}
          <Button type="primary" onClick={onClose}>
            {t('close')}
          </Button>
        </div>
      }
    >
      <CommandAskHost />
      {batch.isError && !batch.data ? (
        <ErrorState error={batch.error} onRetry={() => void batch.refetch()} />
      ) : (
        <div className={css.stack}>
          <div data-testid="batch-progress">
            <Progress
              percent={total === 0 ? 0 : Math.floor(((total - sum.open) / total) * 100)}
              status={sum.open > 0 ? 'active' : sum.bad > 0 ? 'exception' : 'success'}
            />
            <p className={css.muted}>
              {batch.data ? t(`batchState.${batch.data.state}`) : ''} · {t('succeededOf', { ...sum })}
            </p>
          </div>
          <LazySelect
            aria-label={t('state')}
            value={state ?? ''}
            options={[
              { value: '', label: t('allStates') },
              ...BATCH_ITEM_STATES.filter(each => (batch.data?.counts[each] ?? 0) > 0).map(value => ({
                value,
                label: `${t(`itemState.${value}`)} · ${formatNumber(batch.data?.counts[value] ?? 0)}`,
              })),
            ]}
            onChange={next => setState(next ? (next as BatchItemState) : null)}
          />
          {!items.isPending && rows.length === 0 ? (
            <EmptyState title={t('noItems')} description={t('noItemsText')} />
          ) : (
            <div className={css.scroll}>
              <DataTable
                label={t('batchResults')}
                columns={columns}
                rows={rows}
                rowKey={item => String(item.position)}
                skeleton={items.isPending ? 5 : 0}
              />
            </div>
          )}
          {items.hasNextPage && (
            <Button loading={items.isFetchingNextPage} onClick={() => void items.fetchNextPage()}>
              {t('loadMore')}
            </Button>
          )}
        </div>
      )}
    </Drawer>
  )
}
