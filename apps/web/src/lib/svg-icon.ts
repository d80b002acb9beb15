/** One element of a sanitised drawing. */
export interface SvgNode {
  tag: string
  attributes: Record<string, string>
  children: SvgNode[]
}

const TAGS = new Set(['svg', 'g', 'path', 'circle', 'ellipse', 'rect', 'line', 'polyline', 'polygon'])

/** Attributes that only describe shape and paint. Nothing here can load, run or link anything. */
const ATTRIBUTES = new Set([
  'viewBox',
  'd',
  'cx',
  'cy',
  'r',
  'rx',
  'ry',
  'x',
  'y',
  'x1',
  'y1',
  'x2',
  'y2',
  'width',
  'height',
  'points',
  'transform',
  'fill',
  'stroke',
  'opacity',
  'fill-opacity',
  'stroke-opacity',
  'fill-rule',
  'clip-rule',
  'stroke-width',
  'stroke-linecap',
  'stroke-linejoin',
  'stroke-miterlimit',
  'stroke-dasharray',
  'stroke-dashoffset',
])

/** Numbers, path letters, colours, `rotate(45)`: but never a url, an entity, a scheme or a quote. */
const VALUE = /^[A-Za-z0-9 \t\r\n.,#%()+-]*$/
const MAX_LENGTH = 16_384
const MAX_NODES = 400
const MAX_DEPTH = 16

const TOKEN = /<!--[\s\S]*?-->|<([/!?]?)([A-Za-z][\w:.-]*)?((?:"[^"]*"|'[^']*'|[^'">])*)>|[^<]+|</g
const ATTRIBUTE = /([A-Za-z_:][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g

/**
 * Reads an SVG icon into elements of an allow-list, rebuilt from their parts: whatever is not known (scripts, styles,
 * handlers, links, foreign content with all it contains) is not there. Returns null when nothing drawable is left.
 */
export function parseSvg(source: string): SvgNode | null {
  if (typeof source !== 'string' || source.length > MAX_LENGTH) return null
  const holder: SvgNode = { tag: 'svg', attributes: {}, children: [] }
  const stack: { node: SvgNode | null; tag: string }[] = [{ node: holder, tag: '' }]
  let nodes = 0
  for (const [token, mark, name, rest] of source.matchAll(TOKEN)) {
    if (name === undefined || mark === '!' || mark === '?' || token.startsWith('<!--')) continue
    if (mark === '/') {
      const open = stack.findLastIndex(entry => entry.tag === name)
      if (open > 0) stack.length = open
      continue
    }
    const parent = stack.at(-1)!.node
    let node: SvgNode | null = null
    if (parent && TAGS.has(name) && stack.length <= MAX_DEPTH && ++nodes <= MAX_NODES) {
      node = { tag: name, attributes: attributesOf(rest ?? ''), children: [] }
      parent.children.push(node)
    }
    // The inside of an element that is not allowed is left out with it.
    if (!(rest ?? '').trimEnd().endsWith('/')) stack.push({ node, tag: name })
  }
  const root = holder.children.find(child => child.tag === 'svg')
  return root && drawable(root) ? root : null
}

function attributesOf(text: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [, name, double, single, bare] of text.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? bare ?? ''
    if (name !== undefined && ATTRIBUTES.has(name) && VALUE.test(value) && !/url|expression/i.test(value))
      found[name] = value
  }
  return found
}

function drawable(node: SvgNode): boolean {
  return node.children.some(child => (child.tag !== 'g' && child.tag !== 'svg') || drawable(child))
}
