import { readScene, type Scene, type SceneNode } from '@thingwright/scene'

/** An entry of an element that still lacks something: `bind.0`. */
const ENTRY = /^nodes\.0\.(bind|effects|events)\.(\d+)(?:\.|$)/
const LISTS = ['bind', 'effects', 'events'] as const

/** Elements that are known to be whole, so that a page is not read from the first to the last at every save. */
export type WholeNodes = WeakSet<SceneNode>

/** Entries that lack something, by the element that has them. */
export type Unfinished = ReadonlyMap<string, number>

/**
 * The page as it can be stored while somebody is at work on it: an entry that is not filled in yet is left out. What else
 * is wrong stays, so that the server says it.
 */
export function storable(scene: Scene, whole: WholeNodes): { scene: Scene; unfinished: Unfinished } {
  const unfinished = new Map<string, number>()
  const nodes = scene.nodes.map(node => {
    if (whole.has(node) || LISTS.every(list => node[list].length === 0)) return node
    const { problems } = readScene({ ...scene, nodes: [{ ...node, group: null }] })
    const wrong = new Set<string>()
    for (const { path } of problems) {
      const [, list, place] = ENTRY.exec(path) ?? []
      if (list !== undefined) wrong.add(`${list}.${place}`)
    }
    if (wrong.size === 0) {
      whole.add(node)
      return node
    }
    unfinished.set(node.id, wrong.size)
    const kept = <T>(list: (typeof LISTS)[number], entries: readonly T[]) =>
      entries.filter((_, place) => !wrong.has(`${list}.${place}`))
    return {
      ...node,
      bind: kept('bind', node.bind),
      effects: kept('effects', node.effects),
      events: kept('events', node.events),
    }
  })
  return unfinished.size === 0 ? { scene, unfinished } : { scene: { ...scene, nodes }, unfinished }
}
