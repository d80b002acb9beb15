import { Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useNames } from '../../../ui/thing-pickers.tsx'

export { ManySelect } from '../../../ui/thing-pickers.tsx'

/** One device, searched at the server; tells its product too. */
export function OneDevice({
  value,
  disabled,
  onChange,
}: {
  value: string | null
  disabled: boolean
  onChange(deviceId: string | null, productId: string | null): void
}) {
  const { t } = useTranslation('cloud-pages')
  const may = useMay('devices.list')
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const found = useRead(
    'devices.list',
    { query: { limit: 50, ...(q === '' ? {} : { q }) } },
    { enabled: may, keep: true, staleTime: 30_000 },
  )
  const items = found.data?.items ?? []
  const names = useNames('device', value !== null && !items.some(({ id }) => id === value) ? [value] : [])
  const options = items.map(item => ({ value: item.id, label: `${item.name} · ${item.deviceNo}` }))
  return (
    <Select
      size="small"
      aria-label={t('device')}
      placeholder={t('device')}
      allowClear
      disabled={disabled || !may}
      loading={found.isFetching}
      showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
      value={value ?? undefined}
      options={
        value !== null && !options.some(each => each.value === value)
          ? [{ value, label: names.get(value) ?? `${value.slice(0, 8)}…` }, ...options]
          : options
      }
      onChange={(id: string | undefined) => {
        setTyped('')
        onChange(id ?? null, items.find(item => item.id === id)?.productId ?? null)
      }}
    />
  )
}
