/** Longest icon that is read, and the longest that comes out. */
export const MAX_ICON_LENGTH = 8192
const MAX_DEPTH = 16
const MAX_ELEMENTS = 300

const ELEMENTS = new Set(['svg', 'g', 'path', 'circle', 'ellipse', 'rect', 'line', 'polyline', 'polygon'])

/** Numbers, lengths, lists, path data, colours, transforms: nothing that can name a place or run. */
const DRAWING = /^[-+\w\s.,%#()/]*$/
const ATTRIBUTES = new Set([
  ...[
    'viewBox',
    'preserveAspectRatio',
    'width',
    'height',
    'x',
    'y',
    'x1',
    'y1',
    'x2',
    'y2',
    'cx',
    'cy',
    'r',
    'rx',
    'ry',
  ],
  ...['d', 'points', 'pathLength', 'transform', 'fill', 'fill-rule', 'fill-opacity', 'clip-rule', 'color', 'opacity'],
  ...['stroke', 'stroke-width', 'stroke-linecap', 'stroke-linejoin', 'stroke-miterlimit', 'stroke-opacity'],
  ...['stroke-dasharray', 'stroke-dashoffset', 'vector-effect', 'aria-hidden', 'role'],
])
const NAMESPACE = 'http://www.w3.org/2000/svg'

interface Element {
  name: string
  /** False below an element that is not allowed. */
  kept: boolean
  hasChildren: boolean
}

/**
 * Reads an icon as XML and writes it anew from an allow-list of shapes and drawing attributes. Other elements go with
 * all they hold; other attributes, text, comments and references go alone. There is no id, style, link or text in what
 * comes out, so it can be put into a page or an image address.
 * @returns the clean icon, or null when the text is not one well-formed SVG element (or has a DOCTYPE or CDATA, is
 * deeper than 16 levels, or longer than 8,192 characters)
 */
export function sanitiseSvg(text: string): string | null {
  if (text.length > MAX_ICON_LENGTH) return null
  const stack: Element[] = []
  let out = ''
  let elements = 0
  let rootSeen = false
  let at = 0
  const source = text.trim()
  const prolog = /^<\?xml(?:\s[^?<>]*)?\?>\s*/.exec(source)
  if (prolog) at = prolog[0].length

  while (at < source.length) {
    const open = source.indexOf('<', at)
    const between = open === -1 ? source.slice(at) : source.slice(at, open)
    if (stack.length === 0 && between.trim() !== '') return null
    if (open === -1) break
    at = open
    if (source.startsWith('<!--', at)) {
      const end = source.indexOf('-->', at + 4)
      if (end === -1) return null
      at = end + 3
      continue
    }
    const closing = /^<\/([A-Za-z][\w:.-]*)\s*>/.exec(source.slice(at, at + 128))
    if (closing) {
      const element = stack.pop()
      if (!element || element.name !== closing[1]) return null
      if (element.kept) out += element.hasChildren ? `</${element.name}>` : '/>'
      at += closing[0].length
      continue
    }
    const tag = readTag(source, at)
    if (!tag || ++elements > MAX_ELEMENTS || stack.length >= MAX_DEPTH) return null
    const parent = stack.at(-1)
    if (!parent) {
      if (rootSeen || tag.name !== 'svg') return null
      rootSeen = true
    }
    const kept = ELEMENTS.has(tag.name) && (parent?.kept ?? true)
    if (kept) {
      if (parent && !parent.hasChildren) {
        parent.hasChildren = true
        out += '>'
      }
      out += `<${tag.name}${parent ? '' : ` xmlns="${NAMESPACE}"`}${writeAttributes(tag.attributes)}`
    }
    if (!tag.selfClosing) stack.push({ name: tag.name, kept, hasChildren: false })
    else if (kept) out += '/>'
    at = tag.end
  }
  return rootSeen && stack.length === 0 && out.length <= MAX_ICON_LENGTH ? out : null
}

interface Tag {
  name: string
  attributes: Map<string, string>
  selfClosing: boolean
  end: number
}

/** Reads one start tag; sticky patterns keep the whole reading linear. */
function readTag(source: string, start: number): Tag | null {
  const name = matchAt(/<([A-Za-z][\w:.-]*)/y, source, start)
  if (!name) return null
  let at = start + name[0].length
  const attributes = new Map<string, string>()
  for (;;) {
    const end = matchAt(/\s*(\/?)>/y, source, at)
    if (end) return { name: name[1]!, attributes, selfClosing: end[1] === '/', end: at + end[0].length }
    const attribute = matchAt(/\s+([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y, source, at)
    if (!attribute || attributes.has(attribute[1]!)) return null
    attributes.set(attribute[1]!, attribute[2] ?? attribute[3] ?? '')
    at += attribute[0].length
  }
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(source)
}

function writeAttributes(attributes: Map<string, string>): string {
  let out = ''
  for (const [name, value] of attributes) {
    // `&` is not among the allowed characters, so no reference can hide anything; `url(` could reach outside.
    if (ATTRIBUTES.has(name) && DRAWING.test(value) && !/url|script|expression|import/i.test(value))
      out += ` ${name}="${value}"`
  }
  return out
}
