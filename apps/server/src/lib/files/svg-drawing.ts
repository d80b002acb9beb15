import { DRAWING_ATTRIBUTES, isDrawingValue, rewriteSvg } from './svg.ts'

/** Longest drawing that is read, in characters. */
export const MAX_DRAWING_LENGTH = 1024 * 1024

const ELEMENTS = new Set([
  ...['svg', 'g', 'path', 'circle', 'ellipse', 'rect', 'line', 'polyline', 'polygon', 'text', 'tspan', 'title', 'desc'],
  ...['defs', 'linearGradient', 'radialGradient', 'stop', 'clipPath', 'mask'],
])
const TEXTS = new Set(['text', 'tspan', 'title', 'desc'])
const MORE_ATTRIBUTES = new Set([
  ...['dx', 'dy', 'rotate', 'textLength', 'lengthAdjust', 'text-anchor', 'dominant-baseline', 'letter-spacing'],
  ...['font-size', 'font-weight', 'font-style', 'text-decoration', 'writing-mode', 'baseline-shift'],
  ...['offset', 'stop-color', 'stop-opacity', 'gradientUnits', 'gradientTransform', 'spreadMethod', 'fx', 'fy', 'fr'],
  ...['clipPathUnits', 'maskUnits', 'maskContentUnits', 'visibility', 'display', 'shape-rendering', 'version'],
])
/** May point at something in the same drawing, and nowhere else. */
const REFERENCES = new Set(['fill', 'stroke', 'clip-path', 'mask'])
const LOCAL_REFERENCE = /^url\(\s*#[\w.-]{1,100}\s*\)$/
const GRADIENTS = new Set(['linearGradient', 'radialGradient'])

type Declarations = ReadonlyMap<string, string>

/**
 * Reads a drawing (a symbol, a background) as XML and writes it anew from an allow-list: shapes, text, gradients, clips
 * and masks. Scripts, event attributes, foreign objects, embedded pictures, links, animation, filters, repeated parts
 * (`use`, which can multiply without bound) and every outside reference are not on it. Styles by class and the `style`
 * attribute become attributes, so that drawings of the usual programs keep their colours.
 * @returns the clean drawing, or null when it is not well-formed SVG, declares entities, or is too long (1 MiB), too deep
 * (64) or has too many elements (20,000)
 */
export function sanitiseDrawing(text: string): string | null {
  if (text.length > MAX_DRAWING_LENGTH) return null
  const classes = classRules(text)
  return rewriteSvg(text.startsWith('\ufeff') ? text.slice(1) : text, {
    maxLength: MAX_DRAWING_LENGTH,
    maxDepth: 64,
    maxElements: 20_000,
    elements: ELEMENTS,
    texts: TEXTS,
    passesOver: true,
    attributes: (element, attributes) => attributesOf(element, attributes, classes),
  })
}

function attributesOf(
  element: string,
  attributes: ReadonlyMap<string, string>,
  classes: ReadonlyMap<string, Declarations>,
): Map<string, string> {
  const kept = new Map<string, string>()
  const take = (name: string, value: string) => {
    const clean = cleanValue(element, name, value)
    if (clean !== null) kept.set(name, clean)
  }
  for (const [name, value] of attributes) take(name === 'xlink:href' ? 'href' : name, value)
  for (const name of (attributes.get('class') ?? '').split(/\s+/).slice(0, 20))
    for (const [property, value] of classes.get(name) ?? []) take(property, value)
  for (const [property, value] of declarations(attributes.get('style') ?? '')) take(property, value)
  return kept
}

function cleanValue(element: string, name: string, value: string): string | null {
  if (name === 'id') return /^[A-Za-z_][\w.-]{0,99}$/.test(value) ? value : null
  if (name === 'href') return GRADIENTS.has(element) && /^#[\w.-]{1,100}$/.test(value) ? value : null
  if (name === 'font-family') return /^[\p{L}\p{N}\s,'_-]{0,200}$/u.test(value) ? value : null
  if (REFERENCES.has(name) && LOCAL_REFERENCE.test(value.trim())) return value.trim()
  if (name === 'clip-path' || name === 'mask') return null
  return (DRAWING_ATTRIBUTES.has(name) || MORE_ATTRIBUTES.has(name)) && isDrawingValue(value) ? value : null
}

/** Rules of `style` elements whose selectors are plain classes; everything else in them is passed over. */
function classRules(text: string): Map<string, Declarations> {
  const rules = new Map<string, Map<string, string>>()
  for (let at = text.indexOf('<style'); at !== -1; at = text.indexOf('<style', at + 1)) {
    const end = text.indexOf('</style', at)
    if (end === -1) break
    addClassRules(rules, text.slice(text.indexOf('>', at) + 1, end))
    at = end
  }
  return rules
}

function addClassRules(rules: Map<string, Map<string, string>>, css: string): void {
  let at = 0
  while (rules.size < 2000) {
    const open = css.indexOf('{', at)
    const close = open === -1 ? -1 : css.indexOf('}', open)
    if (close === -1) return
    const body = declarations(css.slice(open + 1, close))
    for (const selector of css.slice(at, open).split(',').slice(0, 100)) {
      const name = selector.trim().split('.').at(-1) ?? ''
      if (!selector.includes('.') || !/^[A-Za-z_][\w-]{0,99}$/.test(name)) continue
      const known = rules.get(name) ?? new Map<string, string>()
      for (const [property, value] of body) known.set(property, value)
      rules.set(name, known)
    }
    at = close + 1
  }
}

function declarations(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const part of text.split(';')) {
    const colon = part.indexOf(':')
    if (colon > 0) found.set(part.slice(0, colon).trim(), part.slice(colon + 1).trim())
  }
  return found
}
