import { Select } from 'antd'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useReads } from '../../../lib/server-state/use-read.ts'
import { StatusDot } from '../../../ui/status-tag.tsx'
import { useDevices } from '../hooks.ts'
import css from '../ota.module.css'
import own from './components.module.css'

/** Chosen devices whose names are shown; the rest are counted. */
const NAMED = 20

/** Chooses devices of one product, searched at the server by number or name. */
export function DevicePicker({
  productId,
  value,
  onChange,
  max,
  id,
  invalid = false,
  disabled = false,
}: {
  productId: string | null
  value: readonly string[]
  onChange: (ids: string[]) => void
  max: number
  id?: string
  invalid?: boolean
  disabled?: boolean
}) {
  const { t } = useTranslation('ota')
  const { devices, setQ, loading } = useDevices(productId)
  // Chosen devices keep their names while another search is shown.
  const [seen, setSeen] = useState<ReadonlyMap<string, string>>(new Map())
  useEffect(() => {
    if (devices.length > 0)
      setSeen(before => new Map([...before, ...devices.map(each => [each.id, each.name || each.deviceNo] as const)]))
  }, [devices])
  // Devices that were chosen elsewhere are known by their ids only.
  const named = useReads(
    'devices.get',
    value
      .slice(0, NAMED)
      .filter(each => !seen.has(each))
      .map(id => ({ params: { id } })),
    { staleTime: 60_000 },
    results => new Map(results.flatMap(({ data }) => (data ? [[data.id, data.name || data.deviceNo]] : []))),
  )
  const options = useMemo(() => {
    const found = devices.map(device => ({
      value: device.id,
      label: device.name || device.deviceNo,
      no: device.deviceNo,
      link: device.link,
    }))
    const shown = new Set(found.map(each => each.value))
    return [
      ...found,
      ...value
        .filter(each => !shown.has(each))
        .map(each => ({ value: each, label: seen.get(each) ?? named.get(each) ?? '…', no: '', link: null })),
    ]
  }, [devices, value, seen, named])
  return (
    <Select
      mode="multiple"
      style={{ width: '100%' }}
      {...(id === undefined ? {} : { id })}
      {...(invalid ? { status: 'error' as const } : {})}
      aria-label={t('devices')}
      placeholder={t('devicesPlaceholder')}
      disabled={disabled || productId === null}
      loading={loading}
      maxCount={max}
      maxTagCount={NAMED}
      value={[...value]}
      options={options}
      showSearch={{ filterOption: false, onSearch: setQ }}
      optionRender={({ data }) => (
        <span className={own.option}>
          {data.link && <StatusDot kind={data.link} />}
          <span className={own.optionName} dir="auto">
            {data.label}
          </span>
          <code className={css.muted}>{data.no}</code>
        </span>
      )}
      notFoundContent={loading ? t('searching') : t('noDevices')}
      onChange={onChange}
    />
  )
}
