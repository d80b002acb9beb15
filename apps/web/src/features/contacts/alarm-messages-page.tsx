import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useListTab } from '../../ui/list-page/use-list-tab.ts'
import { ContactList } from './contact-list.tsx'
import { RecordList } from './record-list.tsx'

const TABS = ['contacts', 'records'] as const

/** Who is told of alarms, and what was sent. */
export function AlarmMessagesPage() {
  const { t } = useTranslation('contacts')
  const [tab, open] = useListTab(TABS)
  const tabs = useMemo(
    () => ({ items: TABS.map(key => ({ key, label: t(`tab.${key}`) })), active: tab, onChange: open }),
    [t, tab, open],
  )
  return tab === 'records' ? <RecordList tabs={tabs} /> : <ContactList tabs={tabs} />
}
