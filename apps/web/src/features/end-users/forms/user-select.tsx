import { Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../lib/server-state/use-read.ts'

/** One end user, searched at the server as the person types. */
export function UserSelect({
  id,
  value,
  named = null,
  without,
  disabled = false,
  placeholder,
  onChange,
}: {
  id?: string
  value: string | null
  /** What the chosen one is called, when he may not be among those found. */
  named?: { id: string; name: string } | null
  without?: string | undefined
  disabled?: boolean
  placeholder?: string
  onChange: (id: string | null) => void
}) {
  const { t } = useTranslation('end-users')
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const found = useRead(
    'endUsers.list',
    { query: { limit: 50, sort: 'name', ...(q === '' ? {} : { q }) } },
    { keep: true, staleTime: 30_000 },
  )
  const listed = (found.data?.items ?? []).filter(user => user.id !== without)
  const options = listed.map(user => ({ value: user.id, label: `${user.name} · ${user.username}` }))
  if (named && named.id === value && !listed.some(user => user.id === named.id))
    options.unshift({ value: named.id, label: named.name })
  return (
    <Select
      {...(id ? { id } : {})}
      allowClear
      style={{ width: '100%' }}
      disabled={disabled}
      loading={found.isFetching}
      placeholder={placeholder ?? t('noParent')}
      showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
      value={value}
      options={options}
      onChange={(next: string | undefined) => {
        setTyped('')
        onChange(next ?? null)
      }}
    />
  )
}
