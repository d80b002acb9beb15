import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useListTab } from '../../ui/list-page/use-list-tab.ts'
import { ChannelList } from './channels/channel-list.tsx'
import { ContactList } from './contact-list.tsx'
import { GroupList } from './groups/group-list.tsx'
import { PresetList } from './presets/preset-list.tsx'
import { RecordList } from './record-list.tsx'
import { TemplateList } from './templates/template-list.tsx'

const TABS = ['contacts', 'groups', 'channels', 'templates', 'presets', 'records'] as const
const LISTS = {
  contacts: ContactList,
  groups: GroupList,
  channels: ChannelList,
  templates: TemplateList,
  presets: PresetList,
  records: RecordList,
}

/** Receivers and channels of alarm messages, and the record of what was sent. */
export function AlarmMessagesPage() {
  const { t } = useTranslation('contacts')
  const [tab, open] = useListTab(TABS)
  const tabs = useMemo(
    () => ({ items: TABS.map(key => ({ key, label: t(`tab.${key}`) })), active: tab, onChange: open }),
    [t, tab, open],
  )
  const List = LISTS[tab as keyof typeof LISTS]
  return <List tabs={tabs} />
}
