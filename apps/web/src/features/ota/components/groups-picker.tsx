import { Select } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { groupPath } from '../../../ui/group-tree/tree.ts'
import { useGroups } from '../../../ui/group-tree/use-groups.ts'

/** Chooses device groups; what is below them belongs to them. */
export function GroupsPicker({
  id,
  value,
  onChange,
  disabled,
  invalid,
}: {
  id: string
  value: readonly string[]
  onChange: (ids: string[]) => void
  disabled: boolean
  invalid: boolean
}) {
  const { t } = useTranslation('ota')
  const groups = useGroups('device')
  const options = useMemo(
    () => (groups.data ?? []).map(group => ({ value: group.id, label: groupPath(groups.data ?? [], group.id) })),
    [groups.data],
  )
  return (
    <Select
      mode="multiple"
      id={id}
      style={{ width: '100%' }}
      disabled={disabled}
      {...(invalid ? { status: 'error' as const } : {})}
      placeholder={t('groupsPlaceholder')}
      loading={groups.isPending}
      maxCount={50}
      value={[...value]}
      options={options}
      showSearch={{ optionFilterProp: 'label' }}
      onChange={onChange}
    />
  )
}
