import { drawn } from './draw/catalogue.ts'
import type { Shape } from './draw/shape.ts'
import { rect, words } from './draw/shape.ts'
import type { Scene, SceneNode } from './scene.ts'

/** Longest cover, in characters; what does not fit is drawn as boxes, then left out. */
const LONGEST = 40_000
const escaped = (text: string) => text.replace(/[<>&"]/g, sign => `&#${sign.charCodeAt(0)};`)

function markup(shape: Shape): string {
  const attributes = Object.entries(shape.a)
    .filter(([name]) => name !== 'clip-path' && name !== 'data-id')
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('')
  return `<${shape.t}${attributes}>${shape.text === undefined ? (shape.c ?? []).map(markup).join('') : escaped(shape.text)}</${shape.t}>`
}

const box = (w: number, h: number) => rect(0, 0, w, h, { fill: '#eceef2', stroke: '#d3d7dd', rx: 6 })

/** A picture of what the renderer shows otherwise than by shapes. */
function standIn({ kind, props, w, h }: SceneNode): Shape[] {
  if (kind === 'text')
    return typeof props.value === 'string' && props.value !== ''
      ? [words(0, h / 2, props.value, Number(props.size ?? 18), { fill: String(props.ink ?? '#1d2129') })]
      : []
  if (kind === 'clock') return []
  return [box(w, h)]
}

/** A small picture of a page for the list, as SVG: its symbols, and boxes for what is no drawing. */
export function coverOf(scene: Scene): string {
  let text = ''
  for (const node of scene.nodes) {
    const { kind, props, x, y, w, h, r, hidden } = node
    if (hidden || kind === 'group') continue
    const shapes = drawn(kind, props, w, h)
    const inner = (shapes.length > 0 ? shapes : standIn(node)).map(markup).join('')
    const place = `translate(${x} ${y})${r ? ` rotate(${r} ${w / 2} ${h / 2})` : ''}`
    const part = `<g transform="${place}">${text.length + inner.length > LONGEST ? markup(box(w, h)) : inner}</g>`
    if (text.length + part.length > LONGEST + 15_000) break
    text += part
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${scene.width} ${scene.height}"><rect width="${scene.width}" height="${scene.height}" fill="${escaped(scene.background)}"/>${text}</svg>`
}
