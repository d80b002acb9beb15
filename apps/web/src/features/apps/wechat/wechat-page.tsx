import { Button, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import css from '../apps.module.css'
import { AccountDrawer } from './account-drawer.tsx'
import { AccountTab } from './account-tab.tsx'

/** The company's official account at WeChat. */
export function WechatPage() {
  const { t } = useTranslation('apps')
  const allowed = useMay('wechatAccounts.list')
  const mayWrite = useMay('wechatAccounts.update')
  const accounts = useRead('wechatAccounts.list', {}, { enabled: allowed })
  const [editing, setEditing] = useState(false)
  const account = accounts.data?.items[0]
  if (!allowed) return <NoPermissionState of="wechatAccounts.list" />
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
        ) : (
          <AccountTab account={account} mayWrite={mayWrite} />
        )}
      </div>
      {editing && <AccountDrawer account={account ?? null} onClose={() => setEditing(false)} />}
    </>
  )
}
