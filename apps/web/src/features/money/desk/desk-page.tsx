import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useListTab } from '../../../ui/list-page/use-list-tab.ts'
import { CardStock } from './card-stock.tsx'
import { CatalogueTab } from './catalogue-tab.tsx'
import { DeskCardOrders } from './desk-card-orders.tsx'
import { DeskInvoices } from './desk-invoices.tsx'
import { DeskOrders } from './desk-orders.tsx'
import { PaymentProviders } from './payment-providers.tsx'
import { Reconciliation } from './reconciliation.tsx'

const TABS = ['catalogue', 'orders', 'cards', 'stock', 'invoices', 'providers', 'books'] as const

/** The operator's side of money: what is sold, what was ordered, whether the books agree. */
export function MoneyDeskPage() {
  const { t } = useTranslation('money')
  const [tab, open] = useListTab(TABS)
  const tabs = useMemo(
    () => ({ items: TABS.map(key => ({ key, label: t(`desk.tab.${key}`) })), active: tab, onChange: open }),
    [t, tab, open],
  )
  if (tab === 'orders') return <DeskOrders tabs={tabs} />
  if (tab === 'cards') return <DeskCardOrders tabs={tabs} />
  if (tab === 'stock') return <CardStock tabs={tabs} />
  if (tab === 'invoices') return <DeskInvoices tabs={tabs} />
  if (tab === 'providers') return <PaymentProviders tabs={tabs} />
  return tab === 'books' ? <Reconciliation tabs={tabs} /> : <CatalogueTab tabs={tabs} />
}
