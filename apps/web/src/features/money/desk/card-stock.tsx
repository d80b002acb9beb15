import type { StockCardView } from '@thingwright/contracts/card-orders.contract'
import { SOLD_FORMS, STOCK_STATES } from '@thingwright/contracts/money.words'
import { CARRIERS } from '@thingwright/contracts/sim-cards.words'
import { Button, Modal } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type Query } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { FetchPage, ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import type { Tabs } from '../consumption-list.tsx'

const SourcesDrawer = lazy(async () => ({ default: (await import('./card-sources-drawer.tsx')).CardSourcesDrawer }))
const AddDrawer = lazy(async () => ({ default: (await import('./stock-add-drawer.tsx')).StockAddDrawer }))

const keyOf = (row: StockCardView) => row.iccid
const fetchStock: FetchPage<StockCardView> = ({ filters, ...input }, signal) =>
  call('cardDesk.stock', { query: { ...input, ...filters } as Query<'cardDesk.stock'>, signal })

/** Cards that the operator has for sale, and those that were shipped. */
export function CardStock({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('money')
  const [modal, holder] = Modal.useModal()
  const mayWrite = useMay('cardDesk.addStock')
  const [open, setOpen] = useState<'sources' | 'add' | null>(null)
  const { run: remove } = useAct('cardDesk.removeStock', { done: () => notify.success(t('cardDesk.removed')) })
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('stateLabel'),
        options: STOCK_STATES.map(value => ({
          value,
          label: t(value === 'free' ? 'cardDesk.free' : 'cardDesk.taken'),
        })),
      },
      {
        key: 'carrier',
        label: t('card.carrierLabel'),
        options: CARRIERS.map(value => ({ value, label: t(`card.carrier.${value}`) })),
      },
      {
        key: 'form',
        label: t('card.formLabel'),
        options: SOLD_FORMS.map(value => ({ value, label: t(`card.form.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<StockCardView>[]>(
    () => [
      { key: 'iccid', title: 'ICCID', minWidth: 200, required: true, render: row => row.iccid, csv: row => row.iccid },
      {
        key: 'msisdn',
        title: t('cardDesk.msisdn'),
        width: 140,
        rank: 1,
        render: row => row.msisdn ?? '–',
        csv: row => row.msisdn,
      },
      {
        key: 'carrier',
        title: t('card.carrierLabel'),
        width: 120,
        rank: 2,
        render: row => t(`card.carrier.${row.carrier}`),
        csv: row => t(`card.carrier.${row.carrier}`),
      },
      {
        key: 'form',
        title: t('card.formLabel'),
        width: 144,
        rank: 3,
        render: row => t(`card.form.${row.form}`),
        csv: row => t(`card.form.${row.form}`),
      },
      {
        key: 'use',
        title: t('card.useLabel'),
        width: 112,
        rank: 1,
        render: row => t(`card.use.${row.use}`),
        csv: row => t(`card.use.${row.use}`),
      },
      {
        key: 'source',
        title: t('cardDesk.source'),
        minWidth: 120,
        rank: 1,
        render: row => row.sourceName,
        csv: row => row.sourceName,
      },
      {
        key: 'state',
        title: t('stateLabel'),
        width: 104,
        render: row => (
          <StatusTag kind={row.state === 'free' ? 'success' : 'neutral'}>
            {t(row.state === 'free' ? 'cardDesk.free' : 'cardDesk.taken')}
          </StatusTag>
        ),
        csv: row => t(row.state === 'free' ? 'cardDesk.free' : 'cardDesk.taken'),
      },
      {
        key: 'order',
        title: t('card.orderNo'),
        width: 176,
        rank: 2,
        render: row => row.orderNo ?? '–',
        csv: row => row.orderNo,
      },
      {
        key: 'company',
        title: t('desk.company'),
        minWidth: 120,
        rank: 2,
        render: row => row.companyName ?? '–',
        csv: row => row.companyName,
      },
      {
        key: 'createdAt',
        title: t('cardDesk.at'),
        width: 132,
        rank: 0,
        render: row => <TimeText value={row.createdAt} />,
        csv: row => row.createdAt,
      },
    ],
    [t],
  )
  const rowActions = useCallback(
    (row: StockCardView): RowAction[] =>
      mayWrite && row.state === 'free'
        ? [
            {
              key: 'remove',
              label: t('cardDesk.remove'),
              danger: true,
              onClick: () =>
                void modal.confirm({
                  title: t('cardDesk.removeAsk'),
                  content: t('cardDesk.removeText', { iccid: row.iccid }),
                  okText: t('cardDesk.remove'),
                  okButtonProps: { danger: true },
                  cancelText: t('cancel'),
                  onOk: () => remove({ params: { iccid: row.iccid } }),
                }),
            },
          ]
        : [],
    [t, mayWrite, modal, remove],
  )
  const actions = mayWrite && (
    <>
      <Button onClick={() => setOpen('sources')}>{t('cardDesk.sources')}</Button>
      <Button type="primary" onClick={() => setOpen('add')}>
        {t('cardDesk.addCards')}
      </Button>
    </>
  )
  return (
    <>
      <ListPage
        id="card-stock"
        operation="cardDesk.stock"
        fetchPage={fetchStock}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        tabs={tabs}
        actions={actions}
        rowActions={rowActions}
        searchPlaceholder={t('cardDesk.stockSearch')}
        title={t('desk.title')}
        empty={{ title: t('cardDesk.stockEmptyTitle'), description: t('cardDesk.stockEmptyText'), action: actions }}
        exportName="card-stock"
      />
      <Suspense>
        {open === 'sources' && <SourcesDrawer onClose={() => setOpen(null)} />}
        {open === 'add' && <AddDrawer onClose={() => setOpen(null)} />}
      </Suspense>
      {holder}
    </>
  )
}
