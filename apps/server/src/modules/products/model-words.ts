import {
  type DataType,
  emptyModel,
  type Param,
  type Property,
  parseModel,
  type ThingModel,
} from '@thingwright/thing-model'
import type { Locale } from '../../lib/context.ts'
import { fill } from '../../lib/tools/thing-kit.ts'
import words from './model-words.json' with { type: 'json' }

/** How people call the parts of a thing model, and how they say and read its values. */

interface Named {
  identifier: string
  name: string
  ename?: string
}

/** The name in the reader's language. */
export function nameOf(part: Named, locale: Locale): string {
  return locale === 'en' ? part.ename || part.name : part.name
}

/** The model out of an answer of the API; an empty one for what cannot be read. */
export function modelOf(value: unknown): ThingModel {
  const parsed = parseModel(value)
  return parsed.ok ? parsed.model : emptyModel()
}

const plain = (text: string) => text.toLowerCase().replaceAll(/[\s_\-.]+/g, '')

/**
 * The parts that a text names: whole names alone when there are any, else those that hold the text or are held by it.
 * Spaces, underscores and capital letters make no difference.
 */
export function partsNamed<P extends Named>(parts: readonly P[], text: string): P[] {
  const wanted = plain(text)
  if (wanted === '') return []
  const names = (part: P) => [part.identifier, part.name, part.ename ?? ''].map(plain).filter(name => name !== '')
  const whole = parts.filter(part => names(part).includes(wanted))
  if (whole.length > 0) return whole
  const near = parts.filter(part => names(part).some(name => name.includes(wanted)))
  if (near.length > 0) return near
  return parts.filter(part => names(part).some(name => name.length > 1 && wanted.includes(name)))
}

/** A value as people read it: the word of a state, a number with its unit. Of data: quote it in markdown. */
export function valueText(part: Pick<Param, 'dataType' | 'unit' | 'decimals'>, value: unknown, locale: Locale): string {
  if (value === null || value === undefined) return '—'
  const { dataType, unit, decimals } = part
  switch (dataType.type) {
    case 'bool': {
      const [on, off] = words.bool[locale] as [string, string]
      const { trueText, falseText, trueEtext, falseEtext } = dataType
      const chosen = value ? [trueEtext, trueText, on] : [falseEtext, falseText, off]
      return (locale === 'en' ? chosen : chosen.slice(1)).find(text => text) ?? String(value)
    }
    case 'enum': {
      const item = dataType.items.find(each => String(each.value) === String(value))
      return item ? (locale === 'en' ? item.ename || item.name : item.name) : String(value)
    }
    case 'password':
      return '******'
    default: {
      const text =
        typeof value === 'number'
          ? numberText(value, decimals)
          : typeof value === 'string'
            ? value
            : JSON.stringify(value)
      return unit && typeof value !== 'object' ? `${text} ${unit}` : text
    }
  }
}

/** A number without the noise of binary fractions. */
export function numberText(value: number, decimals?: number): string {
  return String(Number(decimals === undefined ? value.toPrecision(10) : value.toFixed(Math.min(decimals, 20))))
}

/** Whether values of the type can be drawn, compared and averaged. */
export function isNumber(dataType: DataType): boolean {
  return ['int32', 'int64', 'float', 'double'].includes(dataType.type)
}

const ON = new RegExp(words.on, 'iu')
const OFF = new RegExp(words.off, 'iu')
const NUMBER = new RegExp(words.units, 'iu')

/** What a person said, as the type's value; undefined: it cannot be one. The model's own check comes behind it. */
export function readValue(part: Pick<Param, 'dataType' | 'unit'>, said: unknown): unknown {
  const { dataType } = part
  if (typeof said !== 'string') return said
  const text = said.trim()
  switch (dataType.type) {
    case 'bool': {
      const own = (given: (string | undefined)[]) => given.some(word => word && plain(word) === plain(text))
      if (own([dataType.trueText, dataType.trueEtext])) return true
      if (own([dataType.falseText, dataType.falseEtext])) return false
      return ON.test(text) ? true : OFF.test(text) ? false : undefined
    }
    case 'enum': {
      const item = dataType.items.find(({ value, name, ename }) =>
        [String(value), name, ename ?? ''].some(word => plain(word) === plain(text)),
      )
      return item?.value
    }
    case 'int32':
    case 'float':
    case 'double':
    case 'duration':
      return numberIn(text)
    case 'int64': {
      const number = numberIn(text)
      return number === undefined || Number.isSafeInteger(number) ? number : /^[+-]?\d+$/.exec(text)?.[0]
    }
    case 'date': {
      const at = /^\d+$/.test(text) ? Number(text) : Date.parse(text)
      return Number.isNaN(at) ? undefined : at
    }
    case 'struct':
    case 'array':
    case 'geo':
    case 'json':
      try {
        return JSON.parse(text) as unknown
      } catch {
        return undefined
      }
    default:
      return text
  }
}

/** `22`, `22.5 ℃`, `-3%`; undefined for anything else. */
function numberIn(text: string): number | undefined {
  const [, digits, unit = ''] = NUMBER.exec(text) ?? []
  return digits === undefined || /\d/.test(unit) || unit.length > 16 ? undefined : Number(digits)
}

/** What a value of the type is, in words: `0–100 的数字`, `on or off`. */
export function typeText(dataType: DataType, locale: Locale): string {
  const items = dataType.type === 'enum' ? dataType.items.map(item => (locale === 'en' && item.ename) || item.name) : []
  const text = fill(words.types[dataType.type][locale], { items: items.slice(0, 20).join(' / ') })
  if (!isNumber(dataType)) return text
  const { min, max } = dataType as { min?: number; max?: number }
  return min === undefined && max === undefined ? text : `${text} ${min ?? '−∞'}…${max ?? '+∞'}`
}

/** Properties that somebody may set. */
export function settable(model: ThingModel): Property[] {
  return model.properties.filter(({ access }) => access !== 'r')
}
