import { Button, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useListTab } from '../../../ui/list-page/use-list-tab.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { TabBar } from '../../../ui/tab-bar.tsx'
import css from '../apps.module.css'
import { AccountDrawer } from './account-drawer.tsx'
import { AccountTab } from './account-tab.tsx'
import { FollowerList } from './follower-list.tsx'
import { MenuTab } from './menu-tab.tsx'
import { RepliesTab } from './replies-tab.tsx'

const TABS = ['account', 'followers', 'menu', 'replies'] as const

/** The company's official account at WeChat. */
export function WechatPage() {
  const { t } = useTranslation('apps')
  const allowed = useMay('wechatAccounts.list')
  const mayWrite = useMay('wechatAccounts.update')
  const accounts = useRead('wechatAccounts.list', {}, { enabled: allowed })
  const [editing, setEditing] = useState(false)
  const [tab, open] = useListTab(TABS)
  const account = accounts.data?.items[0]
  if (!allowed) return <NoPermissionState of="wechatAccounts.list" />
  const items = TABS.map(key => ({ key, label: t(`wechat.tab.${key}`) }))
  if (account && tab === 'followers')
    return (
      <FollowerList
        accountId={account.id}
        simulated={account.simulated}
        tabs={{ items, active: tab, onChange: open }}
      />
    )
  return (
    <>
      <PageHeader
        title={t('wechat.title')}
        description={t('wechat.lead')}
        actions={
          account &&
          mayWrite && (
            <Button type="primary" onClick={() => setEditing(true)}>
              {t('wechat.edit')}
            </Button>
          )
        }
      />
      {account && <TabBar label={t('wechat.title')} items={items} active={tab} onChange={open} />}
      <div className={css.body}>
        {accounts.isError ? (
          <Panel>
            <ErrorState error={accounts.error} onRetry={() => void accounts.refetch()} />
          </Panel>
        ) : !accounts.data ? (
          <Panel>
            <Skeleton active paragraph={{ rows: 8 }} />
          </Panel>
        ) : !account ? (
          <Panel>
            <EmptyState
              title={t('wechat.empty')}
              description={t('wechat.emptyText')}
              action={
                mayWrite && (
                  <Button type="primary" onClick={() => setEditing(true)}>
                    {t('wechat.connect')}
                  </Button>
                )
              }
            />
          </Panel>
        ) : tab === 'menu' ? (
          <MenuTab accountId={account.id} mayWrite={mayWrite} />
        ) : tab === 'replies' ? (
          <RepliesTab accountId={account.id} mayWrite={mayWrite} />
        ) : (
          <AccountTab account={account} mayWrite={mayWrite} />
        )}
      </div>
      {editing && <AccountDrawer account={account ?? null} onClose={() => setEditing(false)} />}
    </>
  )
}
