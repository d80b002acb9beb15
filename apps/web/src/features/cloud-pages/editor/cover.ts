import { drawn, type Scene, type Shape } from '@thingwright/scene'

const LONGEST = 40_000
const escaped = (text: string) => text.replace(/[<>&"]/g, sign => `&#${sign.charCodeAt(0)};`)

function markup(shape: Shape): string {
  const attributes = Object.entries(shape.a)
    .filter(([name]) => name !== 'clip-path' && name !== 'data-id')
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('')
  return `<${shape.t}${attributes}>${shape.text === undefined ? (shape.c ?? []).map(markup).join('') : escaped(shape.text)}</${shape.t}>`
}

/** A small picture of a page for the list: its symbols, and boxes for what is no drawing. */
export function coverOf(scene: Scene): string {
  const box = (w: number, h: number) => `<rect width="${w}" height="${h}" fill="#c5cad1"/>`
  let text = ''
  for (const { kind, props, x, y, w, h, hidden } of scene.nodes) {
    if (hidden || kind === 'group') continue
    const shapes = drawn(kind, props, w, h)
    const inner = shapes.length > 0 ? shapes.map(markup).join('') : box(w, h)
    const part = `<g transform="translate(${x} ${y})">${text.length + inner.length > LONGEST ? box(w, h) : inner}</g>`
    if (text.length + part.length > LONGEST + 15_000) break
    text += part
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${scene.width} ${scene.height}"><rect width="${scene.width}" height="${scene.height}" fill="${escaped(scene.background)}"/>${text}</svg>`
}
