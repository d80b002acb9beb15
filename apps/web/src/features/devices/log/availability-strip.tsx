import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { useTranslation } from 'react-i18next'
import type { Reply } from '../../../lib/api-client.ts'
import { every } from '../../../lib/every.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { Panel } from '../../../ui/panel.tsx'
import css from './log.module.css'

type Day = Reply<'telemetry.availability'>['items'][number]

const DAYS = 14

/** How much of each of the last days the device was online, and why it went. */
export function AvailabilityStrip({ device }: { device: DeviceView }) {
  const { t } = useTranslation('diagnose')
  const { data } = useRead(
    'telemetry.availability',
    { params: { id: device.id }, query: { days: DAYS } },
    { refetchInterval: every(60_000) },
  )
  if (!data) return null
  const known = data.items.reduce((sum, day) => sum + day.knownMs, 0)
  const online = data.items.reduce((sum, day) => sum + day.onlineMs, 0)
  return (
    <Panel
      title={`${t('availability.title')} · ${t('availability.days', { count: DAYS })}`}
      hint={t('availability.hint', { zone: data.timeZone })}
      actions={known > 0 ? <b>{t('availability.average', { percent: percentOf(online, known) })}</b> : undefined}
    >
      <ul className={css.days}>
        {[...data.items].reverse().map(day => (
          <DayBar key={day.day} day={day} />
        ))}
      </ul>
    </Panel>
  )
}

function DayBar({ day }: { day: Day }) {
  const { t } = useTranslation('diagnose')
  const { t: devices } = useTranslation('devices')
  const drops = Object.entries(day.reasons)
  const words =
    day.knownMs === 0
      ? t('availability.none')
      : [
          percentOf(day.onlineMs, day.knownMs),
          ...drops.map(
            ([reason, count]) => `${devices(`offlineReason.${reason}`, { defaultValue: reason })} × ${count}`,
          ),
        ].join('\n')
  return (
    <li className={css.day} title={`${day.day}\n${words}`}>
      <span className={css.percent}>{day.knownMs === 0 ? '–' : percentOf(day.onlineMs, day.knownMs)}</span>
      <span className={css.bar}>
        {day.knownMs > 0 && (
          <>
            <span className={css.known} />
            <span className={css.online} style={{ height: `${(day.onlineMs / day.knownMs) * 100}%` }} />
          </>
        )}
      </span>
      <span>{day.day.slice(5)}</span>
    </li>
  )
}

/** Never rounded up to a hundred: one drop is to be seen. */
function percentOf(part: number, whole: number): string {
  const percent = Math.floor((part / whole) * 1_000) / 10
  return `${formatNumber(percent)}%`
}
