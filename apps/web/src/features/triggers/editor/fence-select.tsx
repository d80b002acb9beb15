import { Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import css from '../triggers.module.css'

/** Which geofence a condition asks for, searched at the server as the person types. */
export function FenceSelect({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { t } = useTranslation('triggers')
  const mayRead = useMay('geofences.list')
  const [text, setText] = useState('')
  const q = useDeferredValue(text.trim())
  const found = useRead(
    'geofences.list',
    { query: { limit: 20, sort: 'name', ...(q === '' ? {} : { q }) } },
    { enabled: mayRead, staleTime: 10_000, keep: true },
  )
  const chosen = useRead(
    'geofences.get',
    { params: { id: value } },
    { enabled: mayRead && value !== '', staleTime: 60_000, retry: false },
  )
  const items = found.data?.items ?? []
  const more =
    value !== '' && !items.some(({ id }) => id === value)
      ? [{ id: value, name: chosen.data?.name ?? t('fenceGone'), enabled: true }]
      : []
  return (
    <Select
      aria-label={t('fence')}
      className={css.propertyBox ?? ''}
      placeholder={t('fence')}
      popupMatchSelectWidth={false}
      showSearch={{ filterOption: false, onSearch: setText }}
      loading={found.isFetching}
      value={value === '' ? null : value}
      notFoundContent={t(mayRead ? 'noFences' : 'fencesHidden')}
      options={[...more, ...items].map(({ id, name, enabled }) => ({
        value: id,
        label: enabled ? name : t('fenceOff', { name }),
      }))}
      onChange={(id: string) => onChange(id)}
    />
  )
}
