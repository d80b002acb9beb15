import { useTranslation } from 'react-i18next'
import { epochOf, formatDateTime, formatRelative, type TimeInput } from '../lib/format.ts'
import { serverNow } from '../lib/server-clock.ts'
import { useNow } from './ticker.ts'
import css from './ui.module.css'

/** A time: relative with the absolute one on hover, or the other way round. `timeZone` is named when it is not the browser's. */
export function TimeText({
  value,
  mode = 'relative',
  timeZone,
  fallback = '–',
}: {
  value: TimeInput
  mode?: 'relative' | 'absolute'
  timeZone?: string
  fallback?: string
}) {
  useTranslation('common')
  const now = useNow()
  const ms = epochOf(value)
  if (ms === null) return <span>{fallback}</span>
  const absolute = formatDateTime(ms, timeZone === undefined ? {} : { timeZone })
  const relative = formatRelative(ms, Math.max(now, serverNow()))
  return (
    <time
      className={css.number}
      dateTime={new Date(ms).toISOString()}
      title={mode === 'relative' ? absolute : relative}
    >
      {mode === 'relative' ? relative : absolute}
    </time>
  )
}
