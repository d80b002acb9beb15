import { Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../lib/api/api-error.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'

export { ManySelect } from '../../../ui/thing-pickers.tsx'

/** One device, searched at the server; tells its product too. */
export function OneDevice({
  value,
  label,
  disabled,
  onChange,
}: {
  value: string | null
  /** Read out in place of “Device”, where several stand together. */
  label?: string
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
  const unlisted = value !== null && !items.some(({ id }) => id === value)
  const one = useRead(
    'devices.get',
    { params: { id: value ?? '' } },
    { enabled: may && unlisted && found.data !== undefined, staleTime: 300_000 },
  )
  // Of another company, deleted, or not for this person.
  const isGone = unlisted && one.error instanceof ApiError && one.error.status === 404
  const options = items.map(item => ({ value: item.id, label: `${item.name} · ${item.deviceNo}` }))
  return (
    <Select
      size="small"
      aria-label={label ?? t('device')}
      placeholder={t('chooseDevice')}
      allowClear
      disabled={disabled || !may}
      loading={found.isFetching}
      showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
      value={value ?? undefined}
      {...(isGone ? { status: 'error' as const } : {})}
      options={
        unlisted
          ? [{ value, label: isGone ? t('deviceGone') : (one.data?.name ?? `${value.slice(0, 8)}…`) }, ...options]
          : options
      }
      onChange={(id: string | undefined) => {
        setTyped('')
        onChange(id ?? null, items.find(item => item.id === id)?.productId ?? null)
      }}
    />
  )
}
