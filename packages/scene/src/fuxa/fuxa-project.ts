import type { Scalar } from '../scene.ts'

/** What is read of a FUXA project: everything else in the file is passed over. */
export interface FuxaProject {
  views: FuxaView[]
  tags: ReadonlyMap<string, FuxaTag>
  devices: string[]
  charts: ReadonlyMap<string, { name: string; lines: { tag: string; device: string; name: string }[] }>
  scripts: string[]
  /** Names of reports, alarms and the like, which have no place on a page. */
  parts: { what: 'alarm' | 'report' | 'notification' | 'graph'; name: string }[]
}

export interface FuxaTag {
  device: string
  id: string
  name: string
  type: string
}

export interface FuxaView {
  id: string
  name: string
  /** `svg`, `cards`, `maps`. */
  kind: string
  width: number
  height: number
  background: string
  items: ReadonlyMap<string, FuxaItem>
  svg: string
  /** Scripts that run when it is opened or closed. */
  scripts: string[]
}

export interface FuxaItem {
  id: string
  type: string
  name: string
  hidden: boolean
  tag: string
  bit: number | null
  text: string
  ranges: FuxaRange[]
  actions: { type: string; tag: string; min: number | null; max: number | null }[]
  events: { on: string; action: string; param: string; options: Fields }[]
  options: Fields
  /** What a chart shows. */
  chart: string
  /** Somebody has to have a role to see or work it. */
  restricted: boolean
}

export interface FuxaRange {
  type: string
  min: number | null
  max: number | null
  text: string
  color: string
}

export type Fields = Record<string, unknown>

export const isFields = (input: unknown): input is Fields =>
  typeof input === 'object' && input !== null && !Array.isArray(input)
const fieldsOf = (input: unknown): Fields => (isFields(input) ? input : {})
const listOf = (input: unknown): Fields[] => (Array.isArray(input) ? input.filter(isFields) : [])
const textOf = (input: unknown): string =>
  typeof input === 'string' ? input : typeof input === 'number' || typeof input === 'boolean' ? String(input) : ''

/** A number that may be written as a text; null: there is none. */
export function numberIn(input: unknown): number | null {
  if (typeof input === 'string' && input.trim() === '') return null
  if (typeof input !== 'string' && typeof input !== 'number') return null
  const n = Number(input)
  return Number.isFinite(n) ? n : null
}

/** A value to write, as it is meant: `255` is a number, `true` a truth value. */
export function meant(text: string): Scalar {
  if (text === 'true') return true
  if (text === 'false') return false
  return numberIn(text) ?? text
}

/** Whether a file is a FUXA project rather than a page. */
export function isFuxaProject(input: unknown): boolean {
  return isFields(input) && isFields(input.hmi) && (Array.isArray(input.hmi.views) || isFields(input.devices))
}

const MOST_VIEWS = 200

export function readFuxa(input: unknown): FuxaProject {
  const project = fieldsOf(input)
  const hmi = fieldsOf(project.hmi)
  const tags = new Map<string, FuxaTag>()
  const devices: string[] = []
  for (const device of Object.values(fieldsOf(project.devices)).filter(isFields)) {
    const name = textOf(device.name)
    devices.push(name)
    for (const [key, tag] of Object.entries(fieldsOf(device.tags))) {
      const found = fieldsOf(tag)
      const id = textOf(found.id) || key
      const read = { device: name, id, name: textOf(found.name) || id, type: textOf(found.type) }
      // Earlier projects name a tag with its device, later ones by an id of its own.
      tags.set(`${name}^~^${id}`, read)
      if (!tags.has(id)) tags.set(id, read)
    }
  }
  return {
    views: listOf(hmi.views).slice(0, MOST_VIEWS).map(viewOf),
    tags,
    devices,
    charts: new Map(
      listOf(project.charts).map(chart => [
        textOf(chart.id),
        {
          name: textOf(chart.name),
          lines: listOf(chart.lines).map(line => ({
            tag: textOf(line.id),
            device: textOf(line.device),
            name: textOf(line.label) || textOf(line.name),
          })),
        },
      ]),
    ),
    scripts: listOf(project.scripts).map(script => textOf(script.name) || textOf(script.id)),
    parts: (
      [
        ['alarm', project.alarms],
        ['report', project.reports],
        ['notification', project.notifications],
        ['graph', project.graphs],
      ] as const
    ).flatMap(([what, list]) => listOf(list).map(each => ({ what, name: textOf(each.name) || textOf(each.id) }))),
  }
}

function viewOf(view: Fields): FuxaView {
  const profile = fieldsOf(view.profile)
  const items = Object.entries(fieldsOf(view.items)).map(([id, item]) => itemOf(id, fieldsOf(item)))
  return {
    id: textOf(view.id),
    name: textOf(view.name),
    kind: textOf(view.type).replace(/^editor\.view-/, '') || 'svg',
    width: numberIn(profile.width) ?? 1024,
    height: numberIn(profile.height) ?? 768,
    background: textOf(profile.bkcolor),
    items: new Map(items.map(item => [item.id, item])),
    svg: textOf(view.svgcontent),
    scripts: listOf(fieldsOf(view.property).events)
      .filter(({ action }) => action === 'onRunScript')
      .map(({ actparam }) => textOf(actparam)),
  }
}

function itemOf(key: string, item: Fields): FuxaItem {
  const property = fieldsOf(item.property)
  const roles = fieldsOf(property.permissionRoles)
  const mask = numberIn(property.bitmask)
  return {
    id: textOf(item.id) || key,
    type: textOf(item.type),
    name: textOf(item.name),
    hidden: item.hide === true,
    tag: textOf(property.variableId),
    // A mask of one bit asks for that bit.
    bit: mask !== null && mask > 0 && Number.isInteger(Math.log2(mask)) ? Math.log2(mask) : null,
    text: textOf(property.text),
    ranges: listOf(property.ranges).map(({ type, min, max, text, color }) => ({
      ...{ type: textOf(type), text: textOf(text), color: textOf(color) },
      ...{ min: numberIn(min), max: numberIn(max) },
    })),
    actions: listOf(property.actions).map(({ type, variableId, range }) => ({
      type: textOf(type).replace(/^shapes\.action-/, ''),
      tag: textOf(variableId),
      min: numberIn(fieldsOf(range).min),
      max: numberIn(fieldsOf(range).max),
    })),
    events: listOf(property.events).map(({ type, action, actparam, actoptions }) => ({
      on: textOf(type),
      action: textOf(action),
      param: textOf(actparam),
      options: fieldsOf(actoptions),
    })),
    options: fieldsOf(property.options),
    chart: textOf(property.id),
    restricted:
      (numberIn(property.permission) ?? 0) > 0 ||
      [roles.show, roles.enabled].some(list => Array.isArray(list) && list.length > 0),
  }
}
