import type { MenuEntry } from '@thingwright/contracts/menu-editor.contract'

export interface MenuNode {
  key: string
  entry: MenuEntry
  children: MenuNode[]
}

/** The flat list, parents before children, as a tree. */
export function treeOf(entries: readonly MenuEntry[], parentId: string | null = null): MenuNode[] {
  return entries
    .filter(entry => entry.parentId === parentId)
    .map(entry => ({ key: entry.id, entry, children: treeOf(entries, entry.id) }))
}

/** Where an entry goes. */
export interface Place {
  parentId: string | null
  order: number
}

/** @param at the index among the siblings, the entry itself not counted */
function place(entries: readonly MenuEntry[], id: string, parentId: string | null, at: number): Place {
  const siblings = entries.filter(entry => entry.parentId === parentId && entry.id !== id)
  return { parentId, order: Math.max(0, Math.min(at, siblings.length)) }
}

/**
 * What letting go of a dragged entry means.
 * @param onto dropped onto the target: becomes its last child; else before (-1) or after (1) it
 */
export function dropped(
  entries: readonly MenuEntry[],
  dragged: string,
  target: string,
  onto: boolean,
  side: -1 | 1,
): Place | null {
  const aim = entries.find(entry => entry.id === target)
  if (!aim || dragged === target || aim.idPath.split('/').includes(dragged)) return null
  if (onto) return place(entries, dragged, target, Number.MAX_SAFE_INTEGER)
  const siblings = entries.filter(entry => entry.parentId === aim.parentId && entry.id !== dragged)
  return place(entries, dragged, aim.parentId, siblings.indexOf(aim) + (side === 1 ? 1 : 0))
}

/** One step up or down among the siblings; null at the end. */
export function stepped(entries: readonly MenuEntry[], id: string, by: -1 | 1): Place | null {
  const entry = entries.find(each => each.id === id)
  if (!entry) return null
  const siblings = entries.filter(each => each.parentId === entry.parentId)
  const at = siblings.indexOf(entry) + by
  return at < 0 || at >= siblings.length ? null : { parentId: entry.parentId, order: at }
}
