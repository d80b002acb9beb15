import type { Scene, SceneNode } from './scene.ts'

/** A part of a page that keeps together: a panel with what lies on it, a chart, a figure. */
export interface Block {
  kind: 'head' | 'drawing' | 'single'
  x: number
  y: number
  w: number
  h: number
  /** In the order in which they are drawn. */
  nodes: SceneNode[]
}

/** What other elements are laid on. */
const GROUNDS = new Set(['panel', 'header', 'stat', 'rect'])
/** What says the same at any width: it is given the width there is, and never made smaller. */
const SIZED = new Set(['chart', 'alarms', 'table', 'columns'])
/** A page of which less than this share lies on panels is one drawing, and is not taken apart. */
const LEAST_ON_GROUNDS = 0.7

const area = ({ w, h }: SceneNode) => w * h
const lies = (node: SceneNode, on: SceneNode) => {
  const [x, y] = [node.x + node.w / 2, node.y + node.h / 2]
  return x >= on.x && x <= on.x + on.w && y >= on.y && y <= on.y + on.h && area(on) > area(node)
}

/**
 * A page taken apart for a narrow window, in reading order: by rows from the top, in a row from the left. Null where it is
 * one drawing that cannot be taken apart.
 */
export function blocksOf(scene: Scene): Block[] | null {
  const nodes = scene.nodes.filter(({ kind, hidden }) => kind !== 'group' && !hidden)
  const isBackground = (node: SceneNode) => node.w >= scene.width * 0.9 && node.h >= scene.height * 0.6
  const grounds = nodes.filter(node => GROUNDS.has(node.kind) && !isBackground(node))
  const outer = grounds.filter(node => !grounds.some(other => other !== node && lies(node, other)))
  const parts = new Map<SceneNode, SceneNode[]>(outer.map(node => [node, []]))
  let alone = 0
  for (const node of nodes) {
    if (isBackground(node)) continue
    const on = parts.has(node) ? node : outer.find(ground => lies(node, ground))
    if (on) parts.get(on)!.push(node)
    else {
      parts.set(node, [node])
      if (!SIZED.has(node.kind)) alone++
    }
  }
  if (nodes.length === 0 || alone > nodes.length * (1 - LEAST_ON_GROUNDS)) return null
  return [...parts]
    .map(([{ kind, x, y, w, h }, inside]): Block => {
      const isAlone = inside.length === 1
      return {
        kind: kind === 'header' ? 'head' : isAlone && SIZED.has(kind) ? 'single' : 'drawing',
        ...{ x, y, w, h },
        nodes: inside,
      }
    })
    .sort((a, b) => (Math.abs(a.y - b.y) > 40 ? a.y - b.y : a.x - b.x))
}
