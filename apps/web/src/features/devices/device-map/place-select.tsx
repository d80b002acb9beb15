import { Select } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { loadOutlines, type Province } from '../../../ui/map/outlines.ts'
import type { Place } from '../../../ui/map/projection.ts'
import css from './device-map.module.css'

/**
 * Goes to a province, the finest places that the outlines know by name, or to coordinates. Provinces are found in either
 * language, whatever the console speaks.
 */
export function PlaceSelect({
  onProvince,
  onPlace,
}: {
  onProvince: (province: Province) => void
  onPlace: (place: Place) => void
}) {
  const { t } = useTranslation('device-map')
  const english = locale() === 'en'
  const [provinces, setProvinces] = useState<readonly Province[] | null>(null)
  const [typed, setTyped] = useState('')
  useEffect(() => {
    let shown = true
    loadOutlines().then(
      outlines => shown && setProvinces(outlines.provinces),
      // The map says that its outlines are missing.
      () => shown && setProvinces([]),
    )
    return () => {
      shown = false
    }
  }, [])
  const place = placeIn(typed)
  const options = place
    ? [{ value: typed, label: `${place.lng}, ${place.lat}`, names: typed }]
    : (provinces ?? []).map(({ zh, en }) => ({ value: en, label: english ? en : zh, names: `${zh} ${en}` }))
  return (
    <Select
      className={css.choice}
      aria-label={t('goTo')}
      title={t('goTo')}
      placeholder={t('goToShort')}
      value={null}
      loading={provinces === null}
      showSearch={{
        searchValue: typed,
        onSearch: setTyped,
        filterOption: (text, option) => `${option?.names ?? ''}`.toLowerCase().includes(text.trim().toLowerCase()),
      }}
      options={options}
      onChange={(chosen: string | null) => {
        setTyped('')
        const province = provinces?.find(({ en }) => en === chosen)
        if (place) onPlace(place)
        else if (province) onProvince(province)
      }}
    />
  )
}

/** `118.1, 24.5`: longitude and latitude in degrees, as the popup of a device shows them; null for anything else. */
function placeIn(text: string): Place | null {
  const found = /^\s*(-?\d{1,3}(?:\.\d+)?)\s*[,，\s]\s*(-?\d{1,2}(?:\.\d+)?)\s*$/.exec(text)
  if (!found) return null
  const [lng, lat] = [Number(found[1]), Number(found[2])]
  return Math.abs(lng) <= 180 && Math.abs(lat) <= 85 ? { lng, lat } : null
}
