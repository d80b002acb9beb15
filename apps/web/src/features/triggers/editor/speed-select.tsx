import { SPEEDS_KBPS } from '@thingwright/contracts/sim-cards.words'
import { Select } from 'antd'
import { useTranslation } from 'react-i18next'

/** To which speed the action limits a card. */
export function SpeedSelect({ value, onChange }: { value: number | undefined; onChange: (kbps: number) => void }) {
  const { t } = useTranslation('triggers')
  return (
    <Select
      aria-label={t('speed')}
      placeholder={t('speed')}
      value={value ?? null}
      options={SPEEDS_KBPS.map(kbps => ({ value: kbps, label: t('kbps', { count: kbps }) }))}
      onChange={kbps => onChange(Number(kbps))}
    />
  )
}
