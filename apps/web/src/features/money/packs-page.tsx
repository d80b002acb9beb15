import type { CatalogueItem, PackSpec } from '@thingwright/contracts/catalogue.contract'
import { UNIT_KINDS } from '@thingwright/contracts/money.words'
import { Button, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatDate, formatMoney, formatNumber } from '../../lib/format.ts'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel, Stack } from '../../ui/panel.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../ui/states.tsx'
import { ASSETS } from './addresses.ts'
import css from './money.module.css'
import { useBuy } from './use-buy.tsx'
import { nameOf, textOf } from './words.ts'

/** Packs of messages and calls, and what is left of those that were bought. */
export function PacksPage() {
  const { t } = useTranslation('money')
  const allowed = useMay('purchaseOrders.assets')
  const mayPay = useMay('purchaseOrders.create')
  const catalogue = useRead('catalogue.published', {}, { enabled: allowed })
  const assets = useRead('purchaseOrders.assets', {}, { enabled: allowed })
  const { buy, pending, dialog } = useBuy()
  if (!allowed) return <NoPermissionState of="purchaseOrders.assets" />
  const packs = catalogue.data?.items.filter(item => item.kind === 'sms' || item.kind === 'voice')
  const price = (item: CatalogueItem) => {
    const { units } = item.spec as PackSpec
    return t('packs.each', { price: formatMoney(Math.round(item.priceFen / units)) })
  }
  return (
    <>
      <PageHeader
        title={t('packs.title')}
        crumbs={[{ title: t('assets.title'), to: ASSETS }]}
        description={t('packs.lead')}
      />
      {catalogue.isError ? (
        <Panel>
          <ErrorState error={catalogue.error} onRetry={() => void catalogue.refetch()} />
        </Panel>
      ) : !packs ? (
        <Panel>
          <Skeleton active paragraph={{ rows: 6 }} />
        </Panel>
      ) : packs.length === 0 ? (
        <Panel>
          <EmptyState title={t('packs.emptyTitle')} description={t('packs.emptyText')} />
        </Panel>
      ) : (
        <Stack>
          {UNIT_KINDS.map(kind => {
            const own = packs.filter(item => item.kind === kind)
            const left = assets.data?.units.find(each => each.kind === kind)
            if (own.length === 0) return null
            return (
              <Panel
                key={kind}
                title={t(`kind.${kind}`)}
                hint={
                  left &&
                  t('packs.left', {
                    left: formatNumber(left.left),
                    until: left.batches[0] ? formatDate(left.batches[0].expiresAt) : '–',
                  })
                }
              >
                <div className={css.goods}>
                  {own.map(item => {
                    const spec = item.spec as PackSpec
                    return (
                      <article key={item.id} className={css.good}>
                        <h3>{nameOf(item)}</h3>
                        <span className={css.price}>
                          {formatMoney(item.priceFen)} <small>{price(item)}</small>
                        </span>
                        <ul>
                          <li>{t(`packs.units.${kind}`, { units: formatNumber(spec.units) })}</li>
                          {spec.gift > 0 && <li>{t('packs.gift', { units: formatNumber(spec.gift) })}</li>}
                          <li>{t('packs.months', { months: spec.months })}</li>
                          {textOf(item) && <li>{textOf(item)}</li>}
                        </ul>
                        {mayPay && (
                          <Button type="primary" disabled={pending} onClick={() => buy(item.sku)}>
                            {t('buy')}
                          </Button>
                        )}
                      </article>
                    )
                  })}
                </div>
              </Panel>
            )
          })}
        </Stack>
      )}
      {dialog}
    </>
  )
}
