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
  'password',
  'duration',
  'colour',
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

/** Written to the device, never reported, shown masked; only of properties with access `w` and of a service's input. */
export interface PasswordType {
  type: 'password'
  /** UTF-16 units; {@link LIMITS.passwordLength} when absent. */
  maxLength?: number
}

/** Milliseconds, not negative. */
export interface DurationType {
  type: 'duration'
}

/** `#rrggbb`, small letters. */
export interface ColourType {
  type: 'colour'
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
  | PasswordType
  | DurationType
  | ColourType

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

/** The straight line through (x1, y1) and (x2, y2); x1 and x2 differ, and so do y1 and y2. */
export interface LinearMap {
  x1: number
  y1: number
  x2: number
  y2: number
}

export interface PropertyMapping {
  /** Raw value of the device → engineering value. */
  up?: LinearMap
  /** Engineering value → raw value sent to the device. Absent: sent as it is. */
  down?: LinearMap
}

/** What becomes of a number beyond its `min` and `max`. `refuse` (with the whole message) when absent. */
export const RANGE_POLICIES = ['refuse', 'ignore', 'bad', 'clamp'] as const
export type RangePolicy = (typeof RANGE_POLICIES)[number]

/** Which values go into history; `latest` always gets them. */
export const STORE_MODES = ['every', 'change', 'interval', 'deadband'] as const
export type StoreMode = (typeof STORE_MODES)[number]

export interface StorePolicy {
  mode: StoreMode
  /** Of `interval`: at most one value in so many seconds. */
  seconds?: number
  /** Of `deadband`: differences from the last stored value up to this are left out. */
  band?: number
  /** The band is in percent of the last stored value instead of in its unit. */
  percent?: boolean
  /** One value is stored after so many seconds even if nothing changed. */
  maxSeconds?: number
}

/** What becomes of data that is older than ten minutes when it arrives. `keep` when absent. */
export const LATE_POLICIES = ['keep', 'uncertain', 'ignore'] as const
export type LatePolicy = (typeof LATE_POLICIES)[number]

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
  /** Days of history kept; absent: as long as the company keeps it. */
  retentionDays?: number
  mapping?: PropertyMapping
  outOfRange?: RangePolicy
  store?: StorePolicy
  late?: LatePolicy
  /** What a form or a simulated device begins with. */
  default?: unknown
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
  /** What the console asks; absent: its usual words. */
  confirmText?: string
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
  passwordLength: 256,
  /** Characters of a property's default value as JSON. */
  defaultLength: 4_096,
  retentionDays: 3_650,
  /** Longest interval of a store policy, seconds. */
  storeSeconds: 86_400,
  /** Bytes of one message, of any transport. */
  messageBytes: 65_536,
  /** Levels of nesting inside a value of type json. */
  jsonDepth: 16,
  timeoutMs: 86_400_000,
} as const

/** A model without any feature. */
export function emptyModel(): ThingModel {
  return { properties: [], events: [], services: [] }
}
