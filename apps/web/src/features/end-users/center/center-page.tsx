import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { ApiError } from '../../../lib/api/api-error.ts'
import { centerTabs } from '../../../lib/center-tabs.ts'
import { formatNumber } from '../../../lib/format.ts'
import { may, useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useSession } from '../../../lib/session.ts'
import { FrameSkeleton } from '../../../ui/frame-skeleton.tsx'
import { BelowHeader, PageHeader } from '../../../ui/page-header.tsx'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { TabBar } from '../../../ui/tab-bar.tsx'
import { alarmsOf, triggersOf, USERS } from '../addresses.ts'
import css from '../end-users.module.css'
import type { Asked } from '../forms/ask-dialog.tsx'
import { UserState } from '../user-state.tsx'
import { BroughtTab } from './brought-tab.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { OwnCenter } from './own-center.tsx'

const DevicesTab = lazy(async () => ({ default: (await import('./devices-tab.tsx')).DevicesTab }))
const AccessTab = lazy(async () => ({ default: (await import('./access-tab.tsx')).AccessTab }))
const HandoversTab = lazy(async () => ({ default: (await import('./handovers-tab.tsx')).HandoversTab }))
const UserDrawer = lazy(async () => ({ default: (await import('../forms/user-drawer.tsx')).UserDrawer }))
const AskDialog = lazy(async () => ({ default: (await import('../forms/ask-dialog.tsx')).AskDialog }))
const LinkDialog = lazy(async () => ({ default: (await import('../forms/link-dialog.tsx')).LinkDialog }))

const TABS = ['overview', 'devices', 'access', 'handovers'] as const
type Open =
  | { kind: 'edit' }
  | { kind: 'ask'; what: Asked }
  | { kind: 'link'; name: string; link: string; sentTo: string | null }

/** One end user: who he is, his devices, how he comes in, what changed hands. Without `?id=` an end user sees himself. */
export function CenterPage() {
  const { t } = useTranslation('end-users')
  const [query] = useSearchParams()
  const id = query.get('id') ?? ''
  const mine = useSession(s => s.me?.kind === 'end_user')
  if (id === '' && mine) return <OwnCenter />
  if (id === '')
    return (
      <>
        <PageHeader title={t('center')} />
        <EmptyState
          title={t('chooseOne')}
          description={t('chooseOneText')}
          action={<Link to={USERS}>{t('openList')}</Link>}
        />
      </>
    )
  return <Center key={id} id={id} />
}

function Center({ id }: { id: string }) {
  const { t } = useTranslation('end-users')
  const navigate = useNavigate()
  const [query, setQuery] = useSearchParams()
  const asked = query.get('tab')
  const rights = useSession(s => s.me?.permissions)
  const brought = centerTabs().filter(each => !each.ownOnly && may(rights, each.of))
  const other = brought.find(each => each.key === asked)
  const tab = other?.key ?? TABS.find(each => each === asked) ?? 'overview'
  const allowed = useMay('endUsers.get')
  const one = useRead('endUsers.get', { params: { id } }, { enabled: allowed })
  const mayEnter = useMay('endUsers.enter')
  const self = useSession(s => s.me?.id === id)
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  if (!allowed) return <NoPermissionState of="endUsers.get" />
  if (one.isError && !one.data) {
    const gone = one.error instanceof ApiError && one.error.status === 404
    return gone ? (
      <EmptyState title={t('gone')} description={t('goneText')} action={<Link to={USERS}>{t('openList')}</Link>} />
    ) : (
      <ErrorState error={one.error} onRetry={() => void one.refetch()} />
    )
  }
  if (!one.data) return <FrameSkeleton />
  const user = one.data
  const ask = (what: Asked, danger = false) => (
    <Button danger={danger} onClick={() => setOpen({ kind: 'ask', what })}>
      {t(`ask.${what}.action`)}
    </Button>
  )
  return (
    <div className={css.page}>
      <PageHeader
        title={user.name}
        crumbs={[{ title: t('title'), to: USERS }, { title: user.name }]}
        extra={<UserState state={user.state} />}
        description={t('headLine', {
          username: user.username,
          online: formatNumber(user.devices.online),
          total: formatNumber(user.devices.total),
          alarms: formatNumber(user.openAlarms),
        })}
        actions={
          self ? undefined : (
            <>
              <PermissionGate of="triggers.list">
                <Link to={triggersOf(id)}>{t('hisTriggers')}</Link>
              </PermissionGate>
              <PermissionGate of="alarms.list">
                <Link to={alarmsOf(id)}>{t('hisAlarms')}</Link>
              </PermissionGate>
              {mayEnter && user.state === 'active' && ask('enter')}
              <PermissionGate of="endUsers.update">
                {ask('invite')}
                {user.state === 'frozen' ? ask('unfreeze') : ask('freeze', true)}
                <Button type="primary" onClick={() => setOpen({ kind: 'edit' })}>
                  {t('edit')}
                </Button>
              </PermissionGate>
            </>
          )
        }
      />
      <div className={css.tabs}>
        <TabBar
          label={user.name}
          items={[...TABS, ...brought.map(each => each.key)].map(key => ({
            key,
            label: t(`center_tab.${key as 'overview'}`),
          }))}
          active={tab}
          onChange={next => setQuery(next === 'overview' ? { id } : { id, tab: next })}
        />
      </div>
      <Suspense fallback={<FrameSkeleton />}>
        <div role="tabpanel" aria-label={t(`center_tab.${tab as 'overview'}`)}>
          {tab === 'overview' && <OverviewTab user={user} />}
          {tab === 'devices' && (
            <BelowHeader>
              <DevicesTab user={user} />
            </BelowHeader>
          )}
          {tab === 'access' && <AccessTab user={user} onKick={() => setOpen({ kind: 'ask', what: 'endSessions' })} />}
          {tab === 'handovers' && <HandoversTab user={user} />}
          {other && (
            <BelowHeader>
              <BroughtTab tab={other} userId={id} />
            </BelowHeader>
          )}
        </div>
      </Suspense>
      <Suspense>
        {open?.kind === 'edit' && (
          <UserDrawer
            user={user}
            onClose={close}
            onLink={(name, link, sentTo) => setOpen({ kind: 'link', name, link, sentTo })}
          />
        )}
        {open?.kind === 'ask' && (
          <AskDialog
            what={open.what}
            user={user}
            onClose={close}
            onLink={(name, link, sentTo) => setOpen({ kind: 'link', name, link, sentTo })}
            onRemoved={() => void navigate(USERS, { replace: true })}
          />
        )}
        {open?.kind === 'link' && <LinkDialog name={open.name} link={open.link} sentTo={open.sentTo} onClose={close} />}
      </Suspense>
    </div>
  )
}
