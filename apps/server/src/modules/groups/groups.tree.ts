/** A tree is at most this deep; a root is level 1. */
export const MAX_LEVELS = 8

export interface TreeNode {
  readonly id: string
  /** A parent that is not among the nodes is not seen: the group is a root then. */
  readonly parentId: string | null
  readonly name: string
  readonly position: number
}

/** What can be asked of one company's groups of one kind. */
export interface GroupTree<N extends TreeNode> {
  /** Parents before children, siblings by position, then name. */
  inOrder(): N[]
  get(id: string): N | undefined
  childrenOf(parentId: string | null): N[]
  /** 1 for a root; 0 for null, the place above the roots. */
  levelOf(id: string | null): number
  /** Levels of the subtree below and including the group. */
  heightOf(id: string): number
  /** The group and everything below it. */
  subtreeOf(id: string): string[]
}

export function groupTree<N extends TreeNode>(nodes: readonly N[]): GroupTree<N> {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const children = new Map<string | null, N[]>()
  for (const node of nodes) {
    const parentId = node.parentId !== null && byId.has(node.parentId) ? node.parentId : null
    const siblings = children.get(parentId)
    if (siblings) siblings.push(node)
    else children.set(parentId, [node])
  }
  for (const siblings of children.values()) siblings.sort(bySiblingOrder)
  const childrenOf = (parentId: string | null) => children.get(parentId) ?? []
  const below = (parentId: string | null): N[] => childrenOf(parentId).flatMap(node => [node, ...below(node.id)])
  const heightOf = (id: string): number => 1 + Math.max(0, ...childrenOf(id).map(child => heightOf(child.id)))
  const levelOf = (id: string | null): number => (id === null ? 0 : 1 + levelOf(byId.get(id)?.parentId ?? null))
  return {
    inOrder: () => below(null),
    get: id => byId.get(id),
    childrenOf,
    levelOf,
    heightOf,
    subtreeOf: id => [id, ...below(id).map(node => node.id)],
  }
}

function bySiblingOrder(a: TreeNode, b: TreeNode): number {
  return a.position - b.position || (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1)
}

/**
 * Positions after putting a group at an index among its siblings (the group itself not among them).
 * @returns only those that change, the group's own first
 */
export function placeAmong(
  siblings: readonly TreeNode[],
  group: TreeNode,
  index: number,
): { id: string; position: number }[] {
  const order = siblings.filter(node => node.id !== group.id)
  order.splice(Math.min(index, order.length), 0, group)
  const own = order.indexOf(group)
  return order
    .map((node, position) => ({ id: node.id, position, changed: node.position !== position || node === group }))
    .filter(({ changed }) => changed)
    .map(({ id, position }) => ({ id, position }))
    .sort((a, b) => Number(b.position === own) - Number(a.position === own))
}
