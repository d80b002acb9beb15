import { colour, type Look, number, shownNumber, text } from './element.ts'

// What several widgets have and show in the same way.

export const DIGITS = number('digits', 1)
export const UNIT = text('unit')
export const LABEL = text('label')
export const INK = colour('ink', '#1d2129')
export const FILL = colour('fill', '#ffffff')
export const EDGE = [colour('stroke', '#6b7480'), number('thickness', 2)] as const
export const LIMITS = [number('low', null), number('high', null)] as const

export const middle = { 'text-anchor': 'middle' }
export const bold = { 'font-weight': 700 }
export const drawnEdge = (look: Look) => ({ stroke: look.text('stroke'), 'stroke-width': look.number('thickness', 2) })
export const shown = (look: Look) => shownNumber(look.value(), look.number('digits', 1))

/** Out of the limits that were set. */
export function isOut(look: Look): boolean {
  const value = look.value()
  const low = look.value('low')
  const high = look.value('high')
  return value !== null && ((low !== null && value < low) || (high !== null && value > high))
}
export const valueInk = (look: Look) => (isOut(look) ? look.p.out : look.p.value)
