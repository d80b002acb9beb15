import type { ExpansionSpec } from '@thingwright/contracts/catalogue.contract'
import type { AssetsView } from '@thingwright/contracts/purchase-orders.contract'
import { Button, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatBytes, formatDate, formatMoney, formatNumber } from '../../lib/format.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { InputNumber } from '../../ui/input-number.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Facts, Panel, Stack } from '../../ui/panel.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../ui/states.tsx'
import { ORDERS, PACKS } from './addresses.ts'
import { MONEY } from './hooks.ts'
import css from './money.module.css'
import { PlanCards } from './plan-cards.tsx'
import { QuoteDialog } from './quote-dialog.tsx'
import { useBuy } from './use-buy.tsx'
import { nameOf, textOf } from './words.ts'

/** The company's plan, the plans that there are, and more of a quota. */
export function PurchasePage() {
  const { t } = useTranslation('money')
  const allowed = useMay('purchaseOrders.assets')
  const mayPay = useMay('purchaseOrders.create')
  const assets = useRead('purchaseOrders.assets', {}, { enabled: allowed })
  const catalogue = useRead('catalogue.published', {}, { enabled: allowed })
  const [asking, setAsking] = useState<{ sku: string; quantity: number } | null>(null)
  const { buy, pending, dialog } = useBuy()
  if (!allowed) return <NoPermissionState of="purchaseOrders.assets" />
  const failed = assets.isError ? assets : catalogue.isError ? catalogue : null
  const plans = catalogue.data?.items.filter(item => item.kind === 'plan') ?? []
  const expansions = catalogue.data?.items.filter(item => item.kind === 'expansion') ?? []
  return (
    <>
      <PageHeader
        title={t('purchase.title')}
        description={t('purchase.lead')}
        actions={
          <>
            <Link to={PACKS}>{t('packs.title')}</Link>
            <Link to={ORDERS}>{t('order.title')}</Link>
          </>
        }
      />
      {failed ? (
        <Panel>
          <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
        </Panel>
      ) : !assets.data || !catalogue.data ? (
        <Panel>
          <Skeleton active paragraph={{ rows: 8 }} />
        </Panel>
      ) : (
        <Stack>
          <Present assets={assets.data} />
          <Panel title={t('purchase.plans')}>
            {plans.length === 0 ? (
              <EmptyState title={t('purchase.emptyTitle')} description={t('purchase.emptyText')} />
            ) : (
              <PlanCards
                plans={plans}
                current={assets.data.plan}
                pending={pending}
                onBuy={mayPay ? sku => setAsking({ sku, quantity: 1 }) : undefined}
              />
            )}
          </Panel>
          {expansions.length > 0 && (
            <Panel title={t('purchase.expansions')} hint={t('purchase.expansionsText')}>
              <div className={css.goods}>
                {expansions.map(item => {
                  const { quota, quantity } = item.spec as ExpansionSpec
                  const amount = quota === 'mediaBytes' ? formatBytes(quantity) : formatNumber(quantity)
                  return (
                    <article key={item.id} className={css.good}>
                      <h3>{nameOf(item)}</h3>
                      <span className={css.price}>
                        {formatMoney(item.priceFen)} <small>{t('plan.perMonth')}</small>
                      </span>
                      <ul>
                        <li>
                          {t(`quota.${quota}`)} +{amount}
                        </li>
                        {textOf(item) && <li>{textOf(item)}</li>}
                      </ul>
                      {mayPay && (
                        <More
                          disabled={!assets.data.plan || pending}
                          onBuy={many => setAsking({ sku: item.sku, quantity: many })}
                        />
                      )}
                    </article>
                  )
                })}
              </div>
            </Panel>
          )}
        </Stack>
      )}
      {asking && (
        <QuoteDialog
          {...asking}
          onClose={() => setAsking(null)}
          onBuy={() => {
            buy(asking.sku, asking.quantity)
            setAsking(null)
          }}
        />
      )}
      {dialog}
    </>
  )
}

function More({ disabled, onBuy }: { disabled: boolean; onBuy: (quantity: number) => void }) {
  const { t } = useTranslation('money')
  const [many, setMany] = useState(1)
  return (
    <div className={css.line}>
      <InputNumber
        min={1}
        max={1000}
        value={many}
        onChange={value => setMany(value ?? 1)}
        aria-label={t('charge.quantity')}
        disabled={disabled}
      />
      <Button disabled={disabled} title={disabled ? t('purchase.planFirst') : ''} onClick={() => onBuy(many)}>
        {t('buy')}
      </Button>
    </div>
  )
}

/** The plan that the company has now. */
function Present({ assets }: { assets: AssetsView }) {
  const { t } = useTranslation('money')
  const mayPay = useMay('purchaseOrders.cancelDowngrade')
  const keep = useAct('purchaseOrders.cancelDowngrade', { touches: MONEY })
  const { plan, term } = assets
  return (
    <Panel title={t('purchase.present')}>
      <Facts
        items={[
          { label: t('purchase.plan'), value: plan ? nameOf(plan) : t(`term.${term.status}`) },
          {
            label: t('purchase.ends'),
            value: term.expiresAt
              ? `${formatDate(term.expiresAt)}${term.daysLeft === null ? '' : ` · ${t('assets.daysLeft', { count: term.daysLeft })}`}`
              : t('purchase.noEnd'),
          },
          { label: t('purchase.price'), value: plan ? formatMoney(plan.priceFen) : '–' },
          {
            label: t('purchase.expansions'),
            value:
              plan && plan.expansions.length > 0
                ? plan.expansions
                    .map(
                      each =>
                        `${t(`quota.${each.quota}`)} +${each.quota === 'mediaBytes' ? formatBytes(each.quantity) : formatNumber(each.quantity)}`,
                    )
                    .join(' · ')
                : '–',
          },
        ]}
      />
      {plan?.next && (
        <p className={css.muted}>
          {t('purchase.next', { name: nameOf(plan.next), date: formatDate(plan.endsAt) })}{' '}
          {mayPay && (
            <Button
              type="link"
              size="small"
              loading={keep.pending}
              onClick={() => void keep.run({ query: { version: plan.version } })}
            >
              {t('purchase.keep')}
            </Button>
          )}
        </p>
      )}
    </Panel>
  )
}
