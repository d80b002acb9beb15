import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { AuthPicture } from '../../../ui/auth-picture.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import css from '../alarms.module.css'

const REFRESH_MS = 10_000

/** What cameras saw when the alarm was raised; nothing where none was asked. */
export function AlarmPictures({ id }: { id: string }) {
  const { t } = useTranslation('alarms')
  const allowed = useMay('videoChannels.ofAlarm')
  const query = useRead('videoChannels.ofAlarm', { params: { id } }, { enabled: allowed, refetchInterval: REFRESH_MS })
  if (query.isError && !query.data) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  const items = query.data?.items ?? []
  if (items.length === 0) return null
  return (
    <section className={css.trail} aria-label={t('pictures')}>
      <h3>{t('pictures')}</h3>
      <div className={css.pictures}>
        {items.map(({ id: picture, channelName, at }) => (
          <figure key={picture} className={css.figure}>
            <AuthPicture id={picture} alt={t('pictureOf', { name: channelName, time: formatDateTime(at) })} />
            <figcaption dir="auto">{t('pictureOf', { name: channelName, time: formatDateTime(at) })}</figcaption>
          </figure>
        ))}
      </div>
    </section>
  )
}
