import {
  type Expression,
  evaluate,
  numberOf,
  parseExpression,
  partOfValue,
  pointsOf,
  propertyOf,
  same,
  scalarOf,
  truthOf,
} from './expression.ts'
import { mapDevices } from './map-devices.ts'
import type { Binding, Effect, Mapping, Scalar, Scene, SceneNode, Source } from './scene.ts'

/** A value as a page gets it: when it was measured (epoch ms), and how much it can be trusted. */
export interface PageValue {
  v: unknown
  ts: number
  q: 'good' | 'uncertain' | 'bad'
}

/** What the values of a page are asked for by: its role and point, never the device behind them. */
export type Signal =
  | { kind: 'property'; role: string; point: string }
  | { kind: 'aggregate'; role: string; point: string; fn: string; span: string }
  | { kind: 'alarm' | 'online' | 'place'; role: string }
  | { kind: 'api'; url: string; path: string; seconds: number }

export function signalKey(signal: Signal): string {
  switch (signal.kind) {
    case 'property':
      return `${signal.role}.${signal.point}`
    case 'aggregate':
      return `${signal.role}.${signal.point}@${signal.fn}:${signal.span}`
    case 'alarm':
    case 'online':
    case 'place':
      return `${signal.role}!${signal.kind}`
    case 'api':
      return `api:${signal.url}#${signal.path}`
  }
}

const parsed = new Map<string, Expression | null>()
const KEPT = 2_000

/** The expression, or null when it cannot be read. Texts are read once. */
export function readExpression(text: string): Expression | null {
  let found = parsed.get(text)
  if (found === undefined) {
    try {
      found = parseExpression(text)
    } catch {
      found = null
    }
    if (parsed.size >= KEPT) parsed.clear()
    parsed.set(text, found)
  }
  return found
}

/** The signals that a source asks for. */
export function signalsOf(source: Source): Signal[] {
  switch (source.from) {
    case 'property':
      return [{ kind: 'property', role: source.role, point: propertyOf(source.point) }]
    case 'aggregate':
      return [{ kind: 'aggregate', role: source.role, point: source.point, fn: source.fn, span: source.span }]
    case 'alarm':
    case 'online':
      return [{ kind: source.from, role: source.role }]
    case 'api':
      return [{ kind: 'api', url: source.url, path: source.path, seconds: source.seconds }]
    case 'expression': {
      const expression = readExpression(source.text)
      return expression
        ? pointsOf(expression).map(({ role, point }) => ({ kind: 'property', role, point: propertyOf(point) }))
        : []
    }
    case 'constant':
      return []
  }
}

const sourcesOf = (node: SceneNode): Source[] => [
  ...node.bind.map(({ source }) => source),
  ...node.effects.map(({ source }) => source),
]

/** Every signal of an element by its key; also what its switch shows of the value that it writes. */
export function nodeSignals(node: SceneNode): Map<string, Signal> {
  const found = new Map<string, Signal>()
  const add = (signal: Signal) => found.set(signalKey(signal), signal)
  for (const source of sourcesOf(node)) for (const signal of signalsOf(source)) add(signal)
  for (const { do: deed, role, point } of node.events)
    if ((deed === 'toggle' || deed === 'add') && role && point) add({ kind: 'property', role, point })
  return found
}

/** Every signal of a page by its key. */
export function sceneSignals(scene: Scene): Map<string, Signal> {
  const found = new Map<string, Signal>()
  const add = (signal: Signal) => found.set(signalKey(signal), signal)
  for (const node of scene.nodes) {
    for (const [key, signal] of nodeSignals(node)) found.set(key, signal)
    if (node.kind !== 'map') continue
    for (const { role, values } of mapDevices(scene, node)) {
      for (const kind of ['place', 'alarm', 'online'] as const) add({ kind, role })
      for (const { point } of values) add({ kind: 'property', role, point })
    }
  }
  return found
}

export type LookUp = (key: string) => PageValue | undefined

/** What a point of a role is now: a property, or a part of one (`pos.lat`); undefined while it is not known. */
export function pointValue(look: LookUp, role: string, point: string): unknown {
  return partOfValue(look(signalKey({ kind: 'property', role, point: propertyOf(point) }))?.v, point)
}

/** The value of a source; null while it is not known. */
export function sourceValue(source: Source, look: LookUp): Scalar {
  if (source.from === 'constant') return source.value
  if (source.from === 'expression') {
    const expression = readExpression(source.text)
    return expression ? evaluate(expression, (role, point) => pointValue(look, role, point)) : null
  }
  if (source.from === 'property') return scalarOf(pointValue(look, source.role, source.point))
  const [signal] = signalsOf(source)
  return signal ? scalarOf(look(signalKey(signal))?.v) : null
}

export function mapped(value: Scalar, map: Mapping | undefined): Scalar {
  if (!map || value === null) return value
  const n = numberOf(value)
  switch (map.kind) {
    case 'bit':
      return n === null ? null : Math.floor(Math.abs(n) / 2 ** map.bit) % 2
    case 'scale': {
      if (n === null) return null
      const [a, b] = map.from
      const [c, d] = map.to
      return a === b ? c : c + ((n - a) * (d - c)) / (b - a)
    }
    case 'ranges': {
      if (n === null) return map.otherwise
      const item = map.items.find(({ min, max }) => (min === null || n >= min) && (max === null || n < max))
      return item ? item.value : map.otherwise
    }
  }
}

export function bound(binding: Binding, look: LookUp): Scalar {
  return mapped(sourceValue(binding.source, look), binding.map)
}

/** Whether an effect is on. A value that is not known turns nothing on. */
export function isOn({ source, when, value = null, to }: Effect, look: LookUp): boolean {
  const now = sourceValue(source, look)
  if (now === null) return false
  if (when === 'true') return truthOf(now)
  if (when === 'false') return !truthOf(now)
  if (when === 'eq') return same(now, value)
  if (when === 'ne') return !same(now, value)
  const n = numberOf(now)
  const limit = numberOf(value)
  if (n === null || limit === null) return false
  switch (when) {
    case 'gt':
      return n > limit
    case 'gte':
      return n >= limit
    case 'lt':
      return n < limit
    case 'lte':
      return n <= limit
    case 'between':
      return n >= limit && n <= (to ?? limit)
  }
}

/** Values older than this are shown as old, ms. */
export const STALE_MS = 60_000

/** An element as it is shown with these values. */
export interface ShownNode {
  props: Record<string, Scalar>
  visible: boolean
  blink: boolean
  spin: -1 | 0 | 1
  flow: boolean
  grey: boolean
  colour: string | null
  dx: number
  dy: number
}

export function shownNode(node: SceneNode, look: LookUp): ShownNode {
  const shown: ShownNode = {
    props: node.props,
    visible: !node.hidden,
    blink: false,
    spin: 0,
    flow: false,
    grey: false,
    colour: null,
    dx: 0,
    dy: 0,
  }
  if (node.bind.length > 0) {
    shown.props = { ...node.props }
    for (const binding of node.bind) shown.props[binding.prop] = bound(binding, look)
  }
  // A rule that says when an element is shown also says when it is hidden.
  if (node.effects.some(({ effect }) => effect === 'show')) shown.visible = false
  for (const effect of node.effects) {
    if (!isOn(effect, look)) continue
    switch (effect.effect) {
      case 'show':
        shown.visible = true
        break
      case 'hide':
        shown.visible = false
        break
      case 'blink':
        shown.blink = true
        break
      case 'colour':
        shown.colour = effect.colour ?? null
        break
      case 'spin':
        shown.spin = 1
        break
      case 'spin_back':
        shown.spin = -1
        break
      case 'move':
        shown.dx += effect.dx ?? 0
        shown.dy += effect.dy ?? 0
        break
      case 'flow':
        shown.flow = true
        break
      case 'grey':
        shown.grey = true
        break
    }
  }
  return shown
}
