import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { GeoMap, MapPin } from '../../../ui/map/geo-map.tsx'
import { isInside, loadOutlines } from '../../../ui/map/outlines.ts'
import { TimeText } from '../../../ui/time-text.tsx'
import css from './overview.module.css'
import type { Position } from './position.ts'

/** Degrees of longitude that the card shows at first: the province around the device. */
const SPAN = 9
const HEIGHT = 168

/** Where the device is, on a map of outlines. */
export function PositionCard({ name, position }: { name: string; position: Position }) {
  const { t } = useTranslation('devices')
  const { place, reportedAt, address } = position
  const [province, setProvince] = useState('')
  const { lng, lat } = place
  useEffect(() => {
    let shown = true
    loadOutlines().then(
      ({ provinces }) => {
        const found = provinces.find(each => isInside({ lng, lat }, each.rings))
        if (shown) setProvince(found ? (locale() === 'en' ? found.en : found.zh) : '')
      },
      () => undefined,
    )
    return () => {
      shown = false
    }
  }, [lng, lat])
  const degrees = `${lng.toFixed(5)}, ${lat.toFixed(5)}`
  return (
    <section className={css.block} aria-label={t('overview.position')}>
      <header className={css.head}>
        <h3>{t('overview.position')}</h3>
        <small>
          {reportedAt === null ? (
            t('overview.entered')
          ) : (
            <>
              {t('overview.reported')} · <TimeText value={reportedAt} />
            </>
          )}
        </small>
      </header>
      <div className={css.card}>
        <GeoMap
          home={{ lng, lat, span: SPAN }}
          markers={[{ key: 'device', place, content: <MapPin /> }]}
          height={HEIGHT}
          label={t('overview.mapOf', { name, place: degrees })}
        />
        <p className={css.place}>
          <span dir="auto">{address || province || t('overview.noAddress')}</span>
          <small title={t('overview.wgs')}>{degrees}</small>
        </p>
      </div>
    </section>
  )
}
