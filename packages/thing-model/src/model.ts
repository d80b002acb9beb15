/**
 * The thing model: what a product's devices report, announce and can be asked to do.
 * A parsed model ({@link parseModel}) is canonical: defaults filled in, unknown fields dropped, every limit kept.
 */

export const DATA_TYPES = [
  'bool',
  'int32',
  'int64',
  'float',
  'double',
  'string',
  'enum',
  'date',
  'struct',
  'array',
  'geo',
  'file',
  'json',
  'bytes',
] as const
export type DataTypeName = (typeof DATA_TYPES)[number]

export interface BoolType {
  type: 'bool'
  trueText?: string
  falseText?: string
  /** English forms of the two texts. */
  trueEtext?: string
  falseEtext?: string
}

export interface NumberType {
  type: 'int32' | 'float' | 'double'
  min?: number
  max?: number
  /** Step of the control on screen; readings need not be multiples of it. */
  step?: number
}

/** Bounds beyond 2^53 are digits in a string, as the values are. */
export interface Int64Type {
  type: 'int64'
  min?: number | string
  max?: number | string
  step?: number
}

export interface StringType {
  type: 'string'
  /** UTF-16 units; {@link LIMITS.stringLength} when absent. */
  maxLength?: number
}

export interface EnumItem {
  value: number | string
  name: string
  ename?: string
}

export interface EnumType {
  type: 'enum'
  items: EnumItem[]
}

/** Epoch milliseconds. */
export interface DateType {
  type: 'date'
}

export interface StructType {
  type: 'struct'
  fields: Param[]
}

export interface ArrayType {
  type: 'array'
  element: DataType
  /** {@link LIMITS.arrayItems} when absent. */
  maxItems?: number
}

/** WGS 84 `{lng, lat, alt?}`, degrees and metres. */
export interface GeoType {
  type: 'geo'
}

/** An http(s) address, or a path on this installation beginning with one slash. */
export interface FileType {
  type: 'file'
  kind?: 'file' | 'image' | 'video'
}

export interface JsonType {
  type: 'json'
}

/** Bytes written as hex, two digits each. */
export interface BytesType {
  type: 'bytes'
  /** In bytes; {@link LIMITS.bytesLength} when absent. */
  maxLength?: number
}

export type DataType =
  | BoolType
  | NumberType
  | Int64Type
  | StringType
  | EnumType
  | DateType
  | StructType
  | ArrayType
  | GeoType
  | FileType
  | JsonType
  | BytesType

/** A parameter of an event or service, or a field of a struct. */
export interface Param {
  identifier: string
  name: string
  ename?: string
  dataType: DataType
  unit?: string
  decimals?: number
  /** Must be there whenever the parameters are sent. */
  required?: boolean
  description?: string
}

export type Access = 'r' | 'rw' | 'w'

export interface Property {
  identifier: string
  name: string
  ename?: string
  dataType: DataType
  unit?: string
  /** Digits shown after the point. */
  decimals?: number
  /** `r` the device reports it, `w` it can only be set, `rw` both. */
  access: Access
  /** The device is expected to report it; a post without it is taken all the same, posts are partial. */
  required?: boolean
  group?: string
  sort?: number
  icon?: string
  /** Control on the device page; see sensor-kinds.ts for the usual ones. */
  widget?: string
  /** False: only the latest value is kept. */
  history?: boolean
  description?: string
}

export type EventLevel = 'info' | 'warning' | 'error'

export interface ThingEvent {
  identifier: string
  name: string
  ename?: string
  level: EventLevel
  params: Param[]
  description?: string
}

export interface ThingService {
  identifier: string
  name: string
  ename?: string
  /** The caller does not wait for the reply. */
  async?: boolean
  timeoutMs?: number
  /** The console asks before it is invoked. */
  danger?: boolean
  input: Param[]
  output: Param[]
  description?: string
}

export interface ThingModel {
  properties: Property[]
  events: ThingEvent[]
  services: ThingService[]
}

/** Published limits of a model and of one value. */
export const LIMITS = {
  properties: 500,
  events: 100,
  services: 100,
  params: 100,
  structDepth: 3,
  arrayDepth: 3,
  structFields: 100,
  enumItems: 200,
  name: 64,
  unit: 32,
  description: 1_000,
  icon: 4_096,
  decimals: 10,
  stringLength: 10_240,
  arrayItems: 512,
  bytesLength: 8_192,
  fileLength: 2_048,
  /** Levels of nesting inside a value of type json. */
  jsonDepth: 16,
  timeoutMs: 86_400_000,
} as const

/** A model without any feature. */
export function emptyModel(): ThingModel {
  return { properties: [], events: [], services: [] }
}
