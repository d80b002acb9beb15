import type { AlarmView } from '@thingwright/contracts/alarms.contract'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../lib/format.ts'
import { StatusTag } from '../../ui/status-tag.tsx'
import css from './alarms.module.css'

/** Active or cleared. */
export function ActiveTag({ alarm }: { alarm: Pick<AlarmView, 'active'> }) {
  const { t } = useTranslation('alarms')
  return <StatusTag kind={alarm.active ? 'error' : 'never'}>{t(alarm.active ? 'active' : 'cleared')}</StatusTag>
}

/** Whether somebody has seen it, and what is done about it: two things beside whether it is active. */
export function WorkWords({ alarm }: { alarm: AlarmView }) {
  const { t } = useTranslation('alarms')
  const words = [
    ...(alarm.acknowledged ? [] : [t('unacknowledged')]),
    ...(alarm.work === 'open' ? (alarm.acknowledged ? [t('acknowledged')] : []) : [t(`work.${alarm.work}`)]),
    ...(alarm.shelvedUntil ? [t('shelvedShort')] : []),
    ...(alarm.suppressed ? [t('suppressed')] : []),
  ]
  const title = [
    ...words,
    ...(alarm.assigneeName ? [t('assignedTo', { name: alarm.assigneeName })] : []),
    ...(alarm.shelvedUntil ? [t('shelvedUntil', { time: formatDateTime(alarm.shelvedUntil) })] : []),
  ].join(t('comma'))
  return (
    <span className={alarm.acknowledged ? css.quietWords : css.waitingWords} title={title}>
      {words.join(t('comma'))}
    </span>
  )
}
