import { Select } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { loadOutlines, type Province } from '../../../ui/map/outlines.ts'
import css from './device-map.module.css'

/** Goes to a province: the finest places that the outlines know by name. In either language, whatever the console speaks. */
export function ProvinceSelect({ onChoose }: { onChoose: (province: Province) => void }) {
  const { t } = useTranslation('device-map')
  const english = locale() === 'en'
  const [provinces, setProvinces] = useState<readonly Province[] | null>(null)
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
  return (
    <Select
      className={css.choice}
      aria-label={t('goTo')}
      placeholder={t('goTo')}
      value={null}
      disabled={provinces?.length === 0}
      loading={provinces === null}
      showSearch={{
        filterOption: (text, option) => `${option?.names ?? ''}`.toLowerCase().includes(text.trim().toLowerCase()),
      }}
      options={(provinces ?? []).map(({ zh, en }) => ({ value: en, label: english ? en : zh, names: `${zh} ${en}` }))}
      onChange={(chosen: string | null) => {
        const province = provinces?.find(({ en }) => en === chosen)
        if (province) onChoose(province)
      }}
    />
  )
}
