import { type ElementKind, newNode, type Scene, type SceneNode, suitedToPlace } from '@thingwright/scene'

/** A rectangle of the page. */
export interface Box {
  x: number
  y: number
  w: number
  h: number
}

export function boundsOf(nodes: readonly Box[]): Box {
  if (nodes.length === 0) return { x: 0, y: 0, w: 0, h: 0 }
  const x = Math.min(...nodes.map(node => node.x))
  const y = Math.min(...nodes.map(node => node.y))
  return {
    x,
    y,
    w: Math.max(...nodes.map(node => node.x + node.w)) - x,
    h: Math.max(...nodes.map(node => node.y + node.h)) - y,
  }
}

const round = (n: number) => Math.round(n * 100) / 100

/** The elements with all that is inside of those that are groups. */
export function withInner(scene: Scene, ids: ReadonlySet<string>): Set<string> {
  const all = new Set(ids)
  for (let before = -1; before !== all.size; ) {
    before = all.size
    for (const { id, group } of scene.nodes) if (group !== null && all.has(group)) all.add(id)
  }
  return all
}

/** The outermost group that an element is in, up to the one that is open; itself when it is in none. */
export function topOf(scene: Scene, id: string, entered: string | null): string {
  return topsOf(scene, [id], entered)[0]!
}

/** The same of several elements, each in its place. */
export function topsOf(scene: Scene, ids: readonly string[], entered: string | null): string[] {
  const byId = new Map(scene.nodes.map(node => [node.id, node]))
  return ids.map(id => {
    let found = id
    for (let node = byId.get(id); node && node.group !== null && node.group !== entered; node = byId.get(node.group))
      found = node.group
    return found
  })
}

/** Elements that are drawn, of the chosen ones and of what is in them. */
export function drawnOf(scene: Scene, ids: ReadonlySet<string>): SceneNode[] {
  const all = withInner(scene, ids)
  return scene.nodes.filter(node => all.has(node.id) && node.kind !== 'group')
}

/** Those of the chosen elements that can be moved, shaped and deleted. */
export function unlocked(scene: Scene, ids: ReadonlySet<string>): Set<string> {
  return new Set(scene.nodes.flatMap(({ id, locked }) => (ids.has(id) && !locked ? [id] : [])))
}

export const changed = (
  scene: Scene,
  ids: ReadonlySet<string>,
  change: (node: SceneNode) => Partial<SceneNode>,
): Scene => ({ ...scene, nodes: scene.nodes.map(node => (ids.has(node.id) ? { ...node, ...change(node) } : node)) })

export function moved(scene: Scene, ids: ReadonlySet<string>, dx: number, dy: number): Scene {
  return changed(scene, withInner(scene, ids), ({ x, y }) => ({ x: round(x + dx), y: round(y + dy) }))
}

/** All of the chosen ones from one frame into another. */
export function scaled(scene: Scene, ids: ReadonlySet<string>, from: Box, to: Box): Scene {
  const sx = from.w === 0 ? 1 : to.w / from.w
  const sy = from.h === 0 ? 1 : to.h / from.h
  return changed(scene, withInner(scene, ids), ({ x, y, w, h }) => ({
    x: round(to.x + (x - from.x) * sx),
    y: round(to.y + (y - from.y) * sy),
    w: Math.max(1, round(w * sx)),
    h: Math.max(1, round(h * sy)),
  }))
}

/** Where an element is drawn: a group is round what is in it. */
export const placeOf = (scene: Scene, node: SceneNode): Box =>
  node.kind === 'group' ? boundsOf(drawnOf(scene, new Set([node.id]))) : node

/** Each of the chosen ones with its edge at a place or with another size; groups with all that is in them. */
export function placed(scene: Scene, ids: ReadonlySet<string>, key: keyof Box, value: number): Scene {
  return [...ids].reduce((now, id) => {
    const node = now.nodes.find(each => each.id === id)
    if (node?.kind !== 'group') return changed(now, new Set([id]), () => ({ [key]: value }))
    const box = placeOf(now, node)
    return scaled(now, new Set([id]), box, { ...box, [key]: value })
  }, scene)
}

export function removed(scene: Scene, ids: ReadonlySet<string>): Scene {
  const all = withInner(scene, ids)
  return {
    ...scene,
    nodes: scene.nodes.flatMap(node => (all.has(node.id) ? [] : [withTargets(node, id => (all.has(id) ? null : id))])),
  }
}

/** The element with other elements in what its events show or close; null: such an event is left out. */
function withTargets(node: SceneNode, other: (id: string) => string | null): SceneNode {
  if (node.events.every(event => event.node === undefined || other(event.node) === event.node)) return node
  return {
    ...node,
    events: node.events.flatMap(event => {
      const target = event.node === undefined ? undefined : other(event.node)
      return target === undefined ? [event] : target === null ? [] : [{ ...event, node: target }]
    }),
  }
}

export type Alignment = 'left' | 'centre' | 'right' | 'top' | 'middle' | 'bottom'

/** Lines the chosen ones up; a single one with the page. Groups are moved as a whole. */
export function aligned(scene: Scene, ids: ReadonlySet<string>, how: Alignment): Scene {
  const boxes = [...ids].map(id => ({ id, box: boundsOf(drawnOf(scene, new Set([id]))) }))
  const all =
    boxes.length === 1 ? { x: 0, y: 0, w: scene.width, h: scene.height } : boundsOf(boxes.map(({ box }) => box))
  return boxes.reduce((now, { id, box }) => {
    const dx =
      how === 'left'
        ? all.x - box.x
        : how === 'right'
          ? all.x + all.w - box.x - box.w
          : how === 'centre'
            ? all.x + all.w / 2 - box.x - box.w / 2
            : 0
    const dy =
      how === 'top'
        ? all.y - box.y
        : how === 'bottom'
          ? all.y + all.h - box.y - box.h
          : how === 'middle'
            ? all.y + all.h / 2 - box.y - box.h / 2
            : 0
    return moved(now, new Set([id]), dx, dy)
  }, scene)
}

/** The same gap between all of them; nothing is different with fewer than three. */
export function distributed(scene: Scene, ids: ReadonlySet<string>, axis: 'x' | 'y'): Scene {
  const size = axis === 'x' ? 'w' : 'h'
  const boxes = [...ids]
    .map(id => ({ id, box: boundsOf(drawnOf(scene, new Set([id]))) }))
    .sort((a, b) => a.box[axis] - b.box[axis])
  if (boxes.length < 3) return scene
  const first = boxes[0]!.box
  const last = boxes.at(-1)!.box
  const room = last[axis] + last[size] - first[axis] - boxes.reduce((sum, { box }) => sum + box[size], 0)
  const gap = room / (boxes.length - 1)
  let at = first[axis]
  return boxes.reduce((now, { id, box }) => {
    const by = at - box[axis]
    at += box[size] + gap
    return moved(now, new Set([id]), axis === 'x' ? by : 0, axis === 'y' ? by : 0)
  }, scene)
}

export type Order = 'front' | 'forward' | 'backward' | 'back'

/** Puts elements over or under others: the last one of the list lies on top. */
export function reordered(scene: Scene, ids: ReadonlySet<string>, order: Order): Scene {
  const all = withInner(scene, ids)
  const chosen = scene.nodes.filter(({ id }) => all.has(id))
  const rest = scene.nodes.filter(({ id }) => !all.has(id))
  if (order === 'front') return { ...scene, nodes: [...rest, ...chosen] }
  if (order === 'back') return { ...scene, nodes: [...chosen, ...rest] }
  const places = scene.nodes.flatMap(({ id }, i) => (all.has(id) ? [i] : []))
  const under =
    rest.length === 0
      ? 0
      : scene.nodes
          .slice(0, order === 'forward' ? Math.max(...places) : Math.min(...places))
          .filter(({ id }) => !all.has(id)).length
  const at = Math.min(rest.length, Math.max(0, under + (order === 'forward' ? 1 : -1)))
  return { ...scene, nodes: [...rest.slice(0, at), ...chosen, ...rest.slice(at)] }
}

let counter = 0
/** An id that nothing on the page has. */
export function freshId(scene: Scene): string {
  const taken = new Set(scene.nodes.map(({ id }) => id))
  for (;;) {
    const id = `e${(scene.nodes.length + ++counter).toString(36)}`
    if (!taken.has(id)) return id
  }
}

/** One group of the chosen ones. @returns the id of the group */
export function grouped(scene: Scene, ids: ReadonlySet<string>, name: string): { scene: Scene; id: string } {
  const id = freshId(scene)
  const frame = boundsOf(drawnOf(scene, ids))
  const parents = new Set(scene.nodes.filter(node => ids.has(node.id)).map(({ group }) => group))
  const group = newNode(id, 'group', {
    name,
    ...frame,
    w: Math.max(1, frame.w),
    h: Math.max(1, frame.h),
    group: parents.size === 1 ? [...parents][0]! : null,
  })
  const inner = changed(scene, ids, () => ({ group: id }))
  const all = withInner(inner, ids)
  const members = inner.nodes.filter(node => all.has(node.id))
  const top = Math.max(...inner.nodes.flatMap((node, i) => (all.has(node.id) ? [i] : [])))
  const rest = inner.nodes.filter(node => !all.has(node.id))
  const at = inner.nodes.slice(0, top).filter(node => !all.has(node.id)).length
  return { scene: { ...inner, nodes: [...rest.slice(0, at), group, ...members, ...rest.slice(at)] }, id }
}

export function ungrouped(scene: Scene, ids: ReadonlySet<string>): { scene: Scene; ids: Set<string> } {
  const groups = new Map(
    scene.nodes.filter(node => ids.has(node.id) && node.kind === 'group').map(node => [node.id, node.group]),
  )
  const freed = new Set(scene.nodes.filter(({ group }) => group !== null && groups.has(group)).map(({ id }) => id))
  return {
    scene: {
      ...scene,
      nodes: scene.nodes
        .filter(({ id }) => !groups.has(id))
        .map(node =>
          node.group !== null && groups.has(node.group) ? { ...node, group: groups.get(node.group)! } : node,
        ),
    },
    ids: freed,
  }
}

/** Copies of elements with ids of their own; groups among them hold the copies. */
export function copiesOf(
  scene: Scene,
  nodes: readonly SceneNode[],
  dx: number,
  dy: number,
): { scene: Scene; ids: Set<string> } {
  const names = new Map<string, string>()
  let growing = scene
  for (const node of nodes) {
    const id = freshId(growing)
    names.set(node.id, id)
    growing = { ...growing, nodes: [...growing.nodes, { ...node, id, x: round(node.x + dx), y: round(node.y + dy) }] }
  }
  const made = new Set(names.values())
  const own = new Set(scene.nodes.map(({ id }) => id))
  const outer = new Set<string>()
  const done = {
    ...growing,
    nodes: growing.nodes.map(node => {
      if (!made.has(node.id)) return node
      const group = node.group === null ? null : (names.get(node.group) ?? (own.has(node.group) ? node.group : null))
      if (node.group === null || !names.has(node.group)) outer.add(node.id)
      return withTargets({ ...node, group }, id => names.get(id) ?? (own.has(id) ? id : null))
    }),
  }
  return { scene: done, ids: outer }
}

/** Copies of the chosen ones beside them. */
export function duplicated(
  scene: Scene,
  ids: ReadonlySet<string>,
  dx = 20,
  dy = 20,
): { scene: Scene; ids: Set<string> } {
  const all = withInner(scene, ids)
  return copiesOf(
    scene,
    scene.nodes.filter(({ id }) => all.has(id)),
    dx,
    dy,
  )
}

/** A new element with its middle at a place. */
export function added(
  scene: Scene,
  kind: ElementKind,
  x: number,
  y: number,
  name: string,
): { scene: Scene; id: string } {
  const id = freshId(scene)
  const props = Object.fromEntries(
    kind.props.filter(({ value }) => value !== null && value !== '').map(({ key, value }) => [key, value]),
  )
  const node = newNode(id, kind.kind, {
    x: Math.round(x - kind.w / 2),
    y: Math.round(y - kind.h / 2),
    w: kind.w,
    h: kind.h,
    name,
    props,
  })
  return {
    scene: {
      ...scene,
      nodes: [...scene.nodes, suitedToPlace(node, scene.background, scene.nodes)],
    },
    id,
  }
}

// ── snapping ──
export interface SnapLine {
  axis: 'x' | 'y'
  at: number
  from: number
  to: number
}

/** Where a box snaps to: edges and middles of others, of the page, guides; else the grid. @param reach pixels of the page */
export function snapped(
  scene: Scene,
  moving: ReadonlySet<string>,
  box: Box,
  reach: number,
): { dx: number; dy: number; lines: SnapLine[] } {
  const others = scene.nodes.filter(({ id, kind, hidden }) => !moving.has(id) && kind !== 'group' && !hidden)
  const page: Box = { x: 0, y: 0, w: scene.width, h: scene.height }
  const lines: SnapLine[] = []
  const along = (axis: 'x' | 'y'): number => {
    const [size, cross, crossSize] = axis === 'x' ? (['w', 'y', 'h'] as const) : (['h', 'x', 'w'] as const)
    const own = [box[axis], box[axis] + box[size] / 2, box[axis] + box[size]]
    let best: { by: number; at: number; other: Box } | null = null
    const consider = (at: number, other: Box) => {
      for (const place of own) {
        const by = at - place
        if (Math.abs(by) <= reach && (!best || Math.abs(by) < Math.abs(best.by))) best = { by, at, other }
      }
    }
    for (const other of [...others, page])
      for (const part of [0, 0.5, 1]) consider(other[axis] + other[size] * part, other)
    for (const guide of scene.guides) if (guide.axis === axis) consider(guide.at, page)
    const found = best as { by: number; at: number; other: Box } | null
    if (found) {
      const { other } = found
      lines.push({
        axis,
        at: found.at,
        from: Math.min(box[cross], other[cross]),
        to: Math.max(box[cross] + box[crossSize], other[cross] + other[crossSize]),
      })
      return found.by
    }
    if (!scene.grid.snap) return 0
    return Math.round(box[axis] / scene.grid.size) * scene.grid.size - box[axis]
  }
  const dx = along('x')
  const dy = along('y')
  return { dx, dy, lines }
}
