import type { TriggerView } from '@thingwright/contracts/triggers.contract'
import { Alert, Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { ApiError } from '../../../lib/api/api-error.ts'
import { formatDuration, formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { personName } from '../../../lib/person-name.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { FrameSkeleton } from '../../../ui/frame-skeleton.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { AlarmTag, StatusTag } from '../../../ui/status-tag.tsx'
import { TabBar } from '../../../ui/tab-bar.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { alarmsOfTrigger, editAddress, TRIGGERS } from '../addresses.ts'
import { useTrigger, useTriggerChanged } from '../hooks.ts'
import type { TriggerAsk } from '../list/trigger-dialog.tsx'
import { type ActionKind, STATE_KIND } from '../lists.ts'
import { ScopeText } from '../scope-text.tsx'
import { sentenceOf } from '../sentence.ts'
import css from '../triggers.module.css'
import { RunsTab } from './runs-tab.tsx'

const TriggerDialog = lazy(async () => ({ default: (await import('../list/trigger-dialog.tsx')).TriggerDialog }))

const TABS = ['settings', 'runs'] as const
const asIs = (identifier: string) => identifier

/** One trigger: what it watches for and does, whether it is judged, what it did. */
export function TriggerDetail({ id }: { id: string }) {
  const { t } = useTranslation('triggers')
  const navigate = useNavigate()
  const [params, setParams] = useSearchParams()
  const query = useTrigger(id)
  const mayWrite = useMay('triggers.update')
  const changed = useTriggerChanged()
  const enable = useAct('triggers.enable', {
    done: reply => {
      changed(reply)
      notify.success(t('enabledDone', { name: reply.name }))
    },
  })
  const [asking, setAsking] = useState<TriggerAsk | null>(null)
  const view = query.data
  const crumbs = [{ title: t('title'), to: TRIGGERS }]
  if (!view)
    return (
      <>
        <PageHeader title={t('trigger')} crumbs={crumbs} />
        {query.error instanceof ApiError && query.error.status === 404 ? (
          <EmptyState
            title={t('gone')}
            description={t('goneText')}
            action={<Button onClick={() => void navigate(TRIGGERS)}>{t('backToList')}</Button>}
          />
        ) : query.isError ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <FrameSkeleton />
        )}
      </>
    )
  const tab = TABS.find(each => each === params.get('tab')) ?? 'settings'
  const ask = (action: TriggerAsk['action']) => setAsking({ action, ids: [id], count: 1, name: view.name })
  return (
    <>
      <PageHeader
        title={view.name}
        crumbs={crumbs}
        extra={<StatusTag kind={STATE_KIND[view.state]}>{t(`states.${view.state}`)}</StatusTag>}
        description={view.description}
        actions={
          mayWrite && (
            <>
              {view.state === 'enabled' ? (
                <Button onClick={() => ask('disable')}>{t('batch.disable')}</Button>
              ) : (
                <Button type="primary" loading={enable.pending} onClick={() => void enable.run({ params: { id } })}>
                  {t('batch.enable')}
                </Button>
              )}
              <Button onClick={() => void navigate(editAddress(id))}>{t('edit')}</Button>
              <Button danger onClick={() => ask('remove')}>
                {t('remove')}
              </Button>
            </>
          )
        }
      />
      {view.fault && (
        <Alert
          className={css.fault ?? ''}
          type={view.state === 'paused' ? 'warning' : 'error'}
          showIcon
          title={t(view.state === 'paused' ? 'pausedWhy' : 'errorWhy')}
          description={view.fault.message}
        />
      )}
      <TabBar
        label={view.name}
        active={tab}
        onChange={key =>
          setParams(key === 'settings' ? { id } : { id, tab: key }, { replace: true, preventScrollReset: true })
        }
        items={TABS.map(key => ({ key, label: t(`tab.${key}`) }))}
      />
      <div className={css.detail} role="tabpanel" aria-label={t(`tab.${tab}`)}>
        {tab === 'settings' ? <Settings view={view} /> : <RunsTab view={view} />}
      </div>
      <Suspense>
        {asking && (
          <TriggerDialog
            ask={asking}
            onDone={() => {
              if (asking.action === 'remove') void navigate(TRIGGERS, { replace: true })
            }}
            onClose={() => setAsking(null)}
          />
        )}
      </Suspense>
    </>
  )
}

function Settings({ view }: { view: TriggerView }) {
  const { t } = useTranslation('triggers')
  const seconds = (value: number | undefined) => (value ? formatDuration(value * 1000) : '–')
  const { active } = view
  return (
    <div className={css.stack}>
      <Panel title={t('section.what')}>
        <Facts
          items={[
            { label: t('condition'), value: <span dir="auto">{sentenceOf(view, t, asIs)}</span>, wide: true },
            { label: t('kind'), value: t(`kinds.${view.kind}`) },
            { label: t('scope'), value: <ScopeText view={view} /> },
            { label: t('level'), value: view.alarm ? <AlarmTag level={view.alarm.level} /> : t('noAlarm') },
            {
              label: t('openAlarms'),
              value: <Link to={alarmsOfTrigger(view.id)}>{formatNumber(view.openAlarms)}</Link>,
            },
            ...(view.deadBand === undefined
              ? []
              : [{ label: t('field.deadBand'), value: formatNumber(view.deadBand) }]),
            { label: t('per'), value: t(`perWhat.${view.per ?? 'device'}`) },
          ]}
        />
      </Panel>
      <Panel title={t('actions')}>
        {(view.actions ?? []).length === 0 ? (
          <p className={css.quiet}>{t('noActions')}</p>
        ) : (
          <ol className={css.actionsList}>
            {view.actions?.map((action, at) => (
              <li key={at}>
                {t(`action.${action.kind as ActionKind}`, { defaultValue: action.kind })} ·{' '}
                {t(`on.${action.on ?? 'raise'}`)}
                {action.kind === 'delay' && ` · ${seconds(action.seconds)}`}
                {typeof (action as Record<string, unknown>).url === 'string' && (
                  <code className={css.code} dir="ltr">
                    {String((action as Record<string, unknown>).url)}
                  </code>
                )}
              </li>
            ))}
          </ol>
        )}
      </Panel>
      <Panel title={t('section.more')}>
        <Facts
          items={[
            {
              label: t('hours'),
              value: active
                ? `${active.periods.map(each => `${(each.days ?? []).map(day => t(`day.${day as 1}`)).join(' ')} ${each.from}–${each.to}`.trim()).join(t('comma'))} (${active.zone})`
                : t('anyTime'),
              wide: active !== undefined,
            },
            {
              label: t('antiShake'),
              value: view.antiShake
                ? t('antiShakeText', { times: view.antiShake.times, length: seconds(view.antiShake.seconds) })
                : '–',
            },
            { label: t('quiet'), value: seconds(view.quietSeconds) },
            { label: t('repeat'), value: seconds(view.repeatSeconds ?? 60) },
            { label: t('expiresAt'), value: <TimeText value={view.expiresAt} mode="absolute" /> },
            { label: t('owner'), value: personName(view.ownerName) },
            { label: t('createdAt'), value: <TimeText value={view.createdAt} mode="absolute" /> },
            { label: t('lastRunAt'), value: <TimeText value={view.lastRunAt} fallback={t('never')} /> },
          ]}
        />
      </Panel>
    </div>
  )
}
