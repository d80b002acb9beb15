import type { GroupKind } from '@thingwright/contracts/groups.contract'
import { Select } from 'antd'
import { useMemo } from 'react'
import { buildTree, flatten, groupPath } from './tree.ts'
import { useGroups } from './use-groups.ts'

/** Chooses one group of a kind, or none. */
export function GroupSelect({
  kind,
  value,
  onChange,
  id,
  without,
  disabled = false,
  placeholder,
}: {
  kind: GroupKind
  value: string | null
  onChange: (id: string | null) => void
  id?: string
  /** Not offered. */
  without?: ReadonlySet<string>
  disabled?: boolean
  placeholder: string
}) {
  const groups = useGroups(kind)
  const options = useMemo(
    () =>
      flatten(buildTree(groups.data ?? []))
        .filter(node => !without?.has(node.group.id))
        .map(node => ({
          value: node.group.id,
          label: groupPath(groups.data ?? [], node.group.id),
        })),
    [groups.data, without],
  )
  return (
    <Select
      {...(id === undefined ? {} : { id })}
      style={{ width: '100%' }}
      allowClear
      disabled={disabled}
      loading={groups.isPending}
      placeholder={placeholder}
      value={value}
      options={options}
      showSearch={{ optionFilterProp: 'label' }}
      onChange={(next: string | null | undefined) => onChange(next ?? null)}
    />
  )
}
