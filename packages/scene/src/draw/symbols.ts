import { BUILDINGS } from './buildings.ts'
import { ELECTRIC } from './electric.ts'
import { type ElementGroup, type ElementKind, type ElementProp, flag, STYLE } from './element.ts'
import { FARM } from './farm.ts'
import { MACHINES } from './machines.ts'
import { penOf, type SymbolRow } from './symbol-pen.ts'

const ON: ElementProp = flag('on', true)

const kindsOf = (group: ElementGroup, rows: readonly SymbolRow[]): ElementKind[] =>
  rows.map(([kind, w, h, draw]) => ({
    kind,
    group,
    name: [kind],
    w,
    h,
    props: [ON, STYLE],
    draw: look => draw(penOf(look), look),
    main: 'on',
  }))

/** Machines, electrical symbols, buildings and what is on a farm: each a few strokes of one pen. */
export const SYMBOLS: readonly ElementKind[] = [
  ...kindsOf('machines', MACHINES),
  ...kindsOf('electric', ELECTRIC),
  ...kindsOf('buildings', BUILDINGS),
  ...kindsOf('farm', FARM),
]
