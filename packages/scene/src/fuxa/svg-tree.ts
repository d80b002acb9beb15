/** An element of a drawing, and where its text stands in the source. */
export interface SvgElement {
  name: string
  attributes: ReadonlyMap<string, string>
  children: SvgElement[]
  /** The words in it and below. */
  text: string
  start: number
  /** End of the start tag. */
  inner: number
  end: number
}

export interface Box {
  x: number
  y: number
  w: number
  h: number
}

const DEEPEST = 64
const MOST = 50_000

/** Reads a drawing as XML. @returns null when it is not one well-formed element, or too deep or too large */
export function readSvg(source: string): SvgElement | null {
  const stack: SvgElement[] = []
  let root: SvgElement | null = null
  let count = 0
  for (let at = 0; at < source.length; ) {
    const open = source.indexOf('<', at)
    const words = open === -1 ? source.slice(at) : source.slice(at, open)
    if (words.trim() !== '') {
      if (stack.length === 0) return null
      for (const element of stack) element.text += words
    }
    if (open === -1) break
    const passed = passedOver(source, open)
    if (passed === -1) return null
    if (passed > open) {
      at = passed
      continue
    }
    const closing = matchAt(/<\/([A-Za-z][\w:.-]*)\s*>/y, source, open)
    if (closing) {
      const element = stack.pop()
      if (!element || element.name !== closing[1]) return null
      at = open + closing[0].length
      element.end = at
      continue
    }
    const element = startTag(source, open)
    if (!element || ++count > MOST || stack.length >= DEEPEST) return null
    const parent = stack.at(-1)
    if (parent) parent.children.push(element)
    else if (root) return null
    else root = element
    if (element.end === -1) stack.push(element)
    at = element.inner
  }
  return root && stack.length === 0 ? root : null
}

/** Where a comment, a declaration or the like ends; the same place for an element, -1 where it has no end. */
function passedOver(source: string, at: number): number {
  for (const [begin, end] of [
    ['<!--', '-->'],
    ['<![CDATA[', ']]>'],
    ['<?', '?>'],
    ['<!', '>'],
  ] as const)
    if (source.startsWith(begin, at)) {
      const found = source.indexOf(end, at + begin.length)
      return found === -1 ? -1 : found + end.length
    }
  return at
}

function startTag(source: string, start: number): SvgElement | null {
  const name = matchAt(/<([A-Za-z][\w:.-]*)/y, source, start)
  if (!name) return null
  const attributes = new Map<string, string>()
  for (let at = start + name[0].length; ; ) {
    const end = matchAt(/\s*(\/?)>/y, source, at)
    if (end) {
      const inner = at + end[0].length
      return { name: name[1]!, attributes, children: [], text: '', start, inner, end: end[1] === '/' ? inner : -1 }
    }
    const attribute = matchAt(/\s+([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y, source, at)
    if (!attribute) return null
    attributes.set(attribute[1]!, attribute[2] ?? attribute[3] ?? '')
    at += attribute[0].length
  }
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(source)
}

/** a b c d e f of SVG: x' = a x + c y + e, y' = b x + d y + f. */
export type Matrix = readonly [number, number, number, number, number, number]
export const UNMOVED: Matrix = [1, 0, 0, 1, 0, 0]

const times = ([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix => [
  a * g + c * h,
  b * g + d * h,
  a * i + c * j,
  b * i + d * j,
  a * k + c * l + e,
  b * k + d * l + f,
]

/** What the `transform` of an element does, after what is done around it. */
export function movedBy(around: Matrix, element: SvgElement): Matrix {
  let matrix = around
  for (const [, name, list] of (element.attributes.get('transform') ?? '').matchAll(/([a-zA-Z]+)\s*\(([^)]*)\)/g)) {
    const [a = 0, b, c, d = 0, e = 0, f = 0] = numbersOf(list!)
    if (name === 'translate') matrix = times(matrix, [1, 0, 0, 1, a, b ?? 0])
    else if (name === 'scale') matrix = times(matrix, [a, 0, 0, b ?? a, 0, 0])
    else if (name === 'matrix') matrix = times(matrix, [a, b ?? 0, c ?? 0, d, e, f])
    else if (name === 'rotate') {
      const [sin, cos] = [Math.sin((a * Math.PI) / 180), Math.cos((a * Math.PI) / 180)]
      const [x, y] = [b ?? 0, c ?? 0]
      matrix = times(times(times(matrix, [1, 0, 0, 1, x, y]), [cos, sin, -sin, cos, 0, 0]), [1, 0, 0, 1, -x, -y])
    }
  }
  return matrix
}

export function numbersOf(text: string): number[] {
  return (text.match(/[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/g) ?? []).map(Number)
}

/** What is only referred to draws nothing by itself. */
const NOT_DRAWN = new Set(['defs', 'title', 'desc', 'clipPath', 'mask', 'linearGradient', 'radialGradient', 'style'])

/** The room that an element takes, a little more rather than less; null: it draws nothing. @param around what moves it from outside */
export function boxOf(element: SvgElement, around: Matrix): Box | null {
  if (NOT_DRAWN.has(element.name)) return null
  const matrix = movedBy(around, element)
  const boxes = element.children.flatMap(child => boxOf(child, matrix) ?? [])
  const own = ownBox(element)
  if (own) boxes.push(cornersOf(own, matrix))
  return union(boxes)
}

export function union(boxes: readonly Box[]): Box | null {
  if (boxes.length === 0) return null
  const x = Math.min(...boxes.map(box => box.x))
  const y = Math.min(...boxes.map(box => box.y))
  return {
    x,
    y,
    w: Math.max(...boxes.map(box => box.x + box.w)) - x,
    h: Math.max(...boxes.map(box => box.y + box.h)) - y,
  }
}

function cornersOf({ x, y, w, h }: Box, [a, b, c, d, e, f]: Matrix): Box {
  const points = [
    [x, y],
    [x + w, y],
    [x, y + h],
    [x + w, y + h],
  ] as const
  const xs = points.map(([px, py]) => a * px + c * py + e)
  const ys = points.map(([px, py]) => b * px + d * py + f)
  const [left, top] = [Math.min(...xs), Math.min(...ys)]
  return { x: left, y: top, w: Math.max(...xs) - left, h: Math.max(...ys) - top }
}

function ownBox({ name, attributes, text }: SvgElement): Box | null {
  const n = (key: string, usual = 0) => Number.parseFloat(attributes.get(key) ?? '') || usual
  switch (name) {
    case 'rect':
    case 'image':
    case 'foreignObject':
    case 'use':
      return { x: n('x'), y: n('y'), w: n('width'), h: n('height') }
    case 'circle':
      return { x: n('cx') - n('r'), y: n('cy') - n('r'), w: 2 * n('r'), h: 2 * n('r') }
    case 'ellipse':
      return { x: n('cx') - n('rx'), y: n('cy') - n('ry'), w: 2 * n('rx'), h: 2 * n('ry') }
    case 'line':
      return around([
        [n('x1'), n('y1')],
        [n('x2'), n('y2')],
      ])
    case 'polyline':
    case 'polygon': {
      const list = numbersOf(attributes.get('points') ?? '')
      return around(list.flatMap((x, i) => (i % 2 === 0 && i + 1 < list.length ? [[x, list[i + 1]!] as const] : [])))
    }
    case 'path':
      return around(pointsOfPath(attributes.get('d') ?? ''))
    case 'text': {
      const size = n('font-size', 16)
      const w = [...text.trim()].reduce((sum, letter) => sum + size * (letter.charCodeAt(0) > 0x2e80 ? 1 : 0.62), 0)
      const anchor = attributes.get('text-anchor')
      return {
        x: n('x') - (anchor === 'middle' ? w / 2 : anchor === 'end' ? w : 0),
        y: n('y') - size,
        w,
        h: size * 1.3,
      }
    }
    default:
      return null
  }
}

function around(points: readonly (readonly [number, number])[]): Box | null {
  return union(points.map(([x, y]) => ({ x, y, w: 0, h: 0 })))
}

/** Points that a path stays between: its ends and what its curves are pulled by. */
function pointsOfPath(d: string): [number, number][] {
  const points: [number, number][] = []
  let [x, y] = [0, 0]
  let begin: [number, number] = [0, 0]
  for (const [, command, list] of d.matchAll(/([a-zA-Z])([^a-zA-Z]*(?:[eE][-+]?\d+[^a-zA-Z]*)*)/g)) {
    const numbers = numbersOf(list!)
    const upper = command!.toUpperCase()
    const isRelative = command !== upper
    const go = (nx: number, ny: number) => {
      x = nx
      y = ny
      points.push([x, y])
    }
    const at = (i: number): [number, number] => [
      (isRelative ? x : 0) + (numbers[i] ?? 0),
      (isRelative ? y : 0) + (numbers[i + 1] ?? 0),
    ]
    if (upper === 'Z') [x, y] = begin
    else if (upper === 'H') for (const n of numbers) go((isRelative ? x : 0) + n, y)
    else if (upper === 'V') for (const n of numbers) go(x, (isRelative ? y : 0) + n)
    else if (upper === 'A')
      for (let i = 0; i + 6 < numbers.length; i += 7) {
        const [ex, ey] = at(i + 5)
        // A large arc can reach a whole diameter beyond its ends, a small one no more than its radius.
        const [rx, ry] = [numbers[i]!, numbers[i + 1]!].map(r => Math.abs(r) * (numbers[i + 3] === 1 ? 2 : 0.5)) as [
          number,
          number,
        ]
        for (const [px, py] of [
          [x, y],
          [ex, ey],
        ] as const)
          points.push([px - rx, py - ry], [px + rx, py + ry])
        go(ex, ey)
      }
    else {
      const step = ({ C: 6, S: 4, Q: 4 } as Record<string, number>)[upper] ?? 2
      for (let i = 0; i + step - 1 < numbers.length; i += step) {
        for (let k = 0; k < step - 2; k += 2) points.push(at(i + k))
        go(...at(i + step - 2))
        if (upper === 'M' && i === 0) begin = [x, y]
      }
    }
  }
  return points
}
