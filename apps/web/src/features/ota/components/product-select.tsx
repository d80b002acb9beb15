import { Select } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useProducts } from '../hooks.ts'

/** Chooses a product; one that was given from elsewhere keeps its name while others are searched. */
export function ProductSelect({
  value,
  onChange,
  allowClear = false,
  width = '100%',
}: {
  value: string | null
  onChange: (id: string | null) => void
  allowClear?: boolean
  width?: number | string
}) {
  const { t } = useTranslation('ota')
  const { choices, setQ, loading } = useProducts()
  const missing = value !== null && !choices.some(each => each.value === value)
  const named = useRead('products.get', { params: { id: value ?? '' } }, { enabled: missing, staleTime: 60_000 }).data
    ?.name
  const options = useMemo(
    () => (missing && value ? [{ value, label: named ?? '…' }, ...choices] : choices),
    [missing, value, named, choices],
  )
  return (
    <Select
      style={{ width }}
      allowClear={allowClear}
      aria-label={t('product')}
      placeholder={t('productPlaceholder')}
      loading={loading}
      value={value}
      options={options}
      showSearch={{ filterOption: false, onSearch: setQ }}
      onChange={(next: string | null | undefined) => onChange(next ?? null)}
    />
  )
}
