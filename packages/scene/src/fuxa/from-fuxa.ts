import { withBackground } from '../ground.ts'
import {
  emptyScene,
  MAX_DRAWING,
  MAX_NODES,
  MAX_ROLES,
  MAX_SIZE,
  newNode,
  type Scene,
  type SceneNode,
} from '../scene.ts'
import { type Converted, colourOf, convertItem, type LeftReason } from './fuxa-items.ts'
import { type FuxaItem, type FuxaProject, type FuxaView, readFuxa } from './fuxa-project.ts'
import { type Box, boxOf, type Matrix, movedBy, readSvg, type SvgElement, UNMOVED, union } from './svg-tree.ts'

/** Something of a project that is not on a page, or not as it was. */
export interface LeftOut {
  /** Name of the view; empty: of the project. */
  view: string
  /** Name of the element, the script, the alarm … */
  name: string
  reason: LeftReason
  /** What it is about: a kind of element, a tag, a script. */
  what: string
}

export interface FuxaPage {
  name: string
  suffix: string
  scene: Scene
}

export interface FuxaPages {
  pages: FuxaPage[]
  left: LeftOut[]
  /** Tags that the pages are bound to, and the properties that stand for them: a device that plays the role needs these. */
  tags: { role: string; device: string; tag: string; point: string; type: string }[]
}

/** Space round a drawing that is cut out, for the width of its lines. */
const MARGIN = 4
/** Longest run that is cut out as one; what is around it comes on top, in characters. */
const MOST_OF_RUN = MAX_DRAWING * 0.8
/** Longest drawings of one page together, in characters. */
const MOST_DRAWN = 800_000

/**
 * Pages of a FUXA project, one of each of its views. Elements and what they are bound to become elements of ours;
 * everything else of the drawing stays a drawing, in its place between them. Scripts are never taken over. Drawings come
 * out as they were: who keeps them cleans them.
 * @param suffix what the addresses of the pages begin with
 */
export function fromFuxa(input: unknown, suffix: string): FuxaPages {
  const project = readFuxa(input)
  const left: LeftOut[] = [
    ...project.scripts.map(name => ({ view: '', name, reason: 'script' as const, what: '' })),
    ...project.parts.map(({ what, name }) => ({ view: '', name, reason: what, what: '' })),
  ]
  const roles = rolesOf(project)
  const shown = project.views.filter(({ kind }) => kind === 'svg')
  for (const view of project.views)
    if (view.kind !== 'svg') left.push({ view: view.name, name: view.name, reason: 'view', what: view.kind })
  const suffixes = new Map(shown.map((view, i) => [view.id, i === 0 ? suffix : `${suffix}-${i + 1}`]))
  const tags = new Map<string, FuxaPages['tags'][number]>()
  const pages = shown.map(view => {
    const scene = sceneOf(view, {
      project,
      roles,
      tags,
      pageOf: id => suffixes.get(id) ?? null,
      left: (name, reason, what = '') => {
        const found = { view: view.name, name, reason, what }
        if (!left.some(each => JSON.stringify(each) === JSON.stringify(found))) left.push(found)
      },
    })
    return { name: view.name.slice(0, 64) || suffixes.get(view.id)!, suffix: suffixes.get(view.id)!, scene }
  })
  return { pages, left, tags: [...tags.values()] }
}

/** A role for each device: letters and digits of its name, none twice. */
function rolesOf(project: FuxaProject): ReadonlyMap<string, string> {
  const roles = new Map<string, string>()
  const taken = new Set<string>()
  for (const name of project.devices) {
    const plain =
      name
        .toLowerCase()
        .replace(/[^a-z0-9_]+/g, '_')
        .replace(/^[^a-z_]+|_+$/g, '')
        .slice(0, 28) || 'device'
    let key = plain
    for (let n = 2; taken.has(key); n++) key = `${plain}_${n}`
    taken.add(key)
    roles.set(name, key)
  }
  return roles
}

interface Surroundings {
  project: FuxaProject
  roles: ReadonlyMap<string, string>
  tags: Map<string, FuxaPages['tags'][number]>
  pageOf(view: string): string | null
  left(name: string, reason: LeftReason, what?: string): void
}

function sceneOf(view: FuxaView, around: Surroundings): Scene {
  const used = new Set<string>()
  const source = (tagId: string) => {
    const tag = around.project.tags.get(tagId)
    const role = tag ? around.roles.get(tag.device) : undefined
    if (!tag || !role) return null
    const point = pointOf(tag.name)
    used.add(tag.device)
    around.tags.set(`${role}.${point}`, { role, device: tag.device, tag: tag.name, point, type: tag.type })
    return { from: 'property' as const, role, point }
  }
  for (const script of view.scripts) around.left(script, 'script')
  const width = Math.min(MAX_SIZE, Math.max(100, view.width))
  const height = Math.min(MAX_SIZE, Math.max(100, view.height))
  const root = readSvg(view.svg)
  if (!root && view.svg.trim() !== '') around.left(view.name, 'drawing')
  const parts = root ? partsOf(root, view) : []
  const nodes: SceneNode[] = []
  let drawn = 0
  const ids = new Set<string>()
  const idOf = (wanted: string) => {
    const plain = wanted.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 36) || 'n'
    let id = plain
    for (let n = 2; ids.has(id); n++) id = `${plain.slice(0, 32)}-${n}`
    ids.add(id)
    return id
  }
  const draw = (name: string, box: Box, elements: readonly Placed[], made?: Converted) => {
    const drawing = cutOut(view.svg, root!, box, elements)
    if (drawing.length > MAX_DRAWING || drawn + drawing.length > MOST_DRAWN) {
      around.left(name || view.name, 'drawing')
      return
    }
    drawn += drawing.length
    nodes.push(
      newNode(idOf(name || 'drawing'), 'drawing', {
        ...placed(box),
        name: name.slice(0, 64),
        props: { drawing },
        ...(made ? { bind: made.bind, effects: made.effects, events: made.events } : {}),
      }),
    )
  }
  for (const part of parts) {
    if (nodes.length >= MAX_NODES) {
      around.left(view.name, 'many')
      break
    }
    if (!part.item) {
      for (const run of shortEnough(view.svg, part.elements)) {
        const box = roomOf(run, width, height)
        if (box) draw('', box, run)
      }
      continue
    }
    const { item } = part
    const element = part.elements[0]!
    const box = boxOf(element.element, element.matrix)
    const name = item.name || item.id
    const made = convertItem(item, {
      project: around.project,
      source,
      pageOf: around.pageOf,
      written: element.element.text.trim(),
      left: (reason, what) => around.left(name, reason, what),
    })
    if (!made || !box) continue
    if (made.kind)
      nodes.push(
        newNode(idOf(item.id), made.kind, {
          ...placed(roomFor(made.kind, box)),
          name: name.slice(0, 64),
          hidden: item.hidden,
          props: made.kind === 'number' ? { ...made.props, size: Math.max(10, sizeOf(element.element)) } : made.props,
          ...{ bind: made.bind, effects: made.effects, events: made.events },
        }),
      )
    else draw(name, grown(box, width, height), part.elements, made)
  }
  for (const { name } of root ? outside(root) : []) around.left(name, name === 'script' ? 'script' : 'picture')
  const inOrder = around.project.devices.filter(device => used.has(device)).slice(0, MAX_ROLES)
  const scene: Scene = {
    ...emptyScene('canvas'),
    ...{ width, height, background: '#ffffff' },
    roles: inOrder.map(device => ({
      key: around.roles.get(device)!,
      name: device.slice(0, 64),
      productId: null,
      deviceId: null,
      choices: [],
    })),
    nodes,
  }
  return withBackground(scene, colourOf(view.background) ?? '#ffffff')
}

/** The identifier that stands for a tag: its letters and digits. */
function pointOf(tag: string): string {
  const plain = tag
    .replace(/[^\p{L}\p{N}_]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 63)
  return /^[\p{L}_]/u.test(plain) ? plain : `_${plain}`
}

interface Placed {
  element: SvgElement
  /** What moves it from outside. */
  matrix: Matrix
  /** Elements around it, the outermost first. */
  above: readonly SvgElement[]
}

interface Part {
  item: FuxaItem | null
  elements: Placed[]
}

/** The drawing in its order: runs of what only draws, and between them the elements that the view knows. */
function partsOf(root: SvgElement, view: FuxaView): Part[] {
  const parts: Part[] = []
  const holds = (element: SvgElement): boolean =>
    view.items.has(element.attributes.get('id') ?? '') || element.children.some(holds)
  const walk = (element: SvgElement, matrix: Matrix, above: readonly SvgElement[]) => {
    const item = view.items.get(element.attributes.get('id') ?? '')
    if (item) parts.push({ item, elements: [{ element, matrix, above }] })
    else if (holds(element) || (element.name === 'g' && element.end - element.start > MOST_OF_RUN)) {
      const inside = element === root ? matrix : movedBy(matrix, element)
      for (const child of element.children) walk(child, inside, element === root ? above : [...above, element])
    } else if (element !== root) {
      const last = parts.at(-1)
      if (last && !last.item) last.elements.push({ element, matrix, above })
      else parts.push({ item: null, elements: [{ element, matrix, above }] })
    } else for (const child of element.children) walk(child, matrix, above)
  }
  walk(root, UNMOVED, [])
  return parts
}

/** A drawing of its own out of these elements, with what is around them and what they refer to. */
function cutOut(source: string, root: SvgElement, box: Box, elements: readonly Placed[]): string {
  const inside = elements
    .map(({ element, above }) => {
      const tags = above.map(each => source.slice(each.start, each.inner)).join('')
      const ends = [...above].reverse().map(each => `</${each.name}>`)
      return `${tags}${source.slice(element.start, element.end)}${ends.join('')}`
    })
    .join('')
  const defs = inside.includes('url(#')
    ? allOf(root, 'defs')
        .map(each => source.slice(each.start, each.end))
        .join('')
    : ''
  const view = [box.x, box.y, box.w, box.h].map(n => Math.round(n * 100) / 100).join(' ')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${view}">${defs}${inside}</svg>`
}

function allOf(element: SvgElement, name: string): SvgElement[] {
  return [...(element.name === name ? [element] : []), ...element.children.flatMap(child => allOf(child, name))]
}

/** What of the drawing would come from elsewhere or run. */
function outside(root: SvgElement): { name: string }[] {
  return [
    ...allOf(root, 'script').map(() => ({ name: 'script' })),
    ...allOf(root, 'image').map(({ attributes }) => ({ name: attributes.get('id') ?? 'image' })),
  ]
}

/** Runs that fit into one element each. */
function shortEnough(source: string, elements: readonly Placed[]): Placed[][] {
  const runs: Placed[][] = []
  let length = 0
  for (const each of elements) {
    const own =
      each.element.end - each.element.start + each.above.reduce((sum, up) => sum + up.inner - up.start + 16, 0)
    if (runs.length === 0 || length + own > MOST_OF_RUN) {
      runs.push([])
      length = 0
    }
    runs.at(-1)!.push(each)
    length += own
  }
  return source === '' ? [] : runs
}

function roomOf(elements: readonly Placed[], width: number, height: number): Box | null {
  const box = union(elements.flatMap(({ element, matrix }) => boxOf(element, matrix) ?? []))
  return box ? grown(box, width, height) : null
}

/** With a margin; what reaches far beyond the view is cut at its edges. */
function grown({ x, y, w, h }: Box, width: number, height: number): Box {
  const [left, top] = [Math.max(-width, x - MARGIN), Math.max(-height, y - MARGIN)]
  return {
    x: left,
    y: top,
    w: Math.max(1, Math.min(2 * width, x + w + MARGIN) - left),
    h: Math.max(1, Math.min(2 * height, y + h + MARGIN) - top),
  }
}

/** Texts are drawn round a point: what shows a value there needs room for it. */
function roomFor(kind: string, { x, y, w, h }: Box): Box {
  if (kind !== 'number') return { x, y, w: Math.max(8, w), h: Math.max(8, h) }
  const wide = Math.max(w, 72)
  return { x: x - (wide - w) / 2, y, w: wide, h: Math.max(h, 20) }
}

function sizeOf(element: SvgElement): number {
  const [text] = allOf(element, 'text')
  return Number.parseFloat(text?.attributes.get('font-size') ?? element.attributes.get('font-size') ?? '') || 16
}

const placed = ({ x, y, w, h }: Box) => {
  const limited = (n: number, least: number, most: number) => Math.min(most, Math.max(least, Math.round(n * 100) / 100))
  return {
    x: limited(x, -MAX_SIZE, 2 * MAX_SIZE),
    y: limited(y, -MAX_SIZE, 2 * MAX_SIZE),
    w: limited(w, 1, MAX_SIZE),
    h: limited(h, 1, MAX_SIZE),
  }
}
