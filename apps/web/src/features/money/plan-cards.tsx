import type { CatalogueItem, PlanSpec } from '@thingwright/contracts/catalogue.contract'
import type { CurrentPlan } from '@thingwright/contracts/purchase-orders.contract'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatBytes, formatMoney, formatNumber } from '../../lib/format.ts'
import css from './money.module.css'
import { nameOf, textOf } from './words.ts'

/** Plans side by side, with what choosing one means for who has another. */
export function PlanCards({
  plans,
  current,
  pending,
  onBuy,
}: {
  plans: readonly CatalogueItem[]
  current: CurrentPlan | null
  pending: boolean
  /** Without it they are only shown. */
  onBuy?: ((sku: string) => void) | undefined
}) {
  const { t } = useTranslation('money')
  const perMonth = (item: CatalogueItem) => item.priceFen / (item.spec as PlanSpec).months
  const act = (item: CatalogueItem) => {
    if (!current) return t('plan.buy')
    if (current.itemId === item.id) return t('plan.renew')
    return perMonth(item) < current.priceFen / current.months ? t('plan.downgrade') : t('plan.upgrade')
  }
  return (
    <div className={css.goods}>
      {plans.map(item => {
        const { months, quotas } = item.spec as PlanSpec
        const own = current?.itemId === item.id
        return (
          <article key={item.id} className={css.good} data-current={own}>
            <h3>
              {nameOf(item)} {own && <small className={css.simulated}>{t('plan.current')}</small>}
            </h3>
            <span className={css.price}>
              {formatMoney(item.priceFen)}{' '}
              <small>
                {t(months === 12 ? 'plan.perYear' : months === 1 ? 'plan.perMonth' : 'plan.perMonths', { months })}
              </small>
            </span>
            <ul>
              {Object.entries(quotas).map(([kind, limit]) => (
                <li key={kind}>
                  {t(`quota.${kind}`)}{' '}
                  {limit === null
                    ? t('plan.noLimit')
                    : kind === 'mediaBytes'
                      ? formatBytes(limit)
                      : formatNumber(limit)}
                </li>
              ))}
              {textOf(item) && <li>{textOf(item)}</li>}
            </ul>
            {onBuy && (
              <Button type={own ? 'primary' : 'default'} disabled={pending} onClick={() => onBuy(item.sku)}>
                {act(item)}
              </Button>
            )}
          </article>
        )
      })}
    </div>
  )
}
