import type { MenuChoice } from '@thingwright/contracts/roles.contract'
import { Checkbox, Tree } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { keysAfter, tickedOf } from '../menu-keys.ts'
import css from '../roles.module.css'

interface TreeItem {
  key: string
  title: string
  children: TreeItem[]
}

/** Which entries of the menu a role opens; an entry brings the pages behind it. */
export function MenuPicker({
  entries,
  value,
  onChange,
  disabled = false,
}: {
  entries: readonly MenuChoice[]
  value: readonly string[]
  onChange?: (value: string[]) => void
  disabled?: boolean
}) {
  const { t } = useTranslation('roles')
  const all = value.includes('*')
  const items = useMemo(() => itemsOf(entries), [entries])
  const ticked = useMemo(() => (all ? leavesOf(entries) : tickedOf(entries, new Set(value))), [entries, value, all])
  return (
    <div className={css.picker}>
      <Checkbox
        checked={all}
        disabled={disabled}
        onChange={event =>
          onChange?.(event.target.checked ? ['*'] : keysAfter(entries, new Set(leavesOf(entries)), []))
        }
      >
        {t('wholeMenu')}
      </Checkbox>
      <Tree
        checkable
        selectable={false}
        defaultExpandAll
        disabled={disabled || all}
        treeData={items}
        checkedKeys={ticked}
        onCheck={keys => onChange?.(keysAfter(entries, new Set((keys as string[]).map(String)), value))}
      />
    </div>
  )
}

function itemsOf(entries: readonly MenuChoice[]): TreeItem[] {
  return entries.map(entry => ({
    key: entry.id,
    title: locale() === 'en' && entry.ename !== '' ? entry.ename : entry.name,
    children: itemsOf(entry.children),
  }))
}

function leavesOf(entries: readonly MenuChoice[]): string[] {
  return entries.flatMap(entry => (entry.children.length === 0 ? [entry.id] : leavesOf(entry.children)))
}
