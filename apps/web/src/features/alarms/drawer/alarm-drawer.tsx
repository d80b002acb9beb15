import type { AlarmView } from '@thingwright/contracts/alarms.contract'
import { Button, Drawer, Dropdown, Skeleton } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { ApiError } from '../../../lib/api/api-error.ts'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { Facts } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { AlarmTag } from '../../../ui/status-tag.tsx'
import { useNow } from '../../../ui/ticker.ts'
import { TimeText } from '../../../ui/time-text.tsx'
import { deviceAddress, triggerAddress } from '../addresses.ts'
import css from '../alarms.module.css'
import { ActiveTag, WorkWords } from '../components.tsx'
import { useAlarm } from '../hooks.ts'
import { useAcknowledge } from '../use-acknowledge.ts'
import { actionsOf, lengthText } from '../words.ts'
import { ActionDialog, type AlarmAsk } from './action-dialog.tsx'
import { AlarmMessages } from './alarm-messages.tsx'
import { AlarmPictures } from './alarm-pictures.tsx'
import { AlarmTrail } from './alarm-trail.tsx'
import { ValuesTable } from './values-table.tsx'

const AlarmCurve = lazy(async () => ({ default: (await import('./alarm-curve.tsx')).AlarmCurve }))

/** One alarm: what it is, the values then and now, their curve, what happened to it; the actions at the foot. */
export function AlarmDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('alarms')
  const query = useAlarm(id)
  const alarm = query.data
  const [asking, setAsking] = useState<AlarmAsk | null>(null)
  const gone = query.error instanceof ApiError && query.error.status === 404
  return (
    <>
      <Drawer
        open
        size={560}
        mask={false}
        onClose={onClose}
        title={
          alarm ? (
            <span className={css.drawerTitle}>
              <AlarmTag level={alarm.level} word={false} />
              <span title={alarm.triggerName} dir="auto">
                {alarm.triggerName}
              </span>
            </span>
          ) : (
            t('alarm')
          )
        }
        footer={alarm && <Actions alarm={alarm} onAsk={setAsking} />}
      >
        {gone ? (
          <EmptyState title={t('gone')} description={t('goneText')} />
        ) : query.isError && !alarm ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : !alarm ? (
          <Skeleton active paragraph={{ rows: 10 }} />
        ) : (
          <Body alarm={alarm} />
        )}
      </Drawer>
      {asking && <ActionDialog ask={asking} onClose={() => setAsking(null)} />}
    </>
  )
}

function Body({ alarm }: { alarm: AlarmView }) {
  const { t } = useTranslation('alarms')
  const now = useNow()
  return (
    <div className={css.stack} data-testid="alarm">
      <p className={css.stateLine}>
        <AlarmTag level={alarm.level} />
        <ActiveTag alarm={alarm} />
        <WorkWords alarm={alarm} />
      </p>
      <Facts
        items={[
          {
            label: t('device'),
            value: alarm.deviceId ? (
              <Link to={deviceAddress(alarm.deviceId)} title={alarm.deviceName ?? ''} dir="auto">
                {alarm.deviceName}
              </Link>
            ) : (
              [t(`target.${alarm.target.kind}`), alarm.target.name].filter(Boolean).join(' · ')
            ),
          },
          {
            label: t('trigger'),
            value: alarm.triggerId ? (
              <Link to={triggerAddress(alarm.triggerId)} title={alarm.triggerName} dir="auto">
                {alarm.triggerName}
              </Link>
            ) : (
              <span title={t('triggerGone')}>{alarm.triggerName}</span>
            ),
          },
          ...(alarm.isLoop ? [{ label: t('cause'), value: t('isLoop') }] : []),
          { label: t('length'), value: lengthText(alarm, now) },
          {
            label: alarm.peak === null ? t('count') : t('countPeak'),
            value: [
              t('times', { count: alarm.count, text: formatNumber(alarm.count) }),
              ...(alarm.peak === null ? [] : [formatNumber(alarm.peak)]),
            ].join(' / '),
          },
          { label: t('raisedAt'), value: <TimeText value={alarm.raisedAt} mode="absolute" /> },
          { label: t('lastAt'), value: <TimeText value={alarm.lastAt} mode="absolute" /> },
          ...(alarm.clearedAt
            ? [
                { label: t('clearedAt'), value: <TimeText value={alarm.clearedAt} mode="absolute" /> },
                { label: t('clearedByTitle'), value: alarm.clearedBy ? t(`clearedBy.${alarm.clearedBy}`) : '–' },
              ]
            : []),
          { label: t('assignee'), value: alarm.assigneeName ?? t('nobody') },
          ...(alarm.acknowledgedAt
            ? [
                {
                  label: t('acknowledged'),
                  value: t('byAt', { name: alarm.acknowledgedName ?? '–', time: formatDateTime(alarm.acknowledgedAt) }),
                },
              ]
            : []),
          ...(alarm.merged > 0
            ? [
                {
                  label: t('storm'),
                  value: t('stormText', { count: alarm.merged, text: formatNumber(alarm.merged) }),
                  wide: true,
                },
              ]
            : []),
          ...(alarm.result
            ? [{ label: t('result'), value: <span className={css.result}>{alarm.result}</span>, wide: true }]
            : []),
        ]}
      />
      <ValuesTable alarm={alarm} />
      {alarm.deviceId && (
        <Suspense fallback={<div className={css.curveBone} />}>
          <AlarmCurve alarm={alarm} />
        </Suspense>
      )}
      <AlarmPictures id={alarm.id} />
      <AlarmMessages id={alarm.id} />
      <AlarmTrail alarm={alarm} />
    </div>
  )
}

function Actions({ alarm, onAsk }: { alarm: AlarmView; onAsk: (ask: AlarmAsk) => void }) {
  const { t } = useTranslation('alarms')
  const acknowledge = useAcknowledge()
  const mayAck = useMay('alarms.ack')
  const mayHandle = useMay('alarms.handle')
  const can = actionsOf(alarm)
  const ask = (action: AlarmAsk['action']) => () =>
    onAsk({ action, ids: [alarm.id], count: 1, name: alarm.triggerName })
  const more = mayHandle
    ? [
        ...(can.shelve ? ['shelve' as const] : []),
        ...(can.unshelve ? ['unshelve' as const] : []),
        ...(can.ignore ? ['ignore' as const] : []),
        ...(can.clear ? ['clear' as const] : []),
      ].map(action => ({ key: action, label: t(`act.${action}`), danger: action === 'clear', onClick: ask(action) }))
    : []
  return (
    <div className={css.foot}>
      {mayAck && can.ack && (
        <Button type="primary" onClick={() => acknowledge([alarm.id])}>
          {t('act.ack')}
        </Button>
      )}
      {mayHandle && can.assign && <Button onClick={ask('assign')}>{t('act.assign')}</Button>}
      {mayHandle && can.handle && <Button onClick={ask('handle')}>{t('act.handle')}</Button>}
      {more.length > 0 && (
        <Dropdown trigger={['click']} menu={{ items: more }}>
          <Button>{t('more')}</Button>
        </Dropdown>
      )}
    </div>
  )
}
