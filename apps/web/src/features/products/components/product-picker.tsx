import { Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../lib/server-state/use-read.ts'

/** Another product of the company, searched at the server as the person types. */
export function ProductPicker({
  value,
  except,
  onChange,
}: {
  value: string | null
  except: string
  onChange: (id: string | null) => void
}) {
  const { t } = useTranslation('products')
  const [q, setQ] = useState('')
  const found = useRead('products.list', { query: { limit: 50, ...(q === '' ? {} : { q }) } }, { staleTime: 30_000 })
  return (
    <Select
      showSearch={{ filterOption: false, onSearch: setQ }}
      allowClear
      style={{ width: '100%' }}
      aria-label={t('import.product')}
      placeholder={t('import.productPlaceholder')}
      loading={found.isFetching}
      value={value}
      options={(found.data?.items ?? [])
        .filter(product => product.id !== except)
        .map(product => ({ value: product.id, label: `${product.name} · ${product.productKey}` }))}
      onChange={next => onChange(next ?? null)}
    />
  )
}
