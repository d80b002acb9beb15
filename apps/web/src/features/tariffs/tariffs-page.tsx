import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useListTab } from '../../ui/list-page/use-list-tab.ts'
import { AccountList } from './account-list.tsx'
import { MerchantAccounts } from './merchant-accounts.tsx'
import { MeterList } from './meter-list.tsx'
import { StatementList } from './statement-list.tsx'
import { TariffList } from './tariff-list.tsx'

const TABS = ['tariffs', 'meters', 'statements', 'accounts', 'merchants'] as const

export interface Tabs {
  items: { key: string; label: string }[]
  active: string
  onChange: (key: string) => void
}

/** What end users are charged by their meters: prices, meters, statements, balances. */
export function TariffsPage() {
  const { t } = useTranslation('tariffs')
  const [tab, open] = useListTab(TABS)
  const tabs = useMemo<Tabs>(
    () => ({ items: TABS.map(key => ({ key, label: t(`tab.${key}`) })), active: tab, onChange: open }),
    [t, tab, open],
  )
  if (tab === 'meters') return <MeterList tabs={tabs} />
  if (tab === 'statements') return <StatementList tabs={tabs} />
  if (tab === 'accounts') return <AccountList tabs={tabs} />
  if (tab === 'merchants') return <MerchantAccounts tabs={tabs} />
  return <TariffList tabs={tabs} />
}
