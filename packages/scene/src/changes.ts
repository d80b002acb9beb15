import type { Scene, SceneNode } from './scene.ts'

/** How the elements of one document differ from those of another. */
export interface SceneChanges {
  added: SceneNode[]
  removed: SceneNode[]
  /** As they are afterwards. */
  changed: SceneNode[]
}

/** Elements are the same by their id, whatever their order. @param before null: there was nothing */
export function changesOf(before: Pick<Scene, 'nodes'> | null, after: Pick<Scene, 'nodes'>): SceneChanges {
  const old = new Map((before?.nodes ?? []).map(node => [node.id, node]))
  const added: SceneNode[] = []
  const changed: SceneNode[] = []
  for (const node of after.nodes) {
    const was = old.get(node.id)
    if (was === undefined) added.push(node)
    else if (was !== node && JSON.stringify(was) !== JSON.stringify(node)) changed.push(node)
    old.delete(node.id)
  }
  return { added, removed: [...old.values()], changed }
}
