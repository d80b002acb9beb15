import { PlusOutlined } from '@ant-design/icons'
import { TOP_UP_FEN } from '@thingwright/contracts/money.words'
import type { RechargeView } from '@thingwright/contracts/purchase-orders.contract'
import { Button, Input, Modal } from 'antd'
import { useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { formatMoney } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { orderAddress } from './addresses.ts'
import { fetchRecharges, MONEY } from './hooks.ts'
import css from './money.module.css'
import { PayDialog } from './pay/pay-dialog.tsx'
import { useReceipt } from './use-receipt.ts'
import { fenOf, RECHARGE_KIND } from './words.ts'

const keyOf = (row: RechargeView) => row.id
const AMOUNTS = [100, 500, 1000, 5000]
const NO_FILTERS: ListFilter[] = []

/** Top-ups of the balance. */
export function RechargePage() {
  const { t } = useTranslation('money')
  const [search, setSearch] = useSearchParams()
  const mayPay = useMay('purchaseOrders.recharge')
  const [asking, setAsking] = useState(search.get('create') === '1')
  const [paying, setPaying] = useState<string | null>(null)
  const state = useListState(NO_FILTERS)
  const { save } = useReceipt()
  const columns = useMemo<ListColumn<RechargeView>[]>(
    () => [
      {
        key: 'no',
        title: t('order.no'),
        minWidth: 200,
        required: true,
        render: row => <Link to={orderAddress(row.id)}>{row.no}</Link>,
      },
      {
        key: 'amount',
        title: t('amount'),
        width: 136,
        align: 'right',
        render: row => <span className={css.money}>{formatMoney(row.amountFen)}</span>,
      },
      {
        key: 'state',
        title: t('stateLabel'),
        width: 128,
        render: row => <StatusTag kind={RECHARGE_KIND[row.state]}>{t(`recharge.state.${row.state}`)}</StatusTag>,
      },
      {
        key: 'provider',
        title: t('order.provider'),
        width: 140,
        rank: 2,
        render: row => (row.provider ? t(`provider.${row.provider}`) : '–'),
      },
      { key: 'buyer', title: t('order.buyer'), width: 120, rank: 0, render: row => row.buyerName },
      {
        key: 'createdAt',
        title: t('order.createdAt'),
        width: 140,
        sortKey: 'createdAt',
        rank: 1,
        render: row => <TimeText value={row.createdAt} />,
      },
      {
        key: 'paidAt',
        title: t('order.paidAt'),
        width: 140,
        rank: 1,
        render: row => (row.paidAt ? <TimeText value={row.paidAt} /> : '–'),
      },
    ],
    [t],
  )
  const rowActions = useCallback(
    (row: RechargeView): RowAction[] =>
      mayPay && ['pending', 'paying', 'failed', 'refused'].includes(row.state)
        ? [{ key: 'pay', label: t('order.pay'), onClick: () => setPaying(row.id) }]
        : [
            ...(row.payment?.state === 'succeeded'
              ? [{ key: 'receipt', label: t('order.receipt'), onClick: () => save(row) }]
              : []),
            { key: 'open', label: t('order.open'), to: orderAddress(row.id) },
          ],
    [t, mayPay, save],
  )
  const create = (
    <PermissionGate of="purchaseOrders.recharge">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setAsking(true)}>
        {t('recharge.act')}
      </Button>
    </PermissionGate>
  )
  const close = () => {
    setAsking(false)
    if (search.has('create')) {
      search.delete('create')
      setSearch(search, { replace: true })
    }
  }
  return (
    <>
      <ListPage
        id="recharges"
        operation="purchaseOrders.recharges"
        fetchPage={fetchRecharges}
        rowKey={keyOf}
        columns={columns}
        filters={NO_FILTERS}
        state={state}
        rowActions={rowActions}
        searchPlaceholder={t('recharge.search')}
        title={t('recharge.title')}
        actions={create}
        empty={{ title: t('recharge.emptyTitle'), description: t('recharge.emptyText'), action: create }}
        exportName="recharges"
        exportPath="/api/v1/recharges/export"
      />
      {asking && mayPay && (
        <AmountDialog
          onClose={close}
          onMade={id => {
            close()
            setPaying(id)
          }}
        />
      )}
      {paying && (
        <PayDialog orderId={paying} onDone={() => notify.success(t('recharge.done'))} onClose={() => setPaying(null)} />
      )}
    </>
  )
}

function AmountDialog({ onMade, onClose }: { onMade: (id: string) => void; onClose: () => void }) {
  const { t } = useTranslation('money')
  const [text, setText] = useState('500')
  const create = useAct('purchaseOrders.recharge', { touches: MONEY, done: order => onMade(order.id) })
  const fen = fenOf(text)
  const wrong = fen === null || fen < TOP_UP_FEN.least || fen > TOP_UP_FEN.most
  return (
    <Modal
      open
      title={t('recharge.act')}
      okText={t('recharge.next')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: wrong, loading: create.pending }}
      onOk={() => !wrong && void create.run({ body: { amountFen: fen } })}
      onCancel={onClose}
      destroyOnHidden
    >
      <div className={css.pay}>
        <div className={css.line}>
          {AMOUNTS.map(yuan => (
            <Button
              key={yuan}
              type={text === String(yuan) ? 'primary' : 'default'}
              onClick={() => setText(String(yuan))}
            >
              {formatMoney(yuan * 100)}
            </Button>
          ))}
        </div>
        <Input
          value={text}
          inputMode="decimal"
          prefix="¥"
          status={wrong && text !== '' ? 'error' : ''}
          aria-label={t('recharge.amount')}
          onChange={event => setText(event.target.value)}
          onPressEnter={() => !wrong && void create.run({ body: { amountFen: fen } })}
        />
        <p className={css.muted}>{t('recharge.limits')}</p>
      </div>
    </Modal>
  )
}
