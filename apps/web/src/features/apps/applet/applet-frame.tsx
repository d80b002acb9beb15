import type { AppletPlatform, AppletView } from '@thingwright/contracts/wechat-applets.contract'
import { Skeleton } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { type StatusKind, StatusTag } from '../../../ui/status-tag.tsx'
import css from '../apps.module.css'

export const PAGES = {
  info: '/apply/WechatApplet/info',
  authorize: '/apply/WechatApplet/WechatAppletAuthorize',
} as const

const KIND: Record<AppletView['state'], StatusKind> = {
  none: 'neutral',
  authorized: 'success',
  invalid: 'error',
  cancelled: 'disabled',
}

/** What the two pages of the mini-program have in common: its state, the way between them, what it is made of. */
export function AppletFrame({
  children,
}: {
  children: (applet: AppletView | null, platform: AppletPlatform) => ReactNode
}) {
  const { t } = useTranslation('apps')
  const { pathname } = useLocation()
  const allowed = useMay('wechatApplets.list')
  const found = useRead('wechatApplets.list', {}, { enabled: allowed })
  const applet = found.data?.items[0] ?? null
  const state = applet?.state ?? 'none'
  if (!allowed) return <NoPermissionState of="wechatApplets.list" />
  return (
    <>
      <PageHeader
        title={t('applet.title')}
        description={t('applet.lead')}
        extra={found.data && <StatusTag kind={KIND[state]}>{t(`applet.states.${state}`)}</StatusTag>}
      />
      <nav className={css.links} aria-label={t('applet.title')}>
        {(['info', 'authorize'] as const).map(key => (
          <Link key={key} to={PAGES[key]} aria-current={pathname === PAGES[key] ? 'page' : undefined}>
            {t(`applet.page.${key}`)}
          </Link>
        ))}
      </nav>
      <div className={css.body}>
        {found.isError ? (
          <Panel>
            <ErrorState error={found.error} onRetry={() => void found.refetch()} />
          </Panel>
        ) : found.data ? (
          children(applet, found.data.platform)
        ) : (
          <Panel>
            <Skeleton active paragraph={{ rows: 8 }} />
          </Panel>
        )}
      </div>
    </>
  )
}
