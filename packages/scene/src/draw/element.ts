import { numberOf, truthOf } from '../expression.ts'
import type { Scalar } from '../scene.ts'
import { type Palette, paletteOf, type Shape } from './shape.ts'

export type PropType = 'text' | 'long' | 'number' | 'boolean' | 'colour' | 'choice' | 'address' | 'drawing'

/** One thing about an element that people set or bind. */
export interface ElementProp {
  key: string
  type: PropType
  /** What a new element has. */
  value: Scalar
  /** Words of `choice`. */
  choices?: readonly string[]
}

/** What a draw function is given: the properties as they are shown, and the size in pixels. */
export interface Look {
  w: number
  h: number
  p: Palette
  text(key: string): string
  number(key: string, otherwise?: number): number
  /** null: no value came yet. */
  value(key?: string): number | null
  is(key: string): boolean
  raw(key: string): Scalar
}

export const ELEMENT_GROUPS = [
  'basic',
  'text',
  'meters',
  'charts',
  'controls',
  'media',
  'tanks',
  'pumps',
  'valves',
  'pipes',
  'machines',
  'instruments',
  'electric',
  'buildings',
  'farm',
] as const
export type ElementGroup = (typeof ELEMENT_GROUPS)[number]

/** A kind of element. `draw` makes a picture of it; `view` names the part of the renderer that shows it otherwise. */
export interface ElementKind {
  kind: string
  group: ElementGroup
  /** Keys of its name in names.json, put together: `valve_ball` and `by_motor`. */
  name: readonly string[]
  w: number
  h: number
  props: readonly ElementProp[]
  draw?: (look: Look) => Shape[]
  view?: string
  /** The property that a drop of a value of a device binds first. */
  main: string
  /** Keeps its proportions when it is resized. */
  square?: boolean
}

export function lookOf(kind: ElementKind, props: Readonly<Record<string, Scalar>>, w: number, h: number): Look {
  const usual = new Map(kind.props.map(({ key, value }) => [key, value]))
  const raw = (key: string): Scalar => (Object.hasOwn(props, key) ? props[key]! : (usual.get(key) ?? null))
  return {
    w,
    h,
    p: paletteOf(raw('style')),
    raw,
    text: key => String(raw(key) ?? ''),
    number: (key, otherwise = 0) => numberOf(raw(key)) ?? otherwise,
    value: (key = 'value') => numberOf(raw(key)),
    is: key => truthOf(raw(key)),
  }
}

export const text = (key: string, value = ''): ElementProp => ({ key, type: 'text', value })
export const number = (key: string, value: number | null): ElementProp => ({ key, type: 'number', value })
export const flag = (key: string, value = false): ElementProp => ({ key, type: 'boolean', value })
export const colour = (key: string, value: string): ElementProp => ({ key, type: 'colour', value })
export const choice = (key: string, value: string, choices: readonly string[]): ElementProp => ({
  key,
  type: 'choice',
  value,
  choices,
})
export const address = (key: string, value = ''): ElementProp => ({ key, type: 'address', value })

export const STYLE = choice('style', 'grey', ['grey', 'colour', 'dark'])
export const VALUE = number('value', null)
export const RANGE: readonly ElementProp[] = [number('min', 0), number('max', 100)]

/** How much of its range a value is, 0 to 1; 0 while there is none. */
export function share(look: Look, key = 'value'): number {
  const value = look.value(key)
  const min = look.number('min')
  const max = look.number('max', 100)
  return value === null || max === min ? 0 : Math.min(1, Math.max(0, (value - min) / (max - min)))
}

/** A number as it is shown; a dash while there is none. */
export function shownNumber(value: number | null, digits: number): string {
  if (value === null) return '–'
  const [whole = '', rest] = value.toFixed(Math.min(10, Math.max(0, Math.trunc(digits)))).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009')
  return rest === undefined ? grouped : `${grouped}.${rest}`
}
