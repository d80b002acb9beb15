/** Version of the document that this program writes. Older ones are raised step by step (migrate.ts). */
export const SCENE_VERSION = 1

/** free canvas; cells of a grid; a map below the elements; one column for a phone */
export const SCENE_KINDS = ['canvas', 'grid', 'map', 'phone'] as const
export type SceneKind = (typeof SCENE_KINDS)[number]

/** How a page fills its window: whole, by its width, by its height, stretched, as large as it was drawn. */
export const FIT_MODES = ['whole', 'width', 'height', 'stretch', 'original'] as const
export type FitMode = (typeof FIT_MODES)[number]

export const MAX_NODES = 2_000
export const MAX_ROLES = 50
export const MAX_BINDINGS = 20
/** Devices that a visitor can choose between for one role. */
export const MAX_CHOICES = 200
export const MAX_SIZE = 10_000
export const MAX_TEXT = 4_000
/** Longest drawing that is kept in a node, in characters. */
export const MAX_DRAWING = 100_000
/** Longest document, in characters of its JSON. */
export const MAX_SCENE_LENGTH = 1_000_000

/** A role of people that nobody has: what is for it alone is shown to no visitor. */
export const NOBODY = '00000000-0000-0000-0000-000000000000'

export type Scalar = string | number | boolean | null

/** What a device is to the page: elements bind to the role, so another device can stand in for it. */
export interface SceneRole {
  key: string
  name: string
  productId: string | null
  /** The device that takes the role; null: none yet. */
  deviceId: string | null
  /** Devices that a visitor can choose instead. */
  choices: string[]
}

export const AGGREGATES = ['avg', 'min', 'max', 'sum', 'delta'] as const
export type Aggregate = (typeof AGGREGATES)[number]
export const SPANS = ['hour', 'today', 'day', 'week', 'month'] as const
export type Span = (typeof SPANS)[number]

/** Where a value comes from. */
export type Source =
  | { from: 'property'; role: string; point: string }
  | { from: 'expression'; text: string }
  | { from: 'aggregate'; role: string; point: string; fn: Aggregate; span: Span }
  | { from: 'alarm'; role: string }
  | { from: 'online'; role: string }
  | { from: 'api'; url: string; path: string; seconds: number }
  | { from: 'constant'; value: Scalar }
export const SOURCES = ['property', 'expression', 'aggregate', 'alarm', 'online', 'api', 'constant'] as const

/** What becomes of a value before it is shown. */
export type Mapping =
  | { kind: 'ranges'; items: { min: number | null; max: number | null; value: Scalar }[]; otherwise: Scalar }
  | { kind: 'scale'; from: [number, number]; to: [number, number] }
  | { kind: 'bit'; bit: number }

export interface Binding {
  /** The property of the element that takes the value. */
  prop: string
  source: Source
  map?: Mapping
}

export const OPERATORS = ['true', 'false', 'eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'between'] as const
export type Operator = (typeof OPERATORS)[number]
export const EFFECTS = ['show', 'hide', 'blink', 'colour', 'spin', 'spin_back', 'move', 'flow', 'grey'] as const
export type EffectKind = (typeof EFFECTS)[number]

/** Something that an element does while a value is so. */
export interface Effect {
  effect: EffectKind
  source: Source
  when: Operator
  value?: Scalar
  /** Upper end of `between`. */
  to?: number
  colour?: string
  /** Pixels of `move`. */
  dx?: number
  dy?: number
}

export const EVENTS = ['click', 'dblclick', 'down', 'up', 'enter', 'leave', 'change', 'load'] as const
export type EventName = (typeof EVENTS)[number]
export const DEEDS = ['set', 'toggle', 'add', 'page', 'url', 'dialog', 'device', 'close'] as const
export type DeedKind = (typeof DEEDS)[number]

/** What happens when somebody does something with an element. `set`, `toggle` and `add` write to a device. */
export interface SceneEvent {
  on: EventName
  do: DeedKind
  role?: string
  point?: string
  /** What is written; absent: what the element was set to. */
  value?: Scalar
  min?: number
  max?: number
  /** Asked before. */
  confirm?: string
  /** Suffix of another page, an address, or a node that is shown as a dialog. */
  page?: string
  url?: string
  node?: string
  newTab?: boolean
}

export interface SceneNode {
  id: string
  kind: string
  name: string
  x: number
  y: number
  w: number
  h: number
  /** Degrees, clockwise. */
  r: number
  props: Record<string, Scalar>
  bind: Binding[]
  effects: Effect[]
  events: SceneEvent[]
  locked: boolean
  hidden: boolean
  /** The group that it is part of. */
  group: string | null
  /** Roles of people who see it, and who can work it; empty: everybody who sees the page. */
  show: string[]
  operate: string[]
}

export interface Guide {
  axis: 'x' | 'y'
  at: number
}

/** A cloud page as a document. Elements are drawn in their order: the last one lies on top. */
export interface Scene {
  v: number
  kind: SceneKind
  width: number
  height: number
  background: string
  fit: FitMode
  grid: { size: number; snap: boolean; shown: boolean }
  guides: Guide[]
  roles: SceneRole[]
  /** Hosts whose pages, pictures and videos may be shown. */
  hosts: string[]
  nodes: SceneNode[]
}

const SIZES: Record<SceneKind, [number, number]> = {
  canvas: [1920, 1080],
  grid: [1920, 1080],
  map: [1920, 1080],
  phone: [390, 844],
}

/** A new page: nothing is on it, or a map that fills it. */
export function emptyScene(kind: SceneKind): Scene {
  const [width, height] = SIZES[kind]
  return {
    v: SCENE_VERSION,
    kind,
    width,
    height,
    background: '#dde1e6',
    fit: kind === 'phone' ? 'width' : 'whole',
    grid: { size: kind === 'grid' ? 80 : 10, snap: true, shown: kind === 'grid' },
    guides: [],
    roles: [],
    hosts: [],
    nodes: kind === 'map' ? [newNode('map', 'map', { w: width, h: height, locked: true })] : [],
  }
}

/** An element of a kind with nothing bound to it. */
export function newNode(id: string, kind: string, over: Partial<SceneNode> = {}): SceneNode {
  return {
    id,
    kind,
    name: '',
    x: 0,
    y: 0,
    w: 100,
    h: 100,
    r: 0,
    props: {},
    bind: [],
    effects: [],
    events: [],
    locked: false,
    hidden: false,
    group: null,
    show: [],
    operate: [],
    ...over,
  }
}
