import type { GroupView } from '@thingwright/contracts/groups.contract'

export interface GroupNode {
  group: GroupView
  /** 1 for the outermost. */
  level: number
  /** Objects in the group and in everything below. */
  total: number
  children: GroupNode[]
}

/** The flat list as a tree, siblings by position then name. A group whose parent is missing stands outermost. */
export function buildTree(groups: readonly GroupView[]): GroupNode[] {
  const ids = new Set(groups.map(({ id }) => id))
  const byParent = new Map<string | null, GroupView[]>()
  for (const group of groups) {
    const parent = group.parentId !== null && ids.has(group.parentId) ? group.parentId : null
    byParent.set(parent, [...(byParent.get(parent) ?? []), group])
  }
  const below = (parent: string | null, level: number): GroupNode[] =>
    (byParent.get(parent) ?? [])
      .sort((a, b) => a.position - b.position || a.name.localeCompare(b.name))
      .map(group => {
        const children = below(group.id, level + 1)
        return {
          group,
          level,
          children,
          total: group.count + children.reduce((sum, child) => sum + child.total, 0),
        }
      })
  return below(null, 1)
}

/** The nodes as they stand under each other; below a closed node nothing is listed. */
export function flatten(nodes: readonly GroupNode[], closed: ReadonlySet<string> = new Set()): GroupNode[] {
  return nodes.flatMap(node => [node, ...(closed.has(node.group.id) ? [] : flatten(node.children, closed))])
}

/** Ids of a group and of everything below it: where it may not be moved. */
export function withDescendants(nodes: readonly GroupNode[], id: string): Set<string> {
  const node = flatten(nodes).find(each => each.group.id === id)
  return new Set(node ? [node.group.id, ...flatten(node.children).map(child => child.group.id)] : [])
}

/** The names from the outermost group down: `East / Plant 2`. */
export function groupPath(groups: readonly GroupView[], id: string): string {
  const byId = new Map(groups.map(group => [group.id, group]))
  const names: string[] = []
  for (let group = byId.get(id); group && names.length < 16; group = byId.get(group.parentId ?? ''))
    names.unshift(group.name)
  return names.join(' / ')
}
