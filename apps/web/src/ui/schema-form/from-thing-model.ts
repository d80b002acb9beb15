import type { DataType, Param, Property } from '@thingwright/thing-model/model'
import type { Field } from './field.ts'

export interface NamingOptions {
  english: boolean
}

/** A thing's name in the shown language. */
export function nameOf(thing: { name: string; ename?: string; identifier: string }, english: boolean): string {
  return (english ? thing.ename || thing.name : thing.name) || thing.identifier
}

/** The words of a truth value, where the model gives them. */
export function boolWords(type: Extract<DataType, { type: 'bool' }>, english: boolean): { on?: string; off?: string } {
  const on = english ? type.trueEtext || type.trueText : type.trueText
  const off = english ? type.falseEtext || type.falseText : type.falseText
  return { ...(on ? { on } : {}), ...(off ? { off } : {}) }
}

/** A form field for a value of a thing-model type. `secret` and other widgets choose a control of their own. */
export function fieldOfType(
  base: { key: string; label: string; required?: boolean; help?: string; unit?: string; widget?: string },
  type: DataType,
  naming: NamingOptions,
): Field {
  const { unit, widget, ...rest } = base
  switch (type.type) {
    case 'bool': {
      const { on, off } = boolWords(type, naming.english)
      return { ...rest, kind: 'bool', ...(on ? { trueText: on } : {}), ...(off ? { falseText: off } : {}) }
    }
    case 'int32':
    case 'float':
    case 'double': {
      const whole = type.type === 'int32'
      return {
        ...rest,
        kind: 'number',
        ...(whole ? { integer: true } : {}),
        ...bounds(type.min ?? (whole ? -2147483648 : undefined), type.max ?? (whole ? 2147483647 : undefined)),
        ...(type.step === undefined ? {} : { step: type.step }),
        ...(unit ? { unit } : {}),
      }
    }
    case 'int64':
      return { ...rest, kind: 'int64', ...bounds(type.min, type.max), ...(unit ? { unit } : {}) }
    case 'string':
      if (widget === 'color') return { ...rest, kind: 'color' }
      return {
        ...rest,
        kind: 'string',
        maxLength: type.maxLength ?? 10_240,
        ...((type.maxLength ?? 0) > 200 ? { rows: 3 } : {}),
      }
    case 'enum':
      return {
        ...rest,
        kind: 'enum',
        options: type.items.map(item => ({
          value: item.value,
          label: (naming.english ? item.ename || item.name : item.name) || String(item.value),
        })),
        ...(type.items.length <= 4 ? { display: 'segmented' as const } : {}),
      }
    case 'date':
      return { ...rest, kind: 'date' }
    case 'geo':
      return { ...rest, kind: 'geo', altitude: true }
    case 'struct':
      return { ...rest, kind: 'object', fields: fieldsOfParams(type.fields, naming) }
    case 'array':
      return {
        ...rest,
        kind: 'array',
        element: fieldOfType({ key: 'element', label: '' }, type.element, naming),
        maxItems: type.maxItems ?? 512,
      }
    case 'file':
      return { ...rest, kind: 'file', maxLength: 2048 }
    case 'json':
      return { ...rest, kind: 'json' }
    case 'bytes':
      return { ...rest, kind: 'bytes', maxLength: type.maxLength ?? 8192 }
    case 'password':
      return { ...rest, kind: 'string', secret: true, keepSpaces: true, maxLength: type.maxLength ?? 256 }
    case 'duration':
      return { ...rest, kind: 'number', integer: true, min: 0, max: 8.64e15, unit: 'ms' }
    case 'colour':
      return { ...rest, kind: 'color' }
  }
}

function bounds<T>(min: T | undefined, max: T | undefined): { min?: T; max?: T } {
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
}

/** Form fields for the parameters of a service or an event. */
export function fieldsOfParams(params: readonly Param[], naming: NamingOptions): Field[] {
  return params.map(param =>
    fieldOfType(
      {
        key: param.identifier,
        label: nameOf(param, naming.english),
        ...(param.required ? { required: true } : {}),
        ...(param.description ? { help: param.description } : {}),
        ...(param.unit ? { unit: param.unit } : {}),
      },
      param.dataType,
      naming,
    ),
  )
}

/** A form field for setting a property. */
export function fieldOfProperty(property: Property, naming: NamingOptions): Field {
  return fieldOfType(
    {
      key: property.identifier,
      label: nameOf(property, naming.english),
      ...(property.description ? { help: property.description } : {}),
      ...(property.unit ? { unit: property.unit } : {}),
      ...(property.widget ? { widget: property.widget } : {}),
    },
    property.dataType,
    naming,
  )
}
