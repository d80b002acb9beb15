/** What an element is drawn of: a small tree that any renderer can show. Attributes are those of SVG. */
export interface Shape {
  t: 'rect' | 'path' | 'circle' | 'ellipse' | 'line' | 'polygon' | 'polyline' | 'text' | 'tspan' | 'g'
  a: Readonly<Record<string, string | number>>
  c?: readonly Shape[]
  text?: string
  /** What moves when the element moves: round its middle, or along its line. */
  move?: 'spin' | 'flow'
}

type Attributes = Readonly<Record<string, string | number>>

export const rect = (x: number, y: number, w: number, h: number, a: Attributes = {}): Shape => ({
  t: 'rect',
  a: { x, y, width: Math.max(0, w), height: Math.max(0, h), ...a },
})
export const circle = (cx: number, cy: number, r: number, a: Attributes = {}): Shape => ({
  t: 'circle',
  a: { cx, cy, r: Math.max(0, r), ...a },
})
export const ellipse = (cx: number, cy: number, rx: number, ry: number, a: Attributes = {}): Shape => ({
  t: 'ellipse',
  a: { cx, cy, rx: Math.max(0, rx), ry: Math.max(0, ry), ...a },
})
export const line = (x1: number, y1: number, x2: number, y2: number, a: Attributes = {}): Shape => ({
  t: 'line',
  a: { x1, y1, x2, y2, ...a },
})
export const path = (d: string, a: Attributes = {}): Shape => ({ t: 'path', a: { d, ...a } })
export const polygon = (points: readonly (readonly [number, number])[], a: Attributes = {}): Shape => ({
  t: 'polygon',
  a: { points: points.map(([x, y]) => `${round(x)},${round(y)}`).join(' '), ...a },
})
export const words = (x: number, y: number, text: string, size: number, a: Attributes = {}): Shape => ({
  t: 'text',
  a: { x, y, 'font-size': round(size), 'dominant-baseline': 'central', ...a },
  text,
})
/** A line of several texts one behind the other, each with its own look. @param parts text and attributes; `dx` keeps a distance */
export const phrase = (
  x: number,
  y: number,
  parts: readonly (readonly [text: string, a: Attributes])[],
  a: Attributes = {},
): Shape => ({
  t: 'text',
  a: { x, y, 'dominant-baseline': 'central', ...a },
  c: parts.filter(([text]) => text !== '').map(([text, of]) => ({ t: 'tspan', a: of, text })),
})
export const group = (c: readonly Shape[], a: Attributes = {}, move?: Shape['move']): Shape => ({
  t: 'g',
  a,
  c,
  ...(move ? { move } : {}),
})

export const round = (n: number) => Math.round(n * 100) / 100

/** A point on a circle; degrees, 0 at the top, clockwise. */
export function onCircle(cx: number, cy: number, r: number, degrees: number): [number, number] {
  const angle = ((degrees - 90) * Math.PI) / 180
  return [round(cx + r * Math.cos(angle)), round(cy + r * Math.sin(angle))]
}

/** An arc from one angle to another, clockwise. */
export function arc(cx: number, cy: number, r: number, from: number, to: number): string {
  const [x1, y1] = onCircle(cx, cy, r, from)
  const [x2, y2] = onCircle(cx, cy, r, Math.min(to, from + 359.99))
  return `M${x1} ${y1}A${round(r)} ${round(r)} 0 ${to - from > 180 ? 1 : 0} 1 ${x2} ${y2}`
}

/** Colours of a set of symbols. */
export interface Palette {
  body: string
  shade: string
  edge: string
  on: string
  off: string
  fluid: string
  /** Letters on equipment. */
  mark: string
  /** Texts beside it, and what belongs to them: names, units. */
  ink: string
  note: string
  value: string
  /** Texts on what is filled with a value's colour. */
  onValue: string
  /** A value out of its limits. */
  out: string
}

/** Grey equipment after ISA-101: colour says only what is abnormal. */
const GREY: Palette = {
  body: '#eceef2',
  shade: '#c5cad1',
  edge: '#6b7480',
  on: '#f7f8fa',
  off: '#868e98',
  fluid: '#a9bbda',
  mark: '#1d2129',
  ink: '#1d2129',
  note: '#575f6b',
  value: '#1b4396',
  onValue: '#ffffff',
  out: '#b82a10',
}
const COLOUR: Palette = {
  body: '#dbe9fb',
  shade: '#9dc1ee',
  edge: '#2f5f9e',
  on: '#00a870',
  off: '#b3bac4',
  fluid: '#4c9be8',
  mark: '#10233d',
  ink: '#10233d',
  note: '#575f6b',
  value: '#0b5ed7',
  onValue: '#ffffff',
  out: '#b82a10',
}
/** Grey equipment on a dark page. */
const DARK: Palette = {
  body: '#39434f',
  shade: '#4d5866',
  edge: '#76828f',
  on: '#e6ebf2',
  off: '#8b95a1',
  fluid: '#2f5687',
  mark: '#1d2129',
  ink: '#eef2f7',
  note: '#b4bdc9',
  value: '#8ab8ff',
  onValue: '#1d2129',
  out: '#ff8d75',
}

export const paletteOf = (style: unknown): Palette => (style === 'dark' ? DARK : style === 'colour' ? COLOUR : GREY)

/** Levels of alarms 0 to 5. */
export const LEVEL_COLOURS = ['', '#1677ff', '#13a8a8', '#d48806', '#fa541c', '#cf1322'] as const
