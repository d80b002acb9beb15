import type { WebAppView } from '@thingwright/contracts/web-apps.contract'
import { Button, Skeleton, Switch } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { ConfirmTyped } from '../../../ui/confirm-typed.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TabBar } from '../../../ui/tab-bar.tsx'
import css from '../apps.module.css'
import { BrandTab } from './brand-tab.tsx'
import { CreateDrawer } from './create-drawer.tsx'
import { DomainTab } from './domain-tab.tsx'
import { MenuTab } from './menu-tab.tsx'

const TABS = ['brand', 'menus', 'domain'] as const

/** The company's portal for its end users: how it looks, what it opens, where it is. */
export function WebAppPage() {
  const { t } = useTranslation('apps')
  const allowed = useMay('webApps.list')
  const mayWrite = useMay('webApps.update')
  const apps = useRead('webApps.list', {}, { enabled: allowed })
  const [search, setSearch] = useSearchParams()
  const [creating, setCreating] = useState(false)
  const app = apps.data?.items[0]
  const active = TABS.find(tab => tab === search.get('tab')) ?? 'brand'
  if (!allowed) return <NoPermissionState of="webApps.list" />
  return (
    <>
      <PageHeader
        title={t('webApp.title')}
        description={t('webApp.lead')}
        extra={
          app && (
            <StatusTag kind={app.enabled ? 'success' : 'disabled'}>
              {t(app.enabled ? 'webApp.enabled' : 'webApp.disabled')}
            </StatusTag>
          )
        }
        actions={app && <Actions app={app} mayWrite={mayWrite} />}
      />
      {app && (
        <TabBar
          label={t('webApp.title')}
          items={TABS.map(key => ({ key, label: t(`webApp.tab.${key}`) }))}
          active={active}
          onChange={key => setSearch({ tab: key }, { replace: true })}
        />
      )}
      <div className={css.body}>
        {apps.isError ? (
          <Panel>
            <ErrorState error={apps.error} onRetry={() => void apps.refetch()} />
          </Panel>
        ) : !apps.data ? (
          <Panel>
            <Skeleton active paragraph={{ rows: 8 }} />
          </Panel>
        ) : !app ? (
          <Panel>
            <EmptyState
              title={t('webApp.empty')}
              description={t('webApp.emptyText')}
              action={
                mayWrite && (
                  <Button type="primary" onClick={() => setCreating(true)}>
                    {t('webApp.create')}
                  </Button>
                )
              }
            />
          </Panel>
        ) : active === 'brand' ? (
          <BrandTab key={app.version} app={app} mayWrite={mayWrite} />
        ) : active === 'menus' ? (
          <MenuTab key={app.version} app={app} mayWrite={mayWrite} />
        ) : (
          <DomainTab key={app.version} app={app} mayWrite={mayWrite} />
        )}
      </div>
      {creating && <CreateDrawer onClose={() => setCreating(false)} />}
    </>
  )
}

function Actions({ app, mayWrite }: { app: WebAppView; mayWrite: boolean }) {
  const { t } = useTranslation('apps')
  const [asking, setAsking] = useState(false)
  const update = useAct('webApps.update', {
    done: reply => notify.success(t(reply.enabled ? 'webApp.nowEnabled' : 'webApp.nowDisabled')),
  })
  const remove = useAct('webApps.remove', { done: () => notify.success(t('removed')) })
  return (
    <>
      {app.enabled && (
        <Button href={app.path} target="_blank" rel="noreferrer">
          {t('webApp.open')}
        </Button>
      )}
      {mayWrite && (
        <>
          <Switch
            aria-label={t('webApp.enable')}
            checked={app.enabled}
            loading={update.pending}
            checkedChildren={t('webApp.on')}
            unCheckedChildren={t('webApp.off')}
            onChange={enabled => void update.run({ params: { id: app.id }, body: { enabled, version: app.version } })}
          />
          <Button danger onClick={() => setAsking(true)}>
            {t('remove')}
          </Button>
        </>
      )}
      <ConfirmTyped
        open={asking}
        title={t('webApp.removeTitle')}
        expected={app.suffix}
        confirmText={t('remove')}
        onConfirm={async () => {
          await remove.send({ params: { id: app.id } })
          setAsking(false)
        }}
        onCancel={() => setAsking(false)}
      >
        <p>{t('webApp.removeText')}</p>
      </ConfirmTyped>
    </>
  )
}
