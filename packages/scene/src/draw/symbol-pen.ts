import type { Look } from './element.ts'
import { circle, ellipse, group, line, onCircle, path, polygon, rect, type Shape, words } from './shape.ts'

type Pair = readonly [number, number]

/** What a symbol is drawn with: places are shares of its size, 0 to 1. */
export interface Pen {
  box(x: number, y: number, w: number, h: number, radius?: number): Shape
  dot(x: number, y: number, r: number): Shape
  oval(x: number, y: number, rx: number, ry: number): Shape
  /** Filled and edged. */
  shape(...points: Pair[]): Shape
  line(...points: Pair[]): Shape
  curve(d: (x: (share: number) => number, y: (share: number) => number) => string, filled?: boolean): Shape
  letter(x: number, y: number, text: string, size?: number): Shape
  turning(...shapes: Shape[]): Shape
  on: boolean
}

/** A pen in the colours and the size of one element. */
export function penOf(look: Look): Pen {
  const { w, h, p } = look
  const on = look.is('on')
  const fill = on ? p.on : p.off
  const edge = { stroke: p.edge, 'stroke-width': 2, 'stroke-linejoin': 'round' }
  const X = (x: number) => x * w
  const Y = (y: number) => y * h
  const size = Math.min(w, h)
  return {
    on,
    box: (x, y, bw, bh, radius = 0) => rect(X(x), Y(y), X(bw), Y(bh), { fill, ...edge, rx: radius * size }),
    dot: (x, y, r) => circle(X(x), Y(y), r * size, { fill, ...edge }),
    oval: (x, y, rx, ry) => ellipse(X(x), Y(y), X(rx), Y(ry), { fill, ...edge }),
    shape: (...points) =>
      polygon(
        points.map(([x, y]) => [X(x), Y(y)] as const),
        { fill, ...edge },
      ),
    line: (...points) =>
      path(points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${X(x)} ${Y(y)}`).join(''), { fill: 'none', ...edge }),
    curve: (d, filled = false) => path(d(X, Y), { fill: filled ? fill : 'none', ...edge }),
    letter: (x, y, text, letter = 0.32) =>
      words(X(x), Y(y), text, letter * size, { 'text-anchor': 'middle', fill: p.mark, 'font-weight': 700 }),
    turning: (...shapes) => group(shapes, {}, 'spin'),
  }
}

/** Blades around a centre, which turn. */
export const blades = (pen: Pen, x: number, y: number, r: number, count: number, w: number, h: number): Shape => {
  const size = Math.min(w, h)
  return pen.turning(
    ...Array.from({ length: count }, (_, i) => {
      const [ex, ey] = onCircle(x * w, y * h, r * size, (360 / count) * i)
      return line(x * w, y * h, ex, ey, {
        stroke: '#575f6b',
        'stroke-width': Math.max(2, size * 0.06),
        'stroke-linecap': 'round',
      })
    }),
  )
}

type Draw = (pen: Pen, look: Look) => Shape[]
/** A symbol: its kind, its width and height in a new page, and how it is drawn. */
export type SymbolRow = readonly [kind: string, w: number, h: number, draw: Draw]
