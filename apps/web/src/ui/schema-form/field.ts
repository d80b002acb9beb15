import type { ReactNode } from 'react'

/** A form's values by field key. */
export type Values = Record<string, unknown>

interface FieldBase {
  key: string
  label: string
  /** Under the field: what it is for, what it takes. */
  help?: ReactNode
  required?: boolean
  placeholder?: string
  disabled?: boolean
  /** Shown only while this holds; hidden fields are neither checked nor given back. */
  visible?: (values: Values) => boolean
  /** Half the width; two of them stand side by side. */
  half?: boolean
  /** A third of the width. */
  third?: boolean
  /** What is sent when a value is taken away: null unless the API wants an empty text. */
  cleared?: '' | null
  /** A rule of one's own: returns the words of the complaint, or null. */
  check?: (value: unknown, values: Values) => string | null
}

export interface StringField extends FieldBase {
  kind: 'string'
  minLength?: number
  maxLength?: number
  pattern?: RegExp
  /** What the pattern asks for, in words. */
  patternText?: string
  /** Rows of a text area. */
  rows?: number
  mono?: boolean
  /** Masked while it is typed. */
  secret?: boolean
  /** Outer spaces count (secrets); otherwise they are cut off. */
  keepSpaces?: boolean
}

export interface NumberField extends FieldBase {
  kind: 'number'
  integer?: boolean
  min?: number
  max?: number
  step?: number
  unit?: string
}

/** Whole numbers of 64 bits: typed and kept as text beyond 2^53. */
export interface Int64Field extends FieldBase {
  kind: 'int64'
  min?: number | string
  max?: number | string
  unit?: string
}

export interface EnumOption {
  value: string | number
  label: string
  help?: string
}

export interface EnumField extends FieldBase {
  kind: 'enum'
  options: readonly EnumOption[]
  /** `cards` shows the help of each option. */
  display?: 'select' | 'segmented' | 'cards'
  onSearch?: (text: string) => void
  loading?: boolean
}

export interface BoolField extends FieldBase {
  kind: 'bool'
  trueText?: string
  falseText?: string
}

export interface DateField extends FieldBase {
  /** Epoch milliseconds. */
  kind: 'date'
}

export interface GeoField extends FieldBase {
  /** WGS 84 `{lng, lat}`, degrees; with `altitude` also `alt`, metres; with `address` a text. */
  kind: 'geo'
  altitude?: boolean
  address?: boolean
}

export interface ColorField extends FieldBase {
  /** `#rrggbb` */
  kind: 'color'
}

export interface JsonField extends FieldBase {
  kind: 'json'
  rows?: number
}

export interface BytesField extends FieldBase {
  /** Hex, two digits each. */
  kind: 'bytes'
  /** In bytes. */
  maxLength?: number
}

export interface FileField extends FieldBase {
  /** An http(s) address or a path of this installation. */
  kind: 'file'
  maxLength?: number
}

export interface TagsField extends FieldBase {
  kind: 'tags'
  maxItems?: number
  maxLength?: number
  suggestions?: readonly string[]
}

export interface DurationField extends FieldBase {
  /** Whole seconds, shown in the largest unit that fits. */
  kind: 'duration'
  min?: number
  max?: number
}

export interface ObjectField extends FieldBase {
  kind: 'object'
  fields: readonly Field[]
}

export interface ArrayField extends FieldBase {
  kind: 'array'
  /** Its key and label are not used. */
  element: Field
  maxItems?: number
  /** Value of a new element. */
  fresh?: () => unknown
}

export interface CustomInput {
  id: string
  value: unknown
  onChange: (value: unknown) => void
  onBlur: () => void
  disabled: boolean
  invalid: boolean
}

export interface CustomField extends FieldBase {
  kind: 'custom'
  render: (input: CustomInput) => ReactNode
}

export type Field =
  | StringField
  | NumberField
  | Int64Field
  | EnumField
  | BoolField
  | DateField
  | GeoField
  | ColorField
  | JsonField
  | BytesField
  | FileField
  | TagsField
  | DurationField
  | ObjectField
  | ArrayField
  | CustomField

/** A typed text that is not (yet) a value of its kind, such as `1.2.3` in a number: kept, so that it can be corrected. */
export class Unreadable {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Path of a field or of an element below another one, as the server names it: `location.lng`, `items[2].name`. */
export function below(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`
  return path === '' ? key : `${path}.${key}`
}

/** The fields now to be seen. */
export function visibleFields(fields: readonly Field[], values: Values): readonly Field[] {
  return fields.filter(field => field.visible?.(values) ?? true)
}
