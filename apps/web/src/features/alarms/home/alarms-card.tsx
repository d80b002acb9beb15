import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useAlarmLevels } from '../../../ui/alarm-levels.ts'
import { HomeCardFrame } from '../../../ui/home-card/home-card.tsx'
import { AlarmShape, AlarmTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { ALARMS, alarmAddress } from '../addresses.ts'
import css from '../alarms.module.css'
import { useAlarmCounts, useAlarmsLive } from '../hooks.ts'
import { targetName } from '../words.ts'

const ROWS = 4
const HEIGHT = 180

/** How many alarms are active by level, and the newest of them, on the overview. */
export function AlarmsCard() {
  const { t } = useTranslation('alarms')
  const levels = useAlarmLevels()
  const counts = useAlarmCounts()
  const read = useRead(
    'alarms.list',
    { query: { active: '1', merged: '1', limit: ROWS } },
    { enabled: useMay('alarms.list') },
  )
  useAlarmsLive()
  const active = counts.data?.active ?? 0
  return (
    <HomeCardFrame
      title={t('homeCard.title')}
      mark={active > 0 && <span className={css.tabCount}>{formatNumber(active)}</span>}
      link={{ to: ALARMS, label: t('homeCard.all') }}
      of="alarms.list"
      read={read}
      height={HEIGHT}
      isEmpty={data => data.items.length === 0}
      empty={t('homeCard.empty')}
    >
      {({ items }) => (
        <div className={css.homeCard}>
          <ul className={css.homeLevels}>
            {levels.map(({ level, name, color }) => (
              <li key={level}>
                <Link to={`${ALARMS}?level=${level}`} title={name} aria-label={name}>
                  <AlarmShape level={level} colour={color} />
                  <b>{formatNumber(counts.data?.byLevel.find(each => each.level === level)?.active ?? 0)}</b>
                </Link>
              </li>
            ))}
          </ul>
          <ul className={css.homeRows}>
            {items.map(alarm => (
              <li key={alarm.id}>
                <AlarmTag level={alarm.level} word={false} />
                <Link to={alarmAddress(alarm.id)} title={`${alarm.triggerName} · ${targetName(alarm)}`} dir="auto">
                  {alarm.triggerName} · {targetName(alarm)}
                </Link>
                <TimeText value={alarm.raisedAt} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </HomeCardFrame>
  )
}
