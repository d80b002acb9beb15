import { emptyScene, type Scene, type SceneRole } from '../scene.ts'
import { bind, type Draft, formula, of, quoted, writes } from './draft.ts'

/** A property of a product as far as a page shows it. */
export interface ShownProperty {
  identifier: string
  name: string
  kind: 'number' | 'bool' | 'enum' | 'text'
  unit?: string
  min?: number
  max?: number
  step?: number
  /** Of an enum. */
  items?: readonly { value: number | string; name: string }[]
  /** Devices take it. */
  writable: boolean
}

const ROLE = 'device'
const MOST_CARDS = 8
const MOST_STATES = 8
const MOST_CONTROLS = 6
const MOST_CHARTS = 2
/** Names that can stand in an expression; what is called otherwise is shown as it comes. */
const IN_FORMULA = /^[\p{L}_][\p{L}\p{N}_]{0,31}$/u

/**
 * A first page for the devices of a product: its figures with their bars, states, curves of a day, what can be set, and
 * alarms. A visitor chooses the device.
 * @param draft says the words and takes the title
 * @param devices ids; the first is shown until another is chosen
 */
export function pageOfProduct(
  draft: Draft,
  product: { id: string; name: string; properties: readonly ShownProperty[] },
  devices: readonly string[],
): Scene {
  const { properties } = product
  const numbers = properties.filter(({ kind }) => kind === 'number')
  const figures = numbers.slice(0, MOST_CARDS)
  const states = properties.filter(({ kind }) => kind !== 'number').slice(0, MOST_STATES)
  const controls = properties
    .filter(({ writable, kind, items = [] }) => writable && kind !== 'text' && (kind !== 'enum' || items.length <= 5))
    .slice(0, MOST_CONTROLS)
  const charts = figures.filter(({ writable }) => !writable).slice(0, MOST_CHARTS)
  draft.head(product.name, ROLE, devices.length > 1)
  const columns = Math.min(4, Math.max(1, figures.length))
  const width = (1368 - (columns - 1) * 16) / columns
  for (const [i, each] of figures.entries()) {
    const [x, y] = [32 + (i % columns) * (width + 16), 100 + Math.floor(i / columns) * 216]
    const { min, max } = each
    const digits = Number.isInteger(each.step ?? 0.1) ? 0 : 1
    if (min === undefined || max === undefined)
      draft.add('stat', x, y, width, 200, {
        name: each.name,
        props: { label: each.name, unit: each.unit ?? '', digits, fill: '#eceef2' },
        bind: [bind('value', of(ROLE, each.identifier))],
      })
    else draft.card(x, y, width, 200, each.name, each.unit ?? '', of(ROLE, each.identifier), { min, max }, digits)
  }
  let y = 100 + Math.ceil(figures.length / columns) * 216
  if (states.length > 0) {
    const rows = Math.ceil(states.length / 4)
    draft.panel(32, y, 1368, 56 + rows * 44, draft.say('states'))
    for (const [i, each] of states.entries()) state(draft, each, 56 + (i % 4) * 336, y + 50 + Math.floor(i / 4) * 44)
    y += 72 + rows * 44
  }
  for (const [i, each] of charts.entries()) {
    const w = (1368 - (charts.length - 1) * 16) / charts.length
    draft.chart(32 + i * (w + 16), y, w, 1048 - y, each.name, each.unit ?? '', of(ROLE, each.identifier))
  }
  let right = 100
  if (controls.length > 0) {
    const h = 64 + controls.length * 56
    draft.panel(1424, right, 464, h, draft.say('control'))
    for (const [i, each] of controls.entries()) control(draft, each, 1448, right + 60 + i * 56)
    right += h + 16
  }
  draft.alarms(1424, right, 464, 1048 - right)
  const role: SceneRole = {
    key: ROLE,
    name: product.name,
    productId: product.id,
    deviceId: devices[0] ?? null,
    choices: devices.length > 1 ? [...devices] : [],
  }
  return { ...emptyScene('canvas'), roles: [role], nodes: draft.nodes }
}

function state(draft: Draft, { identifier, name, kind, items = [] }: ShownProperty, x: number, y: number): void {
  if (kind === 'bool') {
    const props = {
      onText: `${name}  ${draft.say('on')}`,
      offText: `${name}  ${draft.say('off')}`,
      onColour: '#1b4396',
    }
    draft.add('state', x, y, 320, 36, { name, props, bind: [bind('value', of(ROLE, identifier))] })
    return
  }
  draft.text(x, y, 150, name, 18, { ink: '#575f6b' })
  const named = items.reduceRight(
    (rest, item) => `${ROLE}.${identifier} == ${literal(item.value)} ? ${quoted(item.name)} : ${rest}`,
    `${ROLE}.${identifier}`,
  )
  const text =
    kind === 'enum' && IN_FORMULA.test(identifier) && named.length <= 500 ? formula(named) : of(ROLE, identifier)
  draft.add('text', x + 150, y, 170, 32, {
    name,
    props: { size: 20, bold: true, ink: '#1b4396' },
    bind: [bind('value', text)],
  })
}

const literal = (value: number | string) => (typeof value === 'number' ? String(value) : quoted(value))

function control(draft: Draft, each: ShownProperty, x: number, y: number): void {
  const { identifier, name, kind, min, max, step = 1, unit = '', items = [] } = each
  if (kind === 'bool') draft.toggle(x, y, 416, name, ROLE, identifier)
  else if (kind === 'enum')
    draft.choose(x, y, 416, name, ROLE, identifier, items.map(item => `${item.value}=${item.name}`).join('\n'))
  else if (min !== undefined && max !== undefined)
    draft.slide(x, y, 416, name, ROLE, identifier, [min, max, step], unit)
  else
    draft.text(x, y, 130, name).add('input', x + 130, y - 6, 286, 44, {
      name,
      props: { unit, form: 'number' },
      bind: [bind('value', of(ROLE, identifier))],
      events: writes(ROLE, identifier),
    })
}
