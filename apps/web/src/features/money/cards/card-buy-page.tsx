import type { CatalogueItem, SimSpec } from '@thingwright/contracts/catalogue.contract'
import { CARRIERS } from '@thingwright/contracts/sim-cards.words'
import { Button, Skeleton } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatMoney } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Panel, Stack } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { ASSETS } from '../addresses.ts'
import css from '../money.module.css'
import { PayDialog } from '../pay/pay-dialog.tsx'
import { nameOf, textOf } from '../words.ts'
import { CARD_INFO, dataOf } from './card-words.ts'

const OrderDrawer = lazy(async () => ({ default: (await import('./card-order-drawer.tsx')).CardOrderDrawer }))

/** The shop of SIM cards: plans by carrier, an order with an address, payment. */
export function CardBuyPage() {
  const { t } = useTranslation('money')
  const allowed = useMay('cardOrders.list')
  const mayPay = useMay('cardOrders.create')
  const catalogue = useRead('catalogue.published', {}, { enabled: allowed })
  const [ordering, setOrdering] = useState<CatalogueItem | null>(null)
  const [paying, setPaying] = useState<string | null>(null)
  if (!allowed) return <NoPermissionState of="cardOrders.list" />
  const plans = catalogue.data?.items.filter(item => item.kind === 'sim')
  return (
    <>
      <PageHeader
        title={t('card.buyTitle')}
        crumbs={[{ title: t('assets.title'), to: ASSETS }]}
        description={t('card.buyLead')}
        actions={<Link to={CARD_INFO}>{t('card.infoTitle')}</Link>}
      />
      {catalogue.isError ? (
        <Panel>
          <ErrorState error={catalogue.error} onRetry={() => void catalogue.refetch()} />
        </Panel>
      ) : !plans ? (
        <Panel>
          <Skeleton active paragraph={{ rows: 6 }} />
        </Panel>
      ) : plans.length === 0 ? (
        <Panel>
          <EmptyState title={t('card.emptyTitle')} description={t('card.emptyText')} />
        </Panel>
      ) : (
        <Stack>
          {CARRIERS.map(carrier => {
            const own = plans.filter(item => (item.spec as SimSpec).carrier === carrier)
            if (own.length === 0) return null
            return (
              <Panel key={carrier} title={t(`card.carrier.${carrier}`)}>
                <div className={css.goods}>
                  {own.map(item => (
                    <Plan key={item.id} item={item} onOrder={mayPay ? () => setOrdering(item) : null} />
                  ))}
                </div>
              </Panel>
            )
          })}
        </Stack>
      )}
      <Suspense>
        {ordering && (
          <OrderDrawer
            item={ordering}
            onOrdered={id => {
              setOrdering(null)
              setPaying(id)
            }}
            onClose={() => setOrdering(null)}
          />
        )}
      </Suspense>
      {paying && <PayDialog orderId={paying} onClose={() => setPaying(null)} />}
    </>
  )
}

function Plan({ item, onOrder }: { item: CatalogueItem; onOrder: (() => void) | null }) {
  const { t } = useTranslation('money')
  const spec = item.spec as SimSpec
  return (
    <article className={css.good}>
      <h3>{nameOf(item)}</h3>
      <span className={css.price}>
        {formatMoney(item.priceFen)} <small>{t('card.each')}</small>
      </span>
      <ul>
        <li>{t('card.data', { amount: dataOf(spec.monthMb) })}</li>
        <li>{t('card.months', { months: spec.months })}</li>
        <li>{t(`card.use.${spec.use}`)}</li>
        <li>{t('card.formsOf', { forms: spec.forms.map(form => t(`card.form.${form}`)).join(t('card.comma')) })}</li>
        {spec.cardFen > 0 && <li>{t('card.cardPrice', { price: formatMoney(spec.cardFen) })}</li>}
        {textOf(item) && <li>{textOf(item)}</li>}
      </ul>
      {onOrder && (
        <Button type="primary" onClick={onOrder} aria-label={`${t('card.order')} ${nameOf(item)}`}>
          {t('card.order')}
        </Button>
      )}
    </article>
  )
}
