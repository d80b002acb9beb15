import type { OtaJobEvent } from '@thingwright/contracts/ota.contract'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { StatusDot } from '../../../ui/status-tag.tsx'
import css from '../ota.module.css'
import { signOfJob } from '../words.ts'
import own from './jobs.module.css'

/** Every message and decision about a device's firmware, in the order given; what came with it unfolds. */
export function TimeLine({ events, withModule = false }: { events: readonly OtaJobEvent[]; withModule?: boolean }) {
  const { t } = useTranslation('ota')
  if (events.length === 0) return <p className={css.muted}>{t('noEvents')}</p>
  return (
    <ol className={own.timeLine} data-testid="time-line">
      {events.map(event => {
        const hasData = Object.keys(event.data).length > 0
        const title = [
          t(`event.${event.kind}`),
          ...(event.state === null ? [] : [t(`jobState.${event.state}`)]),
          ...(event.percent === null ? [] : [`${event.percent} %`]),
        ].join(' · ')
        return (
          <li key={event.id}>
            <StatusDot kind={event.state === null ? 'neutral' : signOfJob(event.state)} />
            <div className={own.eventBody}>
              <div className={css.eventHead}>
                <span>{title}</span>
                {withModule && <code className={css.muted}>{event.module}</code>}
                <time dateTime={event.at} className={own.eventTime}>
                  {formatDateTime(event.at, { millis: true })}
                </time>
              </div>
              {event.message && (
                <p className={own.eventText} dir="auto">
                  {event.message}
                </p>
              )}
              {hasData && (
                <details className={own.eventData}>
                  <summary>{t('details')}</summary>
                  <pre>{JSON.stringify(event.data, null, 2)}</pre>
                </details>
              )}
            </div>
          </li>
        )
      })}
    </ol>
  )
}
