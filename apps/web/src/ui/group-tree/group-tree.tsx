import { CaretDownOutlined, CaretRightOutlined, EllipsisOutlined, PlusOutlined } from '@ant-design/icons'
import type { GroupKind, GroupView } from '@thingwright/contracts/groups.contract'
import { Button } from 'antd'
import { type KeyboardEvent, lazy, type MouseEvent, type ReactNode, Suspense, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { useMay } from '../../lib/permissions.ts'
import { PermissionGate } from '../permission-gate.tsx'
import { MenuButton } from '../popup/menu-button.tsx'
import { ErrorState } from '../states.tsx'
import type { GroupDialog } from './group-dialogs.tsx'
import css from './group-tree.module.css'
import { buildTree, flatten, type GroupNode } from './tree.ts'
import { type DragProps, useGroupDrag } from './use-group-drag.ts'
import { useGroups } from './use-groups.ts'

const GroupDialogs = lazy(async () => ({ default: (await import('./group-dialogs.tsx')).GroupDialogs }))

/** The groups of a kind beside a list: choosing one narrows the list; they are made, named, moved and removed here. */
export function GroupTree({
  kind,
  title,
  allText,
  selected,
  onSelect,
}: {
  kind: GroupKind
  title: string
  allText: string
  selected: string | null
  onSelect: (id: string | null) => void
}) {
  const { t } = useTranslation('group-tree')
  const groups = useGroups(kind)
  const may = useMay('groups.list')
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [dialog, setDialog] = useState<GroupDialog | null>(null)
  const mayMove = useMay('groups.update')
  const drag = useGroupDrag(kind, groups.data ?? [], mayMove)
  const tree = useMemo(() => buildTree(groups.data ?? []), [groups.data])
  const nodes = flatten(tree, closed)
  const list = useRef<HTMLDivElement>(null)
  if (!may) return <p className={css.hint}>{t('noPermission')}</p>

  const fold = (id: string, on: boolean) =>
    setClosed(before => {
      const next = new Set(before)
      if (on) next.add(id)
      else next.delete(id)
      return next
    })
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    const items = [...(list.current?.querySelectorAll<HTMLElement>('[role=treeitem]') ?? [])]
    const at = items.indexOf(document.activeElement as HTMLElement)
    if (at === -1) return
    const node = nodes[at - 1]
    const open = node && node.children.length > 0 && !closed.has(node.group.id)
    const to = (next: number) => items[Math.max(0, Math.min(items.length - 1, next))]?.focus()
    if (event.key === 'ArrowDown') to(at + 1)
    else if (event.key === 'ArrowUp') to(at - 1)
    else if (event.key === 'Home') to(0)
    else if (event.key === 'End') to(items.length - 1)
    else if (event.key === 'ArrowLeft' && node) {
      if (open) fold(node.group.id, true)
      else to(nodes.findIndex(each => each.group.id === node.group.parentId) + 1)
    } else if (event.key === 'ArrowRight' && node) fold(node.group.id, false)
    else if (event.key === 'Enter' || event.key === ' ') onSelect(node ? node.group.id : null)
    else return
    event.preventDefault()
  }
  return (
    <div className={css.panel}>
      <div className={css.head}>
        <span className={css.title}>{title}</span>
        <PermissionGate of="groups.update">
          <Button
            type="text"
            size="small"
            icon={<PlusOutlined aria-hidden />}
            aria-label={t('add')}
            title={t('add')}
            onClick={() => setDialog({ kind: 'add', parent: null })}
          />
        </PermissionGate>
      </div>
      {groups.isError && groups.data === undefined ? (
        <ErrorState error={groups.error} onRetry={() => void groups.refetch()} />
      ) : (
        <div ref={list} role="tree" aria-label={title} onKeyDown={press} className={css.tree}>
          <Item
            label={allText}
            count={null}
            level={1}
            selected={selected === null}
            tabIndex={selected === null ? 0 : -1}
            onSelect={() => onSelect(null)}
            drag={drag(null)}
          />
          {nodes.map(node => (
            <Item
              key={node.group.id}
              label={node.group.name}
              count={node.total}
              level={node.level}
              selected={selected === node.group.id}
              tabIndex={selected === node.group.id ? 0 : -1}
              onSelect={() => onSelect(node.group.id)}
              drag={drag(node.group.id)}
              {...(node.children.length > 0
                ? {
                    open: !closed.has(node.group.id),
                    onFold: () => fold(node.group.id, !closed.has(node.group.id)),
                  }
                : {})}
              menu={<ItemMenu node={node} onOpen={setDialog} />}
            />
          ))}
          {groups.data?.length === 0 && <p className={css.hint}>{t('empty')}</p>}
        </div>
      )}
      {dialog && (
        <Suspense>
          <GroupDialogs
            kind={kind}
            dialog={dialog}
            groups={groups.data ?? []}
            onClose={() => setDialog(null)}
            onRemoved={(group: GroupView) => {
              if (selected === group.id) onSelect(null)
            }}
          />
        </Suspense>
      )}
    </div>
  )
}

function Item({
  label,
  count,
  level,
  selected,
  tabIndex,
  onSelect,
  open,
  onFold,
  menu,
  drag,
}: {
  label: string
  count: number | null
  level: number
  selected: boolean
  tabIndex: number
  onSelect: () => void
  open?: boolean
  onFold?: () => void
  menu?: ReactNode
  drag: DragProps
}) {
  return (
    <div
      role="treeitem"
      aria-level={level}
      aria-selected={selected}
      aria-label={count === null ? label : `${label} ${formatNumber(count)}`}
      {...(open === undefined ? {} : { 'aria-expanded': open })}
      tabIndex={tabIndex}
      className={`${css.line} ${selected ? css.selected : ''}`}
      onClick={(event: MouseEvent<HTMLDivElement>) => {
        // What is done in a group's menu chooses no group; the open menu hangs elsewhere in the document.
        const target = event.target as HTMLElement
        if (event.currentTarget.contains(target) && !target.closest('button')) onSelect()
      }}
      onKeyDown={undefined}
      {...drag}
    >
      <div className={css.item} style={{ paddingLeft: (level - 1) * 16 }}>
        <span
          className={css.caret}
          aria-hidden="true"
          {...(onFold
            ? {
                onClick: (event: MouseEvent) => {
                  event.stopPropagation()
                  onFold()
                },
              }
            : {})}
        >
          {onFold && (open ? <CaretDownOutlined /> : <CaretRightOutlined />)}
        </span>
        <span className={css.name} title={label} dir="auto">
          {label}
        </span>{' '}
        {count !== null && <span className={css.count}>{formatNumber(count)}</span>}
      </div>
      {menu && <span className={css.menu}>{menu}</span>}
    </div>
  )
}

function ItemMenu({ node, onOpen }: { node: GroupNode; onOpen: (dialog: GroupDialog) => void }) {
  const { t } = useTranslation('group-tree')
  const { group } = node
  return (
    <PermissionGate of="groups.update">
      <MenuButton
        label={t('menu', { name: group.name })}
        className={css.menuButton}
        items={[
          {
            key: 'add',
            label: t('addBelow'),
            disabled: node.level >= 8,
            onSelect: () => onOpen({ kind: 'add', parent: group }),
          },
          { key: 'rename', label: t('rename'), onSelect: () => onOpen({ kind: 'rename', group }) },
          { key: 'move', label: t('move'), onSelect: () => onOpen({ kind: 'move', group }) },
          { key: 'remove', label: t('remove'), danger: true, onSelect: () => onOpen({ kind: 'remove', group }) },
        ]}
      >
        <EllipsisOutlined aria-hidden />
      </MenuButton>
    </PermissionGate>
  )
}
