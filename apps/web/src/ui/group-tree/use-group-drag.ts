import type { GroupKind, GroupView } from '@thingwright/contracts/groups.contract'
import { type DragEvent, useMemo, useRef, useState } from 'react'
import { useAct } from '../../lib/server-state/use-act.ts'
import { buildTree, withDescendants } from './tree.ts'
import { groupsOf } from './use-groups.ts'

export interface DragProps {
  draggable?: boolean
  'data-over'?: boolean
  onDragStart?: (event: DragEvent) => void
  onDragOver?: (event: DragEvent) => void
  onDragLeave?: () => void
  onDragEnd?: () => void
  onDrop?: (event: DragEvent) => void
}

const NONE: DragProps = {}

/**
 * Groups are moved by dragging one onto another, or onto "all" to make it an outermost one; never onto itself or below
 * itself. The menu's "move" does the same without a mouse.
 */
export function useGroupDrag(
  kind: GroupKind,
  groups: readonly GroupView[],
  allowed: boolean,
): (id: string | null) => DragProps {
  const update = useAct('groups.update', { own: false, touches: [groupsOf(kind)], always: true })
  const dragged = useRef<GroupView | null>(null)
  const [over, setOver] = useState<string | null | undefined>(undefined)
  const tree = useMemo(() => buildTree(groups), [groups])
  if (!allowed) return () => NONE
  const takes = (id: string | null) => {
    const group = dragged.current
    return group !== null && group.parentId !== id && (id === null || !withDescendants(tree, group.id).has(id))
  }
  const move = (group: GroupView, parentId: string | null) =>
    update.run({ params: { id: group.id }, body: { version: group.version, parentId } })
  return id => ({
    draggable: id !== null,
    'data-over': over === id,
    onDragStart: event => {
      dragged.current = groups.find(group => group.id === id) ?? null
      event.dataTransfer.effectAllowed = 'move'
      event.dataTransfer.setData('text/plain', dragged.current?.name ?? '')
    },
    onDragOver: event => {
      if (!takes(id)) return
      event.preventDefault()
      setOver(id)
    },
    onDragLeave: () => setOver(undefined),
    onDragEnd: () => {
      dragged.current = null
      setOver(undefined)
    },
    onDrop: event => {
      event.preventDefault()
      const group = dragged.current
      if (group && takes(id)) void move(group, id)
      dragged.current = null
      setOver(undefined)
    },
  })
}
