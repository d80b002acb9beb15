import type { Scalar } from '../scene.ts'
import { type ElementKind, lookOf } from './element.ts'
import { EQUIPMENT } from './equipment.ts'
import type { Shape } from './shape.ts'
import { SYMBOLS } from './symbols.ts'
import { WIDGETS } from './widgets.ts'

/** Elements of one group are moved together; it draws nothing itself. */
const GROUP: ElementKind = { kind: 'group', group: 'basic', name: ['group'], w: 100, h: 100, props: [], main: '' }

/** Every kind of element, in the order in which the palette shows them. */
export const ELEMENT_KINDS: readonly ElementKind[] = [...WIDGETS, ...EQUIPMENT, ...SYMBOLS]

const BY_KIND = new Map([GROUP, ...ELEMENT_KINDS].map(each => [each.kind, each]))

export const kindOf = (kind: string): ElementKind | undefined => BY_KIND.get(kind)

/** The picture of an element with these properties; empty for what is shown otherwise and for kinds that are not known. */
export function drawn(kind: string, props: Readonly<Record<string, Scalar>>, w: number, h: number): readonly Shape[] {
  const found = BY_KIND.get(kind)
  return found?.draw?.(lookOf(found, props, w, h)) ?? []
}
