import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useListTab } from '../../ui/list-page/use-list-tab.ts'
import { ConsumptionList } from './consumption-list.tsx'
import { Statements } from './statements.tsx'

const TABS = ['records', 'bills'] as const

/** What was charged: line by line, and as bills. */
export function ConsumptionPage() {
  const { t } = useTranslation('money')
  const [tab, open] = useListTab(TABS)
  const tabs = useMemo(
    () => ({ items: TABS.map(key => ({ key, label: t(`charge.tab.${key}`) })), active: tab, onChange: open }),
    [t, tab, open],
  )
  return tab === 'bills' ? <Statements tabs={tabs} /> : <ConsumptionList tabs={tabs} />
}
