import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../lib/permissions.ts'
import { useListTab } from '../../ui/list-page/use-list-tab.ts'
import { AccountList } from './account-list.tsx'
import { CardList } from './card-list.tsx'
import type { CarrierName } from './hooks.ts'
import { OperationList } from './operation-list.tsx'
import { PoolList } from './pool-list.tsx'

const TABS = ['cards', 'pools', 'operations', 'accounts'] as const

export const CmccPage = () => <SimCardsPage carrier="cmcc" />
export const CtccPage = () => <SimCardsPage carrier="ctcc" />

/** The SIM cards of one carrier: cards, pools, what was asked of the carrier, and the accounts there. */
function SimCardsPage({ carrier }: { carrier: CarrierName }) {
  const { t } = useTranslation('sim-cards')
  const [tab, open] = useListTab(TABS)
  const mayAccounts = useMay('carriers.list')
  const tabs = useMemo(
    () => ({
      items: TABS.filter(key => key !== 'accounts' || mayAccounts).map(key => ({ key, label: t(`tab.${key}`) })),
      active: tab,
      onChange: open,
    }),
    [t, tab, open, mayAccounts],
  )
  const props = { carrier, tabs }
  if (tab === 'pools') return <PoolList key={carrier} {...props} />
  if (tab === 'operations') return <OperationList key={carrier} {...props} />
  if (tab === 'accounts') return <AccountList key={carrier} {...props} />
  return <CardList key={carrier} {...props} />
}
