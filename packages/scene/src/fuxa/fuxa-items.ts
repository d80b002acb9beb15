import type { Binding, Effect, SceneEvent, Source } from '../scene.ts'
import { type FuxaItem, type FuxaProject, meant, numberIn } from './fuxa-project.ts'

/** Why something of a project is not on the page, or not as it was. */
export const LEFT_REASONS = [
  'script',
  'kind',
  'event',
  'action',
  'window',
  'address',
  'picture',
  'curve',
  'colour',
  'roles',
  'tag',
  'drawing',
  'view',
  'alarm',
  'report',
  'notification',
  'graph',
  'many',
] as const
export type LeftReason = (typeof LEFT_REASONS)[number]

/** What of an item becomes part of an element. */
export interface Converted {
  /** Without it the item stays a drawing that does what its values ask for. */
  kind?: string
  props: Record<string, string | number | boolean | null>
  bind: Binding[]
  effects: Effect[]
  events: SceneEvent[]
}

export interface ItemSurroundings {
  project: FuxaProject
  /** The source of a tag; null where the project does not have it. */
  source(tag: string): Extract<Source, { from: 'property' }> | null
  /** The address of the page that a view becomes. */
  pageOf(viewId: string): string | null
  /** The words that are written in the drawing of the item. */
  written: string
  left(reason: LeftReason, what?: string): void
}

const OURS: Readonly<Record<string, string>> = {
  'svg-ext-value': 'number',
  'svg-ext-html_input': 'input',
  'svg-ext-html_button': 'button',
  'svg-ext-html_select': 'select',
  'svg-ext-html_switch': 'switch',
  'svg-ext-html_slider': 'slider',
  'svg-ext-gauge_progress': 'level',
  'svg-ext-gauge_semaphore': 'ellipse',
  'svg-ext-html_bag': 'gauge',
  'svg-ext-html_chart': 'chart',
}
/** Elements that show something from elsewhere: where from is said by hand, and that it may. */
const FROM_ELSEWHERE = ['svg-ext-own_ctrl-iframe', 'svg-ext-own_ctrl-image', 'svg-ext-own_ctrl-video']
/** Elements that have no equal here. */
const NONE = ['svg-ext-html_graph', 'svg-ext-own_ctrl-scheduler', 'svg-ext-own_ctrl-table', 'svg-ext-own_ctrl-panel']

const ON: Readonly<Record<string, SceneEvent['on']>> = {
  click: 'click',
  dblclick: 'dblclick',
  mousedown: 'down',
  mouseup: 'up',
  mouseover: 'enter',
  mouseout: 'leave',
  enter: 'change',
  select: 'change',
  onLoad: 'load',
}
const DOES: Readonly<Record<string, Effect['effect']>> = {
  hide: 'hide',
  show: 'show',
  blink: 'blink',
  clockwise: 'spin',
  anticlockwise: 'spin_back',
}

/** @returns null for what is shown by nothing here */
export function convertItem(item: FuxaItem, around: ItemSurroundings): Converted | null {
  if (NONE.some(type => item.type.startsWith(type))) {
    around.left('kind', item.type)
    return null
  }
  if (FROM_ELSEWHERE.some(type => item.type.startsWith(type))) {
    around.left('address', item.type)
    return null
  }
  if (item.restricted) around.left('roles')
  const kind = OURS[item.type]
  const source = item.tag === '' ? null : around.source(item.tag)
  if (item.tag !== '' && !source) around.left('tag', item.tag)
  const made: Converted = {
    ...(kind ? { kind } : {}),
    props: {},
    bind: [],
    effects: effectsOf(item, around),
    events: eventsOf(item, source, around),
  }
  const map = item.bit === null ? {} : { map: { kind: 'bit', bit: item.bit } as const }
  if (source && kind && kind !== 'chart' && kind !== 'ellipse' && kind !== 'button')
    made.bind.push({ prop: 'value', source, ...map })
  rangesOf(item, source, made, around)
  if (kind === 'button') made.props.label = (item.text || around.written || item.name).trim()
  if (kind === 'chart') chartOf(item, made, around)
  if (kind === 'gauge' || kind === 'slider') {
    made.props.min = numberIn(item.options.minValue) ?? numberIn(item.options.min) ?? 0
    made.props.max = numberIn(item.options.maxValue) ?? numberIn(item.options.max) ?? 100
  }
  if (kind === 'input') made.props.form = item.options.type === 'text' ? 'text' : 'number'
  const isSet = kind === 'input' || kind === 'select' || kind === 'switch' || kind === 'slider'
  if (isSet && source && made.events.every(({ do: deed }) => deed !== 'set'))
    made.events.push({ on: 'change', do: 'set', role: source.role, point: source.point })
  return made
}

function rangesOf(
  item: FuxaItem,
  source: Extract<Source, { from: 'property' }> | null,
  made: Converted,
  around: ItemSurroundings,
): void {
  const unit = item.ranges.find(({ type }) => type === 'unit')
  if (made.kind === 'number') {
    made.props.unit = unit?.text.trim() ?? ''
    made.props.digits = numberIn(item.options.decimals) ?? 1
    made.props.form = 'inline'
  }
  if (made.kind === 'select')
    made.props.options = item.ranges
      .filter(({ type }) => type === 'step')
      .map(({ min, text }) => `${min ?? ''}=${text}`)
      .join('\n')
  const ends = item.ranges.find(({ type }) => type === 'minmax')
  if (made.kind === 'level') {
    made.props.min = ends?.min ?? 0
    made.props.max = ends?.max ?? 100
  }
  const coloured = item.ranges.filter(({ type, color }) => type === 'range' && colourOf(color) !== null)
  if (!source || coloured.length === 0) return
  if (made.kind === 'ellipse') {
    const items = coloured.map(({ min, max, color }) => ({ min, max: justAbove(max), value: colourOf(color) }))
    made.bind.push({ prop: 'fill', source, map: { kind: 'ranges', items, otherwise: '#a9b0ba' } })
    return
  }
  if (made.kind) return
  // A drawing that was brought along keeps its colours: what the value says stands around it.
  around.left('colour')
  for (const { min, max, color } of coloured)
    made.effects.push({ effect: 'colour', source, ...within(min, max), colour: colourOf(color)! })
}

/** Ranges of a project count their upper end in; those of a page end before it. */
const justAbove = (max: number | null) => (max === null ? null : max + 1e-6)

function within(min: number | null, max: number | null): Pick<Effect, 'when' | 'value' | 'to'> {
  if (min === null) return max === null ? { when: 'true' } : { when: 'lte', value: max }
  if (max === null) return { when: 'gte', value: min }
  return { when: 'between', value: min, to: max }
}

function effectsOf(item: FuxaItem, around: ItemSurroundings): Effect[] {
  return item.actions.flatMap(({ type, tag, min, max }): Effect[] => {
    // What stops when nothing else is on needs no saying here.
    if (type === 'stop') return []
    const effect = DOES[type]
    if (!effect) {
      around.left('action', type)
      return []
    }
    const source = around.source(tag || item.tag)
    if (!source) {
      around.left('tag', tag || item.tag)
      return []
    }
    return [{ effect, source, ...within(min, max) }]
  })
}

function eventsOf(
  item: FuxaItem,
  own: Extract<Source, { from: 'property' }> | null,
  around: ItemSurroundings,
): SceneEvent[] {
  return item.events.flatMap(({ on: name, action, param, options }): SceneEvent[] => {
    const on = ON[name]
    if (action === 'onRunScript') {
      around.left('script', param)
      return []
    }
    if (!on) {
      around.left('event', name)
      return []
    }
    switch (action) {
      case 'onpage':
      case 'onwindow':
      case 'ondialog':
      case 'oncard':
      case 'onOpenTab': {
        const page = around.pageOf(param)
        if (!page) {
          around.left('view', param)
          return []
        }
        if (action === 'onpage') return [{ on, do: 'page', page }]
        around.left('window', action)
        return [{ on, do: 'page', page, newTab: true }]
      }
      case 'onSetValue':
      case 'onToggleValue': {
        const tag = typeof options.variableId === 'string' && options.variableId !== '' ? options.variableId : null
        const source = tag === null ? own : around.source(tag)
        if (!source) {
          around.left('tag', tag ?? item.tag)
          return []
        }
        const to = { role: source.role, point: source.point }
        if (action === 'onToggleValue') return [{ on, do: 'toggle', ...to }]
        const step = numberIn(param)
        if (options.function === 'add' || options.function === 'remove')
          return step === null ? [] : [{ on, do: 'add', ...to, value: options.function === 'add' ? step : -step }]
        return [{ on, do: 'set', ...to, value: meant(param) }]
      }
      case 'onclose':
        return [{ on, do: 'close' }]
      default:
        around.left('event', action)
        return []
    }
  })
}

function chartOf(item: FuxaItem, made: Converted, around: ItemSurroundings): void {
  const chart = around.project.charts.get(item.chart)
  made.props.label = item.name || chart?.name || ''
  for (const { tag, device, name } of chart?.lines ?? []) {
    const source = around.source(`${device}^~^${tag}`) ?? around.source(tag)
    if (!source) around.left('tag', tag)
    else if (made.bind.length > 0) around.left('curve', name)
    else made.bind.push({ prop: 'value', source })
  }
}

/** A colour as a page may have it; null where there is none or it is written another way. */
export function colourOf(text: string): string | null {
  return /^#[0-9a-fA-F]{3,8}$/.test(text) ? text : null
}
