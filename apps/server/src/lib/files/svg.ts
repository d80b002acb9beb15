/** Longest icon that is read, and the longest that comes out. */
export const MAX_ICON_LENGTH = 8192
const MAX_DEPTH = 16
const MAX_ELEMENTS = 300

const ELEMENTS = new Set(['svg', 'g', 'path', 'circle', 'ellipse', 'rect', 'line', 'polyline', 'polygon'])

/** Numbers, lengths, lists, path data, colours, transforms: nothing that can name a place or run. */
const DRAWING = /^[-+\w\s.,%#()/]*$/
/** Attributes of shapes that draw. */
export const DRAWING_ATTRIBUTES: ReadonlySet<string> = new Set([
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

/** What of an SVG is kept. Whatever the rules let through must not be able to run, load or point anywhere. */
export interface SvgRules {
  maxLength: number
  maxDepth: number
  maxElements: number
  elements: ReadonlySet<string>
  /** Elements whose text is kept. */
  texts: ReadonlySet<string>
  /** Passes over a DOCTYPE without own declarations, processing instructions and CDATA instead of refusing them. */
  passesOver: boolean
  /** The attributes to write: names and values as they are written between double quotes. */
  attributes(element: string, attributes: ReadonlyMap<string, string>): Iterable<readonly [string, string]>
}

const ICON: SvgRules = {
  maxLength: MAX_ICON_LENGTH,
  maxDepth: MAX_DEPTH,
  maxElements: MAX_ELEMENTS,
  elements: ELEMENTS,
  texts: new Set(),
  passesOver: false,
  attributes: (_, attributes) =>
    [...attributes].filter(([name, value]) => DRAWING_ATTRIBUTES.has(name) && isDrawingValue(value)),
}

/** `&` is not among the allowed characters, so no reference can hide anything; `url(` could reach outside. */
export function isDrawingValue(value: string): boolean {
  return DRAWING.test(value) && !/url|script|expression|import/i.test(value)
}

/**
 * Reads an icon as XML and writes it anew from an allow-list of shapes and drawing attributes. Other elements go with
 * all they hold; other attributes, text, comments and references go alone. There is no id, style, link or text in what
 * comes out, so it can be put into a page or an image address.
 * @returns the clean icon, or null when the text is not one well-formed SVG element (or has a DOCTYPE or CDATA, is
 * deeper than 16 levels, or longer than 8,192 characters)
 */
export function sanitiseSvg(text: string): string | null {
  return rewriteSvg(text, ICON)
}

interface Element {
  name: string
  /** False below an element that is not allowed. */
  kept: boolean
  hasChildren: boolean
}

/**
 * Reads one SVG element as XML, in one pass, and writes what the rules keep.
 * @returns null when it is not well-formed or goes beyond the rules' limits
 */
export function rewriteSvg(text: string, rules: SvgRules): string | null {
  if (text.length > rules.maxLength) return null
  const stack: Element[] = []
  let out = ''
  let elements = 0
  let rootSeen = false
  let at = 0
  const source = text.trim()
  const prolog = /^<\?xml(?:\s[^?<>]*)?\?>\s*/.exec(source)
  if (prolog) at = prolog[0].length

  const openUp = (parent: Element) => {
    if (parent.hasChildren) return
    parent.hasChildren = true
    out += '>'
  }

  while (at < source.length) {
    const open = source.indexOf('<', at)
    const between = open === -1 ? source.slice(at) : source.slice(at, open)
    const inside = stack.at(-1)
    if (!inside && between.trim() !== '') return null
    if (inside?.kept && between !== '' && rules.texts.has(inside.name)) {
      // Only XML's own references: a named one would come from declarations, of which none are read.
      if (/&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)/.test(between)) return null
      openUp(inside)
      out += between
    }
    if (open === -1) break
    at = open
    if (source.startsWith('<!--', at)) {
      const end = source.indexOf('-->', at + 4)
      if (end === -1) return null
      at = end + 3
      continue
    }
    if (rules.passesOver) {
      const end = endOfPassedOver(source, at, rootSeen)
      if (end === -1) return null
      if (end > at) {
        at = end
        continue
      }
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
    if (!tag || ++elements > rules.maxElements || stack.length >= rules.maxDepth) return null
    const parent = stack.at(-1)
    if (!parent) {
      if (rootSeen || tag.name !== 'svg') return null
      rootSeen = true
    }
    const kept = rules.elements.has(tag.name) && (parent?.kept ?? true)
    if (kept) {
      if (parent) openUp(parent)
      out += `<${tag.name}${parent ? '' : ` xmlns="${NAMESPACE}"`}`
      for (const [name, value] of rules.attributes(tag.name, tag.attributes)) out += ` ${name}="${value}"`
    }
    if (!tag.selfClosing) stack.push({ name: tag.name, kept, hasChildren: false })
    else if (kept) out += '/>'
    at = tag.end
  }
  return rootSeen && stack.length === 0 && out.length <= rules.maxLength ? out : null
}

/** Where what is passed over ends; the same place when it is something else, -1 when it is not allowed. */
function endOfPassedOver(source: string, at: number, rootSeen: boolean): number {
  if (source.startsWith('<![CDATA[', at)) {
    const end = source.indexOf(']]>', at)
    return end === -1 || !rootSeen ? -1 : end + 3
  }
  if (source.startsWith('<?', at)) {
    const end = source.indexOf('?>', at)
    return end === -1 ? -1 : end + 2
  }
  if (!source.startsWith('<!', at)) return at
  // A DOCTYPE with declarations of its own could define entities.
  const doctype = matchAt(/<!DOCTYPE\s+svg[^[\]<>]*>/y, source, at)
  return doctype && !rootSeen ? at + doctype[0].length : -1
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
