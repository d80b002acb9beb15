import type { CardOrderRow } from '@thingwright/contracts/card-orders.contract'
import type { SimSpec } from '@thingwright/contracts/catalogue.contract'
import { Modal, Radio, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatMoney, formatNumber } from '../../../lib/format.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { MONEY } from '../hooks.ts'
import css from '../money.module.css'
import { nameOf } from '../words.ts'
import { planOf } from './card-words.ts'

/** A further term for the cards of an order: the same plan or another one of the carrier. */
export function RenewDialog({
  order,
  onOrdered,
  onClose,
}: {
  order: CardOrderRow
  onOrdered: (orderId: string) => void
  onClose: () => void
}) {
  const { t } = useTranslation('money')
  const catalogue = useRead('catalogue.published', {})
  const plans = catalogue.data?.items.filter(
    item => item.kind === 'sim' && (item.spec as SimSpec).carrier === order.carrier,
  )
  const [chosen, setChosen] = useState(order.sku)
  const sku = plans?.some(item => item.sku === chosen) ? chosen : plans?.[0]?.sku
  const renew = useAct('cardOrders.renew', {
    touches: [...MONEY, 'cardOrders'],
    done: made => onOrdered(made.id),
  })
  return (
    <Modal
      open
      title={t('card.renewTitle')}
      okText={t('card.next')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: sku === undefined, loading: renew.pending }}
      onOk={() => sku !== undefined && void renew.run({ body: { sku, cardOrderId: order.id } })}
      onCancel={onClose}
      destroyOnHidden
    >
      <p className={css.muted}>
        {t('card.renewNote', { quantity: formatNumber(order.quantity), plan: planOf(order) })}
      </p>
      {catalogue.isError ? (
        <ErrorState error={catalogue.error} onRetry={() => void catalogue.refetch()} />
      ) : !plans ? (
        <Skeleton active />
      ) : plans.length === 0 ? (
        <EmptyState title={t('card.emptyTitle')} description={t('card.emptyText')} />
      ) : (
        <Radio.Group
          value={sku}
          aria-label={t('card.renewPlan')}
          onChange={event => setChosen(event.target.value as string)}
          style={{ display: 'flex', flexDirection: 'column', gap: 8 }}
          options={plans.map(item => ({
            value: item.sku,
            label: `${nameOf(item)} · ${t('card.months', { months: (item.spec as SimSpec).months })} · ${formatMoney(item.priceFen)} ${t('card.each')}`,
          }))}
        />
      )}
    </Modal>
  )
}
