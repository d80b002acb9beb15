import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { useAlarmLevels } from '../../../ui/alarm-levels.ts'
import { AlarmShape } from '../../../ui/status-tag.tsx'
import css from '../alarms.module.css'
import { useAlarmCounts } from '../hooks.ts'

/** How many are active by level, how many nobody has seen, how many came in the last day. */
export function LastDay() {
  const { t } = useTranslation('alarms')
  const levels = useAlarmLevels()
  const { data } = useAlarmCounts()
  const of = (level: number) => data?.byLevel.find(each => each.level === level)?.active ?? 0
  return (
    <section className={css.summary} aria-label={t('summary')}>
      <ul>
        {levels.map(({ level, name, color }) => (
          <li key={level}>
            <AlarmShape level={level} colour={color} />
            <span dir="auto">{name}</span>
            <b>{data ? formatNumber(of(level)) : '–'}</b>
          </li>
        ))}
      </ul>
      <p>
        {data &&
          [
            t('unackCount', { count: data.unacknowledged, text: formatNumber(data.unacknowledged) }),
            t('deviceCount', { count: data.devices, text: formatNumber(data.devices) }),
            t('todayCount', { count: data.raisedToday, text: formatNumber(data.raisedToday) }),
          ].join(' · ')}
      </p>
    </section>
  )
}
