import { Button, Segmented, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { every } from '../../lib/every.ts'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import css from './portal.module.css'

const SHOWN = ['active', 'all'] as const

/** Alarms of the person's devices, the newest first. */
export function AlarmsSection() {
  const { t } = useTranslation('portal')
  const [shown, setShown] = useState<(typeof SHOWN)[number]>('active')
  const mayAck = useMay('alarms.ack')
  const alarms = useRead(
    'alarms.list',
    { query: { limit: 50, ...(shown === 'active' ? { active: '1' } : {}) } },
    { keep: true, refetchInterval: every(10_000) },
  )
  const ack = useAct('alarms.ack', { done: () => notify.success(t('acknowledged')) })
  return (
    <section aria-labelledby="portal-alarms">
      <div className={css.head}>
        <h1 id="portal-alarms">{t('alarms')}</h1>
        <Segmented
          aria-label={t('show')}
          value={shown}
          options={SHOWN.map(value => ({ value, label: t(`shown.${value}`) }))}
          onChange={setShown}
        />
      </div>
      {alarms.error ? (
        <ErrorState error={alarms.error} onRetry={() => void alarms.refetch()} />
      ) : !alarms.data ? (
        <Skeleton active />
      ) : alarms.data.items.length === 0 ? (
        <EmptyState title={t(shown === 'active' ? 'noActive' : 'noAlarms')} />
      ) : (
        <ul className={css.rows}>
          {alarms.data.items.map(alarm => (
            <li key={alarm.id} className={css.row}>
              <span className={css.what}>
                <b title={alarm.triggerName} dir="auto">
                  {alarm.triggerName}
                </b>
                <small dir="auto">
                  {alarm.deviceName ?? ''} · <TimeText value={alarm.raisedAt} />
                </small>
              </span>
              <StatusTag kind={alarm.active ? 'error' : 'success'}>
                {t(alarm.active ? 'activeAlarm' : 'cleared')}
              </StatusTag>
              {mayAck && !alarm.acknowledged && (
                <Button loading={ack.pending} onClick={() => void ack.run({ params: { id: alarm.id }, body: {} })}>
                  {t('acknowledge')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
