import { CaretDownOutlined, CaretRightOutlined, EllipsisOutlined, PlusOutlined } from '@ant-design/icons'
import type { MediaFolderView } from '@thingwright/contracts/media.contract'
import { Button } from 'antd'
import { type KeyboardEvent, lazy, type MouseEvent, type ReactNode, Suspense, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import css from '../../../ui/group-tree/group-tree.module.css'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { MenuButton } from '../../../ui/popup/menu-button.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { useFolders, visibleFolders } from '../hooks.ts'
import type { FolderDialogKind } from './folder-dialog.tsx'

const FolderDialog = lazy(async () => ({ default: (await import('./folder-dialog.tsx')).FolderDialog }))

/** The folders beside the list: choosing one narrows the list; `root` stands for what is in no folder. */
export function FolderTree({
  selected,
  onSelect,
  foot,
  mayAdd = true,
}: {
  selected: string | null
  onSelect: (id: string | null) => void
  foot?: ReactNode
  /** A folder can be made beside the outermost ones. */
  mayAdd?: boolean
}) {
  const { t } = useTranslation('media')
  const folders = useFolders()
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [dialog, setDialog] = useState<FolderDialogKind | null>(null)
  const list = useRef<HTMLDivElement>(null)
  const all = folders.data?.items ?? []
  const nodes = visibleFolders(all, closed)
  const ids: (string | null)[] = [null, 'root', ...nodes.map(node => node.folder.id)]

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
    const node = nodes[at - 2]
    const to = (next: number) => items[Math.max(0, Math.min(items.length - 1, next))]?.focus()
    if (event.key === 'ArrowDown') to(at + 1)
    else if (event.key === 'ArrowUp') to(at - 1)
    else if (event.key === 'Home') to(0)
    else if (event.key === 'End') to(items.length - 1)
    else if (event.key === 'ArrowLeft' && node) {
      if (node.hasChildren && !closed.has(node.folder.id)) fold(node.folder.id, true)
      else to(ids.indexOf(node.folder.parentId))
    } else if (event.key === 'ArrowRight' && node) fold(node.folder.id, false)
    else if (event.key === 'Enter' || event.key === ' ') onSelect(ids[at] ?? null)
    else return
    event.preventDefault()
  }
  const line = (id: string | null, label: string, count: number | null) => (
    <Line label={label} count={count} level={1} selected={selected === id} onSelect={() => onSelect(id)} />
  )
  return (
    <div className={css.panel}>
      <div className={css.head}>
        <span className={css.title}>{t('folders')}</span>
        {mayAdd && (
          <PermissionGate of="media.update">
            <Button
              type="text"
              size="small"
              icon={<PlusOutlined aria-hidden />}
              aria-label={t('folder.add')}
              title={t('folder.add')}
              onClick={() => setDialog({ kind: 'add', parent: null })}
            />
          </PermissionGate>
        )}
      </div>
      {folders.isError && folders.data === undefined ? (
        <ErrorState error={folders.error} onRetry={() => void folders.refetch()} />
      ) : (
        <div ref={list} role="tree" aria-label={t('folders')} onKeyDown={press} className={css.tree}>
          {line(null, t('folder.all'), null)}
          {line('root', t('folder.none'), folders.data?.rootCount ?? null)}
          {nodes.map(({ folder, level, hasChildren }) => (
            <Line
              key={folder.id}
              label={folder.name}
              count={folder.count}
              level={level}
              selected={selected === folder.id}
              onSelect={() => onSelect(folder.id)}
              {...(hasChildren
                ? {
                    open: !closed.has(folder.id),
                    onFold: () => fold(folder.id, !closed.has(folder.id)),
                  }
                : {})}
              menu={<FolderMenu folder={folder} level={level} onOpen={setDialog} />}
            />
          ))}
        </div>
      )}
      {foot}
      {dialog && (
        <Suspense>
          <FolderDialog
            dialog={dialog}
            folders={all}
            onClose={() => setDialog(null)}
            onRemoved={id => {
              if (selected === id) onSelect(null)
            }}
          />
        </Suspense>
      )}
    </div>
  )
}

function Line({
  label,
  count,
  level,
  selected,
  onSelect,
  open,
  onFold,
  menu,
}: {
  label: string
  count: number | null
  level: number
  selected: boolean
  onSelect: () => void
  open?: boolean
  onFold?: () => void
  menu?: ReactNode
}) {
  // The name and the count as they are seen, without the menu.
  const id = useId()
  return (
    <div
      role="treeitem"
      aria-level={level}
      aria-selected={selected}
      aria-labelledby={id}
      {...(open === undefined ? {} : { 'aria-expanded': open })}
      tabIndex={selected ? 0 : -1}
      className={`${css.line} ${selected ? css.selected : ''}`}
      onClick={(event: MouseEvent<HTMLDivElement>) => {
        // What is done in a folder's menu chooses no folder.
        const target = event.target as HTMLElement
        if (event.currentTarget.contains(target) && !target.closest('button')) onSelect()
      }}
      onKeyDown={undefined}
    >
      <div id={id} className={css.item} style={{ paddingLeft: (level - 1) * 16 }}>
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

function FolderMenu({
  folder,
  level,
  onOpen,
}: {
  folder: MediaFolderView
  level: number
  onOpen: (dialog: FolderDialogKind) => void
}) {
  const { t } = useTranslation('media')
  return (
    <PermissionGate of="media.update">
      <MenuButton
        label={t('folder.menu', { name: folder.name })}
        className={css.menuButton}
        items={[
          {
            key: 'add',
            label: t('folder.addBelow'),
            disabled: level >= 8,
            onSelect: () => onOpen({ kind: 'add', parent: folder }),
          },
          { key: 'rename', label: t('folder.rename'), onSelect: () => onOpen({ kind: 'rename', folder }) },
          { key: 'move', label: t('folder.move'), onSelect: () => onOpen({ kind: 'move', folder }) },
          {
            key: 'remove',
            label: t('folder.remove'),
            danger: true,
            onSelect: () => onOpen({ kind: 'remove', folder }),
          },
        ]}
      >
        <EllipsisOutlined aria-hidden />
      </MenuButton>
    </PermissionGate>
  )
}
