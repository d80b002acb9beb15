import type { DataType, Param, Property } from '@thingwright/thing-model/model'
import { formatDateTime, formatDuration, formatNumber } from '../../../lib/format.ts'
import { boolWords } from '../../../ui/schema-form/from-thing-model.ts'

export interface ValueWords {
  /** What stands large on the card. */
  text: string
  unit?: string
}

export interface ValueOptions {
  english: boolean
  /** Words for truth values whose model has none. */
  yes: string
  no: string
}

/** A value as it is read: numbers with their decimals and unit, names of levels, words of truth values. */
export function valueWords(
  property: Pick<Property, 'dataType' | 'unit' | 'decimals'>,
  value: unknown,
  options: ValueOptions,
): ValueWords {
  if (value === undefined || value === null) return { text: '–' }
  const { dataType, unit, decimals } = property
  switch (dataType.type) {
    case 'bool': {
      const words = boolWords(dataType, options.english)
      return { text: value === true ? (words.on ?? options.yes) : (words.off ?? options.no) }
    }
    case 'int32':
    case 'float':
    case 'double':
    case 'int64':
      return {
        text:
          typeof value === 'number' || typeof value === 'string'
            ? formatNumber(value, decimals === undefined ? {} : { decimals })
            : JSON.stringify(value),
        ...(unit ? { unit } : {}),
      }
    case 'enum':
      return { text: levelName(dataType, value, options.english) }
    case 'date':
      return { text: typeof value === 'number' ? formatDateTime(value) : String(value) }
    case 'geo':
      return { text: placeText(value) }
    case 'duration':
      return { text: typeof value === 'number' ? formatDuration(value) : String(value) }
    case 'password':
      return { text: '••••••' }
    case 'string':
    case 'file':
    case 'colour':
    case 'bytes':
      return { text: String(value) }
    case 'struct':
      return { text: structText(dataType.fields, value, options) }
    case 'array':
      return { text: listText(dataType.element, property, value, options) }
    default:
      return { text: JSON.stringify(value) }
  }
}

/** Fields with their names, in the order of the thing model; those that are not there are left out. */
function structText(fields: readonly Param[], value: unknown, options: ValueOptions): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const given = value as Record<string, unknown>
  const parts = fields
    .filter(field => given[field.identifier] !== undefined)
    .map(field => {
      const { text, unit } = valueWords(field, given[field.identifier], options)
      const name = (options.english && field.ename) || field.name
      return `${name} ${text || '–'}${unit ? ` ${unit}` : ''}`
    })
  return parts.join(' · ') || '–'
}

function listText(
  element: DataType,
  { unit, decimals }: Pick<Property, 'unit' | 'decimals'>,
  value: unknown,
  options: ValueOptions,
): string {
  if (!Array.isArray(value)) return JSON.stringify(value)
  const item = { dataType: element, ...(decimals === undefined ? {} : { decimals }) }
  const list = value.map(each => valueWords(item, each, options).text).join(', ')
  return list ? `${list}${unit ? ` ${unit}` : ''}` : '–'
}

/** The name of a level; a value that is none of them stands for itself. */
export function levelName(type: Extract<DataType, { type: 'enum' }>, value: unknown, english: boolean): string {
  const item = type.items.find(each => each.value === value)
  return item ? (english ? item.ename || item.name : item.name) || String(item.value) : String(value)
}

function placeText(value: unknown): string {
  const { lng, lat } = (value ?? {}) as { lng?: unknown; lat?: unknown }
  return typeof lng === 'number' && typeof lat === 'number'
    ? `${lng.toFixed(5)}, ${lat.toFixed(5)}`
    : JSON.stringify(value)
}
