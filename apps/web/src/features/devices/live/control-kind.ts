import type { Property } from '@thingwright/thing-model/model'

/**
 * How a property is set on its card. `form` opens a form beside the page: for types that need more than one control,
 * and for write-only properties, which have no value to start from. `none`: it can only be read.
 */
export type ControlKind = 'none' | 'switch' | 'slider' | 'number' | 'levels' | 'select' | 'text' | 'color' | 'form'

/** More levels than this do not fit on a card, nor do longer words: about what 208 px hold, in letters. */
const MAX_LEVELS = 4
const MAX_LETTERS = 29
/** What a level takes beside its word, in letters. */
const ROUND_A_WORD = 3

/** The control of a property by its access, type and what its model asks for. */
export function controlOf(property: Property): ControlKind {
  const { access, dataType, widget } = property
  if (access === 'r') return 'none'
  if (access === 'w') return 'form'
  switch (dataType.type) {
    case 'bool':
      return 'switch'
    case 'int32':
    case 'float':
    case 'double': {
      const bounded = dataType.min !== undefined && dataType.max !== undefined && dataType.max > dataType.min
      if (!bounded) return 'number'
      return widget === 'number' ? 'number' : 'slider'
    }
    case 'enum':
      return widget !== 'select' && fitsOnCard(dataType.items) ? 'levels' : 'select'
    case 'colour':
      return 'color'
    case 'string':
      return widget === 'color' ? 'color' : 'text'
    default:
      return 'form'
  }
}

/** Whether the levels stand side by side on a card in either language. */
function fitsOnCard(items: readonly { value: string | number; name?: string; ename?: string }[]): boolean {
  const letters = (wordOf: (item: (typeof items)[number]) => string) =>
    items.reduce((sum, item) => sum + widthOf(wordOf(item)) + ROUND_A_WORD, 0)
  return (
    items.length <= MAX_LEVELS &&
    letters(item => item.name || String(item.value)) <= MAX_LETTERS &&
    letters(item => item.ename || item.name || String(item.value)) <= MAX_LETTERS
  )
}

/** In letters of our own script; what lies beyond (Chinese above all) is twice as wide. */
function widthOf(word: string): number {
  return [...word].reduce((sum, letter) => sum + (letter > '\u1100' ? 2 : 1), 0)
}

/** Step of a slider or of the arrow keys: the model's, else a hundredth of the range in a round figure, else 1. */
export function stepOf(property: Property): number {
  const { dataType } = property
  if (dataType.type !== 'int32' && dataType.type !== 'float' && dataType.type !== 'double') return 1
  if (dataType.step !== undefined && dataType.step > 0) return dataType.step
  if (dataType.type === 'int32') return 1
  if (dataType.min === undefined || dataType.max === undefined || dataType.max <= dataType.min) return 1
  return 10 ** Math.floor(Math.log10((dataType.max - dataType.min) / 100))
}

/** Whether values of the property can be drawn as a curve. */
export function isChartable(property: Property): boolean {
  const { dataType } = property
  if (property.access === 'w' || property.history === false) return false
  switch (dataType.type) {
    case 'bool':
    case 'int32':
    case 'float':
    case 'double':
      return true
    case 'int64':
    case 'duration':
      return true
    case 'enum':
      return dataType.items.every(item => typeof item.value === 'number')
    default:
      return false
  }
}

/** Drawn as steps: the value holds until the next one. */
export function isStepped(property: Property): boolean {
  return property.dataType.type === 'bool' || property.dataType.type === 'enum'
}
