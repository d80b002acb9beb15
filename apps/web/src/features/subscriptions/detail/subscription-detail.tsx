import { SendOutlined } from '@ant-design/icons'
import { Button, Progress } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { ApiError } from '../../../lib/api-client.ts'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { MenuButton } from '../../../ui/popup/menu-button.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TabBar } from '../../../ui/tab-bar.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { editAddress, LIST } from '../addresses.ts'
import { useSubscription, useSubscriptionChanged } from '../hooks.ts'
import css from '../subscriptions.module.css'
import { lagText, statusOf, targetText } from '../words.ts'
import type { DialogKind } from './action-dialogs.tsx'
import { DeadTab } from './dead-tab.tsx'
import { Hints } from './hints.tsx'
import { LogTab } from './log-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'

const ActionDialogs = lazy(async () => ({ default: (await import('./action-dialogs.tsx')).ActionDialogs }))
const GuideTab = lazy(async () => ({ default: (await import('../receive/guide-tab.tsx')).GuideTab }))

const TABS = ['settings', 'log', 'dead', 'guide'] as const
type Tab = (typeof TABS)[number]

/** One subscription: how it goes, what it does, what was delivered and what was not, and how to receive it. */
export function SubscriptionDetail({ id }: { id: string }) {
  const { t } = useTranslation('subscriptions')
  const navigate = useNavigate()
  const mayRead = useMay('subscriptions.get')
  const mayWrite = useMay('subscriptions.update')
  const query = useSubscription(id)
  const changed = useSubscriptionChanged()
  const [params, setParams] = useSearchParams()
  const [asked, setAsked] = useState<DialogKind | null>(null)
  const resume = useAct('subscriptions.resume', {
    done: reply => {
      changed(reply)
      notify.success(t(query.data?.state === 'paused' ? 'resumed' : 'retrying', { name: reply.name }))
    },
  })
  const tab: Tab = TABS.find(each => each === params.get('tab')) ?? 'settings'
  const crumbs = [{ title: t('title'), to: LIST }]
  const view = query.data
  if (!mayRead) return <NoPermissionState of="subscriptions.get" />
  if (!view)
    return (
      <>
        <PageHeader title={t('title')} crumbs={crumbs} />
        {query.isError ? (
          query.error instanceof ApiError && query.error.status === 404 ? (
            <EmptyState
              title={t('goneTitle')}
              description={t('goneText')}
              action={<Button onClick={() => void navigate(LIST)}>{t('backToList')}</Button>}
            />
          ) : (
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          )
        ) : (
          <div className={css.pageBone} aria-busy="true" />
        )}
      </>
    )
  const open = (next: string) =>
    setParams(
      before => {
        const changedParams = new URLSearchParams({ id: before.get('id') ?? id })
        if (next !== 'settings') changedParams.set('tab', next)
        return changedParams
      },
      { replace: true, preventScrollReset: true },
    )
  const { key, kind } = statusOf(view)
  const hasSecret = view.target.kind === 'webhook' || view.target.kind === 'mqtt'
  const fill = view.backlogCap > 0 ? Math.min(100, (view.backlog / view.backlogCap) * 100) : 0
  return (
    <>
      <div className={css.head}>
        <PageHeader
          title={view.name}
          crumbs={crumbs}
          extra={<StatusTag kind={kind}>{t(`status.${key}`)}</StatusTag>}
          description={
            <span className={css.targetLine}>
              {t(`targets.${view.target.kind}`)}
              {targetText(view.target) !== '' && <CopyId value={targetText(view.target)} quiet />}
            </span>
          }
          actions={
            mayWrite && (
              <>
                {/* Whoever reads by himself gets nothing sent. */}
                {view.target.kind !== 'pull' && (
                  <Button icon={<SendOutlined aria-hidden />} onClick={() => setAsked('test')}>
                    {t('test')}
                  </Button>
                )}
                {view.state === 'paused' ? (
                  <Button type="primary" loading={resume.pending} onClick={() => void resume.run({ params: { id } })}>
                    {t('resume')}
                  </Button>
                ) : (
                  <Button onClick={() => setAsked('pause')}>{t('pause')}</Button>
                )}
                <Button onClick={() => void navigate(editAddress(id))}>{t('edit')}</Button>
                <MenuButton
                  className={css.moreButton}
                  items={[
                    {
                      key: 'replay',
                      label: t('replayTitle'),
                      disabled: view.replayFrom === null,
                      title: view.replayFrom === null ? t('replayNothing') : undefined,
                      onSelect: () => setAsked('replay'),
                    },
                    ...(hasSecret
                      ? [
                          {
                            key: 'rotate',
                            label: t(view.target.kind === 'mqtt' ? 'rotatePasswordTitle' : 'rotateTitle'),
                            onSelect: () => setAsked('rotate'),
                          },
                        ]
                      : []),
                    { key: 'remove', label: t('remove'), danger: true, onSelect: () => setAsked('remove') },
                  ]}
                >
                  {t('more')}
                </MenuButton>
              </>
            )
          }
        />
        <dl className={css.facts} data-testid="subscription-facts">
          <div>
            <dt>{t('backlog')}</dt>
            <dd>
              <b className={fill > 80 ? css.alarming : undefined} data-testid="backlog">
                {formatNumber(view.backlog)}
              </b>
              <small title={t('backlogCapHelp')}> / {formatNumber(view.backlogCap)}</small>
              <Progress
                className={css.gauge ?? ''}
                percent={fill}
                showInfo={false}
                size={{ height: 4 }}
                status={fill > 80 ? 'exception' : 'normal'}
                aria-label={t('backlog')}
              />
            </dd>
          </div>
          <div>
            <dt title={t('lagHelp')}>{t('lag')}</dt>
            <dd>
              <b>{lagText(view.lagMs)}</b>
            </dd>
          </div>
          <div>
            <dt>{t('delivered')}</dt>
            <dd>
              <b data-testid="delivered">{formatNumber(view.delivered)}</b>
            </dd>
          </div>
          <div>
            <dt>{t('deadLetters')}</dt>
            <dd>
              <b className={view.deadLetters > 0 ? css.alarming : undefined}>{formatNumber(view.deadLetters)}</b>
            </dd>
          </div>
          <div>
            <dt>{t('lastDelivered')}</dt>
            <dd>
              <TimeText value={view.lastDeliveredAt} />
            </dd>
          </div>
          <div>
            <dt>{t('lastFailed')}</dt>
            <dd>
              <TimeText value={view.lastFailedAt} />
            </dd>
          </div>
        </dl>
        <TabBar
          label={view.name}
          active={tab}
          onChange={open}
          items={TABS.map(each => ({
            key: each,
            label:
              each === 'dead' && view.deadLetters > 0
                ? `${t('tabs.dead')} ${formatNumber(view.deadLetters)}`
                : t(`tabs.${each}`),
          }))}
        />
      </div>
      <Hints view={view} busy={resume.pending} onRetry={mayWrite ? () => void resume.run({ params: { id } }) : null} />
      {tab === 'settings' && <SettingsTab view={view} />}
      {tab === 'log' && <LogTab view={view} />}
      {tab === 'dead' && <DeadTab view={view} />}
      <Suspense fallback={<div className={css.pageBone} aria-busy="true" />}>
        {tab === 'guide' && <GuideTab view={view} />}
        {asked && (
          <ActionDialogs
            what={asked}
            view={view}
            onRemoved={() => void navigate(LIST, { replace: true })}
            onClose={() => setAsked(null)}
          />
        )}
      </Suspense>
    </>
  )
}
