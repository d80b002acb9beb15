import { useTranslation } from 'react-i18next'
import { groupPath } from '../../ui/group-tree/tree.ts'
import { useGroups } from '../../ui/group-tree/use-groups.ts'
import { NAMED_AT_MOST, useNames } from '../../ui/thing-pickers.tsx'

/** Names in a line, the rest as a count. */
export function NameList({ kind, ids }: { kind: 'product' | 'device' | 'group' | 'user'; ids: readonly string[] }) {
  const { t } = useTranslation('subscriptions')
  const named = useNames(kind === 'group' ? 'device' : kind, kind === 'group' ? [] : ids)
  const groups = useGroups('device')
  const shown = ids.slice(0, NAMED_AT_MOST)
  const text = shown
    .map(id => (kind === 'group' ? groupPath(groups.data ?? [], id) : named.get(id)) || `${id.slice(0, 8)}…`)
    .join(t('comma'))
  return (
    <span dir="auto">
      {text}
      {ids.length > shown.length && ` ${t('andMore', { count: ids.length - shown.length })}`}
    </span>
  )
}
