import { useTranslation } from 'react-i18next'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { Panel } from '../../ui/panel.tsx'
import { PlanCards } from './plan-cards.tsx'
import { useBuy } from './use-buy.tsx'

/** Plans on the page of a company that is not active: it buys or renews here, and goes on when the payment has arrived. */
export function BlockedPurchase({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation('money')
  const mayPay = useMay('purchaseOrders.create')
  const catalogue = useRead('catalogue.published', {}, { enabled: mayPay })
  const assets = useRead('purchaseOrders.assets', {}, { enabled: mayPay })
  const { buy, pending, dialog } = useBuy(onDone)
  const plans = catalogue.data?.items.filter(item => item.kind === 'plan') ?? []
  if (!mayPay || plans.length === 0 || !assets.data) return null
  return (
    <>
      <Panel title={t('purchase.plans')}>
        <PlanCards plans={plans} current={assets.data.plan} pending={pending} onBuy={buy} />
      </Panel>
      {dialog}
    </>
  )
}
