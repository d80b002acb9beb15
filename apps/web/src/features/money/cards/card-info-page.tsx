import type { CardOrderRow } from '@thingwright/contracts/card-orders.contract'
import { ORDER_STATES } from '@thingwright/contracts/money.words'
import { CARRIERS } from '@thingwright/contracts/sim-cards.words'
import { Modal } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { call, type Query } from '../../../lib/api-client.ts'
import { formatDate, formatMoney, formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { FetchPage, ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { ASSETS, orderAddress } from '../addresses.ts'
import { MONEY } from '../hooks.ts'
import css from '../money.module.css'
import { PayDialog } from '../pay/pay-dialog.tsx'
import { ORDER_KIND } from '../words.ts'
import { CARD_BUY, planOf, rangeOf } from './card-words.ts'

const RenewDialog = lazy(async () => ({ default: (await import('./renew-dialog.tsx')).RenewDialog }))

const keyOf = (row: CardOrderRow) => row.id
const hrefOf = (row: CardOrderRow) => orderAddress(row.id)
const fetchCardOrders: FetchPage<CardOrderRow> = ({ filters, ...input }, signal) =>
  call('cardOrders.list', { query: { ...input, ...filters } as Query<'cardOrders.list'>, signal })
/** Where the cards of an order are listed: those of its carrier, from its first ICCID on. */
const listOf = (row: CardOrderRow) =>
  `/flowCard/${row.carrier === 'cmcc' ? 'Cmcc' : 'Ctcc'}FlowCard?q=${encodeURIComponent((row.firstIccid ?? '').slice(0, 14))}`

/** Cards that were ordered: shipping, receipt, renewal. */
export function CardInfoPage() {
  const { t } = useTranslation('money')
  const [modal, holder] = Modal.useModal()
  const mayPay = useMay('cardOrders.create')
  const [paying, setPaying] = useState<string | null>(null)
  const [renewing, setRenewing] = useState<CardOrderRow | null>(null)
  const { run: receive } = useAct('cardOrders.receive', {
    touches: [...MONEY, 'cardOrders', 'simCards'],
    done: () => notify.success(t('card.received')),
  })
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('stateLabel'),
        options: ORDER_STATES.map(value => ({ value, label: t(`state.${value}`) })),
      },
      {
        key: 'carrier',
        label: t('card.carrierLabel'),
        options: CARRIERS.map(value => ({ value, label: t(`card.carrier.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<CardOrderRow>[]>(
    () => [
      {
        key: 'no',
        title: t('order.no'),
        minWidth: 180,
        required: true,
        render: row => <Link to={hrefOf(row)}>{row.no}</Link>,
      },
      {
        key: 'carrier',
        title: t('card.carrierLabel'),
        width: 120,
        rank: 2,
        render: row => t(`card.carrier.${row.carrier}`),
      },
      { key: 'plan', title: t('card.plan'), minWidth: 140, rank: 4, render: planOf },
      { key: 'form', title: t('card.formLabel'), width: 144, rank: 0, render: row => t(`card.form.${row.form}`) },
      {
        key: 'quantity',
        title: t('card.quantityShort'),
        width: 80,
        align: 'right',
        render: row => formatNumber(row.quantity),
      },
      {
        key: 'payable',
        title: t('order.payable'),
        width: 112,
        align: 'right',
        rank: 1,
        render: row => <span className={css.money}>{formatMoney(row.payableFen)}</span>,
      },
      {
        key: 'state',
        title: t('stateLabel'),
        width: 128,
        render: row => (
          <StatusTag
            kind={ORDER_KIND[row.state]}
            title={row.receivedBy ? t('card.receiveBy', { day: formatDate(row.receivedBy) }) : ''}
          >
            {t(`state.${row.state}`)}
          </StatusTag>
        ),
      },
      { key: 'range', title: t('card.range'), minWidth: 180, rank: 1, render: rangeOf },
      {
        key: 'logistics',
        title: t('card.logistics'),
        width: 176,
        rank: 0,
        render: row => (row.logisticsNo ? `${row.logisticsCompany} ${row.logisticsNo}` : '–'),
      },
      {
        key: 'active',
        title: t('card.active'),
        width: 112,
        rank: 2,
        render: row =>
          row.receivedAt ? t('card.activeOf', { active: row.active, quantity: formatNumber(row.quantity) }) : '–',
      },
      {
        key: 'expiresAt',
        title: t('card.expires'),
        width: 116,
        rank: 3,
        render: row => (row.expiresAt ? formatDate(row.expiresAt) : '–'),
      },
    ],
    [t],
  )
  const rowActions = useCallback(
    (row: CardOrderRow): RowAction[] => [
      ...(mayPay && row.state === 'pending'
        ? [{ key: 'pay', label: t('order.pay'), onClick: () => setPaying(row.id) }]
        : []),
      ...(mayPay && row.state === 'shipped'
        ? [
            {
              key: 'receive',
              label: t('card.receive'),
              onClick: () =>
                void modal.confirm({
                  title: t('card.receiveAsk', { quantity: formatNumber(row.quantity) }),
                  content: t('card.receiveText'),
                  okText: t('card.receive'),
                  cancelText: t('cancel'),
                  onOk: () => receive({ params: { id: row.id } }),
                }),
            },
          ]
        : []),
      ...(row.receivedAt ? [{ key: 'cards', label: t('card.cards'), to: listOf(row) }] : []),
      ...(mayPay && row.receivedAt ? [{ key: 'renew', label: t('card.renew'), onClick: () => setRenewing(row) }] : []),
      { key: 'open', label: t('card.openOrder'), to: hrefOf(row) },
    ],
    [t, mayPay, modal, receive],
  )
  return (
    <>
      <ListPage
        id="card-orders"
        operation="cardOrders.list"
        fetchPage={fetchCardOrders}
        rowKey={keyOf}
        rowHref={hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        rowActions={rowActions}
        actionsWidth={168}
        searchPlaceholder={t('card.search')}
        title={t('card.infoTitle')}
        description={t('card.infoLead')}
        crumbs={[{ title: t('assets.title'), to: ASSETS }]}
        empty={{
          title: t('card.infoEmptyTitle'),
          description: t('card.infoEmptyText'),
          action: <Link to={CARD_BUY}>{t('card.goBuy')}</Link>,
        }}
        exportName="card-orders"
        exportPath="/api/v1/card-orders/export"
      />
      <Suspense>
        {renewing && (
          <RenewDialog
            order={renewing}
            onOrdered={id => {
              setRenewing(null)
              setPaying(id)
            }}
            onClose={() => setRenewing(null)}
          />
        )}
      </Suspense>
      {paying && <PayDialog orderId={paying} onClose={() => setPaying(null)} />}
      {holder}
    </>
  )
}
