import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../lib/permissions.ts'
import { useListTab } from '../../ui/list-page/use-list-tab.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { NoPermissionState } from '../../ui/states.tsx'
import { TabBar } from '../../ui/tab-bar.tsx'
import css from './end-users.module.css'
import { EndUserList } from './list/end-user-list.tsx'
import { PackagesTab } from './list/packages-tab.tsx'
import { TreeTab } from './list/tree-tab.tsx'

const TABS = ['users', 'tree', 'packages'] as const

/** Customers of the company: all of them, who stands above whom, and the packages of rights. */
export function EndUsersPage() {
  const { t } = useTranslation('end-users')
  const [tab, open] = useListTab(TABS)
  const allowed = useMay('endUsers.list')
  const tabs = useMemo(
    () => ({ items: TABS.map(key => ({ key, label: t(`tab.${key}`) })), active: tab, onChange: open }),
    [t, tab, open],
  )
  const head = { title: t('title'), description: t('lead') }
  if (tab === 'users') return <EndUserList head={head} tabs={tabs} />
  return (
    <div className={css.page}>
      <PageHeader {...head} />
      <div className={css.tabs}>
        <TabBar label={t('title')} {...tabs} />
      </div>
      {allowed ? tab === 'tree' ? <TreeTab /> : <PackagesTab /> : <NoPermissionState of="endUsers.list" />}
    </div>
  )
}
