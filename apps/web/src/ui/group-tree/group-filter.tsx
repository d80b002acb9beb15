import type { GroupKind } from '@thingwright/contracts/groups.contract'
import { useMemo } from 'react'
import { LazySelect } from '../lazy-select/lazy-select.tsx'
import { buildTree, flatten, groupPath } from './tree.ts'
import { useGroups } from './use-groups.ts'

/** The group tree as one choice, where there is no room for the tree. */
export function GroupFilter({
  kind,
  label,
  allText,
  selected,
  onSelect,
}: {
  kind: GroupKind
  label: string
  allText: string
  selected: string | null
  onSelect: (id: string | null) => void
}) {
  const groups = useGroups(kind)
  const options = useMemo(() => {
    const all = groups.data ?? []
    return [
      { value: '', label: allText },
      ...flatten(buildTree(all)).map(({ group }) => ({ value: group.id, label: groupPath(all, group.id) })),
    ]
  }, [groups.data, allText])
  return (
    <LazySelect
      aria-label={label}
      value={selected ?? ''}
      options={options}
      showSearch={{ optionFilterProp: 'label' }}
      popupMatchSelectWidth={false}
      onChange={id => onSelect(id === '' || id === undefined ? null : id)}
    />
  )
}
