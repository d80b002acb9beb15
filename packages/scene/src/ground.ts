import { kindOf } from './draw/catalogue.ts'
import type { ElementProp } from './draw/element.ts'
import type { Scalar, Scene, SceneNode } from './scene.ts'

/** Light text on a colour is read better than dark text below this luminance: the contrast to both is the same there. */
const EVEN = 0.179

/**
 * Whether a page of this colour wants light texts.
 * @param colour `#rgb`, `#rrggbb` or `#rrggbbaa`; others count as light
 * @see WCAG 2.2, relative luminance
 */
export function isDark(colour: string): boolean {
  const [, short, long] = /^#(?:([\da-f]{3})|([\da-f]{6})(?:[\da-f]{2})?)$/i.exec(colour) ?? []
  const digits = short ? [...short].map(each => each + each).join('') : long
  if (!digits) return false
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map(at => {
    const share = Number.parseInt(digits.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b < EVEN
}

/** Colours of new elements and of our templates on a light page, and what they are on a dark one; each has one of its own. */
const COLOURS: Record<string, readonly (readonly [light: string, dark: string])[]> = {
  ink: [
    ['#1d2129', '#eef2f7'],
    ['#575f6b', '#b4bdc9'],
    ['#1b4396', '#8ab8ff'],
  ],
  fill: [
    ['#ffffff', '#262e39'],
    ['#eceef2', '#252d38'],
    ['#f7f8fa', '#2b3440'],
    ['#e4e7eb', '#10161e'],
  ],
  stroke: [
    ['#1b4396', '#8ab8ff'],
    ['#6b7480', '#9aa7b6'],
  ],
  onColour: [['#575f6b', '#b4bdc9']],
  offColour: [['#a9b0ba', '#5d6875']],
}
/** Kinds that keep their colours: they are drawn on a background of their own, or their colours have a meaning. */
const KEPT = new Set(['qr', 'digital', 'full-screen', 'lamp', 'lamp-square', 'beacon'])
/** Kinds in a box whose colour follows the page. */
const IN_BOXES = new Set(['chart'])

/** One of these colours as it is on such a background; other colours stay, people chose them. */
function suited(key: string, value: Scalar, dark: boolean): Scalar {
  if (key === 'style') return dark && value === 'grey' ? 'dark' : !dark && value === 'dark' ? 'grey' : value
  const pair = COLOURS[key]?.find(([light, other]) => (dark ? light : other) === value)
  return pair ? pair[dark ? 1 : 0] : value
}

/** An element with the colours for what it lies on; texts in an element that is filled have those for its fill. */
function suitedTo(node: SceneNode, dark: boolean): SceneNode {
  const kind = kindOf(node.kind)
  if (!kind || KEPT.has(kind.kind)) return node
  const props = { ...node.props }
  let isOther = false
  const valueHere = ({ key, value }: ElementProp) => (Object.hasOwn(props, key) ? props[key]! : value)
  const fill = kind.props.find(({ key, type }) => key === 'fill' && type === 'colour')
  const inside = fill ? isDark(String(suited('fill', valueHere(fill), dark))) : dark
  for (const prop of kind.props) {
    const before = valueHere(prop)
    const after = suited(prop.key, before, prop.key === 'ink' || prop.key === 'style' ? inside : dark)
    if (after === before) continue
    props[prop.key] = after
    isOther = true
  }
  return isOther ? { ...node, props } : node
}

/** The colour that an element is filled with; null: what is below it is seen, or it follows the page. */
function fillOf(node: SceneNode): string | null {
  const usual = kindOf(node.kind)?.props.find(({ key, type }) => key === 'fill' && type === 'colour')?.value
  return usual === undefined ? null : String(node.props.fill ?? usual)
}

const covers = ({ x, y, w, h, hidden }: SceneNode, at: { x: number; y: number }) =>
  !hidden && at.x >= x && at.x <= x + w && at.y >= y && at.y <= y + h

/** The colour at a place of a page, below what comes next. @param nodes from the lowest to the uppermost; turned ones count as they lie unturned */
function groundAt(background: string, nodes: readonly SceneNode[], at: { x: number; y: number }): string {
  for (let i = nodes.length - 1; i >= 0; i--) {
    const fill = covers(nodes[i]!, at) ? fillOf(nodes[i]!) : null
    if (fill !== null) return fill
  }
  return background
}

/** An element with the usual colours for its place. @param below the elements below it, from the lowest to the uppermost */
export function suitedToPlace(node: SceneNode, background: string, below: readonly SceneNode[]): SceneNode {
  const middle = { x: node.x + node.w / 2, y: node.y + node.h / 2 }
  return suitedTo(node, isDark(IN_BOXES.has(node.kind) ? background : groundAt(background, below, middle)))
}

/** A page with another background: elements in their usual colours follow what they lie on from light to dark, and back. */
export function withBackground(scene: Scene, background: string): Scene {
  if (isDark(background) === isDark(scene.background)) return { ...scene, background }
  const nodes: SceneNode[] = []
  const filled: SceneNode[] = []
  for (const node of scene.nodes) {
    const now = suitedToPlace(node, background, filled)
    nodes.push(now)
    if (fillOf(now) !== null) filled.push(now)
  }
  return { ...scene, background, nodes }
}
