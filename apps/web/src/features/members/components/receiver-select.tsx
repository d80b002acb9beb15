import { Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { nameOf, useReceivers } from '../hooks.ts'
import css from '../members.module.css'

/** Another active member, found by a part of his name. */
export function ReceiverSelect({
  id,
  without,
  value,
  onChange,
}: {
  id: string
  without: string
  value: string | null
  onChange: (id: string | null) => void
}) {
  const { t } = useTranslation('members')
  const [search, setSearch] = useState('')
  const found = useReceivers(search, without)
  return (
    <Select
      id={id}
      className={css.wide ?? ''}
      showSearch={{ filterOption: false, onSearch: setSearch }}
      allowClear
      value={value}
      onChange={(next: string | undefined) => onChange(next ?? null)}
      placeholder={t('chooseReceiver')}
      loading={found.isFetching}
      notFoundContent={found.isPending ? null : t('nobodyElse')}
      options={(found.data ?? []).map(member => ({
        value: member.id,
        label: member.displayName ? `${nameOf(member)} (${member.username})` : nameOf(member),
      }))}
    />
  )
}
